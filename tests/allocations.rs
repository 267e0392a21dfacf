//! The number of allocations of a call over HTTP, everything included: a count, not a time, so that every machine finds the same.
#![expect(
    unsafe_code,
    reason = "an allocator has unsafe methods; this one passes every call on to the system's"
)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#![expect(clippy::print_stdout, reason = "`cargo test --test allocations -- --nocapture` shows the figures")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};

use standin::Standin;

/// Counts the allocations of all threads.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
/// Held by each test, since all threads are counted.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

// SAFETY: every call goes to the system's allocator unchanged, and the counter does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(size, Ordering::Relaxed);
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SCENARIO: &str = "\
standin: 1
clock: {start: 2026-06-30T00:00:00Z, mode: frozen}
keys: [{key: bench-key, accounts: [100]}]
businesses:
  - number: 100
    name: Bench
    industry_score: 68.2
    locations:
      - {number: 1, name: One, reviews: [{generate: 500}]}
      - {number: 2, name: Two, reviews: [{generate: 500}]}
";

const CALLS: usize = 200;

fn request(path: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: bench-key\r\nx-business-number: 100\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Sends a request and reads the answer to its end, without an allocation.
fn exchange(stream: &mut TcpStream, answer: &mut [u8], request: &[u8]) {
    stream.write_all(request).unwrap();
    let (mut length, mut end) = (0, usize::MAX);
    while length < end {
        let read = stream.read(&mut answer[length..]).unwrap();
        assert_ne!(read, 0, "the connection ended");
        length += read;
        let text = std::str::from_utf8(&answer[..length]).unwrap_or_default();
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            assert!(head.starts_with("HTTP/1.1 20"), "{text}");
            let body = head.split_once("content-length: ").unwrap().1.split("\r\n").next().unwrap();
            end = head.len() + 4 + body.parse::<usize>().unwrap();
        }
    }
}

/// The allocations per call of a list of requests, of which the first half warms up.
fn per_call(stream: &mut TcpStream, requests: &[Vec<u8>]) -> usize {
    let mut answer = vec![0; 65_536];
    let (first, second) = requests.split_at(CALLS);
    for request in first {
        exchange(stream, &mut answer, request);
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for request in second {
        exchange(stream, &mut answer, request);
    }
    (ALLOCATIONS.load(Ordering::Relaxed) - before) / CALLS
}

#[tokio::test]
async fn a_call_allocates_little() {
    let _alone = ALONE.lock().await;
    let standin = Standin::of_text(SCENARIO).await.unwrap();
    let mut stream = TcpStream::connect(standin.address()).unwrap();
    let day = |call: usize| format!("{:02}/{:02}/2026", 1 + call / 28 % 6, 1 + call % 28);
    let score = |call: usize| {
        let body =
            format!(r#"{{"businessNumbers":[1,2],"startDate":"01/01/2025","endDate":"{}"}}"#, day(call));
        request("/v1/insight/sentiment/scoreBenchmark", &body)
    };
    let page = |call: usize| request(&format!("/v1/review/businessId/100?sindex={call}&count=25"), "{}");
    let scores = per_call(&mut stream, &(0..2 * CALLS).map(score).collect::<Vec<_>>());
    let pages = per_call(&mut stream, &(0..2 * CALLS).map(page).collect::<Vec<_>>());
    println!("{scores} allocations of a score benchmark, {pages} of a page of 25 reviews");
    // Five of them are the body as JSON, of which the journal takes the fingerprint.
    assert!(scores <= 34, "{scores}");
    assert!(pages <= 30, "{pages}");
}

const ADDED: usize = 5_000;
const SAMPLE: usize = 250;

#[tokio::test]
async fn the_five_thousandth_review_costs_what_the_first_did() {
    let _alone = ALONE.lock().await;
    let standin = Standin::of_text(SCENARIO).await.unwrap();
    let mut stream = TcpStream::connect(standin.address()).unwrap();
    let mut answer = vec![0; 65_536];
    let review = |number: usize| {
        let day = 1 + number % 28;
        let body = format!(
            r#"{{"businessId":1,"rating":{},"date":"2026-06-{day:02}","comments":"Number {number}."}}"#,
            1 + number % 5
        );
        request("/__admin/worlds/default/reviews", &body)
    };
    let reviews: Vec<Vec<u8>> = (0..ADDED + SAMPLE).map(review).collect();
    let mut add = |reviews: &[Vec<u8>]| {
        let before = (ALLOCATIONS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
        for review in reviews {
            exchange(&mut stream, &mut answer, review);
        }
        let after = (ALLOCATIONS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
        ((after.0 - before.0) / reviews.len(), (after.1 - before.1) / reviews.len())
    };
    // The first ones index the account's ids and warm up the server.
    add(&reviews[..SAMPLE]);
    let first = add(&reviews[SAMPLE..2 * SAMPLE]);
    add(&reviews[2 * SAMPLE..ADDED]);
    let last = add(&reviews[ADDED..]);
    println!(
        "adding a review: {} allocations of {} bytes at first, {} of {} bytes at last",
        first.0, first.1, last.0, last.1
    );
    assert!(last.0 <= first.0 * 11 / 10 && last.1 <= first.1 * 12 / 10, "{first:?} {last:?}");
}

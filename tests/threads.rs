//! A `Standin` that is dropped leaves no thread behind. This is a program of its own, since it counts the threads of its
//! process. Only Linux tells them.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::time::Duration;

use standin::Standin;

const SCENARIO: &str = "standin: 1\nbusinesses: [{number: 7, name: Bakery}]\n";

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[tokio::test]
async fn instances_one_after_another_leave_no_thread_behind() {
    let before = threads();
    for _ in 0..50 {
        let standin = Standin::of_text(SCENARIO).await.unwrap();
        let world = standin.world().unwrap();
        let url = format!("{}/v1/qna/unanswered/get?businessId=7", world.base_url());
        let answer = ureq::post(&url).header("x-api-key", world.api_key()).send("{}").unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(world.advance(Duration::from_secs(1)).await, Ok(0));
        assert!(threads() > before);
        drop(standin);
        // A thread that has ended leaves the list a moment after it was joined.
        for _ in 0..1000 {
            if threads() == before {
                break;
            }
            std::thread::yield_now();
        }
    }
    assert!(threads() <= before + 2, "{} threads, {before} before", threads());
}

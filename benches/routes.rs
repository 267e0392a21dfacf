//! What a route costs beside a static route of a bare actix-web application: both on loopback, asked in turn over kept connections.
//! `cargo bench --bench routes` prints the medians. They can be compared if all runs on one core, as under `taskset -c 0`: otherwise
//! the time to wake another core counts for one of the two.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on panics, and prints its figures"
)]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use actix_web::{App, HttpResponse, HttpServer, web};
use standin::Standin;

/// The body of the static answers, of the size of a usual record.
fn body() -> String {
    format!("{{\"text\":\"{}\"}}", "x".repeat(600))
}

const ROUNDS: usize = 200;
const CALLS: usize = 100;

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn new(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn get(&mut self, path: &str) {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: k\r\n\r\n");
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        self.0.read_line(&mut line).unwrap();
        assert!(line.contains("200"), "{path}: {line}");
        loop {
            line.clear();
            self.0.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        self.0.read_exact(&mut vec![0; length]).unwrap();
    }

    /// The time of one call, as the mean of a round.
    fn round(&mut self, path: &str) -> Duration {
        let begin = Instant::now();
        (0..CALLS).for_each(|_| self.get(path));
        begin.elapsed() / u32::try_from(CALLS).unwrap()
    }
}

fn main() {
    let scenario = format!(
        "standin: 1\nbusinesses: [{{number: 1, name: A, locations: [{{number: 2, name: B, reviews: [{{generate: 500}}]}}]}}]\nroutes:\n\
         \x20 - {{name: fixed, request: {{method: GET, path: /v1/fixed}}, response: {{json: {}}}}}\n\
         \x20 - {{name: template, request: {{method: GET, path: '/v1/template/{{id}}'}}, response: {{json: {{id: '{{{{ path.id }}}}', text: {:?}}}}}}}\n\
         \x20 - {{name: data, request: {{method: GET, path: '/v1/data/{{id}}'}}, response: {{json: {{average: \"{{{{ reviews(business=path.id) | average('rating') | round(1) }}}}\"}}}}}}\n",
        body(),
        "x".repeat(600),
    );
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let fixed = || async { HttpResponse::Ok().content_type("application/json").body(body()) };
            let server = HttpServer::new(move || App::new().route("/v1/fixed", web::get().to(fixed)));
            let server = server.workers(1).bind("127.0.0.1:0").unwrap();
            sender.send(server.addrs()[0].to_string()).unwrap();
            server.run().await.unwrap();
        });
    });
    let bare = receiver.recv().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let standin = runtime.block_on(Standin::of_text(&scenario)).unwrap();
    let own = standin.base_url().trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let (mut bare, mut own) = (Connection::new(&bare), Connection::new(&own));
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(bare.round("/v1/fixed"));
        for (at, path) in ["/v1/fixed", "/v1/template/7", "/v1/data/2"].into_iter().enumerate() {
            times[at + 1].push(own.round(path));
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    let [bare, fixed, template, data] = times.each_mut().map(median);
    println!("a static route of actix-web:   {bare:?}");
    println!(
        "a route without a template:    {fixed:?}, {:.2} times",
        fixed.as_secs_f64() / bare.as_secs_f64()
    );
    println!("a route with a template:       {template:?}");
    println!("a route over 500 reviews:      {data:?}");
}

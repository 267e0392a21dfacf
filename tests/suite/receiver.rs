//! A receiver of webhooks that answers, hangs, resets or redirects as a test wants, and keeps the requests.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// What a receiver does with a request.
#[derive(Clone, Copy, Debug)]
pub enum Response {
    /// Answers with this status.
    Answer(u16),
    /// Keeps the connection open without an answer until the test ends.
    Hang,
    /// Closes the connection without reading the request, which resets it.
    Reset,
}

#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// Names in lower case and values.
    pub headers: Vec<(String, String)>,
    /// The part of the body that arrived.
    pub body: Vec<u8>,
    /// The body as JSON, or null.
    pub json: Value,
}

impl ReceivedRequest {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Event, conversation and number of its messages.
    pub fn summary(&self) -> String {
        let messages = self.json["data"]["messages"].as_array().map_or(0, Vec::len);
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        format!("{} {} {messages}", text(&self.json["event"]), text(&self.json["data"]["id"]))
    }
}

/// A receiver on a free port.
pub struct Receiver {
    /// Its endpoint.
    pub url: String,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    /// Hanging connections, closed with the receiver.
    _held: Arc<Mutex<Vec<TcpStream>>>,
}

impl Receiver {
    /// Answers each request with the next of these, and all further ones with the last.
    pub fn new(responses: &[Response]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (requests, held) = (Arc::default(), Arc::default());
        let receiver = Self { url, requests: Arc::clone(&requests), _held: Arc::clone(&held) };
        let mut responses: VecDeque<Response> = responses.iter().copied().collect();
        thread::spawn(move || {
            // One after the other, so that the requests keep the order in which they were sent.
            for stream in listener.incoming().map_while(Result::ok) {
                let response =
                    if responses.len() > 1 { responses.pop_front() } else { responses.front().copied() };
                respond(stream, response.unwrap_or(Response::Answer(200)), &requests, &held);
            }
        });
        receiver
    }

    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Short forms of the requests.
    pub fn summaries(&self) -> Vec<String> {
        self.requests().iter().map(ReceivedRequest::summary).collect()
    }
}

fn respond(
    mut stream: TcpStream,
    response: Response,
    requests: &Mutex<Vec<ReceivedRequest>>,
    held: &Mutex<Vec<TcpStream>>,
) {
    if let Response::Reset = response {
        // Closing with unread bytes resets the connection. One byte shows that some have arrived.
        stream.read_exact(&mut [0]).unwrap();
        return;
    }
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "POST /hook HTTP/1.1\r\n");
    let mut headers = Vec::new();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
        if name == "content-length" {
            length = value.parse().unwrap();
        }
        headers.push((name, value));
    }
    let mut body = Vec::new();
    // A truncated body ends early.
    reader.take(length).read_to_end(&mut body).unwrap();
    let json = serde_json::from_slice(&body).unwrap_or_default();
    requests.lock().unwrap().push(ReceivedRequest { headers, body, json });
    match response {
        Response::Answer(status) => {
            let location = if status == 302 { "location: /elsewhere\r\n" } else { "" };
            let _ = write!(stream, "HTTP/1.1 {status} So\r\n{location}content-length: 2\r\n\r\nok");
        }
        Response::Hang | Response::Reset => held.lock().unwrap().push(stream),
    }
}

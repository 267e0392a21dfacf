//! A receiver of webhooks that does as it is told: answers, hangs, resets, redirects. It keeps what came.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// What a receiver does with a request.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// Answers with this status.
    Answer(u16),
    /// Keeps the connection open and says nothing, until the test is over.
    Hang,
    /// Closes the connection with what was sent unread, which resets it.
    Reset,
}

/// What came.
#[derive(Clone, Debug)]
pub struct Came {
    /// Names in lower case with their values.
    pub headers: Vec<(String, String)>,
    /// As much of the body as came.
    pub body: Vec<u8>,
    /// The body as JSON; null where it is none.
    pub json: Value,
}

impl Came {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Name of the event and of its conversation, and how many messages that has.
    pub fn told(&self) -> String {
        let messages = self.json["data"]["messages"].as_array().map_or(0, Vec::len);
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        format!("{} {} {messages}", text(&self.json["event"]), text(&self.json["data"]["id"]))
    }
}

/// A receiver on a free port.
pub struct Receiver {
    /// Its endpoint.
    pub url: String,
    came: Arc<Mutex<Vec<Came>>>,
    /// Connections that hang, let go with the receiver.
    _held: Arc<Mutex<Vec<TcpStream>>>,
}

impl Receiver {
    /// Does these things, one for each request, and the last of them from then on.
    pub fn new(acts: &[Effect]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (came, held) = (Arc::default(), Arc::default());
        let receiver = Self { url, came: Arc::clone(&came), _held: Arc::clone(&held) };
        let mut acts: VecDeque<Effect> = acts.iter().copied().collect();
        thread::spawn(move || {
            // One after the other, so that what came stands in the order in which it was sent.
            for stream in listener.incoming().map_while(Result::ok) {
                let act = if acts.len() > 1 { acts.pop_front() } else { acts.front().copied() };
                one(stream, act.unwrap_or(Effect::Answer(200)), &came, &held);
            }
        });
        receiver
    }

    /// Everything that came, in order.
    pub fn came(&self) -> Vec<Came> {
        self.came.lock().unwrap().clone()
    }

    /// What came, each told shortly.
    pub fn told(&self) -> Vec<String> {
        self.came().iter().map(Came::told).collect()
    }
}

fn one(mut stream: TcpStream, act: Effect, came: &Mutex<Vec<Came>>, held: &Mutex<Vec<TcpStream>>) {
    if let Effect::Reset = act {
        // To close with something unread is to reset; one byte shows that it is there.
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
    // A body that was cut off ends early.
    reader.take(length).read_to_end(&mut body).unwrap();
    let json = serde_json::from_slice(&body).unwrap_or_default();
    came.lock().unwrap().push(Came { headers, body, json });
    match act {
        Effect::Answer(status) => {
            let location = if status == 302 { "location: /elsewhere\r\n" } else { "" };
            let _ = write!(stream, "HTTP/1.1 {status} So\r\n{location}content-length: 2\r\n\r\nok");
        }
        Effect::Hang | Effect::Reset => held.lock().unwrap().push(stream),
    }
}

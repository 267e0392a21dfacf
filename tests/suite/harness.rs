//! Starts the program on a free port, sends requests to it, and stops it with its test.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The real time, for tests of delays and of what must happen in time.
#[expect(
    clippy::disallowed_methods,
    reason = "these tests see the program from outside, where its clock cannot be read"
)]
pub fn now() -> Instant {
    Instant::now()
}

/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until a condition holds, checking it every few milliseconds. This is the only place where a test sleeps.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The command that starts the program.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_standin"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("STANDIN_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// A temporary folder with those files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

/// Writes a file, and creates its folder.
pub fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The folder of examples.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples")
}

/// A running program.
pub struct Server {
    child: Child,
    pub base: String,
    /// The log line about its start.
    pub listening: Value,
    /// The log lines since its start.
    pub log: Arc<Mutex<Vec<Value>>>,
    errors: Arc<Mutex<String>>,
    /// Its temporary folder, if it has one.
    pub folder: Option<TempDir>,
    agent: ureq::Agent,
    /// Stops the program when this process ends in any way, since statics are never dropped.
    _reaper: (Child, ChildStdin),
}

impl Server {
    /// Starts `standin serve` with those arguments.
    pub fn start(cwd: &Path, arguments: &[&str]) -> Self {
        let mut child = program()
            .current_dir(cwd)
            .args(["serve", "--port", "0", "--log", "json", "--workers", "2"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let reaper = reaper(child.id());
        let errors = Arc::new(Mutex::new(String::new()));
        collect(child.stderr.take().unwrap(), {
            let errors = Arc::clone(&errors);
            move |line| writeln!(errors.lock().unwrap(), "{line}").unwrap()
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let Some(Ok(first)) = lines.next() else {
            let status = child.wait().unwrap();
            wait_until("it said why", || !errors.lock().unwrap().is_empty());
            panic!("the program ended at once, {status}: {}", errors.lock().unwrap());
        };
        let listening: Value = serde_json::from_str(&first).unwrap();
        assert_eq!(listening["event"], "listening");
        let log = Arc::new(Mutex::new(Vec::new()));
        thread::spawn({
            let log = Arc::clone(&log);
            move || {
                for line in lines.map_while(Result::ok) {
                    let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                    log.lock().unwrap().push(line);
                }
            }
        });
        let base = listening["baseUrl"].as_str().unwrap().to_owned();
        let agent = agent();
        Self { child, base, listening, log, errors, folder: None, agent, _reaper: reaper }
    }

    /// Serves a temporary folder of those files, with those further arguments.
    pub fn of(files: &[(&str, &str)], arguments: &[&str]) -> Self {
        let folder = folder(files);
        let mut server = Self::start(folder.path(), &[&["."], arguments].concat());
        server.folder = Some(folder);
        server
    }

    /// The path of its temporary folder.
    pub fn path(&self) -> &Path {
        self.folder.as_ref().unwrap().path()
    }

    /// A client of its default world.
    pub fn client(&self) -> Client {
        Client { base: self.base.clone(), key: None, agent: self.agent.clone() }
    }

    /// A client of a named world.
    pub fn world(&self, name: &str) -> Client {
        Client { base: format!("{}/w/{name}", self.base), key: None, agent: self.agent.clone() }
    }

    /// A request to the admin API.
    pub fn admin(&self, method: &str, path: &str) -> Request {
        Request::new(self.agent.clone(), method, format!("{}/__admin/{path}", self.base))
    }

    /// Stops it and waits for its end.
    pub fn stop(mut self) -> ExitStatus {
        self.end()
    }

    /// Waits for its end, without asking for it.
    pub fn wait(mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the program has ended", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn send_signal(&self, signal: &str) {
        let sent = Command::new("kill").arg(signal).arg(self.child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }

    /// What it has printed on standard error.
    pub fn errors(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    fn end(&mut self) -> ExitStatus {
        let mut status = self.child.try_wait().unwrap();
        if status.is_none() {
            // It fails if the program is ending already.
            let _ = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).output();
        }
        wait_until("the program has ended", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.child.kill();
            let _ = self.child.wait();
            return;
        }
        self.end();
        let errors = self.errors();
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

fn reaper(pid: u32) -> (Child, ChildStdin) {
    let mut reaper = Command::new("sh")
        .args(["-c", &format!("cat >/dev/null; kill {pid} 2>/dev/null")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let hold = reaper.stdin.take().unwrap();
    (reaper, hold)
}

fn collect(from: impl Read + Send + 'static, mut each: impl FnMut(String) + Send + 'static) {
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            each(line);
        }
    });
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None)
        .max_redirects(0)
        .allow_non_standard_methods(true)
        .timeout_global(Some(Duration::from_secs(30)))
        .user_agent("standin-tests")
        .build()
        .into()
}

/// A client of one world: a base URL and perhaps a key.
#[derive(Clone)]
pub struct Client {
    pub base: String,
    key: Option<String>,
    agent: ureq::Agent,
}

#[expect(clippy::needless_pass_by_value, reason = "numbers and texts read better without a reference")]
impl Client {
    /// A client of a base URL.
    pub fn of(base: &str) -> Self {
        Self { base: base.to_owned(), key: None, agent: agent() }
    }

    /// The same client with a key.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self.clone() }
    }

    /// The same client without its key.
    pub fn without_key(&self) -> Self {
        Self { key: None, ..self.clone() }
    }

    /// A request of any method and path.
    pub fn call(&self, method: &str, path: &str) -> Request {
        let request = Request::new(self.agent.clone(), method, format!("{}{path}", self.base));
        match &self.key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        }
    }

    /// Sentiment location info.
    pub fn locations(&self, enterprise: impl ToString) -> Request {
        self.call("POST", "/v1/insight/sentiment/locationInfo")
            .header("x-business-number", &enterprise.to_string())
    }

    /// Sentiment score benchmark.
    pub fn benchmark(&self, enterprise: impl ToString) -> Request {
        self.call("POST", "/v1/insight/sentiment/scoreBenchmark")
            .header("x-business-number", &enterprise.to_string())
    }

    /// Contact upsert.
    pub fn contact(&self, enterprise: impl ToString) -> Request {
        self.call("POST", "/v1/contact/external/preferences/saveCustomer")
            .header("x-business-number", &enterprise.to_string())
    }

    /// Review list.
    pub fn reviews(&self, business: impl ToString) -> Request {
        self.call("POST", &format!("/v1/review/businessId/{}", business.to_string()))
    }

    /// Unanswered questions.
    pub fn qna(&self, business: impl ToString) -> Request {
        self.call("POST", "/v1/qna/unanswered/get").query("businessId", &business.to_string())
    }

    /// Webhook subscription, whose key is in the body.
    pub fn subscribe(&self) -> Request {
        self.without_key().call("POST", "/v1/messenger/subscribe/webhook/event")
    }
}

/// A request that is being built.
pub struct Request {
    agent: ureq::Agent,
    method: String,
    url: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl Request {
    fn new(agent: ureq::Agent, method: &str, url: String) -> Self {
        Self { agent, method: method.to_owned(), url, headers: Vec::new(), body: Vec::new() }
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        let join = if self.url.contains('?') { '&' } else { '?' };
        let _ = write!(self.url, "{join}{}={}", escape(name), escape(value));
        self
    }

    /// Adds to the query without escaping.
    pub fn raw_query(mut self, query: &str) -> Self {
        let join = if self.url.contains('?') { '&' } else { '?' };
        let _ = write!(self.url, "{join}{query}");
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.as_bytes().to_vec()));
        self
    }

    /// Removes a header.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    /// Replaces the key.
    pub fn key(self, key: &str) -> Self {
        self.without("x-api-key").header("x-api-key", key)
    }

    /// Sets a JSON body.
    pub fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json").bytes(body.to_string())
    }

    /// Sets a body without a media type.
    pub fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub fn send(self) -> Answer {
        let mut request = ureq::http::Request::builder().method(self.method.as_str()).uri(&self.url);
        for (name, value) in &self.headers {
            request = request.header(name, value.as_slice());
        }
        let sent = if self.body.is_empty() && self.method != "POST" {
            self.agent.run(request.body(()).unwrap())
        } else {
            self.agent.run(request.body(self.body).unwrap())
        };
        let mut answer = sent.unwrap_or_else(|error| panic!("{} {}: {error}", self.method, self.url));
        let bytes = answer.body_mut().with_config().limit(1 << 30).read_to_vec().unwrap();
        let headers = answer.headers().iter();
        Answer {
            call: format!("{} {}", self.method, self.url),
            status: answer.status().as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
                .collect(),
            json: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            bytes,
        }
    }
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte.into());
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Method and URL of the request.
    pub call: String,
    pub status: u16,
    /// Names in lower case and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub bytes: Vec<u8>,
    /// The body as JSON, or null.
    pub json: Value,
}

impl Answer {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The detail of an error, or an empty text.
    pub fn detail(&self) -> &str {
        self.header("x-standin-detail").unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The JSON of a 200 answer.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}: {} ({})", self.call, self.text(), self.detail());
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.call);
        self.json
    }

    /// Checks that this is an API error: its status, a body of exactly code and message, and a detail in the header.
    #[track_caller]
    pub fn refused(self, status: u16, code: u32, message: &str) -> Self {
        let expected = format!(r#"{{"code":{code},"message":{}}}"#, Value::from(message));
        assert_eq!(self.text(), expected, "{} ({})", self.call, self.detail());
        assert_eq!(self.status, status, "{}", self.call);
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.call);
        let detail = self.detail();
        assert!(!detail.is_empty() && detail.len() <= 512, "{}: detail {detail:?}", self.call);
        assert!(detail.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{detail:?}");
        self
    }

    /// Checks that this is the error 2003 with status 400.
    #[track_caller]
    pub fn invalid(self, message: &str) -> Self {
        self.refused(400, 2003, message)
    }
}

/// Sends bytes over a new connection and reads until the other side closes it.
pub fn raw(base: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(base.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

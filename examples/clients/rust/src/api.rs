//! A client of the reputation API: a method for each operation, and one place that decides what is sent again.

use std::fmt;
use std::thread::sleep;
use std::time::Duration;

use reqwest::blocking::Client;
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For one attempt, with the last byte of its answer.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
const ATTEMPTS: u32 = 3;
/// A service that asks for more has to wait for the next night.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const RATE_LIMITED: i64 = 89;

const REVIEWS_A_PAGE: usize = 500;
const POINTS_A_PAGE: usize = 100;
const QUESTIONS_A_PAGE: usize = 25;
/// The API lists no record beyond this one.
const WINDOW: usize = 100_000;

// Members that these types do not have are ignored, so new ones do no harm.

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    pub review_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    pub question_id: i64,
}

#[derive(Deserialize)]
pub struct Point {
    pub mentions: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Benchmark {
    pub score: f64,
    pub industry_score: f64,
}

/// Ends the job. It is one line for a person.
#[derive(Debug)]
pub struct ApiError(pub String);

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why one attempt failed.
enum Failure {
    /// Nothing usable came back, so the request may or may not have taken effect.
    NoAnswer(String),
    /// The API answered, and the answer is an error.
    Refused { status: u16, code: Option<i64>, message: String, retry_after: Option<u64> },
}

pub struct Api {
    client: Client,
    base_url: String,
    key: String,
    business: u64,
}

impl Api {
    pub fn new(base_url: &str, key: String, business: u64) -> reqwest::Result<Self> {
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            // A redirect is not followed, because the key would go with it.
            .redirect(Policy::none())
            // All repetitions are decided in `call`.
            .retry(reqwest::retry::never())
            .build()?;
        Ok(Self { client, base_url: base_url.trim_end_matches('/').to_owned(), key, business })
    }

    /// Creates the contact, or updates the one with the same `externalId`. So it is safe to repeat.
    pub fn save_contact(&self, contact: &Value) -> Result<u64, ApiError> {
        #[derive(Deserialize)]
        struct Saved {
            id: u64,
        }
        let saved: Saved = self.read("contact", "/v1/contact/external/preferences/saveCustomer", contact)?;
        Ok(saved.id)
    }

    /// All published reviews of the business. The list has no total: a page that is not full is the last one.
    pub fn reviews(&self) -> Result<Vec<Review>, ApiError> {
        let mut reviews: Vec<Review> = Vec::new();
        loop {
            let start = reviews.len();
            if start + REVIEWS_A_PAGE > WINDOW {
                return Err(ApiError(format!(
                    "reviews: there are more than {WINDOW}; narrow the list by dates or locations"
                )));
            }
            let path =
                format!("/v1/review/businessId/{}?sindex={start}&count={REVIEWS_A_PAGE}", self.business);
            let page: Vec<Review> = self.read("reviews", &path, &json!({}))?;
            let is_last = page.len() < REVIEWS_A_PAGE;
            reviews.extend(page);
            if is_last {
                return Ok(reviews);
            }
        }
    }

    pub fn questions(&self) -> Result<Vec<Question>, ApiError> {
        let path = format!("/v1/qna/unanswered/get?businessId={}", self.business);
        self.pages("questions", "questionsAndAnswers", |start| {
            (path.clone(), json!({"startIndex": start, "pageSize": QUESTIONS_A_PAGE}))
        })
    }

    pub fn location_scores(&self, dates: &[String; 2], user: &str) -> Result<Vec<Point>, ApiError> {
        let body = json!({"businessNumbers": [self.business], "startDate": dates[0], "endDate": dates[1], "userEmail": user});
        self.pages("locations", "dataPoints", |start| {
            (
                format!("/v1/insight/sentiment/locationInfo?start-index={start}&page-size={POINTS_A_PAGE}"),
                body.clone(),
            )
        })
    }

    pub fn benchmark(&self, dates: &[String; 2]) -> Result<Benchmark, ApiError> {
        #[derive(Deserialize)]
        struct Answer {
            actual: Benchmark,
        }
        let body = json!({"businessNumbers": [self.business], "startDate": dates[0], "endDate": dates[1]});
        let answer: Answer = self.read("benchmark", "/v1/insight/sentiment/scoreBenchmark", &body)?;
        Ok(answer.actual)
    }

    /// Every call makes another subscription, so it is not repeated when its answer is lost.
    pub fn subscribe(&self, endpoint: &str, events: &[&str]) -> Result<u64, ApiError> {
        let body = json!({"businessNumber": self.business.to_string(), "apiKey": self.key, "events": events, "endpoint": endpoint});
        let answer = self.call("subscription", "/v1/messenger/subscribe/webhook/event", &body, false)?;
        answer["subscriptionId"]
            .as_u64()
            .ok_or_else(|| ApiError("subscription: the answer has no subscriptionId".to_owned()))
    }

    /// Reads all pages of a list that tells its total. `name` is the member with the records.
    fn pages<T: DeserializeOwned>(
        &self,
        what: &str,
        name: &str,
        request: impl Fn(usize) -> (String, Value),
    ) -> Result<Vec<T>, ApiError> {
        let mut records: Vec<T> = Vec::new();
        loop {
            let (path, body) = request(records.len());
            let mut answer: Value = self.read(what, &path, &body)?;
            let total: usize = parse(what, answer["totalCount"].take())?;
            let page: Vec<T> = parse(what, answer[name].take())?;
            let is_empty = page.is_empty();
            records.extend(page);
            if records.len() >= total {
                return Ok(records);
            }
            if is_empty {
                return Err(ApiError(format!(
                    "{what}: the list ended at {}, but its total is {total}",
                    records.len()
                )));
            }
        }
    }

    fn read<T: DeserializeOwned>(&self, what: &str, path: &str, body: &Value) -> Result<T, ApiError> {
        parse(what, self.call(what, path, body, true)?)
    }

    fn call(&self, what: &str, path: &str, body: &Value, repeatable: bool) -> Result<Value, ApiError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let (problem, wait) = match self.attempt(path, body) {
                Ok(answer) => return Ok(answer),
                Err(Failure::NoAnswer(problem)) if !repeatable => {
                    return Err(ApiError(format!(
                        "{what}: {problem}; it may have taken effect, so it is not sent again"
                    )));
                }
                Err(Failure::NoAnswer(problem)) => (problem, backoff(attempt, 200)),
                Err(Failure::Refused { status, code, message, retry_after }) => {
                    let problem = code
                        .map_or(format!("HTTP {status}"), |code| format!("{code} {message} (HTTP {status})"));
                    // A 429 alone says little: 1027 is one as well, and no repetition makes a wrong number right.
                    let limited = code == Some(RATE_LIMITED) || (status == 429 && code.is_none());
                    if !limited && status < 500 {
                        return Err(ApiError(format!("{what}: {problem}")));
                    }
                    // A little later than asked, so that not all clients come back in the same moment.
                    let asked = retry_after.map(|asked| {
                        Duration::from_secs(asked) + Duration::from_millis(fastrand::u64(50..250))
                    });
                    (problem, asked.unwrap_or_else(|| backoff(attempt, if limited { 600 } else { 200 })))
                }
            };
            if wait > LONGEST_WAIT {
                return Err(ApiError(format!(
                    "{what}: {problem}, and the API asks to wait for {} s",
                    wait.as_secs()
                )));
            }
            if attempt == ATTEMPTS {
                return Err(ApiError(format!("{what}: gave up after {ATTEMPTS} tries: {problem}")));
            }
            sleep(wait);
        }
    }

    fn attempt(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let no_answer = |error: reqwest::Error| {
            Failure::NoAnswer(
                if error.is_timeout() { "no answer in time" } else { "the connection failed" }.to_owned(),
            )
        };
        let request = self.client.post(format!("{}{path}", self.base_url)).json(body);
        // The key travels in this header and in no URL.
        let request = request.header("x-api-key", &self.key).header("x-business-number", self.business);
        let response = request.send().map_err(no_answer)?;
        let status = response.status().as_u16();
        // This API sends seconds. A date, which HTTP also allows, counts as no hint.
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        // It is an error if the body is shorter than its content-length.
        let bytes = response.bytes().map_err(no_answer)?;
        let parsed: Result<Value, _> = serde_json::from_slice(&bytes);
        if status == 200 {
            return parsed.map_err(|_| Failure::NoAnswer("the answer is not JSON".to_owned()));
        }
        let error = parsed.unwrap_or_default(); // A gateway's answer is text, which has no code.
        let message = error["message"].as_str().unwrap_or_default().to_owned();
        Err(Failure::Refused { status, code: error["code"].as_i64(), message, retry_after })
    }
}

/// Reads an answer that is JSON, but perhaps of another shape than it should be.
fn parse<T: DeserializeOwned>(what: &str, answer: Value) -> Result<T, ApiError> {
    serde_json::from_value(answer)
        .map_err(|error| ApiError(format!("{what}: the answer has an unexpected shape: {error}")))
}

/// At least `first` milliseconds, twice as long each time, and up to as much again by chance.
fn backoff(attempt: u32, first: u64) -> Duration {
    let least = first * 2_u64.pow(attempt - 1);
    Duration::from_millis(fastrand::u64(least..2 * least))
}

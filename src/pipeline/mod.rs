//! The way of a request, as `behaviour.md` 1 orders it, in one function to read from top to bottom. What is decided here
//! is performed at the server's edge.

/// Which world a call is for.
pub mod locate;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::call::{BODY_LIMIT, Body, Call, KeyMatch, decode};
use crate::api::cors;
use crate::api::error::{ApiError, Code};
use crate::api::operation::Operation;
use crate::api::reply::Reply;
use crate::auth::{Caller, sent_key};
use crate::clock::Reading;
use crate::dataset::facts::Dataset;
use crate::fault::body::Body as effect;
use crate::fault::counters::Counters;
use crate::fault::decide::{Decision, Verdict, decide};
use crate::fault::effect::Effect;
use crate::fault::request::Request;
use crate::fault::transmission::SendPlan;
use crate::fault::{malformed, patch, prefer};
use crate::journal::entry::{Entry, Facts};
use crate::journal::shown::{self, Origin};
use crate::operations::{self, Answer, Context, subscribe};
use crate::pipeline::locate::Located;
use crate::world::World;
use crate::world::snapshot::Snapshot;

/// A reply, and how it goes out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The reply.
    pub reply: Reply,
    /// How it is sent.
    pub sending: SendPlan,
    /// What there is to tell of the call; none where it was none of the API's.
    pub call: Option<Handled>,
}

/// What log, metrics and journal tell of a call.
#[derive(Clone, Debug)]
pub struct Handled {
    /// When it came, by real time.
    pub at: Instant,
    /// Its operation; none where nothing is at its path.
    pub operation: Option<Operation>,
    /// Code of the error that was answered.
    pub code: Option<u32>,
    /// How the faults decided; none where none counted the call.
    pub decision: Option<Arc<Decision>>,
    /// Its entry in the world's journal; none where nothing is written down.
    pub entry: Option<Arc<Entry>>,
}

impl Handled {
    /// The fault that took effect, else the last delay.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.decision.as_ref().filter(|decision| decision.struck).map(|decision| decision.fault.as_str())
    }
}

impl From<Reply> for Outcome {
    /// A reply that goes out at once and whole.
    fn from(reply: Reply) -> Self {
        Self { reply, sending: SendPlan::default(), call: None }
    }
}

/// Answers a call of a located world; its dataset is ready. The journal has it before anybody can have the answer.
#[must_use]
pub fn respond(located: &Located, dataset: &Dataset, call: &Call<'_>) -> Outcome {
    let Located { at, prefixed, world, snapshot, .. } = located;
    if let Some(reply) = cors::preflight(&snapshot.dialect.cors, call) {
        return reply.into();
    }
    let route = Operation::at(call.path);
    let (sent, place) = key(located, route, call);
    let reading = world.clock.at(*at);
    let mut counters = world.counters();
    let arrival = counters.arrive();
    let verdict = match route {
        Some(route) if call.method == "POST" && !snapshot.faults.is_empty() => {
            judged(located, route, call, (sent, place), reading.since_start(), &mut counters)
        }
        Some(_) | None => Verdict::default(),
    };
    drop(counters);
    let operation = route.map(|(operation, _)| operation);
    // A bug costs one request.
    let answered =
        catch_unwind(AssertUnwindSafe(|| decided(located, dataset, route, call, &verdict, reading)));
    let Decided { reply, code, done, notes } = answered.unwrap_or_else(|_| {
        Decided::refused(refused(snapshot, operation, &ApiError::new(Code::Internal, "")), Code::Internal)
    });
    if let Some(operation) = operation.filter(|_| done && !snapshot.hooks.webhooks.timeline.is_empty()) {
        let contact =
            serde_json::from_slice(&reply.body).ok().and_then(|body: serde_json::Value| body["id"].as_u64());
        world.did(operation, account(operation, route, dataset, call, snapshot), contact);
    }
    let reply = cors::dressed(told(reply, &verdict, snapshot, call), &snapshot.dialect.cors, call);
    let reply = match verdict.taken.and_then(|fault| fault.effect.headers.as_ref()) {
        Some(headers) => headers.applied(reply),
        None => reply,
    };
    let sending = SendPlan::of(&verdict);
    let decision = verdict.decision.map(Arc::new);
    let entry = world.journal.is_on().then(|| {
        let facts = Facts {
            arrival,
            reading,
            operation,
            place,
            prefixed: *prefixed,
            answered: sending.answers(),
            code,
            decision: decision.clone(),
            keys: Arc::clone(&snapshot.keys),
            dialect: Arc::clone(&snapshot.dialect),
            notes,
        };
        let entry = Arc::new(Entry::new(facts, call, &reply, world.journal.most_of_a_body()));
        world.journal.add(Arc::clone(&entry));
        if world.stream.is_watched() {
            tell(world, &entry);
        }
        entry
    });
    Outcome { reply, sending, call: Some(Handled { at: *at, operation, code, decision, entry }) }
}

/// Number of the account that a call was about.
fn account(
    operation: Operation,
    route: Option<(Operation, &str)>,
    dataset: &Dataset,
    call: &Call<'_>,
    snapshot: &Snapshot,
) -> Option<u64> {
    let number = match operation {
        Operation::SentimentLocations | Operation::SentimentBenchmark | Operation::Contact => {
            call.header("x-business-number")?.into_owned()
        }
        Operation::Reviews => decode(route?.1, false).into_owned(),
        Operation::Qna => call.parameter(&snapshot.dialect.names.business)?.into_owned(),
        Operation::Subscribe => {
            let body: serde_json::Value = serde_json::from_slice(call.bytes()).ok()?;
            let number = &body["businessNumber"];
            number.as_str().map_or_else(|| number.to_string(), str::to_owned)
        }
    };
    let place = dataset.find(number.trim().parse().ok()?)?;
    Some(dataset.account(dataset.account_at(place)).number)
}

/// Tells those who watch a world of a call, and of the fault that took effect.
fn tell(world: &World, entry: &Entry) {
    let minted = world.minted.as_ref().map(|key| key.key.as_str());
    let call = shown::json(entry, &entry.facts.notes, Origin { world: &world.name, minted });
    world.stream.tell("request", &call);
    if let Some(fault) = entry.fault() {
        let struck = serde_json::json!({ "name": fault, "seq": call["seq"], "decision": call["decision"] });
        world.stream.tell("fault", &struck);
    }
}

/// The key that a call carries, and where that stands.
fn key<'a>(
    located: &Located,
    route: Option<(Operation, &str)>,
    call: &Call<'a>,
) -> (Option<Cow<'a, str>>, KeyMatch) {
    let Located { world, snapshot, .. } = located;
    let sent = if matches!(route, Some((Operation::Subscribe, _))) {
        subscribe::sent_key(call).ok().flatten().map(|key| Cow::Owned(key.trim().to_owned()))
    } else {
        sent_key(call, &snapshot.dialect).map(|key| match key {
            Cow::Borrowed(key) => Cow::Borrowed(key.trim()),
            Cow::Owned(key) => Cow::Owned(key.trim().to_owned()),
        })
    };
    let sent = sent.filter(|key| !key.is_empty());
    let minted = world.minted.as_ref().is_some_and(|key| sent.as_deref() == Some(&key.key));
    let place = if minted { KeyMatch::Minted } else { snapshot.keys.place(sent.as_deref()) };
    (sent, place)
}

/// Step 3: which fault strikes.
fn judged<'a>(
    located: &'a Located,
    (operation, parameter): (Operation, &str),
    call: &Call<'_>,
    (sent, place): (Option<Cow<'_, str>>, KeyMatch),
    since_start: Duration,
    counters: &mut Counters,
) -> Verdict<'a> {
    let snapshot = &located.snapshot;
    let parameter = decode(parameter, false);
    let request =
        Request::new((operation, &parameter), call, &snapshot.dialect, (sent.map(Cow::into_owned), place));
    decide(&snapshot.faults, &request, snapshot.seed, since_start, counters)
}

/// An answer before it is dressed.
struct Decided {
    reply: Reply,
    code: Option<u32>,
    /// Whether the operation was done, whatever the client learns of it.
    done: bool,
    /// What the journal remarks.
    notes: Vec<String>,
}

impl Decided {
    fn refused(reply: Reply, code: Code) -> Self {
        Self { reply, code: Some(code.row().number), done: false, notes: Vec::new() }
    }
}

/// What a fault or the operation answers, its body changed where the verdict says so.
fn decided(
    located: &Located,
    dataset: &Dataset,
    route: Option<(Operation, &str)>,
    call: &Call<'_>,
    verdict: &Verdict<'_>,
    reading: Reading,
) -> Decided {
    let snapshot = &located.snapshot;
    let operation = route.map(|(operation, _)| operation);
    let plain = |reply| Decided { reply, code: None, done: false, notes: Vec::new() };
    let mut decided = match (verdict.act(), operation) {
        (Some(Effect::Error(error)), Some(operation)) => {
            Decided { code: Some(error.number()), ..plain(error.reply(operation, &snapshot.dialect)) }
        }
        (Some(Effect::Status(status)), _) => plain(status.reply()),
        // Nothing of this is sent.
        (Some(Effect::Connection(_)), _) => plain(Reply::json(200, Vec::new())),
        _ => match answer(located, dataset, route, call, reading) {
            Ok(Answer { body, note }) => {
                Decided { done: true, notes: note.into_iter().collect(), ..plain(Reply::json(200, body)) }
            }
            Err(refusal) => Decided::refused(refused(snapshot, operation, &refusal), refusal.code),
        },
    };
    shape(&mut decided, verdict);
    decided
}

/// Changes the body, where the verdict says so. A patch that does not apply leaves it as it was.
fn shape(decided: &mut Decided, verdict: &Verdict<'_>) {
    let reply = &mut decided.reply;
    match (verdict.act(), verdict.draw.clone()) {
        (Some(Effect::Body(effect::Malformed)), Some(mut draw)) => {
            reply.status = 200;
            reply.body = malformed::cut(&reply.body, &mut draw).into();
        }
        (Some(Effect::Body(effect::Patch(changes))), _) => match patch::applied(changes, &reply.body) {
            Some(body) => reply.body = body.into(),
            None => {
                decided.notes.push("the fault's patch does not apply to this answer, which stays".to_owned());
            }
        },
        (Some(Effect::Lost(_)), _) => {
            decided.notes.push(format!("the operation answered {}, and the answer was lost", reply.status));
        }
        _ => {}
    }
}

/// The reply with what the client asked to be told: that its preference was applied (RFC 7240), and with
/// `x-standin-trace: 1` how the faults decided.
fn told(mut reply: Reply, verdict: &Verdict<'_>, snapshot: &Snapshot, call: &Call<'_>) -> Reply {
    if let Some(name) = verdict.preferred {
        reply = reply.with("preference-applied", prefer::applied(name));
    }
    if call.header("x-standin-trace").is_none_or(|trace| trace != "1") {
        return reply;
    }
    reply = reply.with("x-standin-generation", snapshot.generation.to_string());
    let Some(decision) = &verdict.decision else { return reply };
    reply = reply.with("x-standin-attempt", decision.attempt.to_string());
    for (name, value) in [("x-standin-draw", decision.draw), ("x-standin-threshold", decision.threshold)] {
        if let Some(value) = value {
            reply = reply.with(name, value.to_string());
        }
    }
    if decision.struck { reply.with("x-standin-fault", printable(&decision.fault)) } else { reply }
}

/// Steps 2 to 9.
fn answer(
    located: &Located,
    dataset: &Dataset,
    route: Option<(Operation, &str)>,
    call: &Call<'_>,
    reading: Reading,
) -> Result<Answer, ApiError> {
    let Located { world, snapshot, .. } = located;
    let (operation, parameter) = route.ok_or_else(|| no_path(call))?;
    if call.method != "POST" {
        return Err(ApiError::new(Code::Method, format!("{} is not allowed here; POST is", call.method)));
    }
    // The subscription carries its key in the body, which is therefore read before the key is looked at.
    let caller = if operation == Operation::Subscribe {
        readable(call)?;
        authenticate(located, subscribe::sent_key(call)?.as_deref())?
    } else {
        authenticate(located, sent_key(call, &snapshot.dialect).as_deref())?
    };
    within_limit(world, caller, reading)?;
    let enterprise = match operation {
        Operation::SentimentLocations | Operation::SentimentBenchmark => {
            Some(caller.enterprise(dataset, call, Code::EnterpriseInvalid)?)
        }
        Operation::Contact => Some(caller.enterprise(dataset, call, Code::BusinessMissing)?),
        Operation::Reviews | Operation::Qna | Operation::Subscribe => None,
    };
    readable(call)?;
    let parameter = &decode(parameter, false);
    let added = world.added.beside(dataset);
    let context = Context {
        dialect: &snapshot.dialect,
        caller,
        enterprise,
        parameter,
        events: &snapshot.events,
        added: added.as_deref().map(|added| &added.facts),
    };
    operations::answer(operation, context, dataset, &world.ledger, call)
}

/// Step 4: who sent that key.
fn authenticate<'a>(located: &'a Located, sent: Option<&str>) -> Result<Caller<'a>, ApiError> {
    let minted = located.world.minted.as_ref();
    if let Some(key) = minted.filter(|key| sent.is_some_and(|sent| sent.trim() == key.key)) {
        return Ok(Caller { key: Some(key) });
    }
    if located.foreign {
        return Err(ApiError::new(Code::KeyInvalid, "the key was made with another world"));
    }
    located.snapshot.keys.authenticate(sent)
}

fn no_path(call: &Call<'_>) -> ApiError {
    let known = Operation::ALL.map(Operation::path).join(", ");
    let path = if call.path.is_empty() { "/" } else { call.path };
    let message = format!("Nothing is at {path}. The paths are {known}.");
    ApiError { message: message.into(), ..ApiError::new(Code::NotFound, "") }
}

/// Step 5: the rate limit of the caller's key.
fn within_limit(world: &World, caller: Caller<'_>, reading: Reading) -> Result<(), ApiError> {
    let Some((key, limit)) = caller.key.and_then(|key| Some((key, key.rate_limit?))) else { return Ok(()) };
    let passed = world.quotas().pass(&key.key, limit, reading.start, reading.now);
    passed.map_err(|seconds| ApiError {
        retry_after: Some(seconds),
        ..ApiError::new(Code::RateLimited, format!("the key's window ends in {seconds} s"))
    })
}

/// Step 7, as far as it is one for all operations: media type, encoding and size of the body.
fn readable(call: &Call<'_>) -> Result<(), ApiError> {
    let media = call.header("content-type").unwrap_or_default();
    let kind = media.split_once(';').map_or(&*media, |(kind, _)| kind.trim());
    if !(kind.is_empty() || kind == "application/json" || is_json(kind)) {
        let detail =
            format!("content-type: {kind} is not application/json (curl sends a form type unless told)");
        return Err(ApiError::new(Code::MediaType, detail));
    }
    let encoding = call.header("content-encoding").unwrap_or_default();
    if !(encoding.is_empty() || encoding.eq_ignore_ascii_case("identity")) {
        return Err(ApiError::new(Code::MediaType, format!("content-encoding: {encoding} is not identity")));
    }
    match call.body {
        Body::Whole(_) => Ok(()),
        Body::TooLarge => Err(ApiError::new(Code::TooLarge, format!("the body is over {BODY_LIMIT} bytes"))),
    }
}

/// `application/json`, or a media type of its suffix (RFC 6839).
fn is_json(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || (kind.contains('/') && kind.ends_with("+json"))
}

/// The reply of a refusal: its exact body, and what was wrong in a header.
#[must_use]
pub fn refused(snapshot: &Snapshot, operation: Option<Operation>, refusal: &ApiError) -> Reply {
    let status = snapshot.dialect.status(refusal.code, operation);
    // Where the message says it all, the detail is the message: whoever looks there alone sees the cause, too.
    let detail = if refusal.detail.is_empty() { &refusal.message } else { refusal.detail.as_str() };
    let mut reply = Reply::json(status, refusal.body()).with("x-standin-detail", printable(detail));
    if let Some(seconds) = refusal.retry_after.filter(|_| snapshot.dialect.retry_after) {
        reply = reply.with("retry-after", seconds.to_string());
    }
    if refusal.code == Code::Method {
        reply = reply.with("allow", "POST");
    }
    reply
}

/// Most bytes of the detail header.
const DETAIL: usize = 512;

/// Printable ASCII, the rest escaped, cut where it is too long.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let shown = if matches!(letter, ' '..='~') {
            letter.to_string()
        } else {
            letter.escape_unicode().to_string()
        };
        if out.len() + shown.len() > DETAIL {
            break;
        }
        out.push_str(&shown);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detail_is_printable_and_short() {
        assert_eq!(printable("ratings[2]: é\n"), "ratings[2]: \\u{e9}\\u{a}");
        let long = printable(&"é".repeat(1000));
        assert!(long.len() <= DETAIL && long.ends_with('}'));
    }
}

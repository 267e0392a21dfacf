//! Steps 4 to 9: key, rate limit, account, body, and the operation itself; or what a fault answers in place of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::api::call::{BODY_LIMIT, Body, Call};
use crate::api::error::{ApiError, Code};
use crate::api::operation::Operation;
use crate::api::query::AnsweredPage;
use crate::api::reply::Reply;
use crate::auth::Caller;
use crate::clock::Reading;
use crate::dataset::facts::Dataset;
use crate::fault::effect::Effect;
use crate::journal::checks::Check;
use crate::operations::spec::{Authorized, Context, Done, KeyIn, Run, Spec};
use crate::pipeline::admit::{Admitted, AtPath};
use crate::pipeline::decide::Decided;
use crate::pipeline::nothing::nothing_at;
use crate::pipeline::receive::{Received, Target};
use crate::pipeline::refuse::refuse;
use crate::pipeline::route;
use crate::route::Method;
use crate::world::run::Run as WorldRun;
use crate::world::snapshot::Snapshot;

/// A reply before faults and CORS change it.
pub(super) struct Ran {
    pub(super) reply: Reply,
    /// Code of the API error that was answered.
    pub(super) code: Option<u32>,
    /// The check that refused the call.
    pub(super) refused_by: Option<Check>,
    /// Remarks for the journal.
    pub(super) notes: Vec<String>,
    /// The page of a list that was answered.
    pub(super) page: Option<AnsweredPage>,
}

impl Ran {
    pub(super) fn new(reply: Reply, code: Option<u32>) -> Self {
        Self { reply, code, refused_by: None, notes: Vec::new(), page: None }
    }
}

/// The order of the checks is that of `docs/api.md` 1.
pub(super) fn run(decided: &Decided<'_>, dataset: &Dataset) -> Ran {
    let admitted = decided.admitted;
    let Received { run, snapshot, call, .. } = admitted.received;
    let refused = |operation: Option<Operation>, Refusal(check, error): &Refusal| {
        let reply = refuse(snapshot, operation, error);
        Ran { refused_by: Some(*check), ..Ran::new(reply, Some(error.code.row().number)) }
    };
    let target = match &admitted.at_path {
        AtPath::Operation(spec, parameter) => Answering::Operation(spec, parameter),
        AtPath::Route(route) => Answering::Route(route),
        AtPath::Nothing => {
            let found = nothing_at(call.path, &snapshot.routes);
            return refused(None, &Refusal(Check::Path, found));
        }
        AtPath::Method(methods) => return other_method(snapshot, call, methods),
        AtPath::NoCondition => {
            let error = Refusal(Check::Path, ApiError::new(Code::NotFound, NO_CONDITION));
            return Ran { notes: vec![NO_CONDITION.to_owned()], ..refused(None, &error) };
        }
    };
    let (operation, injected) = match target {
        Answering::Operation(spec, _) => (spec.operation, spec.injected_2003),
        Answering::Route(route) => (route.operation, "the request is not valid"),
    };
    match decided.verdict.effect() {
        Some(Effect::Error(error)) => {
            let reply = error.reply(operation, injected, &snapshot.dialect);
            return Ran::new(reply, Some(error.number()));
        }
        Some(Effect::Status(status)) => return Ran::new(status.reply(), None),
        // Nothing of this reply is sent.
        Some(Effect::Connection(_)) => return Ran::new(Reply::json(200, Vec::new()), None),
        Some(Effect::Body(_) | Effect::Lost(_)) | None => {}
    }
    // A bug in an operation costs one request.
    let result = catch_unwind(AssertUnwindSafe(|| match target {
        Answering::Operation(spec, parameter) => {
            let Done { body, account, contact, note, page } =
                check_and_run(admitted, spec, parameter, dataset)?;
            run.operation_done(spec.operation, (account, contact), admitted.reading.now);
            let reply = Reply::json(200, body);
            Ok(Ran { notes: note.into_iter().collect(), page, ..Ran::new(reply, None) })
        }
        Answering::Route(route) => route::run(decided, route),
    }));
    let failed = |_| Err(Refusal(Check::Operation, ApiError::new(Code::Internal, "")));
    match result.unwrap_or_else(failed) {
        Ok(ran) => ran,
        Err(refusal) => refused(Some(operation), &refusal),
    }
}

/// An API error, and the check that answers it.
pub(super) struct Refusal(pub(super) Check, pub(super) ApiError);

impl Check {
    pub(super) fn refuses(self) -> impl Fn(ApiError) -> Refusal {
        move |error| Refusal(self, error)
    }
}

/// What answers a request.
#[derive(Clone, Copy)]
enum Answering<'a> {
    Operation(&'static Spec, &'a str),
    Route(&'a crate::route::Route),
}

/// The note where routes are at the path, and none of their conditions holds.
const NO_CONDITION: &str = "no condition held";

/// The 405 of a path that has routes for other methods.
fn other_method(snapshot: &Snapshot, call: &Call<'_>, methods: &[Method]) -> Ran {
    let allowed = methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ");
    let verb = if methods.len() == 1 { "is" } else { "are" };
    let error = ApiError::new(Code::Method, format!("{} is not allowed here; {allowed} {verb}", call.method));
    let mut reply = refuse(snapshot, None, &error);
    reply.headers.retain(|(name, _)| name != "allow");
    let reply = reply.with("allow", allowed);
    Ran { refused_by: Some(Check::Path), ..Ran::new(reply, Some(error.code.row().number)) }
}

fn check_and_run(
    admitted: &Admitted<'_>,
    spec: &'static Spec,
    parameter: &str,
    dataset: &Dataset,
) -> Result<Done, Refusal> {
    let Admitted { received, key, reading, .. } = admitted;
    let Received { run: state, snapshot, call, .. } = received;
    if call.method != "POST" {
        let error = ApiError::new(Code::Method, format!("{} is not allowed here; POST is", call.method));
        return Err(Refusal(Check::Path, error));
    }
    if let KeyIn::Body(_) = spec.key {
        // The key is in the body, so the body is checked first.
        check_body(call).map_err(Check::Body.refuses())?;
        if let Err(error) = &received.body_key {
            return Err(Refusal(Check::Body, error.clone()));
        }
    }
    let caller = authenticate(received, key.as_deref()).map_err(Check::Key.refuses())?;
    check_rate_limit(state, caller, *reading).map_err(Check::RateLimit.refuses())?;
    let added = state.added.read(dataset);
    let context = Context {
        dialect: &snapshot.dialect,
        events: &snapshot.events,
        dataset,
        added: added.as_deref(),
        ledger: &state.ledger,
        now: reading.now,
    };
    let authorized = Authorized { call, caller, parameter };
    match spec.run {
        Run::ForAccount(invalid, run) => {
            let account = caller.enterprise(dataset, call, invalid).map_err(Check::Account.refuses())?;
            check_body(call).map_err(Check::Body.refuses())?;
            run(&context, &authorized, account).map_err(Check::Fields.refuses())
        }
        Run::ForKey(run) => {
            check_body(call).map_err(Check::Body.refuses())?;
            run(&context, &authorized).map_err(Check::Fields.refuses())
        }
    }
}

/// The detail where a key was minted for another world.
pub(crate) const FOREIGN_KEY: &str = "the key was made with another world";

/// Step 4.
pub(super) fn authenticate<'a>(
    received: &'a Received<'_>,
    key: Option<&str>,
) -> Result<Caller<'a>, ApiError> {
    let minted = received.world.minted.as_ref();
    if let Some(minted) = minted.filter(|minted| key == Some(&minted.key)) {
        return Ok(Caller { key: Some(minted) });
    }
    if received.foreign_key {
        return Err(ApiError::new(Code::KeyInvalid, FOREIGN_KEY));
    }
    received.snapshot.keys.authenticate(key).map_err(|error| {
        if received.call.parameter("api_key").is_none() {
            return error;
        }
        let detail = [error.detail.as_str(), query_key_fate(received)];
        let detail: Vec<&str> = detail.into_iter().filter(|part| !part.is_empty()).collect();
        ApiError { detail: detail.join("; "), ..error }
    })
}

/// Why a key that was sent in the query does not count.
fn query_key_fate(received: &Received<'_>) -> &'static str {
    if let Target::Operation(Spec { key: KeyIn::Body(_), .. }, _) = received.target {
        "this operation reads the key from `apiKey` in the body, not from `api_key` in the query"
    } else if !received.snapshot.dialect.query_api_key {
        "`api_key` in the query is no longer read; `dialect: {query_api_key: accept}` in the scenario, or `preset: legacy`, \
         accepts it"
    } else if received.call.header("x-api-key").is_some_and(|key| !key.is_empty()) {
        "the key in the header counts, and not `api_key` in the query"
    } else {
        ""
    }
}

/// Step 5.
pub(super) fn check_rate_limit(run: &WorldRun, caller: Caller<'_>, reading: Reading) -> Result<(), ApiError> {
    let Some((key, limit)) = caller.key.and_then(|key| Some((key, key.rate_limit?))) else { return Ok(()) };
    let passed = run.quotas().pass(&key.key, limit, reading.start, reading.now);
    passed.map_err(|seconds| ApiError {
        retry_after: Some(seconds),
        ..ApiError::new(Code::RateLimited, format!("the key's window ends in {seconds} s"))
    })
}

/// Step 7, as far as it is the same for all operations: media type, encoding and size of the body.
fn check_body(call: &Call<'_>) -> Result<(), ApiError> {
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

/// `application/json`, or a media type with its suffix (RFC 6839).
fn is_json(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || (kind.contains('/') && kind.ends_with("+json"))
}

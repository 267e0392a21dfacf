//! What holds for any bytes, with one function for each way in. Each panics if it does not hold.
//!
//! `fuzz/` has a target for each, which a fuzzer calls with bytes that it finds. The tests below call them with changed
//! copies of the same seeds, so that a part of that work runs wherever the tests do.
#![expect(clippy::unwrap_used, reason = "what does not hold panics")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use url::{Host as UrlHost, Url};

use crate::api::call::{Body, Call};
use crate::api::dates::Day;
use crate::api::dialect::Dialect;
use crate::api::origin::is_loopback_host;
use crate::api::reply::Reply;
use crate::draw::Seed;
use crate::fault::body::Body as BodyEffect;
use crate::fault::effect::Effect;
use crate::fault::patch;
use crate::import::import;
use crate::operations;
use crate::pipeline;
use crate::pipeline::receive::receive;
use crate::scenario::admin_input::parse_fault;
use crate::scenario::document;
use crate::scenario::files::Memory;
use crate::scenario::references::References;
use crate::scenario::{LoadContext, LoadedScenario, load};
use crate::webhook::payload;
use crate::webhook::settings::Host;
use crate::webhook::target::{Policy, Target};
use crate::world::registry::Registry;
use crate::world::shared::Shared;
use crate::world::snapshot::Snapshot;

const SCENARIO: &str = "
standin: 1
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}]
businesses:
  - number: 1
    name: Whole
    locations: [{number: 11, name: A, reviews: [{generate: 40}], questions: [{generate: 5}]}]
    contacts: [{id: 5, email: a@b.test, phone: '+12125550100', externalId: E}]
  - {number: 2, name: Rival}
";

/// A scenario file either loads or has an error, and every diagnostic has a place.
pub fn scenario(bytes: &[u8]) {
    let loaded = load_files(&[("s.yaml", bytes)]);
    assert!(
        loaded.scenario.is_some() || !loaded.diagnostics.is_empty(),
        "neither a scenario nor a diagnostic"
    );
}

/// A CSV file with reviews.
pub fn csv(bytes: &[u8]) {
    seed_data("reviews.csv", bytes);
}

/// A file of JSON Lines with reviews.
pub fn json_lines(bytes: &[u8]) {
    seed_data("reviews.jsonl", bytes);
}

fn seed_data(name: &str, bytes: &[u8]) {
    let text = format!(
        "{{standin: 1, businesses: [{{number: 1, name: A, locations: [{{number: 11, name: B, reviews: [{{file: {name}}}]}}]}}]}}"
    );
    let loaded = load_files(&[("s.yaml", text.as_bytes()), (name, bytes)]);
    let elsewhere = loaded.diagnostics.iter().find(|diagnostic| !diagnostic.location.file.ends_with(name));
    assert!(elsewhere.is_none(), "{elsewhere:?}");
}

fn load_files(files: &[(&str, &[u8])]) -> LoadedScenario {
    let files = Memory(files.iter().map(|(name, bytes)| (PathBuf::from(name), bytes.to_vec())).collect());
    load(&LoadContext { files: &files, root: PathBuf::new(), now: Day(20_634).start() }, Path::new("s.yaml"))
}

/// No body makes an operation fail by an error of its own.
pub fn body(bytes: &[u8]) {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    let registry = REGISTRY.get_or_init(|| {
        let scenario = load_files(&[("s.yaml", SCENARIO.as_bytes())]).scenario.unwrap();
        Registry::new("s", vec![Arc::new(Snapshot::new(1, Seed(3), scenario))], Shared::default()).unwrap()
    });
    for operation in operations::ALL {
        let path = operation.path.replace("{CompetitorEnterpriseBusinessId}", "1");
        let headers = vec![("x-api-key", &b"k"[..]), ("x-business-number", b"1")];
        let call = Call {
            method: "POST",
            path: &path,
            query: "businessId=1",
            headers,
            body: Body::Whole(bytes),
            connection: 0,
        };
        check_reply(&match receive(registry, call) {
            Ok(received) => pipeline::answer(&received, received.snapshot.dataset()).reply,
            Err(reply) => reply,
        });
    }
    // What this call wrote is no part of the next one.
    registry.reset(&registry.default_world(), None).unwrap();
}

/// An answer has no error of the server. If it is an API error, its body has the documented members and its detail can be
/// sent in a header.
pub(crate) fn check_reply(reply: &Reply) {
    assert!(reply.status < 500, "{}", reply.status);
    if reply.status == 204 {
        return;
    }
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    if reply.status != 200 {
        let members: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(members, ["code", "message"]);
        let (_, detail) = reply.headers.iter().find(|(name, _)| name == "x-standin-detail").unwrap();
        assert!((1..=512).contains(&detail.len()), "{detail}");
        assert!(detail.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{detail}");
    }
}

/// A JSON Patch leaves an answer as it is, or gives JSON of bounded length.
pub fn json_patch(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let dialect = Dialect::default();
    let references = References::new(&[], &[], &dialect, false);
    let fault = parse_fault(&references, "f", &format!("{{then: {{body: {{patch: {text}}}}}}}"));
    let Ok((fault, _)) = fault else { return };
    if let Some(Effect::Body(BodyEffect::Patch(changes))) = fault.effect.effect {
        let answer = br#"[{"reviewId":"1","rating":5,"reviewer":{"firstName":"Ann"},"comments":"Good."}]"#;
        if let Ok(patched) = patch::apply(&changes, answer) {
            let _: Value = serde_json::from_slice(&patched).unwrap();
        }
    }
}

/// A template of a payload is refused or renders.
pub fn template(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        let _ = payload::check("message.added", text);
    }
}

/// An OpenAPI document is refused, or what is made of it loads.
pub fn openapi(bytes: &[u8]) {
    let Ok((document, _)) = document::parse(Path::new("api.yaml"), bytes) else { return };
    if let Ok(imported) = import(&document, &[], ("api.yaml", None)) {
        let loaded = load_files(&[("s.yaml", imported.text.as_bytes())]);
        assert!(loaded.scenario.is_some(), "{:?}\n{}", loaded.diagnostics, imported.text);
    }
}

/// Where there is no admin token, a browser reaches the admin side only under a name that is this machine's own.
pub fn host(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if is_loopback_host(text) {
        // A browser sends no host that it cannot parse.
        let Ok(url) = Url::parse(&format!("http://{text}/")) else { return };
        let own = match url.host() {
            Some(UrlHost::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(UrlHost::Ipv4(address)) => address.is_loopback(),
            Some(UrlHost::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        assert!(own, "{text}");
    }
}

/// No wildcard opens a link-local address or the server's own, however an endpoint writes it.
pub fn endpoint(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(target) = Target::of(text) else { return };
    let own = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080));
    let policy = Policy { own, allow: &[Host::Any], by_page: false };
    let Some(address) = target.address else { return };
    let plain = match address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(address) => address.to_ipv4(),
    };
    let is_closed = plain
        .is_some_and(|plain| plain.is_link_local() || (plain.is_loopback() && target.port == own.port()));
    assert!(!is_closed || policy.check(&target, address).is_err(), "{text}");
}

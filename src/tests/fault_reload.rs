//! Faults over a reload: unchanged ones keep their counters, the others start again.

use serde_json::json;

use super::harness::{Request, ScenarioFolder, create_world, header, number, serve};

fn scenario(faults: &[&str]) -> String {
    let faults: String = faults.iter().flat_map(|fault| ["  - ", fault, "\n"]).collect();
    format!(
        "standin: 1
clock: {{start: 2026-06-30T12:00:00Z, mode: frozen}}
keys: [{{key: k}}, {{key: k2}}]
businesses: [{{number: 1, name: One, locations: [{{number: 11, name: L}}]}}]
faults:
{faults}"
    )
}

/// The status of a request, which says which fault applied.
fn status(folder: &ScenarioFolder, world: &str, number: usize, key: &str) -> u16 {
    Request::numbered(number).header("x-api-key", key).send(&folder.registry, world).reply.status
}

const BY_WORLD: &str = "{name: w, when: {header: {x-api-key: k}}, hits: 3, then: {status: 501}}";
const BY_KEY: &str = "{name: k, when: {key: k2}, per: key, hits: 3, then: {status: 502}}";
const BY_REQUEST: &str = "{name: r, per: request, hits: 3, then: {status: 503}}";

#[test]
fn counters_of_unchanged_faults_survive_a_reload() {
    let folder = serve(&scenario(&[BY_WORLD, BY_KEY, BY_REQUEST]));
    let (first, second) =
        (|place| status(&folder, "a", place, "k"), |place| status(&folder, "a", place, "k2"));
    assert_eq!([first(0), first(0), second(1), second(1)], [200; 4]);
    // At another position in the list, formatted differently, with other faults, and with another dataset.
    let written = "\n    # A comment.\n    hits: 3\n    name: w\n    when:\n      header: {x-api-key: \"k\"}\n    then: {status: 501}";
    let other = "{name: other, operation: contact, then: {status: 500}}";
    let text = scenario(&[BY_REQUEST, other, written, BY_KEY]).replace("name: One", "name: Uno");
    assert_eq!(folder.save("a.yaml", &text).len(), 1);
    let (first, second) =
        (|place| status(&folder, "a", place, "k"), |place| status(&folder, "a", place, "k2"));
    assert_eq!(first(0), 503, "the third of this request");
    assert_eq!([second(1), second(2), first(3)], [503, 502, 501]);
    assert_eq!([first(4), second(4)], [200; 2]);
    folder.save("a.yaml", "standin: 1\nbusineses: []\n");
    assert_eq!(status(&folder, "a", 0, "k"), 200, "a broken file changes nothing");
}

#[test]
fn counters_of_changed_faults_restart_even_if_the_change_is_undone() {
    for (fault, changed) in [
        (BY_WORLD, BY_WORLD.replace("501", "500")),
        (BY_REQUEST, BY_REQUEST.replace("name: r", "name: q")),
        (BY_KEY, BY_KEY.replace("hits: 3", "hits: 2-3")),
    ] {
        let (before, key) = (scenario(&[fault]), if fault == BY_KEY { "k2" } else { "k" });
        let folder = serve(&before);
        let send = || status(&folder, "a", 0, key);
        assert_eq!([send(), send()], [200; 2]);
        folder.save("a.yaml", &scenario(&[&changed]));
        assert_eq!(send(), 200, "{changed}: the first again");
        folder.save("a.yaml", &before);
        assert_eq!([send(), send()], [200; 2], "{fault}: the first and the second again");
        assert_ne!(send(), 200);
    }
}

#[test]
fn attempts_and_draws_of_an_unchanged_fault_continue() {
    let chance = "{name: half, chance: 50%, then: {status: 503, delay: 0ms-10s}}";
    let steady = serve(&scenario(&[chance]));
    let changing = serve(&scenario(&[chance]));
    let outcomes = |folder: &ScenarioFolder| {
        let outcome = Request::numbered(7).send(&folder.registry, "a");
        let draw = header(&outcome, "x-standin-draw").map(str::to_owned);
        (number(&outcome, "x-standin-attempt").to_string(), draw, outcome.reply.status, outcome.send_plan)
    };
    for turn in 0..10 {
        assert_eq!(outcomes(&steady), outcomes(&changing), "{turn}");
        let more = format!("{{name: x{turn}, operation: contact, then: {{status: 500}}}}");
        changing.save("a.yaml", &scenario(&[&more, chance]));
    }
}

#[test]
fn every_world_of_the_scenario_keeps_its_own_counters_over_a_reload() {
    let folder = serve(&scenario(&[BY_WORLD]));
    create_world(&folder, "mine", Some(5));
    let (send, mine) = (|| status(&folder, "a", 0, "k"), || status(&folder, "mine", 0, "k"));
    assert_eq!([send(), send(), mine()], [200; 3]);
    folder.save("a.yaml", &scenario(&[BY_WORLD, BY_KEY]));
    assert_eq!([mine(), send(), mine(), mine()], [200, 501, 501, 200]);
}

#[test]
fn a_reset_frees_the_counters_and_a_reload_those_of_removed_faults() {
    let folder = serve(&scenario(&[BY_REQUEST, BY_WORLD]));
    let world = folder.registry.default_world();
    for place in 0..50 {
        status(&folder, "a", place, "k");
    }
    let counted = || world.run().counters().fingerprints();
    assert_eq!(counted(), 100, "by two faults");
    folder.save("a.yaml", &scenario(&[BY_REQUEST]));
    assert_eq!(counted(), 50);
    world.reset(None);
    assert_eq!(counted(), 0);
    let send = || status(&folder, "a", 0, "k");
    assert_eq!([send(), send(), send(), send()], [200, 200, 503, 200]);
}

#[test]
fn a_fault_counts_only_requests_after_it_was_loaded() {
    let folder = serve(&scenario(&[]));
    let sent = || Request::new("/v1/review/businessId/1", "", &json!({})).send(&folder.registry, "a");
    let check_generation =
        |generation: f64| assert!((number(&sent(), "x-standin-generation") - generation).abs() < 0.1);
    check_generation(1.0);
    folder.save("a.yaml", &scenario(&["{name: first, hits: 1, then: {status: 503}}"]));
    assert_eq!(sent().reply.status, 503, "earlier requests were not counted");
    check_generation(2.0);
    assert_eq!(sent().reply.status, 200);
}

//! Reload: loading and applying files in memory, without a watcher and without waiting.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::harness::{ScenarioFolder, SharedFiles};
use crate::api::call::{Body, Call};
use crate::clock::{TimeSource, later};
use crate::draw::Seed;
use crate::pipeline;
use crate::reload::status::LoadEvent;
use crate::reload::{Setup, follow, read};
use crate::scenario::files::Files;

/// A scenario with that number of reviews of business 1.
fn with(reviews: usize) -> String {
    let reviews: Vec<String> =
        (0..reviews).map(|at| format!("{{id: '{at}', rating: 5, date: 2026-01-01}}")).collect();
    format!(
        "standin: 1\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{}]}}]}}]\n",
        reviews.join(", ")
    )
}

const BROKEN: &str = "standin: 1\nbusineses: []\n";

/// Short forms of load events.
fn summary(events: &[LoadEvent]) -> Vec<String> {
    let short = |event: &LoadEvent| match event {
        LoadEvent::Loaded { name, generation, .. } => format!("loaded {name} {generation}"),
        LoadEvent::Broken { name, served: true, .. } => format!("broken {name}, served on"),
        LoadEvent::Broken { name, served: false, .. } => format!("broken {name}, not served"),
        LoadEvent::Mended { name } => format!("mended {name}"),
    };
    events.iter().map(short).collect()
}

#[test]
fn a_saved_file_is_served_and_increments_the_generation() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1)), ("b.yaml", &with(2))]);
    assert_eq!((folder.reviews("a"), folder.entry("a").generation), (1, 1));
    assert_eq!(summary(&folder.save("a.yaml", &with(3))), ["loaded a 2"]);
    assert_eq!((folder.reviews("a"), folder.entry("a").generation), (3, 2));
    assert_eq!(folder.registry.named("a").unwrap().snapshot().generation, 2);
    assert_eq!((folder.reviews("b"), folder.entry("b").generation), (2, 1), "the other is as it was");
}

#[test]
fn an_unchanged_scenario_keeps_its_generation_and_its_snapshot() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    let before = folder.registry.default_world().snapshot();
    assert!(folder.load().is_empty());
    assert!(folder.save("a.yaml", &with(1)).is_empty(), "saved as it was");
    assert!(Arc::ptr_eq(&before, &folder.registry.default_world().snapshot()));
    assert_eq!(folder.entry("a").generation, 1);
}

#[test]
fn a_broken_file_changes_nothing_until_it_is_repaired() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    assert_eq!(summary(&folder.save("a.yaml", BROKEN)), ["broken a, served on"]);
    let entry = folder.entry("a");
    assert!(entry.is_degraded());
    assert_eq!((folder.reviews("a"), entry.generation), (1, 1));
    let problem = &entry.problems[0];
    assert_eq!((problem.location.line, problem.location.column), (2, 1));
    let help = format!("{:?} {:?}", problem.help, problem.location.label);
    assert!(help.contains("businesses"), "{help}");
    assert!(folder.load().is_empty(), "the same diagnostics are not reported twice");
    assert_eq!(
        summary(&folder.save("a.yaml", "standin: 1\nkeys: 5\n")),
        ["broken a, served on"],
        "other diagnostics are reported"
    );
    assert_eq!(summary(&folder.save("a.yaml", &with(2))), ["loaded a 2"]);
    assert!(!folder.is_degraded());
    assert_eq!(folder.reviews("a"), 2);
}

#[test]
fn a_scenario_with_another_name_is_one_scenario_gone_and_one_new() {
    let named =
        |name: &str, reviews| with(reviews).replace("standin: 1", &format!("standin: 1\nname: {name}"));
    let folder = ScenarioFolder::new(&[("f.yaml", &named("a", 1))]);
    assert_eq!(summary(&folder.save("f.yaml", &named("b", 2))), ["loaded b 1", "broken a, served on"]);
    assert!(folder.is_degraded() && !folder.entry("b").is_degraded());
    assert_eq!((folder.reviews("a"), folder.reviews("b")), (1, 2));
    assert_eq!(folder.registry.default_world().snapshot().scenario, "a");
    let problem = &folder.entry("a").problems[0];
    assert_eq!((problem.code, problem.location.line, problem.location.column), ("renamed", 2, 7));
    assert!(folder.load().is_empty(), "reported once");

    assert_eq!(summary(&folder.save("f.yaml", "standin: 1\nname: b\nkeys: 5\n")), ["broken b, served on"]);
    assert_eq!(folder.entry("a").problems[0].code, "renamed");
    assert_eq!(summary(&folder.save("f.yaml", &named("a", 3))), ["loaded a 2", "broken b, served on"]);
    assert_eq!((folder.reviews("a"), folder.reviews("b")), (3, 2));
    assert!(!folder.entry("a").is_degraded() && folder.entry("b").is_degraded());
}

#[test]
fn two_scenarios_may_exchange_their_names() {
    let named =
        |name: &str, reviews| with(reviews).replace("standin: 1", &format!("standin: 1\nname: {name}"));
    let folder = ScenarioFolder::new(&[("f.yaml", &named("a", 1)), ("g.yaml", &named("b", 2))]);
    folder.write("f.yaml", &named("b", 3));
    assert_eq!(summary(&folder.save("g.yaml", &named("a", 4))), ["loaded a 2", "loaded b 2"]);
    assert_eq!((folder.reviews("a"), folder.reviews("b")), (4, 3));
    assert!(!folder.is_degraded());
}

#[test]
fn a_file_restored_to_its_served_text_keeps_its_generation() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    let before = folder.registry.default_world().snapshot();
    folder.save("a.yaml", BROKEN);
    assert_eq!(summary(&folder.save("a.yaml", &with(1))), ["mended a"]);
    assert!(!folder.is_degraded());
    assert!(Arc::ptr_eq(&before, &folder.registry.default_world().snapshot()));
}

#[test]
fn a_deleted_file_is_still_served_and_degrades_health_until_it_is_back() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1)), ("b.yaml", &with(2))]);
    assert_eq!(summary(&folder.delete("a.yaml")), ["broken a, served on"]);
    assert!(folder.entry("a").is_degraded() && !folder.entry("b").is_degraded());
    assert_eq!(folder.reviews("a"), 1);
    assert!(folder.load().is_empty(), "reported once");
    assert_eq!(summary(&folder.save("a.yaml", &with(1))), ["mended a"]);
    assert!(!folder.is_degraded());
    folder.delete("a.yaml");
    assert_eq!(summary(&folder.save("a.yaml", &with(4))), ["loaded a 2"]);
    assert_eq!(folder.reviews("a"), 4);
}

#[test]
fn a_new_file_gets_a_world_of_its_own() {
    let folder = ScenarioFolder::new(&[("b.yaml", &with(1))]);
    assert_eq!(summary(&folder.save("sub/a.yaml", &with(5))), ["loaded a 1"]);
    assert_eq!((folder.reviews("a"), folder.reviews("default")), (5, 1), "the default stays");
    assert_eq!(summary(&folder.save("c.yaml", BROKEN)), ["broken c, not served"]);
    assert!(folder.registry.named("c").is_none());
    assert_eq!(summary(&folder.save("c.yaml", &with(2))), ["loaded c 1"]);
    assert_eq!(folder.reviews("c"), 2);
}

#[test]
fn a_scenario_keeps_its_generations_when_its_file_is_renamed() {
    let named = |reviews| format!("{}name: same\n", with(reviews));
    let folder = ScenarioFolder::new(&[("a.yaml", &named(1))]);
    folder.save("a.yaml", &named(2));
    folder.remove("a.yaml");
    assert_eq!(summary(&folder.save("b.yaml", &named(2))), ["loaded same 3"]);
    assert!(!folder.is_degraded());
    assert_eq!((folder.status.entries().len(), folder.reviews("same")), (1, 2));
    folder.remove("b.yaml");
    assert_eq!(summary(&folder.save("c.yaml", &format!("name: same\n{BROKEN}"))), ["broken same, served on"]);
    assert_eq!((folder.status.entries().len(), folder.reviews("same")), (1, 2));
}

#[test]
fn a_renamed_file_without_a_name_is_one_scenario_gone_and_one_new() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    folder.remove("a.yaml");
    assert_eq!(summary(&folder.save("b.yaml", &with(1))), ["loaded b 1", "broken a, served on"]);
    assert_eq!((folder.reviews("a"), folder.reviews("b")), (1, 1));
}

#[test]
fn a_scenario_that_takes_another_name_is_served_under_it() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1)), ("z.yaml", &with(2))]);
    let events = folder.save("z.yaml", &format!("{}name: y\n", with(3)));
    assert_eq!(summary(&events), ["loaded y 1", "broken z, served on"]);
    assert_eq!((folder.reviews("y"), folder.reviews("z")), (3, 2));
}

#[test]
fn two_scenarios_of_one_name_are_errors_and_change_nothing_that_is_served() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    folder.save("b.yaml", &format!("{}name: a\n", with(2)));
    assert!(folder.is_degraded());
    assert_eq!(folder.reviews("a"), 1);
    folder.delete("b.yaml");
    assert_eq!(folder.reviews("a"), 1);
    assert!(!folder.entry("a").is_degraded());
}

#[test]
fn stored_contacts_and_the_clock_survive_a_reload() {
    let text = |reviews| format!("{}clock: {{start: 2026-06-30T12:00:00Z, mode: frozen}}\n", with(reviews));
    let folder = ScenarioFolder::new(&[("a.yaml", &text(1))]);
    let saved = folder.call(
        "/v1/contact/external/preferences/saveCustomer",
        "",
        "1",
        &json!({"email": "kept@x.test", "businessIds": [11]}),
    );
    let world = folder.registry.default_world();
    let now = later(world.run().clock.now(), Duration::from_secs(61));
    world.run().clock.set(now).unwrap();
    folder.save("a.yaml", &text(2));
    assert_eq!(folder.reviews("a"), 2);
    let again = folder.call(
        "/v1/contact/external/preferences/saveCustomer",
        "",
        "1",
        &json!({"email": "KEPT@x.test"}),
    );
    assert_eq!(again, saved);
    assert_eq!(folder.registry.default_world().run().clock.now(), now);
}

#[test]
fn a_used_up_rate_limit_survives_a_reload() {
    let text = |reviews| {
        format!(
            "{}clock: {{start: 2026-06-30T12:00:00Z, mode: frozen}}\nkeys: [{{key: k, rate_limit: 1 per 1m}}]\n",
            with(reviews)
        )
    };
    let folder = ScenarioFolder::new(&[("a.yaml", &text(1))]);
    assert_eq!(folder.reviews("a"), 1);
    folder.save("a.yaml", &text(2));
    let refused = folder.call("/v1/review/businessId/1", "", "", &json!({}));
    assert_eq!(refused["code"], 89);
}

#[test]
fn included_files_and_seed_data_files_are_reloaded() {
    let folder = ScenarioFolder::new(&[
        ("a.yaml", "standin: 1\ninclude: [parts/base.yaml]\n"),
        ("b.yaml", &with(7)),
        (
            "parts/base.yaml",
            "standin: 1\npart: true\nbusinesses: [{number: 1, name: One, locations: [{number: 11, name: L, reviews: [{file: rows.csv}]}]}]\n",
        ),
        ("parts/rows.csv", "rating,date\n5,2026-01-01\n"),
    ]);
    assert_eq!(folder.reviews("a"), 1);
    assert_eq!(
        summary(&folder.save("parts/rows.csv", "rating,date\n5,2026-01-01\n4,2026-01-02\n")),
        ["loaded a 2"]
    );
    assert_eq!(folder.reviews("a"), 2);
    assert_eq!(
        summary(&folder.save("parts/rows.csv", "rating,date\n5,2026-01-01\nx,2026-01-02\n")),
        ["broken a, served on"]
    );
    let problem = folder.entry("a").problems[0].clone();
    assert_eq!((problem.location.file.as_path(), problem.location.line), (Path::new("s/parts/rows.csv"), 3));
    assert_eq!(summary(&folder.delete("parts/rows.csv")), ["broken a, served on"]);
    assert_eq!(
        summary(
            &folder.save("parts/base.yaml", "standin: 1\npart: true\nbusinesses: [{number: 1, name: One}]\n")
        ),
        ["loaded a 3"]
    );
    assert_eq!(folder.reviews("a"), 0);
    assert_eq!(folder.entry("b").generation, 1);
}

#[test]
fn a_sent_scenario_is_served_until_its_file_is_saved() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    assert_eq!(folder.replace("a", &with(2)), [""; 0]);
    assert!(folder.load().is_empty());
    assert_eq!((folder.reviews("a"), folder.entry("a").generation), (2, 2));
    assert_eq!(summary(&folder.save("a.yaml", BROKEN)), ["broken a, served on"]);
    assert!(folder.load().is_empty() && folder.is_degraded());
    assert_eq!(folder.replace("a", &with(3)), [""; 0]);
    assert!(folder.load().is_empty() && !folder.is_degraded(), "the broken file was there before");
    assert_eq!(summary(&folder.save("a.yaml", &with(4))), ["loaded a 4"]);
    assert_eq!(folder.reviews("a"), 4);
}

#[test]
fn a_sent_scenario_whose_file_is_deleted_is_served_until_there_is_a_file_again() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1)), ("b.yaml", &with(1))]);
    folder.replace("a", &with(2));
    assert!(folder.delete("a.yaml").is_empty() && !folder.is_degraded());
    assert_eq!((folder.entry("a").file, folder.reviews("a")), (None, 2));
    assert_eq!(summary(&folder.save("sub/a.yaml", &with(3))), ["loaded a 3"]);
    assert_eq!((folder.entry("a").file, folder.reviews("a")), (Some("/s/sub/a.yaml".into()), 3));
}

#[test]
fn a_sent_scenario_reads_only_below_the_served_folder_if_the_working_directory_is_the_root() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1)), ("rows.csv", "rating,date\n5,2026-01-01\n")]);
    let reading = |file: &str| with(0).replace("reviews: []", &format!("reviews: [{{file: {file}}}]"));
    assert_eq!(folder.replace("b", &reading("rows.csv")), [""; 0]);
    assert_eq!(folder.reviews("b"), 1);
    assert_eq!(folder.replace("b", &reading("../etc/rows.csv")), ["outside-root"]);
}

#[test]
fn a_call_in_flight_keeps_its_snapshot() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    let body = br#"{"statuses": ["all"]}"#;
    let call = Call {
        method: "POST",
        path: "/v1/review/businessId/1",
        query: "",
        headers: vec![("x-api-key", b"k")],
        body: Body::Whole(body),
        connection: 0,
    };
    let received = pipeline::receive::receive(&folder.registry, call).unwrap();
    folder.save("a.yaml", &with(5));
    let reply = pipeline::answer(&received, received.snapshot.dataset());
    let answer: serde_json::Value = serde_json::from_slice(&reply.reply.body).unwrap();
    assert_eq!(answer.as_array().unwrap().len(), 1);
    assert_eq!(folder.reviews("a"), 5);
}

#[test]
fn a_random_seed_is_picked_once_per_process() {
    let text = |reviews: u32| {
        format!(
            "standin: 1\nseed: random\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{{generate: {reviews}}}]}}]}}]\n"
        )
    };
    let folder = ScenarioFolder::new(&[("a.yaml", &text(5))]);
    assert_eq!(folder.registry.default_world().snapshot().seed, Seed(99));
    folder.save("a.yaml", &text(6));
    assert_eq!(folder.registry.default_world().snapshot().seed, Seed(99));
}

#[test]
fn warnings_do_not_degrade() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    let events = folder.save("a.yaml", "standin: 1\nroutes: [{name: x, request: {method: GET, path: /x}, response: {status: 200}}]\nclock: {mode: frozen}\nkeys: [{key: k, rate_limit: 1 per 1m}]\n");
    assert_eq!(summary(&events), ["loaded a 2"]);
    assert!(!folder.entry("a").problems.is_empty() && !folder.is_degraded());
}

/// Files of which one changes as soon as it has been read.
struct ChangedAfterRead {
    files: SharedFiles,
    next: Mutex<Option<String>>,
}

impl Files for ChangedAfterRead {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>> {
        let read = self.files.read(path, limit);
        if let Some(next) = self.next.lock().unwrap().take() {
            self.files.0.lock().unwrap().0.insert(path.to_owned(), next.into_bytes());
        }
        read
    }

    fn list(&self, folder: &Path) -> Result<Vec<(PathBuf, bool)>> {
        self.files.list(folder)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.files.is_folder(path)
    }

    fn stamp(&self, path: &Path) -> u64 {
        self.files.stamp(path)
    }
}

#[test]
fn a_save_between_the_load_and_the_start_of_the_watch_is_not_lost() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    let files = ChangedAfterRead { files: folder.files.clone(), next: Mutex::new(Some(with(2))) };
    let setup = Setup {
        files: Box::new(files),
        paths: vec!["/s/a.yaml".into()],
        root: None,
        cwd: "/".into(),
        random: Seed(99),
        time: TimeSource::default(),
        keeps: false,
    };
    let (sender, changes) = sync_channel::<()>(1);
    let (sender_of_events, events) = channel();
    thread::scope(|scope| {
        let (setup, folder) = (&setup, &folder);
        scope.spawn(move || {
            let log = |events: &[LoadEvent]| sender_of_events.send(summary(events)).unwrap();
            follow(setup, &folder.registry, &folder.status, &changes, |_| {}, log);
        });
        let received = events.recv_timeout(Duration::from_secs(10));
        drop(sender);
        assert_eq!(received.unwrap(), ["loaded a 2"], "although the watcher reported no change");
    });
    assert_eq!(folder.reviews("a"), 2);
}

#[test]
fn health_can_be_read_while_worlds_take_up_a_scenario() {
    let folder = ScenarioFolder::new(&[("a.yaml", &with(1))]);
    folder.write("a.yaml", &with(2));
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        folder.status.apply(&folder.setup, read(&folder.setup), |_| {
            let (sender, status) = (sender.clone(), &folder.status);
            scope.spawn(move || sender.send(status.entries().len()));
            assert_eq!(receiver.recv_timeout(Duration::from_secs(5)), Ok(1));
        });
    });
}

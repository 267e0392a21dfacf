//! Scenarios after validation.

use std::path::{Path, PathBuf};

use crate::expect::scorecard::settings::{Limit, Setting};
use crate::scenario::files::Memory;
use crate::scenario::{LoadContext, load, load_text, render};

use super::{TODAY, codes, from_text, loaded};

#[test]
fn omitted_values_have_the_documented_defaults() {
    let scenario = loaded(
        "standin: 1\nbusinesses: [{number: 1, name: A, locations: [{number: 11, name: L, reviews: [{generate: 3}, {rating: 5, date: 2026-06-01, response: Thanks}], questions: [{generate: 2}, {question: Why?, date: 2026-05-01, answers: [{answer: So., owner: true}]}]}], contacts: [{generate: 4, locale: fr}]}]",
    );
    assert_eq!((scenario.name.as_str(), scenario.now), ("test", TODAY.start()));
    assert_eq!(format!("{:?}", scenario.seed), "Fixed(Seed(1))");
    let business = &scenario.businesses[0];
    assert_eq!(business.category, "neutral");
    assert_eq!(format!("{:?}", business.contact_plans), "[ContactPlan { count: 4, locales: [(Fr, 1)] }]");
    let location = &business.locations[0];
    assert_eq!(
        format!("{:?}", location.reviews[0]),
        "Generated(ReviewPlan { count: 3, ratings: [10, 4, 8, 18, 60], sources: [(0, 60), (1, 25), (24, 10), (25, 5)], \
         dates: DayRange { from: None, to: Before(Days(0)) }, published: 900000, responded: 400000, locales: [(En, 1)], \
         about: 0, shape: Steady, locals: 900000, nasty: 0 })"
    );
    let text = format!("{:?}", location.reviews[1]);
    for part in [
        "source: 0",
        "published: true",
        "mentions: 1",
        "sentiment: None",
        "response_day: Some(Fixed(Day(20605)))",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = format!("{:?}", location.questions[1]);
    assert!(
        text.contains("category: \"REGULAR_USER\"")
            && text.matches("at: Fixed(Moment(1777593600000))").count() == 2
    );
}

#[test]
fn texts_are_kept_as_written() {
    let scenario = loaded(
        "standin: 1\nkeys: [{key: 12e4567, name: 007}]\nbusinesses: [{number: 1, name: 0x1f, contacts: [{id: 1, phone: +12125551234, externalId: 00123, firstName: true}]}]",
    );
    assert_eq!((scenario.keys[0].key.as_str(), scenario.keys[0].name.as_deref()), ("12e4567", Some("007")));
    let contact = &scenario.businesses[0].contacts[0];
    assert_eq!(contact.phone.as_deref(), Some("+12125551234"));
    assert_eq!(
        (contact.external_id.as_deref(), contact.first_name.as_deref()),
        (Some("00123"), Some("true"))
    );
    assert_eq!(scenario.businesses[0].name, "0x1f");
}

#[test]
fn the_dialect_has_its_sources_and_statuses() {
    let scenario = loaded(
        "standin: 1\ndialect:\n  statuses: {1027: 400, 1167: {contact: 402}}\n  cors: [https://a.test]\n  sources: {zed: {name: Zed}, dentalmap: {name: DentalMap, recommendation: true}, yelp: {reply: true}}\n  to_date: exclusive\nbusinesses: [{number: 1, name: A, locations: [{number: 2, name: L, reviews: [{rating: 1, date: 2026-01-01, source: DENTALMAP}]}]}]",
    );
    let own: Vec<&str> = scenario.dialect.sources[26..].iter().map(|source| source.alias.as_str()).collect();
    assert_eq!(own, ["dentalmap", "zed"]);
    assert_eq!(
        format!("{:?}", scenario.dialect.statuses),
        "{(KeyMissing, Some(Operation(\"contact\"))): 402, (NumberInvalid, None): 400}"
    );
    assert!(
        scenario.dialect.to_date == crate::api::dialect::ToDate::Exclusive && scenario.dialect.retry_after
    );
    assert!(format!("{:?}", scenario.businesses[0].locations[0].reviews).contains("source: 26"));
}

#[test]
fn the_scorecard_has_thresholds_of_every_kind() {
    let scenario = loaded(
        "standin: 1\nscorecard:\n  gives-up-waiting: {max: 1m}\n  attempts: {fail: 8}\n  retry-budget: {fail: 250%, warn: 12.5%}\n  grows: {factor: 1.05, chains: }\n  same-read: off\n  jitter:\n",
    );
    let setting = |rule: &str| format!("{:?}", scenario.scorecard.0[rule]);
    assert_eq!(setting("gives-up-waiting"), r#"Limits({"max": Time(60s)})"#);
    assert_eq!(setting("attempts"), r#"Limits({"fail": Count(8)})"#);
    assert_eq!(setting("retry-budget"), r#"Limits({"fail": Share(2500000), "warn": Share(125000)})"#);
    assert_eq!(setting("grows"), r#"Limits({"factor": Factor(1050)})"#);
    assert_eq!((setting("same-read"), scenario.scorecard.0.len()), ("Off".to_owned(), 5));
}

#[test]
fn an_included_record_is_replaced_by_name_and_keeps_its_position() {
    let memory = Memory::new(&[
        (
            "a.yaml",
            "standin: 1\ninclude: [parts/b.yaml, parts/c.yaml]\nkeys: [{key: y, revoked: true}, {key: new}]\ndialect: {names: {count: n}, statuses: {89: 420}}\nclock: {mode: frozen}\nscorecard: {attempts: {fail: 8}, same-read: {}, grows: off}",
        ),
        (
            "parts/b.yaml",
            "standin: 1\nname: other\nsummary: other\npart: true\nseed: 7\nkeys: [{key: x, name: one}, {key: y, name: two}]\ndialect: {names: {start_index: s, count: c}, statuses: {1027: 400, 89: 430}}\nclock: {start: 2026-01-01, mode: running}\nscorecard: {attempts: {warn: 4, fail: 6}, same-read: off, grows: {chains: 3}, jitter: off}",
        ),
        (
            "parts/c.yaml",
            "standin: 1\nseed: 8\nbusinesses: [{number: 1, name: A, locations: [{number: 2, name: L, reviews: [{file: ../data/r.jsonl}]}]}]",
        ),
        ("data/r.jsonl", "{\"rating\": 4, \"date\": \"2025-01-01\", \"comments\": \"\\ud83d\\ude00\"}"),
    ]);
    let loaded =
        load(&LoadContext { files: &memory, root: PathBuf::new(), now: TODAY.start() }, Path::new("a.yaml"));
    let scenario = loaded.scenario.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let keys: Vec<(&str, bool)> = scenario.keys.iter().map(|key| (key.key.as_str(), key.revoked)).collect();
    assert_eq!(keys, [("x", false), ("y", true), ("new", false)]);
    assert_eq!((scenario.name.as_str(), scenario.summary), ("a", None));
    assert_eq!(format!("{:?}", scenario.seed), "Fixed(Seed(8))");
    assert_eq!(
        format!("{:?}", scenario.clock),
        "Setting { start: Some(Moment(1767225600000)), mode: Frozen }"
    );
    assert_eq!(
        (scenario.dialect.names.start_index.as_str(), scenario.dialect.names.count.as_str()),
        ("s", "n")
    );
    assert_eq!(
        format!("{:?}", scenario.dialect.statuses),
        "{(RateLimited, None): 420, (NumberInvalid, None): 400}"
    );
    let limits = |limits: &[(&str, Limit)]| {
        Setting::Limits(limits.iter().map(|(name, limit)| ((*name).to_owned(), *limit)).collect())
    };
    let merged = [
        ("attempts", limits(&[("warn", Limit::Count(4)), ("fail", Limit::Count(8))])),
        ("grows", Setting::Off),
        ("jitter", Setting::Off),
        ("same-read", limits(&[])),
    ];
    assert_eq!(scenario.scorecard.0, merged.map(|(rule, setting)| (rule.to_owned(), setting)).into());
    assert!(format!("{:?}", scenario.businesses).contains("😀"));
    let read: Vec<&str> = loaded.files.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(read, ["a.yaml", "parts/b.yaml", "parts/c.yaml", "data/r.jsonl"]);
}

#[test]
fn seed_data_loads_the_same_from_every_format() {
    let memory = Memory::new(&[
        (
            "r.csv",
            "\u{feff}id,rating,date,comments,published,extra.vip,mentions\r\n007,4,6/1/2026,\"a, b\",false,yes,3\r\n",
        ),
        (
            "r.json",
            "[{\"id\":\"007\",\"rating\":4,\"date\":\"6/1/2026\",\"comments\":\"a, b\",\"published\":false,\"extraParams\":{\"vip\":\"yes\"},\"mentions\":3}]",
        ),
        (
            "r.jsonl",
            "{\"id\":\"007\",\"rating\":4,\"date\":\"2026-06-01\",\"comments\":\"a, b\",\"published\":false,\"extraParams\":{\"vip\":\"yes\"},\"mentions\":3}\n",
        ),
        (
            "r.yml",
            "- {id: 007, rating: 4, date: 2026-06-01, comments: 'a, b', published: false, extraParams: {vip: yes}, mentions: 3}\n",
        ),
    ]);
    let context = LoadContext { files: &memory, root: PathBuf::new(), now: TODAY.start() };
    let read = |file: &str| {
        let text = format!(
            "standin: 1\nbusinesses: [{{number: 1, name: A, locations: [{{number: 2, name: L, reviews: [{{file: {file}}}]}}]}}]"
        );
        let loaded = load_text(&context, "x", &text);
        format!(
            "{:?}",
            loaded.scenario.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics)).businesses[0].locations[0]
                .reviews
        )
    };
    let csv = read("r.csv");
    assert!(csv.contains("\"007\"") && csv.contains("{\"vip\": \"yes\"}"), "{csv}");
    for other in ["r.json", "r.jsonl", "r.yml"] {
        assert_eq!(read(other), csv, "{other}");
    }
}

#[test]
fn a_scenario_sent_under_a_name_must_have_that_name() {
    assert_eq!(codes(&from_text("standin: 1\nname: test")), [""; 0]);
    assert_eq!(codes(&from_text("standin: 1\nname: other")), ["wrong-name"]);
}

#[test]
fn diagnostics_are_rendered_for_programs() {
    let loaded = from_text("standin: 1\nsed: 1\nsummary: [a,\u{a0}b]");
    let json = render::json(&loaded.diagnostics);
    assert_eq!(
        (&json[0]["code"], &json[0]["line"], &json[0]["column"]),
        (&"unknown-key".into(), &2.into(), &1.into())
    );
    let github = render::github(&loaded.diagnostics);
    assert!(
        github.starts_with(
            "::error file=test.yaml,line=2,col=1,title=unknown-key::a scenario has no key `sed`"
        ),
        "{github}"
    );
    assert_eq!(github.lines().count(), 2);
    assert_eq!(render::sarif(&loaded.diagnostics)["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    assert!(render::human(&loaded.diagnostics[0], true).contains('\u{1b}'));
}

#[test]
fn a_response_date_without_a_response_means_nothing() {
    let scenario = loaded(
        "standin: 1\nbusinesses: [{number: 1, name: A, locations: [{number: 2, name: L, reviews: [{rating: 1, date: 2026-01-01, responseDate: 2026-03-01}]}]}]",
    );
    assert!(format!("{:?}", scenario.businesses[0].locations[0].reviews).contains("response_day: None"));
}

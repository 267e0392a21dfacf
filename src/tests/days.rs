//! Dates that are relative to the present: the data of a scenario without a fixed start is that of the day on which it is loaded
//! or a world begins.

use serde_json::{Value, json};

use crate::tests::harness::{ScenarioFolder, create_world, time};

const FRESH: &str = "standin: 1
clock: {start: now, mode: running}
businesses: [{number: 1, name: One, locations: [{number: 11, name: L,
  reviews: [{id: '1', rating: 5, date: today, response: Thanks}, {id: '2', rating: 4, date: -2d, responseDate: -1d, response: Thanks}, {id: '3', rating: 3, date: 2026-01-01}, {generate: 40, dates: -30d..-1d}],
  questions: [{id: 1, question: Open?, date: -1d 09:30}, {generate: 12, dates: {from: -3d}}]}],
  contacts: [{id: 7, customFields: [{fieldName: Last visit, type: date, fieldValue: -1d}]}]}]\n";

fn folder(instant: &str, text: &str) -> ScenarioFolder {
    ScenarioFolder::at(time(instant), &[("a.yaml", text)])
}

/// Ids and days of the newest reviews of a world, and of the question that is given.
fn newest(folder: &ScenarioFolder, world: &str) -> Vec<String> {
    let path = format!("/w/{world}/v1/review/businessId/1");
    let reviews = folder.call(&path, "count=1000", "", &json!({"statuses": ["all"]}));
    let given =
        reviews.as_array().unwrap().iter().filter(|review| review["reviewId"].as_str().unwrap().len() < 3);
    let mut lines: Vec<String> = given
        .map(|review| {
            format!(
                "{} {} {}",
                text(&review["reviewId"]),
                text(&review["reviewDate"]),
                text(&review["responseDate"])
            )
        })
        .collect();
    let questions = questions(folder, world);
    let question = questions.iter().find(|question| question["questionId"] == 1).unwrap();
    lines.push(format!("{} {}", text(&question["updatedOn"]), text(&question["time"])));
    lines
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

fn questions(folder: &ScenarioFolder, world: &str) -> Vec<Value> {
    let answer = folder.call(
        &format!("/w/{world}/v1/qna/unanswered/get"),
        "businessId=1",
        "",
        &json!({"pageSize": 100}),
    );
    answer["questionsAndAnswers"].as_array().unwrap().clone()
}

fn on_june_30() -> Vec<String> {
    [
        "1 Jun 30, 2026 Jun 30, 2026",
        "2 Jun 28, 2026 Jun 29, 2026",
        "3 Jan 01, 2026 -",
        "Jun 29, 2026 09:30 AM",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn on_july_1() -> Vec<String> {
    [
        "1 Jul 01, 2026 Jul 01, 2026",
        "2 Jun 29, 2026 Jun 30, 2026",
        "3 Jan 01, 2026 -",
        "Jun 30, 2026 09:30 AM",
    ]
    .map(str::to_owned)
    .to_vec()
}

#[test]
fn a_dataset_stays_past_midnight_until_a_world_begins_anew() {
    let folder = folder("2026-06-30T23:50:00Z", FRESH);
    create_world(&folder, "kept", None);
    create_world(&folder, "other-seed", Some(7));
    folder.set_time("2026-07-01T00:10:00Z");
    assert_eq!(newest(&folder, "a"), on_june_30());
    create_world(&folder, "new", None);
    assert_eq!(newest(&folder, "new"), on_july_1());
    let reset = |world: &str| folder.registry.reset(&folder.registry.named(world).unwrap(), None).unwrap();
    reset("a");
    reset("other-seed");
    assert_eq!(newest(&folder, "a"), on_july_1());
    assert_eq!(newest(&folder, "other-seed"), on_july_1());
    assert_eq!(newest(&folder, "kept"), on_june_30(), "no world has changed another");
    let start = |world: &str| folder.registry.named(world).unwrap().run().clock.start().iso();
    assert_eq!(
        (start("a"), start("kept")),
        ("2026-07-01T00:10:00Z".to_owned(), "2026-06-30T23:50:00Z".to_owned())
    );
    assert_eq!(folder.entry("a").snapshot.unwrap().start.iso(), "2026-06-30T23:50:00Z");
}

#[test]
fn a_reload_moves_the_data_and_leaves_the_clock() {
    let folder = folder("2026-06-30T23:50:00Z", FRESH);
    folder.set_time("2026-07-01T00:10:00Z");
    folder.load();
    assert_eq!(newest(&folder, "a"), on_june_30(), "the file is the same");
    folder.save("a.yaml", &format!("{FRESH}# saved\n"));
    assert_eq!(newest(&folder, "a"), on_july_1());
    let run = folder.registry.default_world().run();
    assert_eq!(run.clock.start().iso(), "2026-06-30T23:50:00Z");
    assert_eq!(folder.entry("a").snapshot.unwrap().start.iso(), "2026-07-01T00:10:00Z");
}

#[test]
fn worlds_of_one_day_begin_at_the_instant_of_the_load() {
    let folder = folder("2026-06-30T08:00:00Z", FRESH);
    folder.set_time("2026-06-30T20:00:00Z");
    let world = create_world(&folder, "later", None);
    assert_eq!(world.run().clock.start().iso(), "2026-06-30T08:00:00Z");
    folder.registry.reset(&world, None).unwrap();
    assert_eq!(world.run().clock.start().iso(), "2026-06-30T08:00:00Z");
}

#[test]
fn data_is_the_same_at_any_time_of_a_day_and_fresh_on_every_day() {
    let all = |instant: &str| {
        let folder = folder(instant, FRESH);
        let reviews = folder.call("/v1/review/businessId/1", "count=1000", "", &json!({"statuses": ["all"]}));
        (reviews, questions(&folder, "a"))
    };
    let noon = all("2026-06-30T12:00:00Z");
    assert_eq!(all("2026-06-30T00:00:00Z"), noon);
    assert_eq!(all("2026-06-30T23:59:59.999Z"), noon);
    assert_ne!(all("2026-07-01T00:00:00Z"), noon);
    for (instant, latest) in
        [("2026-03-01T00:00:00Z", "Feb 28, 2026"), ("2030-01-01T10:00:00Z", "Dec 31, 2029")]
    {
        let (reviews, questions) = all(instant);
        let days: Vec<&str> =
            reviews.as_array().unwrap().iter().map(|review| text(&review["reviewDate"])).collect();
        assert!(days.contains(&latest), "{instant} {days:?}");
        assert!(questions.iter().any(|question| question["updatedOn"] == *latest), "{instant}");
    }
}

#[test]
fn a_fixed_start_is_the_same_on_every_day() {
    let text = FRESH.replace("start: now", "start: 2026-06-30T17:00:00Z");
    let folder = folder("2026-11-22T12:00:00Z", &text);
    assert_eq!(newest(&folder, "a"), on_june_30());
    folder.set_time("2026-11-23T12:00:00Z");
    create_world(&folder, "new", None);
    assert_eq!(newest(&folder, "new"), on_june_30());
}

#[test]
fn without_a_clock_a_world_begins_at_the_present() {
    let folder = folder("2026-06-30T12:00:00Z", &FRESH.replace("clock: {start: now, mode: running}\n", ""));
    folder.set_time("2026-06-30T13:00:00Z");
    let world = create_world(&folder, "later", None);
    assert_eq!(world.run().clock.start().iso(), "2026-06-30T13:00:00Z");
    assert_eq!(newest(&folder, "later"), on_june_30());
    folder.set_time("2026-07-01T13:00:00Z");
    folder.registry.reset(&world, None).unwrap();
    assert_eq!(newest(&folder, "later"), on_july_1());
}

#[test]
fn a_relative_day_of_a_contact_is_written_as_a_date() {
    let folder = folder("2026-06-30T12:00:00Z", FRESH);
    let value = |world: &str| {
        let snapshot = folder.registry.named(world).unwrap().snapshot();
        let contacts = snapshot.dataset().contacts.of(1).unwrap();
        contacts.get(7).unwrap().custom_fields[0].value.clone()
    };
    assert_eq!(value("a"), "06/29/2026");
    folder.set_time("2026-07-05T12:00:00Z");
    create_world(&folder, "new", None);
    let snapshot = folder.registry.named("new").unwrap().snapshot();
    assert_eq!(
        snapshot.dataset().contacts.of(1).unwrap().get(7).unwrap().custom_fields[0].value,
        "07/04/2026"
    );
}

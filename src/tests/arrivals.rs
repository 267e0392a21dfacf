//! Records that arrive on the timeline of a scenario: they are stored and scored like any others, and events carry them.

use serde_json::{Value, json};

use crate::clock::{Moment, later, real_now};
use crate::dataset::arrival::{Answered, Arrival};
use crate::ledger::subscriptions::Subscription;
use crate::scenario::arrival;
use crate::tests::harness::{ScenarioFolder, serve};
use crate::webhook::handle::WorldHandle;
use crate::world::run::Run;

const BASE: &str = "standin: 1
seed: 3
clock: {start: 2026-06-30T09:00:00Z, mode: frozen}
businesses: [{number: 1, name: One, category: dentist, locations: [{number: 11, name: L, reviews: [{id: '50', rating: 3, date: 2026-06-30}, {generate: 5}]}]}]\n";

fn folder(webhooks: &str) -> ScenarioFolder {
    serve(&format!("{BASE}webhooks:\n{webhooks}\n"))
}

/// Advances the clock of the default world, and does what is due.
fn advance(folder: &ScenarioFolder, seconds: u64) {
    let run = folder.registry.default_world().run();
    let to = later(run.clock.now(), std::time::Duration::from_secs(seconds));
    run.clock.set(to).unwrap();
    emit_due(&run);
}

fn emit_due(run: &Run) {
    while run.webhooks().emit_due(run, run.clock.at(real_now()), 10).more {}
}

fn subscribe(folder: &ScenarioFolder, events: &[&str]) {
    let run = folder.registry.default_world().run();
    run.ledger().subscribe(Subscription::of(events, "http://127.0.0.1:9/")).unwrap();
}

/// The event and the data of each delivery, in order.
fn deliveries(folder: &ScenarioFolder) -> Vec<(String, Value)> {
    let run = folder.registry.default_world().run();
    let all = run.deliveries(|_| true, 0..1_000).page;
    all.iter()
        .map(|delivery| {
            let payload: Value = serde_json::from_slice(&delivery.event.payload().unwrap()).unwrap();
            assert_eq!(payload["businessId"], 1);
            (delivery.event.name.clone(), payload["data"].clone())
        })
        .collect()
}

fn reviews(folder: &ScenarioFolder) -> Vec<Value> {
    let all = folder.call("/v1/review/businessId/1", "count=100", "", &json!({"statuses": ["all"]}));
    all.as_array().unwrap().clone()
}

fn score(folder: &ScenarioFolder) -> Value {
    let body = json!({"businessNumbers": [11], "startDate": "06/30/2026", "endDate": "12/31/2026"});
    folder.call("/v1/insight/sentiment/scoreBenchmark", "", "1", &body)["actual"]["score"].clone()
}

#[test]
fn a_review_arrives_at_its_time_with_generated_words_and_its_event_carries_it() {
    let folder = folder(
        "  events: {review.created: {}}
  timeline:
    - {at: 90s, review: {business: 11, rating: 1}}
    - {at: 90s, review: {business: 11, rating: 5, comments: Splendid., date: -1d, published: false}, event: message.added}",
    );
    subscribe(&folder, &["review.created", "message.added"]);
    advance(&folder, 89);
    assert_eq!((reviews(&folder).len(), score(&folder)), (6, json!(55.0)));
    advance(&folder, 1);
    let all = reviews(&folder);
    assert_eq!(all.len(), 8);
    let first = &all[0];
    assert_eq!((&first["rating"], &first["reviewDate"]), (&json!(1), &json!("Jun 30, 2026")));
    assert!(first["comments"].as_str().unwrap().len() > 10 && first["reviewer"]["firstName"].is_string());
    assert_eq!(all[1]["reviewId"], "50", "what was there for the day");
    let second = all.iter().find(|review| review["comments"] == "Splendid.").unwrap();
    assert_eq!((&second["reviewDate"], &second["featured"]), (&json!("Jun 29, 2026"), &json!(0)));
    assert_eq!(score(&folder), json!(32.5), "the mean of 55 and 10");
    let expected =
        [("review.created".to_owned(), first.clone()), ("message.added".to_owned(), second.clone())];
    assert_eq!(deliveries(&folder), expected, "each once");
}

#[test]
fn a_review_is_answered_and_a_question_is_asked() {
    let folder = folder(
        "  events: {question.created: {}, review.updated: {}, review.created: {}}
  timeline:
    - {at: 10s, question: {business: 11, by: Kim}}
    - {at: 20s, review: {business: 11, rating: 2}}
    - {at: 30s, response: {review: last, text: 'So sorry.'}}
    - {at: 40s, response: {review: '50'}}
    - {at: 50s, response: {review: nobody}}",
    );
    subscribe(&folder, &["question.created", "review.updated"]);
    advance(&folder, 60);
    let questions = folder.call("/v1/qna/unanswered/get", "businessId=1", "", &json!({}));
    let question = &questions["questionsAndAnswers"][0];
    assert_eq!((&question["updatedBy"], &question["time"]), (&json!("Kim"), &json!("09:00 AM")));
    assert!(question["question"].as_str().unwrap().len() > 5);
    let all = reviews(&folder);
    assert_eq!((&all[0]["response"], &all[0]["responseDate"]), (&json!("So sorry."), &json!("Jun 30, 2026")));
    assert_eq!(all[1]["reviewId"], "50");
    assert!(all[1]["response"].as_str().unwrap().len() > 10);
    let told = deliveries(&folder);
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["question.created", "review.updated", "review.updated"],
        "nothing for an unknown review"
    );
    assert_eq!((&told[0].1, &told[2].1), (question, &all[1]));
}

#[test]
fn records_arrive_again_and_again_and_a_taken_id_only_once() {
    let folder = folder(
        "  timeline:
    - {every: 10s, times: 4, review: {business: 11, rating: 5}}
    - {every: 10s, times: 4, review: {business: 11, rating: 4, id: same}}",
    );
    advance(&folder, 25);
    assert_eq!(reviews(&folder).len(), 6 + 2 + 1);
    advance(&folder, 100);
    let all = reviews(&folder);
    assert_eq!(all.len(), 6 + 4 + 1);
    let words: std::collections::BTreeSet<&str> = all
        .iter()
        .filter(|review| review["rating"] == 5)
        .map(|review| review["comments"].as_str().unwrap())
        .collect();
    assert!(words.len() >= 4, "{words:?}");
}

#[test]
fn a_record_arrives_after_a_call() {
    let folder = folder("  timeline:\n    - {after: qna, review: {business: 11, rating: 1, comments: Now.}}");
    folder.call("/v1/qna/unanswered/get", "businessId=1", "", &json!({}));
    assert_eq!(reviews(&folder)[0]["comments"], "Now.");
}

#[test]
fn a_date_of_a_record_is_relative_to_its_arrival_and_a_reset_forgets_it() {
    let folder =
        folder("  timeline:\n    - {at: 48h, review: {business: 11, rating: 1, comments: Late., date: -1d}}");
    advance(&folder, 48 * 3600);
    assert_eq!(reviews(&folder)[0]["reviewDate"], "Jul 01, 2026");
    let world = folder.registry.default_world();
    folder.registry.reset(&world, None).unwrap();
    assert_eq!(reviews(&folder).len(), 6);
    assert_eq!(world.run().clock.now(), Moment::from_scenario("2026-06-30T09:00:00Z").unwrap());
}

#[tokio::test]
async fn watchers_are_told_of_each_record_and_why_one_does_not_arrive() {
    let folder = folder(
        "  timeline:
    - {at: 1s, review: {business: 11, rating: 1, id: a, comments: Bad.}}
    - {at: 2s, review: {business: 11, rating: 1, id: a}}
    - {at: 3s, question: {business: 11, question: Why?}}
    - {at: 4s, response: {review: a, text: Sorry.}}",
    );
    let mut watch = folder.registry.default_world().stream.watch(false).unwrap();
    advance(&folder, 5);
    let mut next = async || {
        let event = String::from_utf8(watch.recv().await.unwrap().to_vec()).unwrap();
        let (kind, data) = event.strip_prefix("event: ").unwrap().split_once("\ndata: ").unwrap();
        (kind.to_owned(), serde_json::from_str::<Value>(data).unwrap())
    };
    let (kind, created) = next().await;
    assert_eq!(
        (kind.as_str(), &created["change"], &created["review"]["reviewId"]),
        ("review", &json!("created"), &json!("a"))
    );
    let refused = json!({"change": "refused", "reason": "the account has the review id a already"});
    assert_eq!(next().await, ("review".to_owned(), refused));
    let (kind, asked) = next().await;
    assert_eq!((kind.as_str(), &asked["question"]["question"]), ("question", &json!("Why?")));
    let (_, updated) = next().await;
    assert_eq!((&updated["change"], &updated["review"]["response"]), (&json!("updated"), &json!("Sorry.")));
}

#[test]
fn the_admin_api_takes_the_same_way() {
    let folder = folder(
        "  events: {review.created: {}, review.updated: {}, review.deleted: {}, question.created: {}}",
    );
    subscribe(&folder, &["review.created", "review.updated", "review.deleted", "question.created"]);
    let world = folder.registry.default_world();
    let (run, snapshot) = (world.run(), world.snapshot());
    let arrive = |arrival: Arrival| run.arrive(&snapshot, &arrival, (None, "")).unwrap().json;
    let body = r#"{"businessId": 11, "rating": 5, "id": "mine", "comments": "Good."}"#;
    let review = arrival::parse_review(body, snapshot.dataset()).unwrap();
    let created = arrive(Arrival::Review(Box::new(review)));
    let question = arrival::parse_question(r#"{"businessId": "11"}"#, snapshot.dataset()).unwrap();
    let asked = arrive(Arrival::Question(Box::new(question)));
    let which = Answered::Id { id: "mine".to_owned(), business: None };
    let change = arrival::parse_change(r#"{"response": "Thanks"}"#).unwrap();
    let updated = run.change_review(&snapshot, &which, (&change, "")).unwrap().json;
    run.remove_review(&snapshot, &which).unwrap();
    let expected = [
        ("review.created", &created),
        ("question.created", &asked),
        ("review.updated", &updated),
        ("review.deleted", &updated),
    ];
    let expected: Vec<(String, Value)> = expected
        .iter()
        .map(|(name, json)| ((*name).to_owned(), serde_json::from_str(json).unwrap()))
        .collect();
    assert_eq!(deliveries(&folder), expected);
    assert_eq!(reviews(&folder).len(), 6);
}

#[test]
fn nothing_is_announced_where_the_scenario_has_no_such_event() {
    let folder = folder("  timeline: [{at: 1s, review: {business: 11, rating: 5}}]");
    subscribe(&folder, &["message.added", "conversation.created"]);
    advance(&folder, 1);
    assert_eq!((reviews(&folder).len(), deliveries(&folder).len()), (7, 0));
}

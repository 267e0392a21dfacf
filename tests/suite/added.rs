//! Reviews and questions of one world, listed and added over the admin API.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Answer, Client, Server, wait_until, write};
use crate::stage::{API, server};

fn fresh() -> Server {
    Server::of(&[("api.yaml", API)], &["--default", "api"])
}

fn add(server: &Server, world: &str, what: &str, record: &Value) -> Answer {
    server.admin("POST", &format!("worlds/{world}/{what}")).json(record).send()
}

#[track_caller]
fn added(server: &Server, world: &str, what: &str, record: &Value) -> Value {
    let answer = add(server, world, what, record);
    assert_eq!(answer.status, 201, "{record}: {}", answer.text());
    answer.json
}

fn list(server: &Server, path: &str) -> Vec<Value> {
    server.admin("GET", &format!("worlds/{path}")).send().ok().as_array().unwrap().clone()
}

fn made(server: &Server, body: &Value) -> String {
    let answer = server.admin("POST", "worlds").json(body).send();
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json["name"].as_str().unwrap().to_owned()
}

/// One property of each element, as text.
fn texts(values: &[Value], name: &str) -> Vec<String> {
    values
        .iter()
        .map(|value| value[name].as_str().map_or_else(|| value[name].to_string(), str::to_owned))
        .collect()
}

/// Score and mentions of location 1004, whose one review has three stars.
fn score(client: &Client) -> (f64, u64) {
    let body = json!({"businessNumbers": [1004], "startDate": "01/01/2026", "endDate": "12/31/2026", "userEmail": "Ann@First.test"});
    let point = client.locations(100).json(&body).send().ok()["dataPoints"][0].clone();
    (point["score"].as_f64().unwrap(), point["mentions"].as_u64().unwrap())
}

#[test]
fn all_reviews_of_a_world_are_listed_newest_first_in_pages() {
    let all = list(server(), "api/reviews");
    assert_eq!(
        texts(&all, "reviewId"),
        ["201", "200", "50", "40", "20", "15", "14", "13", "12", "11", "100", "9", "10", "202"]
    );
    let listed =
        server().client().with_key("all").reviews(1001).json(&json!({"statuses": ["all"]})).send().ok();
    assert_eq!(
        Value::from(list(server(), "api/reviews?business=1001")),
        listed,
        "shaped as the API shows them"
    );
    let page = server().admin("GET", "worlds/api/reviews?offset=2&limit=3").send();
    assert_eq!(page.header("x-total-count"), Some("14"));
    assert_eq!(page.json, Value::from(&all[2..5]));
    let of_account = texts(&list(server(), "api/reviews?business=100"), "reviewId");
    assert_eq!(of_account, ["40", "20", "15", "14", "13", "12", "11", "100", "9", "10"]);
    let empty = server().admin("GET", "worlds/api/reviews?business=1003").send();
    assert_eq!((empty.header("x-total-count"), &empty.json), (Some("0"), &json!([])));
}

#[test]
fn all_questions_of_a_world_are_listed_including_answered_ones() {
    let page = server().admin("GET", "worlds/api/questions?limit=4").send();
    assert_eq!(page.header("x-total-count"), Some("6"));
    assert_eq!(texts(page.json.as_array().unwrap(), "questionId"), ["63", "70", "61", "7"]);
    assert_eq!(page.json[0]["answeredByOwner"], true);
    let unanswered = server().client().with_key("all").qna(1002).send().ok();
    assert_eq!(Value::from(list(server(), "api/questions?business=1002")), unanswered["questionsAndAnswers"]);
}

#[test]
fn a_list_of_an_unknown_business_is_refused() {
    for path in ["reviews", "questions"] {
        for business in ["999", "x", "-1", "99999999999999999999"] {
            let answer = server().admin("GET", &format!("worlds/api/{path}?business={business}")).send();
            let message = answer.json["error"].as_str().unwrap_or_default();
            assert_eq!(answer.status, 400, "{path} {business}: {message}");
            assert!(
                message.starts_with("business must be the number of an account or a location"),
                "{message}"
            );
        }
        assert_eq!(server().admin("GET", &format!("worlds/api/{path}?limit=x")).send().status, 400);
        assert_eq!(
            server().admin("DELETE", &format!("worlds/api/{path}")).send().header("allow"),
            Some("GET, POST")
        );
    }
}

#[test]
fn an_added_review_is_dated_today_and_changes_the_score_of_its_location_in_its_world_only() {
    let server = fresh();
    let other = made(&server, &json!({}));
    let (here, there) = (server.client().with_key("all"), server.world(&other).with_key("all"));
    assert_eq!(score(&here), (55.0, 1));
    let review =
        added(&server, "api", "reviews", &json!({"businessId": "1004", "rating": 5, "comments": "New!"}));
    assert_eq!(
        (&review["reviewDate"], &review["sourceType"], &review["featured"], &review["businessId"]),
        (&json!("Jun 30, 2026"), &json!("Google"), &json!(1), &json!("1004"))
    );
    assert_eq!(score(&here), (75.0, 2));
    assert_eq!(here.reviews(1004).send().ok()[0], review);
    assert_eq!(list(&server, "api/reviews?business=1004")[0], review);
    assert_eq!(list(&server, "api/reviews").len(), 15);
    assert_eq!(list(&server, &format!("{other}/reviews")).len(), 14);
    assert_eq!(score(&there), (55.0, 1));
}

#[test]
fn an_added_question_is_unanswered_unless_it_has_an_answer() {
    let server = fresh();
    let client = server.client().with_key("all");
    let before = client.qna(100).send().ok()["totalCount"].as_u64().unwrap();
    let open = json!({"businessId": 1003, "question": "Open on Monday?", "by": "Jo", "answers": [{"answer": "No idea."}]});
    let open = added(&server, "api", "questions", &open);
    assert_eq!((&open["updatedOn"], &open["time"]), (&json!("Jun 30, 2026"), &json!("12:00 PM")));
    assert_ne!(open["questionId"], open["answers"][0]["answerId"]);
    let closed = json!({"businessId": 1003, "question": "Closed?", "date": "2026-06-30", "answers": [{"answer": "Yes.", "owner": true}]});
    let closed = added(&server, "api", "questions", &closed);
    assert_eq!(
        (&closed["answeredByOwner"], &closed["answers"][0]["updatedBy"]),
        (&json!(true), &json!("First"))
    );
    let listed = client.qna(100).send().ok();
    assert_eq!(listed["totalCount"], before + 1);
    assert_eq!(listed["questionsAndAnswers"][0], open);
    assert_eq!(list(&server, "api/questions?business=1003"), [open, closed]);
}

#[test]
fn generated_ids_depend_on_seed_location_and_the_number_added_there() {
    let server = fresh();
    let ids = |world: &str, locations: &[u64]| -> Vec<String> {
        let add =
            |location: &u64| added(&server, world, "reviews", &json!({"businessId": location, "rating": 4}));
        texts(&locations.iter().map(add).collect::<Vec<_>>(), "reviewId")
    };
    let question = |world: &str| {
        let question = json!({"businessId": 1001, "question": "Why?", "answers": [{"answer": "So."}, {"answer": "Or so."}]});
        added(&server, world, "questions", &question)
    };
    let (a, b) = (made(&server, &json!({})), made(&server, &json!({})));
    let c = made(&server, &json!({"seed": 12}));
    let first = ids(&a, &[1001, 1001, 1002]);
    let other = ids(&b, &[1002, 1001, 1001]);
    assert_eq!([&first[0], &first[1], &first[2]], [&other[1], &other[2], &other[0]]);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
    assert_ne!(ids(&c, &[1001]), first[..1]);
    assert_eq!(question(&a), question(&b));
    let again = question(&a);
    assert_ne!(again["questionId"], question(&c)["questionId"]);
    assert_ne!(again["answers"][0]["answerId"], again["answers"][1]["answerId"]);
}

#[test]
fn an_id_is_taken_only_in_the_account_that_has_it() {
    let server = fresh();
    let review = |location: u64, id: &str| json!({"businessId": location, "id": id, "rating": 4});
    let taken = |what: &str, record: &Value, which: &str| {
        let answer = add(&server, "api", what, record);
        let message = answer.json["error"].as_str().unwrap_or_default();
        assert_eq!(answer.status, 409, "{record}: {}", answer.text());
        assert!(message.contains(&format!("has the {which} already")), "{message}");
    };
    taken("reviews", &review(1002, "10"), "review id 10");
    added(&server, "api", "reviews", &review(1101, "10"));
    added(&server, "api", "reviews", &review(1002, "new"));
    taken("reviews", &review(1001, "new"), "review id new");
    taken("questions", &json!({"businessId": 1002, "id": 61, "question": "?"}), "question id 61");
    let answered =
        |id: u64| json!({"businessId": 1002, "question": "?", "answers": [{"id": id, "answer": "!"}]});
    taken("questions", &answered(64), "answer id 64");
    added(&server, "api", "questions", &answered(65));
    taken("questions", &answered(65), "answer id 65");
    assert_eq!(list(&server, "api/reviews").len(), 16);
    assert_eq!(list(&server, "api/questions").len(), 7);
}

#[test]
fn an_invalid_record_is_refused_with_every_problem_and_its_location() {
    let cases = [
        ("reviews", "", &[("syntax", "this is not JSON: expected a value")][..]),
        ("reviews", "{\"rating\": 5", &[("syntax", "this is not JSON: expected `,` or `}`")]),
        ("reviews", "{} {}", &[("syntax", "this is not JSON: expected nothing more: the value has ended")]),
        ("reviews", "[]", &[("wrong-kind", "a review is a map (`id: …`)")]),
        ("questions", "7", &[("wrong-kind", "a question is a map (`id: …`)")]),
        (
            "reviews",
            r#"{"rating": 5}"#,
            &[("missing-key", "`businessId`, the number of the location, is required")],
        ),
        (
            "reviews",
            r#"{"businessId": 100, "rating": 5}"#,
            &[("wrong-reference", "100 is an account, but `businessId` must be the number of a location")],
        ),
        (
            "questions",
            r#"{"businessId": 9, "question": "?"}"#,
            &[("unknown-reference", "there is no location `9`")],
        ),
        (
            "reviews",
            r#"{"businessId": true, "rating": 5}"#,
            &[("wrong-value", "`businessId` must be a whole number from 1, below 2^53")],
        ),
        (
            "reviews",
            r#"{"businessId": 1001, "rating": 6, "date": "soon", "comment": "x", "source": "myspace"}"#,
            &[
                ("wrong-value", "`rating` must be a whole number from 0 to 5"),
                ("wrong-value", "`date` must be a calendar day: `2026-06-30` or `06/30/2026`"),
                ("unknown-key", "a review has no key `comment`"),
                ("unknown-source", "there is no source `myspace`"),
            ],
        ),
        (
            "reviews",
            r#"{"businessId": 1001, "rating": 0}"#,
            &[("wrong-rating", "a review from Google has 1 to 5 stars")],
        ),
        ("reviews", r#"{"businessId": 1001}"#, &[("missing-key", "a review needs `rating`")]),
        (
            "questions",
            r#"{"businessId": 1001, "answers": [{}]}"#,
            &[("missing-key", "an answer needs `answer`")],
        ),
        (
            "reviews",
            r#"{"businessId": 1001, "rating": 5, "rating": 4}"#,
            &[("duplicate-key", "the key `rating` appears twice in this map")],
        ),
    ];
    for (what, body, expected) in cases {
        let answer = server().admin("POST", &format!("worlds/api/{what}")).bytes(body).send();
        assert_eq!(answer.status, 400, "{body}: {}", answer.text());
        let problems = answer.json["diagnostics"].as_array().unwrap();
        let reported: Vec<_> = problems
            .iter()
            .map(|it| (it["code"].as_str().unwrap(), it["message"].as_str().unwrap()))
            .collect();
        for problem in expected {
            assert!(reported.contains(problem), "{body}: {reported:?}");
        }
        assert!(problems.iter().all(|it| it["line"] == 1 && it["file"] == "body"), "{body}");
        assert!(answer.json["error"].as_str().unwrap().starts_with("Nothing was added: "), "{body}");
    }
    let not_text = server().admin("POST", "worlds/api/reviews").bytes(*b"{\"\xff\": 1}").send();
    assert_eq!((not_text.status, &not_text.json["error"]), (400, &json!("The body must be UTF-8.")));
    assert_eq!(list(server(), "api/reviews").len(), 14);
}

#[test]
fn a_reset_removes_added_records() {
    let server = fresh();
    let review = json!({"businessId": 1004, "rating": 5});
    let first = added(&server, "api", "reviews", &review);
    added(&server, "api", "questions", &json!({"businessId": 1004, "question": "?"}));
    assert_eq!(server.admin("POST", "worlds/api/reset").send().status, 200);
    assert_eq!(score(&server.client().with_key("all")), (55.0, 1));
    assert_eq!((list(&server, "api/reviews").len(), list(&server, "api/questions").len()), (14, 6));
    assert_eq!(added(&server, "api", "reviews", &review), first);
}

const BEFORE: &str = "standin: 1\nname: api\nclock: {start: 2026-06-30T12:00:00Z, mode: frozen}
dialect: {sources: {aaa: {name: First}, bbb: {name: Second}}}
businesses: [{number: 1, name: One, locations: [{number: 11, name: A}, {number: 12, name: B}]}]\n";

#[test]
fn added_records_survive_a_reload_that_keeps_their_location_and_source() {
    let server = Server::of(&[("api.yaml", BEFORE)], &[]);
    for (location, source, id) in [(11, "bbb", "a"), (11, "aaa", "b"), (12, "google", "c")] {
        let review = json!({"businessId": location, "source": source, "id": id, "rating": 3});
        added(&server, "api", "reviews", &review);
        added(&server, "api", "questions", &json!({"businessId": location, "question": id, "by": "Jo"}));
    }
    let (reviews, questions) = (list(&server, "api/reviews"), list(&server, "api/questions"));
    let after = BEFORE.replace("aaa: {name: First}, ", "").replace(", {number: 12, name: B}", "");
    write(server.path(), "api.yaml", &after);
    wait_until("the reload", || list(&server, "api/reviews").len() == 1);
    let left = list(&server, "api/reviews");
    assert_eq!((&left[0]["reviewId"], &left[0]["sourceType"]), (&json!("a"), &json!("Second")));
    assert_eq!(server.client().with_key("k").reviews(1).send().ok(), Value::from(left));
    let on_location = |question: &&Value| question["locationName"] == "A";
    let kept: Vec<Value> = questions.iter().filter(on_location).cloned().collect();
    assert_eq!(list(&server, "api/questions"), kept);
    write(server.path(), "api.yaml", BEFORE);
    wait_until("the reload back", || list(&server, "api/reviews") == reviews);
    assert_eq!(list(&server, "api/questions"), questions);
}

#[test]
fn records_added_from_many_threads_are_each_stored_once() {
    let server = fresh();
    let client = server.client().with_key("all");
    thread::scope(|scope| {
        for thread in 0..4 {
            let (server, client) = (&server, &client);
            scope.spawn(move || {
                for at in 0..25 {
                    let text = format!("{thread}-{at}");
                    let id = added(
                        server,
                        "api",
                        "reviews",
                        &json!({"businessId": 1004, "rating": 3, "comments": text}),
                    )["reviewId"]
                        .clone();
                    let found = client.reviews(1004).json(&json!({"searchStr": text})).send().ok();
                    assert!(
                        found.as_array().unwrap().iter().any(|it| it["reviewId"] == id),
                        "its own is there at once"
                    );
                    add(
                        server,
                        "api",
                        "reviews",
                        &json!({"businessId": 1004, "rating": 3, "id": format!("same-{at}")}),
                    );
                }
            });
        }
    });
    let all = texts(&list(&server, "api/reviews?business=1004"), "reviewId");
    assert_eq!(all.len(), 1 + 4 * 25 + 25);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert_eq!(score(&client), (55.0, 126));
}

/// A day of a record: each has another one, since what arrives comes before what was there for the same day.
fn day(at: usize) -> String {
    let (month, day) = if at < 24 { (5, at + 8) } else { (6, at - 23) };
    format!("2026-{month:02}-{day:02}")
}

/// Reviews with their location: ids of digits and of letters, every kind of source, given sentiments.
fn reviews() -> Vec<(u64, Value)> {
    let review = |at: usize| {
        let source = ["google", "facebook", "direct_feedback", "yelp", "thumbs"][at % 5];
        let rating = match source {
            "direct_feedback" => 0,
            "facebook" | "thumbs" => at % 2,
            _ => 1 + at % 5,
        };
        let id = if at % 7 == 3 { format!("r-{at}") } else { (at * 37 % 101).to_string() };
        let mut record = json!({
            "id": id, "rating": rating, "date": day(at * 29 % 48), "source": source,
            "comments": format!("Number {at} says so"), "published": at % 4 != 1,
        });
        if at.is_multiple_of(3) {
            record["response"] = json!("Thanks");
            record["responseDate"] = json!(if at.is_multiple_of(2) { "2026-06-29" } else { "2026-05-20" });
        }
        if at % 6 == 1 {
            (record["sentiment"], record["mentions"]) = (json!(33.3), json!(at));
        }
        if at % 8 == 5 {
            (record["title"], record["extraParams"]) = (json!("STRASSE"), json!({"Plan": "gold"}));
        }
        ([11, 12, 21, 31][at / 2 % 4], record)
    };
    (0..48).map(review).collect()
}

/// Questions with their location, some of them answered by the owner or others.
fn questions() -> Vec<(u64, Value)> {
    let question = |at: usize| {
        let answers = match at % 3 {
            0 => json!([]),
            1 => json!([{"id": 500 + at, "answer": "Perhaps.", "by": "Kim"}]),
            _ => json!([{"id": 500 + at, "answer": "Yes.", "owner": true}]),
        };
        let text = format!("Is it {at}?");
        let record = json!({"id": 1 + at * 7 % 19, "question": text, "by": "Jo", "date": day(at * 5 % 18), "answers": answers});
        ([11, 12, 31][at / 2 % 3], record)
    };
    (0..18).map(question).collect()
}

/// A scenario with those records and generated ones.
fn scenario(name: &str, reviews: &[(u64, Value)], questions: &[(u64, Value)]) -> String {
    let location = |number: u64, rest: &str| {
        let of = |records: &[(u64, Value)], generate: &str| {
            let own = records.iter().filter(|(of, _)| *of == number).map(|(_, record)| format!(", {record}"));
            format!("[{generate}{}]", own.collect::<String>())
        };
        let reviews = of(reviews, "{generate: 30, dates: {from: 2026-04-25, to: 2026-05-05}}");
        let questions = of(questions, "{generate: 3}");
        format!("{{number: {number}, name: L{number}, {rest}reviews: {reviews}, questions: {questions}}}")
    };
    let [one, two] = [location(11, "levels: {Region: West}, "), location(12, "levels: {Region: East}, ")];
    let (three, four) = (location(21, ""), location(31, ""));
    format!(
        "standin: 1\nname: {name}\nseed: 5\nclock: {{start: 2026-06-30T12:00:00Z, mode: frozen}}
dialect: {{sources: {{thumbs: {{name: Thumbs, recommendation: true}}}}}}
businesses:
  - {{number: 5, name: Above, type: reseller}}
  - {{number: 1, name: One, parent: 5, levels: [Region], competitors: [3], locations: [{one}, {two}]}}
  - {{number: 2, name: Two, parent: 5, competitors: [3], locations: [{three}]}}
  - {{number: 3, name: Three, locations: [{four}]}}\n"
    )
}

#[test]
fn every_operation_answers_as_if_added_records_were_in_the_scenario() {
    let (reviews, questions) = (reviews(), questions());
    // Records at even positions are in the scenario, the others are added.
    let given = |records: &[(u64, Value)]| records.iter().step_by(2).cloned().collect::<Vec<_>>();
    let files = [
        ("whole.yaml", scenario("whole", &reviews, &questions)),
        ("parted.yaml", scenario("parted", &given(&reviews), &given(&questions))),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let server = Server::of(&files, &["--default", "whole"]);
    for (what, records) in [("reviews", &reviews), ("questions", &questions)] {
        // In reverse, so that the order of adding differs from that of the list.
        for (location, record) in records.iter().skip(1).step_by(2).rev() {
            let mut record = record.clone();
            record["businessId"] = (*location).into();
            added(&server, "parted", what, &record);
        }
    }
    let [whole, parted] = ["whole", "parted"].map(|world| server.world(world).with_key("k"));
    let same = |call: &dyn Fn(&Client) -> Answer| {
        let (whole, parted) = (call(&whole), call(&parted));
        assert_eq!(whole.status, 200, "{}: {}", whole.call, whole.text());
        assert_eq!(whole.text(), parted.text(), "{}", whole.call);
        whole.bytes.len()
    };
    let bodies = [
        json!({"statuses": ["all"]}),
        json!({}),
        json!({"statuses": ["parked"], "ratings": ["0", "1"]}),
        json!({"fromDate": "05/04/2026", "toDate": "05/14/2026", "statuses": ["all"]}),
        json!({"updateFromDate": "06/01/2026"}),
        json!({"updateToDate": "05/20/2026", "statuses": ["all"]}),
        json!({"sources": ["Thumbs", "yelp"], "ratings": ["1", "5"]}),
        json!({"searchStr": "straße"}),
        json!({"searchStr": "number 1", "statuses": ["all"], "sources": ["google"]}),
        json!({"searchStr": "the", "fromDate": "05/01/2026"}),
        json!({"subBusinessIds": [12, 21], "statuses": ["all"]}),
    ];
    let mut bytes = 0;
    for body in &bodies {
        for (business, query) in [
            (1, "count=200"),
            (1, "sindex=3&count=7"),
            (1, "sindex=40&count=7"),
            (5, "count=1000"),
            (11, ""),
            (21, "count=50"),
            (3, "isCompetitor=true&count=100"),
        ] {
            bytes += same(&|client: &Client| client.reviews(business).raw_query(query).json(body).send());
        }
    }
    assert!(bytes > 500_000, "{bytes}");
    for body in [json!({}), json!({"startIndex": 1, "pageSize": 4}), json!({"startIndex": 500})] {
        for business in [1, 2, 3, 5, 11, 12] {
            same(&|client: &Client| client.qna(business).json(&body).send());
        }
    }
    let days = json!({"startDate": "05/04/2026", "endDate": "05/25/2026", "userEmail": "a@b.test"});
    for filter in [
        json!({}),
        json!({"endDate": "06/30/2026"}),
        json!({"ratings": ["1", "0"]}),
        json!({"reviewSources": ["thumbs", "google"], "ratings": ["1", "5"]}),
        json!({"hierarchyNodeData": [{"levelId": "Region", "levelNames": ["West"]}]}),
    ] {
        for (enterprise, numbers) in
            [(1, json!([1])), (1, json!([12, 11])), (5, json!([5])), (5, json!([21, 1]))]
        {
            let mut body = days.clone();
            body["businessNumbers"] = numbers;
            for (name, value) in filter.as_object().unwrap() {
                body[name] = value.clone();
            }
            same(&|client: &Client| client.benchmark(enterprise).json(&body).send());
            for query in ["", "sort-by=sentiment-score&sort-order=1", "start-index=1&page-size=1"] {
                same(&|client: &Client| client.locations(enterprise).raw_query(query).json(&body).send());
            }
            body["groupByLevel"] = json!("Region");
            same(&|client: &Client| client.locations(enterprise).json(&body).send());
        }
    }
    for path in ["reviews", "reviews?business=1&offset=5&limit=9", "questions", "questions?business=31"] {
        assert_eq!(
            list(&server, &format!("whole/{path}")),
            list(&server, &format!("parted/{path}")),
            "{path}"
        );
    }
}

fn patch(server: &Server, review: &str, change: &Value) -> Answer {
    server.admin("PATCH", &format!("worlds/api/reviews/{review}")).json(change).send()
}

fn take_down(server: &Server, review: &str) -> Answer {
    server.admin("DELETE", &format!("worlds/api/reviews/{review}")).send()
}

#[test]
fn what_arrives_comes_first_of_its_day_the_latest_before_the_others() {
    let server = fresh();
    let client = server.client().with_key("all");
    let ids = |answer: &Answer| texts(answer.json.as_array().unwrap(), "reviewId");
    let before = ids(&client.reviews(1001).json(&json!({"statuses": ["all"]})).send());
    for id in ["5", "999999", "a"] {
        added(&server, "api", "reviews", &json!({"businessId": 1001, "rating": 3, "id": id}));
    }
    let day = list(&server, "api/reviews?business=1001")[before.len() + 2]["reviewDate"]
        .as_str()
        .unwrap()
        .to_owned();
    let late = json!({"businessId": 1001, "rating": 3, "id": "0", "date": day_of(&day)});
    added(&server, "api", "reviews", &late);
    let after = ids(&client.reviews(1001).json(&json!({"statuses": ["all"]})).send());
    assert_eq!(after[..3], ["a", "999999", "5"]);
    let place = after.iter().position(|id| id == "0").unwrap();
    let all = list(&server, "api/reviews?business=1001");
    assert!(all[place - 1]["reviewDate"] != day.as_str() && all[place + 1]["reviewDate"] == day.as_str());
    let seeded: Vec<&String> = after.iter().filter(|id| before.contains(id)).collect();
    assert_eq!(seeded, before.iter().collect::<Vec<_>>(), "the others keep their order");
}

/// A day of an answer as a scenario writes it.
fn day_of(shown: &str) -> String {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = 1 + months.iter().position(|month| shown.starts_with(month)).unwrap();
    format!("{month}/{}/{}", &shown[4..6], &shown[8..])
}

#[test]
fn words_are_generated_for_a_record_without_any() {
    let server = fresh();
    let bad = added(&server, "api", "reviews", &json!({"businessId": 1004, "rating": 1}));
    assert!(
        bad["comments"].as_str().unwrap().len() > 10 && bad["reviewer"]["firstName"].is_string(),
        "{bad}"
    );
    let silent = added(&server, "api", "reviews", &json!({"businessId": 1004, "rating": 1, "comments": ""}));
    assert_eq!((&silent["comments"], &silent["reviewer"]["firstName"]), (&json!(""), &json!(null)));
    let found = server
        .client()
        .with_key("all")
        .reviews(1004)
        .json(&json!({"searchStr": bad["comments"]}))
        .send()
        .ok();
    assert_eq!(found[0], bad, "they are found by a search");
    let question = added(&server, "api", "questions", &json!({"business": 1004}));
    assert!(question["question"].as_str().unwrap().len() > 5, "{question}");
}

#[test]
fn a_response_is_written_changed_and_taken_away() {
    let server = fresh();
    let client = server.client().with_key("all");
    let review = |id: &str| {
        let all = client.reviews(100).raw_query("count=100").json(&json!({"statuses": ["all"]})).send().ok();
        all.as_array().unwrap().iter().find(|review| review["reviewId"] == id).cloned().unwrap()
    };
    let before: Vec<Value> = list(&server, "api/reviews");
    let answered = patch(&server, "11", &json!({"response": "Thank you!"})).ok();
    assert_eq!(
        (&answered["response"], &answered["responseDate"]),
        (&json!("Thank you!"), &json!("Jun 30, 2026"))
    );
    assert_eq!(review("11"), answered);
    assert_eq!(
        texts(&list(&server, "api/reviews"), "reviewId"),
        texts(&before, "reviewId"),
        "it keeps its place"
    );
    let updated =
        client.reviews(100).json(&json!({"updateFromDate": "06/30/2026", "statuses": ["all"]})).send().ok();
    assert!(texts(updated.as_array().unwrap(), "reviewId").contains(&"11".to_owned()));
    let later = patch(&server, "11", &json!({"responseDate": "-1d", "published": false})).ok();
    assert_eq!(
        (&later["response"], &later["responseDate"], &later["featured"]),
        (&json!("Thank you!"), &json!("Jun 29, 2026"), &json!(0))
    );
    let published = client.reviews(100).raw_query("count=100").send().ok();
    assert!(!texts(published.as_array().unwrap(), "reviewId").contains(&"11".to_owned()));
    let gone = patch(&server, "11", &json!({"response": null, "published": true})).ok();
    assert_eq!((&gone["response"], &gone["responseDate"]), (&json!(null), &json!(null)));
    let own = added(&server, "api", "reviews", &json!({"businessId": 1002, "rating": 4, "id": "own"}));
    let parked = patch(&server, "own", &json!({"published": false})).ok();
    assert_eq!((&parked["featured"], &parked["comments"]), (&json!(0), &own["comments"]));
    assert_eq!(server.admin("POST", "worlds/api/reset").send().status, 200);
    assert_eq!(list(&server, "api/reviews"), before);
}

#[test]
fn a_review_that_is_taken_down_is_in_no_list_and_no_score_of_its_world() {
    let server = fresh();
    let other = made(&server, &json!({}));
    let client = server.client().with_key("all");
    let id = texts(&list(&server, "api/reviews?business=1004"), "reviewId")[0].clone();
    assert_eq!(score(&client), (55.0, 1));
    assert_eq!(take_down(&server, &id).status, 204);
    assert_eq!(score(&client), (0.0, 0));
    let page = server.admin("GET", "worlds/api/reviews?business=1004").send();
    assert_eq!((page.header("x-total-count"), &page.json), (Some("0"), &json!([])));
    assert_eq!(list(&server, &format!("{other}/reviews?business=1004")).len(), 1);
    let again = take_down(&server, &id);
    assert_eq!(
        (again.status, &again.json["error"]),
        (404, &json!("Nothing was taken down: there is no such review."))
    );
    added(&server, "api", "reviews", &json!({"businessId": 1004, "rating": 5, "id": "mine"}));
    assert_eq!(score(&client), (95.0, 1));
    assert_eq!(take_down(&server, "mine").status, 204);
    assert_eq!(score(&client), (0.0, 0));
    added(&server, "api", "reviews", &json!({"businessId": 1004, "rating": 5, "id": "mine"}));
}

#[test]
fn changes_of_reviews_are_checked() {
    let server = fresh();
    let error = |answer: &Answer, status: u16, part: &str| {
        let message = answer.json["error"].as_str().unwrap_or_default();
        assert_eq!(answer.status, status, "{message}");
        assert!(message.contains(part), "{message}");
    };
    error(&patch(&server, "nobody", &json!({"published": true})), 404, "there is no such review");
    error(
        &patch(&server, "11", &json!({"responseDate": "today"})),
        400,
        "a day for a response needs a response",
    );
    error(&patch(&server, "11", &json!({"rating": 5})), 400, "a change of a review has no key `rating`");
    error(&patch(&server, "11", &json!({"published": "yes"})), 400, "`published` must be `true` or `false`");
    error(&patch(&server, "11", &json!([])), 400, "a change of a review is a map");
    let odd = "a/b ?ä";
    added(&server, "api", "reviews", &json!({"businessId": 1001, "rating": 5, "id": odd}));
    assert_eq!(patch(&server, "a%2Fb%20%3F%C3%A4", &json!({"published": false})).ok()["reviewId"], odd);
    for location in [1001, 1101] {
        added(&server, "api", "reviews", &json!({"businessId": location, "rating": 5, "id": "twice"}));
    }
    error(
        &patch(&server, "twice", &json!({"published": false})),
        409,
        "several accounts have a review of that id: 100",
    );
    assert_eq!(
        patch(&server, "twice?business=1101", &json!({"published": false})).ok()["businessId"],
        "1101"
    );
    error(
        &patch(&server, "twice?business=1002", &json!({"published": false})),
        404,
        "there is no such review",
    );
    assert_eq!(take_down(&server, "twice?business=1001").status, 204);
    assert_eq!(take_down(&server, "twice").status, 204, "one is left");
    let refused = server.admin("GET", "worlds/api/reviews/11").send();
    assert_eq!((refused.status, refused.header("allow")), (405, Some("PATCH, DELETE")));
}

//! The same scenario and the same calls give the same bytes, whichever thread answers and however often the program starts.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Answer, Server};

const SCENARIO: &str = "
standin: 1
name: repeatable
seed: 3
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}, {key: own, name: aside, world: own}]
businesses:
  - number: 1
    name: Whole
    users: []
    levels: [Region]
    competitors: [2]
    locations:
      - {number: 11, name: A, levels: {Region: North}, reviews: [{generate: 260}], questions: [{generate: 30}]}
      - {number: 12, name: B, reviews: [{generate: 140, published: 50%, locale: {en: 1, ja: 1}}], questions: [{generate: 11}]}
      - {number: 13, name: C, reviews: [{id: '7', rating: 2, date: 2026-06-30, comments: Straße, title: Ärger}]}
    contacts: [{id: 5, email: a@b.test, phone: '+12125550100', externalId: E}]
  - {number: 2, name: Rival, locations: [{number: 21, name: D, reviews: [{generate: 40}]}]}
";

/// A call of each operation and some refusals. Repeating them changes no answer.
fn everything(server: &Server) -> Vec<Answer> {
    let client = server.client().with_key("k");
    let insight = json!({"businessNumbers": [1], "startDate": "1/1/2020", "endDate": "1/1/2030", "userEmail": "a@b.test"});
    let mut grouped = insight.clone();
    grouped["groupByLevel"] = json!("Region");
    let page = |query: &str, body: Value| client.reviews(1).raw_query(query).json(&body).send();
    vec![
        client.locations(1).json(&insight).send(),
        client.locations(1).json(&grouped).send(),
        client.benchmark(1).json(&insight).send(),
        client.contact(1).json(&json!({"email": "same@x.test", "businessIds": [11]})).send(),
        page("count=500", json!({"statuses": ["all"]})),
        page("sindex=100&count=7", json!({"searchStr": "e", "sources": ["google"]})),
        client.reviews(2).query("isCompetitor", "true").send(),
        client.qna(1).json(&json!({"pageSize": 100})).send(),
        client.qna(9).send(),
        client.benchmark(1).json(&json!({"businessNumbers": [7]})).send(),
    ]
}

/// What has to be equal: status, headers except the date, body.
type Observed = (u16, BTreeSet<(String, String)>, Vec<u8>);

fn bytes(answers: Vec<Answer>) -> Vec<Observed> {
    let observed = |answer: Answer| {
        let headers = answer.headers.into_iter().filter(|(name, _)| name != "date").collect();
        (answer.status, headers, answer.bytes)
    };
    answers.into_iter().map(observed).collect()
}

#[test]
fn the_same_input_gives_the_same_bytes_across_threads_and_restarts() {
    let files = [("repeatable.yaml", SCENARIO)];
    let server = Server::of(&files, &[]);
    let start = Barrier::new(16);
    let all: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    bytes(everything(&server))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let again = bytes(everything(&Server::of(&files, &[])));
    for one in all {
        assert_eq!(one, again);
    }
}

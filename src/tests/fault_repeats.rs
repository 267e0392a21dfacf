//! The same requests get the same faults, in any order and from any number of threads, and counts are exact.

use std::collections::{BTreeMap, BTreeSet};

use crate::draw::Seed;
use crate::fault::transmission::Transmission;
use crate::pipeline::record::Outcome;
use serde_json::json;

use super::harness::{
    Request, ScenarioFolder, THREADS, create_world, header, in_parallel, is_faulted, number, serve, shuffled,
};

/// Faults of every kind that depend on chance or count by request.
const CHANCES: &str = "
standin: 1
seed: 7
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}, {key: other}]
businesses:
  - {number: 1, name: One, users: [u@one.test], industry_score: 50, locations: [{number: 11, name: L, reviews: [{generate: 30}], questions: [{generate: 10}]}]}
faults:
  - {name: jitter, chance: 50%, then: {delay: 10ms-400ms}}
  - {name: tail, chance: 30%, then: {delay: {median: 120ms, p99: 900ms}}}
  - {name: first-two, operation: [reviews, contact], per: request, hits: 1-2, chance: 40%, then: {error: 89, retry_after: 2s}}
  - {name: cut, chance: 4%, then: {body: {truncate: 50%}}}
  - {name: drip, chance: 4%, then: {body: {drip: 64 per 10ms}}}
  - {name: malformed, chance: 8%, then: {body: {malformed: true}}}
  - {name: garbage, chance: 4%, then: {connection: garbage}}
  - {name: lost, operation: contact, chance: 20%, then: {lost: reset, delay: 1ms-9ms}}
  - {name: drift, operation: reviews, chance: 20%, then: {body: {patch: [{op: remove, path: /0/reviewer}]}, headers: {set: {x-drift: yes}}}}
  - {name: block, per: request, hits: 2-, exactly: 1 of 2, then: {status: 503, json: {oops: true}}}
  - {name: third, per: request, hits: every 3, then: {error: 500}}
";

/// How often each request is sent.
const TIMES: usize = 4;

/// 250 requests of five operations with two keys. Subscriptions are not among them, since their ids depend on the order of arrival.
fn requests() -> Vec<Request> {
    let insight = json!({"businessNumbers": [1], "startDate": "01/01/2026", "endDate": "06/30/2026", "userEmail": "u@one.test"});
    let of = |number: usize| match number % 5 {
        0 => Request::new(
            "/v1/review/businessId/1",
            format!("count=3&sindex={}", number / 5),
            &json!({"n": number}),
        ),
        1 => Request::new(
            "/v1/qna/unanswered/get",
            format!("businessId=1&n={number}"),
            &json!({"pageSize": 2}),
        ),
        2 => Request::new("/v1/insight/sentiment/locationInfo", format!("n={number}"), &insight),
        3 => Request::new("/v1/insight/sentiment/scoreBenchmark", format!("n={number}"), &insight),
        _ => Request::new(
            "/v1/contact/external/preferences/saveCustomer",
            "",
            &json!({"email": format!("c{number}@x.test"), "businessIds": [11]}),
        ),
    };
    let key = |number: usize| if number.is_multiple_of(3) { "other" } else { "k" };
    (0..250)
        .map(|number| of(number).header("x-business-number", "1").header("x-api-key", key(number)))
        .collect()
}

/// Answers and decisions by request, sorted so that the order of arrival does not matter.
type Seen = BTreeMap<usize, Vec<String>>;

fn run(folder: &ScenarioFolder, world: &str, requests: &[Request], threads: usize, order: &[usize]) -> Seen {
    let sent = in_parallel(threads, order, |place| {
        let Outcome { reply, send_plan: sending, .. } =
            requests[place % requests.len()].send(&folder.registry, world);
        let body = String::from_utf8_lossy(&reply.body).into_owned();
        format!("{} {:?} {body} {sending:?}", reply.status, reply.headers)
    });
    let mut seen = Seen::new();
    for (place, outcomes) in sent {
        seen.entry(place % requests.len()).or_default().push(outcomes);
    }
    for outcomes in seen.values_mut() {
        outcomes.sort_unstable();
    }
    seen
}

#[test]
fn every_request_gets_the_same_faults_in_any_order_and_on_any_number_of_threads() {
    let (folder, requests) = (serve(CHANCES), requests());
    let count = requests.len() * TIMES;
    assert_eq!(count, 1_000);
    let in_order: Vec<usize> = (0..count).collect();
    create_world(&folder, "alone", None);
    let alone = run(&folder, "alone", &requests, 1, &in_order);
    for turn in 0..3 {
        let name = format!("crowd-{turn}");
        create_world(&folder, &name, None);
        let crowd = run(&folder, &name, &requests, THREADS, &shuffled(count, turn));
        for (place, outcomes) in &alone {
            assert_eq!(outcomes.len(), TIMES);
            assert_eq!(outcomes, &crowd[place], "turn {turn}: {:?}", requests[*place]);
        }
    }
    let outcomes: String = alone.values().flatten().map(String::as_str).collect();
    for fault in [
        "jitter",
        "tail",
        "first-two",
        "cut",
        "drip",
        "malformed",
        "garbage",
        "lost",
        "drift",
        "block",
        "third",
    ] {
        assert!(outcomes.contains(&format!("(\"x-standin-fault\", \"{fault}\")")), "{fault} never applied");
    }
}

#[test]
fn a_reset_world_gets_the_same_faults_as_the_standing_one() {
    let (folder, requests) = (serve(CHANCES), requests());
    let order = shuffled(requests.len() * TIMES, 9);
    let standing = run(&folder, "default", &requests, THREADS, &order);
    create_world(&folder, "made", None);
    assert_eq!(standing, run(&folder, "made", &requests, 1, &order));
    assert_ne!(standing, run(&folder, "made", &requests, 1, &order), "the attempts go on");
    folder.registry.named("made").unwrap().reset(None);
    assert_eq!(standing, run(&folder, "made", &requests, THREADS, &order));
}

#[test]
fn other_seeds_give_other_faults_and_it_does_not_matter_where_a_seed_is_given() {
    let (folder, requests) = (serve(CHANCES), requests());
    let order: Vec<usize> = (0..requests.len() * TIMES).collect();
    let decided = |name: &str| -> BTreeMap<usize, Vec<String>> {
        let sent = in_parallel(THREADS, &order, |place| {
            let outcome = requests[place % requests.len()].send(&folder.registry, name);
            let value = |name| header(&outcome, name).map(str::to_owned);
            format!("{:?} {:?} {:?}", value("x-standin-fault"), value("x-standin-draw"), outcome.send_plan)
        });
        let mut seen = BTreeMap::<usize, Vec<String>>::new();
        for (place, outcomes) in sent {
            seen.entry(place % requests.len()).or_default().push(outcomes);
        }
        for outcomes in seen.values_mut() {
            outcomes.sort_unstable();
        }
        seen
    };
    let mut all = Vec::new();
    for seed in [7, 8, 9, u64::MAX] {
        create_world(&folder, &format!("seed-{seed}"), Some(seed));
        all.push(decided(&format!("seed-{seed}")));
    }
    for one in 0..all.len() {
        for other in one + 1..all.len() {
            let differ = all[one].iter().filter(|(place, outcomes)| all[other][place] != **outcomes).count();
            assert!(differ > 225, "{differ} of 250 requests");
        }
    }
    create_world(&folder, "own", None);
    assert_eq!(decided("own"), all[0], "the scenario's seed is 7");
    let own = folder.registry.named("own").unwrap();
    own.reset(Some(Seed(8)));
    assert_eq!(decided("own"), all[1]);
}

#[test]
fn minted_keys_differ_but_get_the_same_faults() {
    let (folder, requests) = (serve(CHANCES), requests());
    let order = shuffled(requests.len() * TIMES, 3);
    let minted = |name: &str| {
        let made = create_world(&folder, name, None);
        let key = made.minted.as_ref().unwrap().key.clone();
        let requests: Vec<Request> =
            requests.iter().map(|sent| sent.clone().header("x-api-key", key.clone())).collect();
        (key, run(&folder, name, &requests, THREADS, &order))
    };
    let ((one, seen), (other, again)) = (minted("one"), minted("two"));
    assert_ne!(one, other);
    assert_eq!(seen, again);
}

/// Faults that count, each for requests with its name in `x-case`.
const COUNTS: &str = "
standin: 1
seed: 7
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys: [{key: k}, {key: k2}, {key: k3}, {key: k4}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L}]}]
faults:
  - {name: once, when: {header: {x-case: once}}, hits: 1, then: {status: 503}}
  - {name: third, when: {header: {x-case: third}}, hits: every 3, then: {status: 503}}
  - {name: listed, when: {header: {x-case: listed}}, hits: [2, 5-6, every 100, 319-], then: {status: 503}}
  - {name: keyed, when: {header: {x-case: keyed}}, per: key, hits: 2-3, then: {status: 503}}
  - {name: quota, when: {header: {x-case: quota}}, exactly: 3 of 10, then: {status: 503}}
  - {name: keyed-quota, when: {header: {x-case: keyed-quota}}, per: key, exactly: 3 of 10, then: {status: 503}}
  - {name: selected-quota, when: {header: {x-case: selected-quota}}, hits: every 2, exactly: 1 of 4, then: {status: 503}}
  - {name: retried, when: {header: {x-case: retried}}, per: request, hits: 1, then: {status: 503}}
  - {name: retried-quota, when: {header: {x-case: retried-quota}}, per: request, exactly: 3 of 10, then: {status: 503}}
  - {name: all-quota, when: {header: {x-case: all-quota}}, exactly: 10 of 10, then: {status: 503}}
  - {name: long-quota, when: {header: {x-case: long-quota}}, exactly: 7 of 1000, then: {status: 503}}
";

const KEYS: [&str; 4] = ["k", "k2", "k3", "k4"];

/// Sends requests on 32 threads. Returns for each group the 1-based numbers of the attempts that the fault applied to.
fn faulted_attempts(
    folder: &ScenarioFolder,
    (case, count): (&str, usize),
    request: impl Fn(usize) -> (String, Request) + Sync,
) -> BTreeMap<String, Vec<u64>> {
    let sent = in_parallel(THREADS, &shuffled(count, 5), |place| {
        let (group, sent) = request(place);
        let outcome = sent.header("x-case", case).send(&folder.registry, "default");
        assert_eq!(is_faulted(&outcome), outcome.reply.status == 503);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let nth = number(&outcome, "x-standin-attempt") as u64 + 1;
        (group, nth, is_faulted(&outcome))
    });
    let mut groups = BTreeMap::<String, Vec<u64>>::new();
    let mut seen = BTreeSet::new();
    for (_, (group, nth, faulted)) in sent {
        assert!(seen.insert((group.clone(), nth)), "attempt {nth} of {group} twice");
        let group_attempts = groups.entry(group).or_default();
        if faulted {
            group_attempts.push(nth);
        }
    }
    for places in groups.values_mut() {
        places.sort_unstable();
    }
    groups
}

/// The same request each time.
fn same(_place: usize) -> (String, Request) {
    (String::new(), Request::numbered(0))
}

fn by_key(place: usize) -> (String, Request) {
    let key = KEYS[place % KEYS.len()];
    (key.to_owned(), Request::numbered(0).header("x-api-key", key))
}

/// The number of faults in each block.
fn blocks(faulted: &[u64], block: u64, count: u64) -> Vec<usize> {
    let of = |at: u64| faulted.iter().filter(|nth| (*nth - 1) / block == at).count();
    (0..count / block).map(of).collect()
}

#[test]
fn hits_apply_exactly_as_written_on_32_threads() {
    let folder = serve(COUNTS);
    let faulted = |case| faulted_attempts(&folder, (case, 320), same).remove("").unwrap();
    assert_eq!(faulted("once"), [1]);
    assert_eq!(faulted("third"), (1..=106).map(|nth| nth * 3).collect::<Vec<_>>());
    assert_eq!(faulted("listed"), [2, 5, 6, 100, 200, 300, 319, 320]);
    let keys = faulted_attempts(&folder, ("keyed", 320), by_key);
    assert_eq!(keys.len(), KEYS.len());
    for (key, faulted) in keys {
        assert_eq!(faulted, [2, 3], "{key}");
    }
}

#[test]
fn hits_count_all_requests_together_unless_per_request() {
    let folder = serve(COUNTS);
    let total = |case: &str, threads: usize| {
        let places: Vec<usize> = (0..300).collect();
        let sent = in_parallel(threads, &places, |place| {
            is_faulted(&Request::numbered(place).header("x-case", case).send(&folder.registry, "default"))
        });
        sent.into_iter().filter(|(_, faulted)| *faulted).count()
    };
    assert_eq!(total("once", THREADS), 1);
    assert_eq!(total("third", THREADS), 100);
    assert_eq!(total("quota", THREADS), 90);
    assert_eq!(total("retried", THREADS), 300, "each is its own first");
    assert_eq!(total("retried", THREADS), 0);
}

#[test]
fn a_retried_request_fails_once_for_any_number_of_parallel_clients() {
    let folder = serve(COUNTS);
    let request = |place: usize| ((place % 40).to_string(), Request::numbered(place % 40));
    let requests = faulted_attempts(&folder, ("retried", 320), request);
    assert_eq!(requests.len(), 40);
    assert!(requests.values().all(|faulted| faulted == &[1]), "{requests:?}");
}

#[test]
fn exactly_holds_for_each_block_on_32_threads() {
    let one = serve(COUNTS);
    let quota = faulted_attempts(&one, ("quota", 1_000), same).remove("").unwrap();
    assert_eq!(blocks(&quota, 10, 1_000), [3; 100]);
    let orders: BTreeSet<Vec<u64>> =
        quota.chunks(3).map(|faulted| faulted.iter().map(|nth| (nth - 1) % 10).collect()).collect();
    assert!(orders.len() > 30, "the order is drawn for each block: {orders:?}");
    for (key, faulted) in faulted_attempts(&one, ("keyed-quota", 1_200), by_key) {
        assert_eq!(blocks(&faulted, 10, 300), [3; 30], "{key}");
    }
    let selected = faulted_attempts(&one, ("selected-quota", 800), same).remove("").unwrap();
    assert!(selected.iter().all(|nth| nth % 2 == 0));
    assert_eq!(blocks(&selected, 8, 800), [1; 100]);
    let request = |place: usize| ((place % 8).to_string(), Request::numbered(place % 8));
    let retried = faulted_attempts(&one, ("retried-quota", 400), request);
    for (number, faulted) in &retried {
        assert_eq!(blocks(faulted, 10, 50), [3; 5], "{number}");
    }
    assert!(retried.values().collect::<BTreeSet<_>>().len() > 1, "each request has an order of its own");
    assert_eq!(faulted_attempts(&one, ("all-quota", 40), same)[""].len(), 40);
    assert_eq!(blocks(&faulted_attempts(&one, ("long-quota", 3_000), same)[""], 1_000, 3_000), [7; 3]);

    let again = faulted_attempts(&serve(COUNTS), ("quota", 1_000), same).remove("").unwrap();
    assert_eq!(quota, again, "the same places of each block");
    let other = faulted_attempts(&serve(&COUNTS.replace("seed: 7", "seed: 8")), ("quota", 1_000), same);
    assert_ne!(quota, other[""]);
}

#[test]
fn a_request_answered_by_an_earlier_fault_is_not_counted_by_later_ones() {
    let folder = serve(
        "
standin: 1
keys: [{key: k}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: L}]}]
faults:
  - {name: slow, hits: every 2, then: {delay: 5ms}}
  - {name: third, hits: every 3, then: {status: 503}}
  - {name: rest, hits: 3, then: {connection: close}}
",
    );
    let all: Vec<(Option<u16>, Option<u128>)> = (0..9)
        .map(|_| {
            let outcome = Request::numbered(0).send(&folder.registry, "default");
            let status =
                (outcome.send_plan.transmission == Transmission::Plain).then_some(outcome.reply.status);
            (status, outcome.send_plan.delay.map(|span| span.as_millis()))
        })
        .collect();
    let (ok, slow, third) = ((Some(200), None), (Some(200), Some(5)), Some(503));
    assert_eq!(
        all,
        [ok, slow, (third, None), (None, Some(5)), ok, (third, Some(5)), ok, slow, (third, None)],
        "the delay counts all; the last fault does not count what the third takes"
    );
}

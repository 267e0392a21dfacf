//! The sentiment scores agree with the reviews of the review list, under every filter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::harness::{Client, Server};

const GENERATED: &str = "
standin: 1
name: generated
seed: 77
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
businesses:
  - number: 1
    name: Whole
    category: hotel
    levels: [Region]
    competitors: [2]
    locations:
      - {number: 11, name: A, levels: {Region: North}, reviews: [{generate: 400}]}
      - number: 12
        name: B
        levels: {Region: South}
        reviews: [{generate: 300, ratings: {5: 1, 3: 1, 1: 1}, sources: {yelp: 1, facebook: 2, direct_feedback: 1}, published: 50%}]
      - {number: 13, name: C, levels: {Region: North}, reviews: [{generate: 7, dates: {from: 2026-06-28, to: 2026-06-30}}]}
      - {number: 14, name: D}
  - {number: 3, name: Clínica, category: dentist, country: ES, locations: [{number: 31, name: F, reviews: [{generate: 3000, locale: es}]}]}
  - {number: 2, name: Rival, locations: [{number: 21, name: E, reviews: [{generate: 150}]}]}
";

fn client() -> Client {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::of(&[("generated.yaml", GENERATED)], &[])).client().with_key("any")
}

/// All reviews of a business that match a filter, read page by page.
fn reviews(business: u64, competitor: bool, mut filter: Value) -> Vec<Value> {
    filter["statuses"] = json!(["all"]);
    let mut all = Vec::new();
    loop {
        let request = client().reviews(business).query("sindex", &all.len().to_string()).query("count", "90");
        let page = request.query("isCompetitor", &competitor.to_string()).json(&filter).send().ok();
        let Value::Array(page) = page else { panic!("a list") };
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// Score and mentions of reviews, computed as docs/api.md 4 says, in tenths with one rounding.
fn score_of(reviews: &[&Value]) -> (f64, u64) {
    let sentiment = |review: &&Value| match (
        review["sourceType"].as_str().unwrap(),
        review["rating"].as_u64().unwrap(),
    ) {
        ("Facebook", 1) => 900,
        ("Facebook", 0) => 150,
        ("Direct Feedback", 0) => 500,
        (_, 5) => 950,
        (_, 4) => 800,
        (_, 3) => 550,
        (_, 2) => 300,
        (_, 1) => 100,
        other => panic!("a rating that cannot be: {other:?}"),
    };
    let (sum, count) = (reviews.iter().map(sentiment).sum::<u64>(), reviews.len() as u64);
    let tenths = if count == 0 { 0 } else { (2 * sum + count) / (2 * count) };
    (f64::from(u32::try_from(tenths).unwrap()) / 10.0, count)
}

/// Filters of the review list, each with the same filter of the sentiment operations.
fn filters() -> Vec<(Value, Value)> {
    let mut filters = Vec::new();
    for (from, to) in [
        ("07/01/2025", "06/30/2026"),
        ("01/01/2026", "01/31/2026"),
        ("6/28/2026", "6/28/2026"),
        ("1/1/2030", "1/1/2031"),
    ] {
        for sources in [
            json!([]),
            json!(["google"]),
            json!(["Facebook", "yelp"]),
            json!(["direct_feedback"]),
            json!(["myspace"]),
        ] {
            for ratings in [json!([]), json!([5]), json!([0, 1]), json!([2, 3, 4])] {
                let digits: Vec<String> = ratings.as_array().unwrap().iter().map(Value::to_string).collect();
                filters.push((
                    json!({"fromDate": from, "toDate": to, "sources": sources, "ratings": ratings}),
                    json!({"startDate": from, "endDate": to, "reviewSources": sources, "ratings": digits,
                        "userEmail": "a@b.test", "businessNumbers": [1]}),
                ));
            }
        }
    }
    filters
}

#[test]
fn scores_agree_with_the_review_list_under_every_filter() {
    let mut met = 0;
    for (listed, asked) in filters() {
        let all = reviews(1, false, listed.clone());
        met += all.len();
        let points = client().locations(1).json(&asked).send().ok();
        assert_eq!(points["totalCount"], 4);
        for point in points["dataPoints"].as_array().unwrap() {
            let id = point["id"].to_string();
            let own: Vec<&Value> = all.iter().filter(|review| review["businessId"] == *id).collect();
            let (score, mentions) = score_of(&own);
            assert_eq!(
                (point["score"].as_f64(), point["mentions"].as_u64()),
                (Some(score), Some(mentions)),
                "{asked}"
            );
        }
        let benchmark = client().benchmark(1).json(&asked).send().ok();
        let (score, _) = score_of(&all.iter().collect::<Vec<_>>());
        assert_eq!(benchmark["actual"]["score"].as_f64(), Some(score), "{asked}");
        let days = json!({"fromDate": listed["fromDate"], "toDate": listed["toDate"]});
        if asked["ratings"] == json!([]) && asked["reviewSources"] == json!([]) {
            let rivals = reviews(2, true, days);
            let (industry, _) = score_of(&rivals.iter().collect::<Vec<_>>());
            assert_eq!(benchmark["actual"]["industryScore"].as_f64(), Some(industry), "{asked}");
        }
    }
    assert!(met > 2000, "the filters let something through");
}

#[test]
fn groups_agree_with_the_locations_at_their_level() {
    let body = json!({"startDate": "01/01/2026", "endDate": "6/30/2026", "userEmail": "a@b.test", "businessNumbers": [1]});
    let all = reviews(1, false, json!({"fromDate": "01/01/2026", "toDate": "6/30/2026"}));
    let at = |places: &[&str]| {
        let own: Vec<&Value> =
            all.iter().filter(|review| places.contains(&review["businessId"].as_str().unwrap())).collect();
        score_of(&own)
    };
    let mut grouped = body.clone();
    grouped["groupByLevel"] = json!("Region");
    let points = client().locations(1).json(&grouped).send().ok();
    let point = |at: usize| {
        let point = &points["dataPoints"][at];
        (point["score"].as_f64().unwrap(), point["mentions"].as_u64().unwrap())
    };
    assert_eq!((point(0), point(1)), (at(&["11", "13"]), at(&["12"])));
    let mut north = body;
    north["hierarchyNodeData"] = json!([{"levelId": "Region", "levelNames": ["North"]}]);
    let benchmark = client().benchmark(1).json(&north).send().ok();
    assert_eq!(benchmark["actual"]["score"].as_f64(), Some(at(&["11", "13"]).0));
}

#[test]
fn every_generated_review_is_consistent() {
    let all = reviews(1, false, json!({}));
    assert_eq!(all.len(), 707);
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    let mut silent = 0;
    for review in &all {
        *ids.entry(review["reviewId"].as_str().unwrap()).or_default() += 1;
        assert!(review["reviewId"].as_str().unwrap().parse::<u64>().unwrap() < 1 << 53);
        silent += usize::from(review["comments"].as_str().unwrap().is_empty());
        let responded = review["response"].is_string();
        assert_eq!(responded, review["responseDate"].is_string());
        for url in ["reviewUrl", "uniqueReviewUrl"] {
            assert!(review[url].as_str().unwrap().starts_with("/__assets/review/"), "{review}");
        }
        if let Some(email) = review["reviewer"]["emailId"].as_str() {
            assert_eq!(email.rsplit('.').next(), Some("test"), "{email}");
        }
    }
    assert!(ids.values().all(|count| *count == 1));
    assert!((all.len() / 8..all.len() / 3).contains(&silent), "{silent}");
}

#[test]
fn a_review_that_tells_whether_a_woman_or_a_man_wrote_it_has_such_an_author() {
    let all = reviews(3, false, json!({}));
    let authors = |words: [&str; 2]| {
        let tells = |review: &&Value| {
            let text = review["comments"].as_str().unwrap().to_lowercase();
            words.iter().any(|word| text.contains(word))
        };
        let name = |review: &Value| review["reviewer"]["firstName"].as_str().unwrap().to_owned();
        all.iter().filter(tells).map(name).collect::<BTreeSet<_>>()
    };
    let women = authors(["salí encantada", "mi marido"]);
    let men = authors(["salí encantado", "mi mujer"]);
    assert!(women.len() > 5 && men.len() > 5, "{women:?} {men:?}");
    assert!(women.is_disjoint(&men), "{women:?} {men:?}");
}

#[test]
fn changing_a_review_changes_its_locations_score() {
    let text = |rating: u8| {
        format!(
            "standin: 1\nname: one\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{{rating: {rating}, date: 2026-01-01}}, {{rating: 4, date: 2026-01-02}}]}}]}}]\n"
        )
    };
    for (rating, score) in [(5, 87.5), (1, 45.0)] {
        let server = Server::of(&[("one.yaml", &text(rating))], &[]);
        let body = json!({"startDate": "01/01/2026", "endDate": "1/31/2026", "businessNumbers": [11]});
        let answer = server.client().with_key("k").benchmark(1).json(&body).send().ok();
        assert_eq!(answer["actual"]["score"], score);
    }
}

//! A program that most tests share. It serves several scenarios, each in its standing world.

use std::sync::OnceLock;

use crate::harness::{Client, Server};

/// Accounts of every kind, with few enough reviews to compute scores by hand.
///
/// - 50 is the reseller of 100, 110 and 120 (without locations). 100 competes with 200, 110 with 200 and 210. 300 is unrelated to all of them.
/// - 100 has four locations: 1001 `alpha` (West, Bay), 1002 `Beta` (West, Valley), 1003 `ALPHA` (East, without reviews),
///   1004 `gamma` (no level).
pub const API: &str = r#"
standin: 1
name: api
summary: Accounts of every kind.
seed: 11
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys:
  - {key: all}
  - {key: first, name: first, accounts: [100]}
  - {key: second, accounts: [110]}
  - {key: reseller, accounts: [50]}
  - {key: foreign, accounts: [300]}
  - {key: revoked, accounts: [100], revoked: true}
  - {key: own, name: own-world, accounts: [100], world: own}
  - {key: revoked-own, name: other-own-world, revoked: true, world: own}
businesses:
  - {number: 50, name: Above, type: reseller, users: [boss@above.test]}
  - number: 100
    name: First
    parent: 50
    users: [Ann@First.test]
    levels: [Region, Market]
    competitors: [200]
    industry_score: 68.2
    locations:
      - number: 1001
        name: alpha
        levels: {Region: West, Market: Bay}
        reviews:
          - {id: "10", rating: 5, date: 2026-01-01, source: google, title: Gut, comments: Schöne STRASSE & more, response: Danke, responseDate: 2026-03-01}
          - {id: "11", rating: 1, date: 2026-01-31, source: yelp, comments: Waited, published: false, firstName: Bo, city: Leeds}
          - {id: "12", rating: 1, date: 2026-02-15, source: facebook, comments: yes}
          - {id: "13", rating: 0, date: 2026-02-15, source: facebook, comments: no, customerId: 7001, extraParams: {Plan: gold}}
          - {id: "14", rating: 0, date: 2026-03-01, source: direct_feedback, comments: told}
          - {id: "15", rating: 3, date: 2026-03-02, source: our_website, comments: fine, enableReply: false}
        questions:
          - {id: 61, question: Open late?, by: Jo, date: 2026-05-01T00:05:00Z, owner: true,
             answers: [{id: 62, answer: Until ten., by: Kim, date: 2026-05-02T12:00:00Z, category: LOCAL_GUIDE}]}
          - {id: 63, question: Answered?, date: 2026-05-03, answers: [{id: 64, answer: Yes., owner: true}]}
          - {id: 65, question: Older?, date: 2026-04-01T23:59:00Z}
      - number: 1002
        name: Beta
        levels: {Region: West, Market: Valley}
        reviews:
          - {id: "9", rating: 4, date: 2026-01-15, comments: nine}
          - {id: "100", rating: 4, date: 2026-01-15, comments: hundred}
          - {id: "20", rating: 2, date: 2026-04-01, source: citysearch, sentiment: 33.3, mentions: 3, comments: weighted}
        questions:
          - {id: 7, question: Tie seven?, date: 2026-05-01T00:05:00Z}
          - {id: 70, question: Tie seventy?, date: 2026-05-01T00:05:00Z}
      - {number: 1003, name: ALPHA, levels: {Region: East}}
      - number: 1004
        name: gamma
        reviews: [{id: "40", rating: 3, date: 2026-05-05, comments: lone}]
    contacts:
      - {id: 7001, firstName: Michael, lastName: Scott, email: michael@first.test, phone: "(212) 555-0100", externalId: CRM-1, businessIds: [1001], tags: [vip], emailPreferences: {marketingOptin: true, serviceOptin: true}}
      - {id: 7002, firstName: Dwight, email: dwight@first.test, externalId: CRM-2, businessIds: [1002]}
      - {id: 7003, externalId: CRM-3, businessIds: [1002]}
  - number: 110
    name: Second
    parent: 50
    users: [bob@second.test]
    levels: [Region]
    competitors: [200, 210]
    text_categorisation: true
    locations:
      - {number: 1101, name: delta, levels: {Region: West}, reviews: [{id: "50", rating: 1, date: 2026-05-05, comments: lone}]}
  - number: 200
    name: Rival
    users: [eve@rival.test]
    locations:
      - number: 2001
        name: Rival One
        reviews:
          - {id: "200", rating: 5, date: 2026-06-01, comments: rival, source: tripadvisor}
          - {id: "201", rating: 4, date: 2026-06-02, comments: rival parked, published: false}
      - {number: 2002, name: Rival Two, reviews: [{id: "202", rating: 2, date: 2025-06-02, comments: rival two}]}
  - {number: 120, name: Third, parent: 50, industry_score: 50}
  - {number: 210, name: Quiet}
  - number: 300
    name: Foreign
    locations: [{number: 3001, name: far, questions: [{question: far?, date: 2026-01-01}]}]
"#;

/// Every key of `dialect` is set, except `cors`.
const TURNED: &str = r"
standin: 1
name: turned
clock: {start: 2026-06-30T12:00:00Z, mode: frozen}
keys:
  - {key: k, accounts: [100]}
  - {key: once, accounts: [100], rate_limit: 1 per 1m}
businesses:
  - number: 100
    name: First
    locations:
      - number: 1001
        name: alpha
        reviews:
          - {id: '1', rating: 5, date: 2026-01-01, source: dentalmap}
          - {id: '2', rating: 1, date: 2026-01-02, source: thumbs}
          - {id: '3', rating: 2, date: 2026-01-03, source: yelp}
        questions: [{id: 5, question: Which?, date: 2026-01-01}]
    contacts: [{id: 1, email: a@b.test, externalId: E1, businessIds: [1001]}]
dialect:
  names: {start_index: from, count: size, competitor: rival, business: biz}
  statuses: {1027: 400, 1161: 403, 1167: {contact: 400}, 404: 410}
  to_date: exclusive
  query_api_key: accept
  contact_identity: request
  retry_after: false
  sources: {dentalmap: {name: DentalMap}, thumbs: {name: Thumbs, recommendation: true}, yelp: {name: Yelp!}}
";

const NO_CORS: &str =
    "standin: 1\nname: no-cors\nbusinesses: [{number: 1, name: One}]\ndialect: {cors: none}\n";

const SOME_CORS: &str = "standin: 1\nname: some-cors\nbusinesses: [{number: 1, name: One}]
dialect: {cors: ['https://app.test', 'http://localhost:3000']}\n";

/// Any key is accepted.
const KEYLESS: &str = "standin: 1\nname: keyless
businesses:
  - {number: 1, name: One, locations: [{number: 11, name: L, questions: [{question: a?, date: 2026-01-01}]}]}
  - {number: 2, name: Two}\n";

/// Account 100 with 120 locations (10001 to 10120) of one review each.
fn many() -> String {
    let locations: Vec<String> = (1..=120)
        .map(|at| {
            format!(
                "      - {{number: {}, name: 'L{at:03}', reviews: [{{id: '{at}', rating: {}, date: 2026-01-01}}]}}\n",
                10_000 + at,
                1 + at % 5
            )
        })
        .collect();
    format!(
        "standin: 1\nname: many\nbusinesses:\n  - number: 100\n    name: Many\n    locations:\n{}",
        locations.concat()
    )
}

/// The program. The default scenario is `api`.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let many = many();
        let files = [
            ("api.yaml", API),
            ("turned.yaml", TURNED),
            ("no-cors.yaml", NO_CORS),
            ("some-cors.yaml", SOME_CORS),
            ("keyless.yaml", KEYLESS),
            ("many.yaml", many.as_str()),
        ];
        Server::of(&files, &["--default", "api"])
    })
}

/// A client of the default world with the key that covers everything.
pub fn client() -> Client {
    server().client().with_key("all")
}

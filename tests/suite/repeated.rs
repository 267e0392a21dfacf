//! Calls that come again and again: whatever changes beneath them, they see it at once.

use serde_json::{Value, json};

use crate::harness::{Server, wait_until, write};
use crate::stage::API;

const GENERATED: &str =
    "  - {number: 400, name: Made, locations: [{number: 4001, name: M, reviews: [{generate: 50}]}]}\n";

#[test]
fn a_repeated_call_sees_additions_resets_seeds_reloads_and_keys() {
    let text = API.replace(
        "  - {number: 210, name: Quiet}\n",
        &format!("  - {{number: 210, name: Quiet}}\n{GENERATED}"),
    );
    assert!(text.contains("number: 400"));
    let server = Server::of(&[("api.yaml", &text)], &[]);
    let call =
        |business: u64| server.client().with_key("all").reviews(business).query("count", "50").send().ok();
    let of = |business: u64| -> Value {
        let first = call(business);
        for _ in 0..8 {
            assert_eq!(call(business), first, "the same again");
        }
        first
    };
    let before = of(4001);
    let review = json!({"businessId": 4001, "rating": 5, "comments": "new"});
    assert_eq!(server.admin("POST", "worlds/api/reviews").json(&review).send().status, 201);
    assert_eq!(of(4001)[0]["comments"], "new");
    server.admin("POST", "worlds/api/reset").send().ok();
    assert_eq!(of(4001), before);
    server.admin("POST", "worlds/api/reset").json(&json!({"seed": 77})).send().ok();
    assert_ne!(of(4001), before);
    server.admin("POST", "worlds/api/reset").send().ok();
    assert_eq!(of(4001), before);
    // Another key covers less.
    for _ in 0..3 {
        let refused = server.client().with_key("foreign").reviews(4001).query("count", "50").send();
        assert_eq!(refused.json["code"], 1011);
    }
    of(1001);
    write(server.path(), "api.yaml", &text.replace("comments: fine", "comments: finer"));
    wait_until("the change is served", || call(1001).to_string().contains("finer"));
    let renamed = format!("{text}dialect: {{names: {{count: size}}}}\n");
    write(server.path(), "api.yaml", &renamed);
    wait_until("the dialect is served", || call(4001).as_array().unwrap().len() == 25);
}

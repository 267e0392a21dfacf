//! What the data links to: pictures and pages that the program serves itself.

use serde_json::json;

use crate::harness::Server;

const SCENARIO: &str = "standin: 1\nname: shop\nclock: {start: 2026-06-30T17:00:00Z, mode: frozen}\nbusinesses:\n  - number: 1\n    name: Shop\n    category: retail\n    locations:\n      - number: 11\n        name: <Main> & Sons\n        reviews:\n          - {generate: 300, sources: {yelp: 1}, published: 100%}\n          - {id: a/b, rating: 2, date: 2026-06-30, comments: \"<script>alert('x')</script>\", firstName: \"<b>Ann\"}\n";

#[test]
fn every_picture_and_page_that_a_review_links_to_is_there() {
    let server = Server::of(&[("shop.yaml", SCENARIO)], &[]);
    let reviews = server.client().with_key("k").reviews(1).query("count", "301").send().ok();
    let reviews = reviews.as_array().unwrap();
    assert_eq!(reviews.len(), 301);
    let mut pictures = 0;
    for review in reviews {
        let page = server.client().call("GET", review["reviewUrl"].as_str().unwrap()).send();
        assert_eq!(page.status, 200, "{review}");
        assert!(page.text().contains("&lt;Main&gt; &amp; Sons"));
        assert_eq!(review["reviewUrl"], review["uniqueReviewUrl"]);
        if let Some(picture) = review["reviewer"]["thumbnailUrl"].as_str() {
            let picture = server.client().call("GET", picture).send();
            assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/svg+xml")));
            assert!(picture.header("cache-control").unwrap().contains("immutable"));
            pictures += 1;
        }
    }
    assert!(pictures > 100, "{pictures}");
}

#[test]
fn a_page_shows_script_as_text_and_runs_none() {
    let server = Server::of(&[("shop.yaml", SCENARIO)], &[]);
    let page = server.client().call("GET", "/__assets/review/11/a%2Fb").send();
    let text = page.text();
    assert!(
        text.contains("&lt;script&gt;alert(") && !text.contains("<script>") && !text.contains("<b>Ann"),
        "{text}"
    );
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    let business = server.client().call("GET", "/__assets/business/11").send();
    let text = business.text();
    assert!(text.contains("&lt;script&gt;alert(") && !text.contains("<script>"), "{text}");
    let picture = server.client().call("GET", "/__assets/avatar/%3C%26-7.svg").send();
    assert!(picture.text().contains("&lt;&amp;</text>"));
    for blank in ["-7", "%20-7", "%00%1B-7"] {
        let picture = server.client().call("GET", &format!("/__assets/avatar/{blank}.svg")).send();
        assert!(picture.text().contains(">?</text>"), "{blank}: {}", picture.text());
    }
}

#[test]
fn what_nobody_links_to_is_not_there() {
    let server = Server::of(&[("shop.yaml", SCENARIO)], &[]);
    for path in [
        "/__assets/avatar/AB.svg",
        "/__assets/avatar/LONG-1.svg",
        "/__assets/review/11/1",
        "/__assets/review/12/1",
        "/__assets/business/12",
    ] {
        assert_eq!(server.client().call("GET", path).send().status, 404, "{path}");
    }
}

#[test]
fn a_review_that_was_added_has_a_page_too() {
    let server = Server::of(&[("shop.yaml", SCENARIO)], &[]);
    let review = json!({"businessId": 11, "rating": 4, "date": "2026-06-30", "comments": "Came today."});
    let added = server.admin("POST", "worlds/shop/reviews").json(&review).send();
    assert_eq!(added.status, 201, "{}", added.text());
    let page = server.client().call("GET", added.json["reviewUrl"].as_str().unwrap()).send();
    assert!(page.text().contains("Came today."), "{}", page.text());
}

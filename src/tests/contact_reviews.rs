//! Generated reviews by contacts that the scenario gives.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Value, json};

use crate::tests::harness::serve;

/// Twenty contacts of location 11 and ten of location 12, whose reviews are in two entries; the last two write nothing: one has no
/// last name, and one names the account instead of a location.
fn scenario(reviews: u32) -> String {
    let mut contacts = String::new();
    for id in 701..=720 {
        let locations = if id > 710 { "[11]" } else { "[11, 12, 11]" };
        let email =
            if id % 2 == 0 { "" } else { "email: w{id}@mail.test, " }.replace("{id}", &id.to_string());
        writeln!(
            contacts,
            "      - {{id: {id}, firstName: Wren{id}, lastName: Own, {email}businessIds: {locations}}}"
        )
        .unwrap();
    }
    format!(
        "
standin: 1
name: a
clock: {{start: 2026-06-30T12:00:00Z, mode: frozen}}
businesses:
  - number: 1
    name: A
    contacts:
      - {{id: 700, email: nobody@mail.test, firstName: Nobody, businessIds: [11]}}
      - {{id: 799, firstName: Whole, lastName: Account, businessIds: [1]}}
{contacts}    locations:
      - {{number: 11, name: B, reviews: [{{generate: {reviews}, nasty: 20%, responded: 100%}}]}}
      - number: 12
        name: C
        reviews:
          - {{generate: {reviews}, sources: {{our_website: 1}}}}
          - {{rating: 5, date: today}}
          - {{generate: 90, shape: bomb}}
          - {{generate: 30}}
"
    )
}

/// All reviews of the account, and those by contacts: of each location and contact the review.
fn reviews(scenario: &str) -> (Vec<Value>, BTreeMap<(String, u64), Value>) {
    let body = json!({"statuses": ["all"]});
    let answer = serve(scenario).call("/v1/review/businessId/1", "count=2000", "", &body);
    let all = answer.as_array().unwrap().clone();
    let mut by_contacts = BTreeMap::new();
    for review in &all {
        let Some(contact) = review["customerId"].as_u64() else { continue };
        let location = review["businessId"].as_str().unwrap().to_owned();
        assert!(by_contacts.insert((location, contact), review.clone()).is_none(), "{review}");
    }
    (all, by_contacts)
}

#[test]
fn every_contact_writes_one_generated_review_of_each_of_its_locations() {
    let (all, by_contacts) = reviews(&scenario(300));
    let expected = (701..=720).map(|id| ("11".to_owned(), id));
    let expected: BTreeSet<_> = expected.chain((701..=710).map(|id| ("12".to_owned(), id))).collect();
    // Three contacts are left at the short entry of location 12.
    let (found, most): (BTreeSet<_>, BTreeSet<_>) = (by_contacts.keys().cloned().collect(), expected);
    let missing: Vec<_> = most.difference(&found).collect();
    assert!(found.is_subset(&most) && missing.len() <= 3, "{missing:?}");
    assert!(missing.iter().all(|(location, _)| location == "12"), "{missing:?}");
    for ((_, contact), review) in &by_contacts {
        let reviewer = &review["reviewer"];
        assert_eq!(
            (&reviewer["firstName"], &reviewer["lastName"]),
            (&json!(format!("Wren{contact}")), &json!("Own"))
        );
        let is_own_source =
            ["Our Website", "Direct Feedback"].contains(&review["sourceType"].as_str().unwrap());
        let email = if is_own_source && contact % 2 == 1 {
            json!(format!("w{contact}@mail.test"))
        } else {
            Value::Null
        };
        assert_eq!(reviewer["emailId"], email, "{review}");
    }
    let others = all.iter().filter(|review| review["customerId"].is_null());
    let is_named = |review: &Value| review.to_string().contains("Wren");
    assert_eq!(others.filter(|review| is_named(review)).count(), 0);
    let responses = by_contacts.values().filter(|review| review["response"].to_string().contains("Wren"));
    assert!(responses.count() > 0, "no owner's response addresses a contact");
}

#[test]
fn more_reviews_keep_the_authors_of_the_earlier_ones() {
    let ((few, first), (many, all)) = (reviews(&scenario(50)), reviews(&scenario(400)));
    assert!(first.len() >= 8 && all.len() > first.len(), "{} {}", first.len(), all.len());
    let by_id = |reviews: &[Value]| -> BTreeMap<String, Value> {
        let own = |review: &Value| {
            (review["reviewId"].to_string(), json!([review["reviewer"], review["customerId"]]))
        };
        reviews.iter().map(own).collect()
    };
    let many = by_id(&many);
    assert_eq!(few.len(), 221);
    for (id, author) in by_id(&few) {
        assert_eq!(Some(&author), many.get(&id), "{id}");
    }
}

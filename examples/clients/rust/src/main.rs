//! The nightly sync: stores a contact, reads reviews, questions and scores, and subscribes a webhook endpoint.
//!
//! It exits with 0 when all of it is done, else with 1 and one line that says why.

mod api;

use std::collections::HashSet;
use std::process::ExitCode;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::json;

use crate::api::{Api, ApiError};

/// Where events are to be sent. This client has no receiver; those in Python and TypeScript have one.
const ENDPOINT: &str = "https://hooks.example.test/nightly-sync";
const EVENTS: [&str; 4] =
    ["conversation.created", "conversation.updated", "message.added", "conversation.closed"];

fn main() -> ExitCode {
    match sync() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nightly sync failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn sync() -> Result<(), ApiError> {
    let business = setting("STANDIN_BUSINESS_NUMBER")?
        .parse()
        .map_err(|_| ApiError("STANDIN_BUSINESS_NUMBER is not a number".to_owned()))?;
    let api = Api::new(&setting("STANDIN_BASE_URL")?, setting("STANDIN_API_KEY")?, business)
        .map_err(|error| ApiError(format!("no HTTP client: {error}")))?;
    // The scores are read in the name of a user of the account. This one belongs to the scenario `demo`.
    let user = setting("STANDIN_USER_EMAIL").unwrap_or_else(|_| "owner@brightdental.test".to_owned());
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let dates = [today.saturating_sub(90.days()), today].map(|date| date.strftime("%m/%d/%Y").to_string());

    let contact = json!({
        "externalId": "nightly-sync-1", "firstName": "Nora", "lastName": "Night", "email": "nora.night@mail.test",
        "businessIds": [business],
    });
    println!("contact {}", api.save_contact(&contact)?);

    // By id, because a review that arrives while we read moves the others to later pages.
    let reviews: HashSet<String> = api.reviews()?.into_iter().map(|review| review.review_id).collect();
    println!("{} reviews", reviews.len());

    let questions: HashSet<i64> = api.questions()?.into_iter().map(|question| question.question_id).collect();
    println!("{} unanswered questions", questions.len());

    let points = api.location_scores(&dates, &user)?;
    let mentions: u64 = points.iter().map(|point| point.mentions).sum();
    println!("{} locations, {mentions} mentions in 90 days", points.len());

    let benchmark = api.benchmark(&dates)?;
    println!("score {} industry {}", benchmark.score, benchmark.industry_score);

    println!("subscription {}", api.subscribe(ENDPOINT, &EVENTS)?);
    Ok(())
}

fn setting(name: &str) -> Result<String, ApiError> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .ok_or_else(|| ApiError(format!("{name} is not set")))
}

//! JSON Schemas of what the six operations read and answer (`interface.md`, "Resources and their fields").

use serde_json::{Map, Value, json};

use crate::api::events::{CLOSED_ALIAS, KNOWN};
use crate::api::operation::Operation;
use crate::api::phone::COUNTRIES;
use crate::server::openapi::View;

/// What the schemas of an operation are called.
#[must_use]
pub const fn name(operation: Operation) -> &'static str {
    match operation {
        Operation::SentimentLocations => "SentimentLocations",
        Operation::SentimentBenchmark => "SentimentBenchmark",
        Operation::Contact => "Contact",
        Operation::Reviews => "Reviews",
        Operation::Qna => "Questions",
        Operation::Subscribe => "Subscription",
    }
}

/// All of them, by name.
#[must_use]
pub fn all(view: View<'_>) -> Value {
    let mut all = Map::new();
    for operation in Operation::ALL {
        all.insert(format!("{}Request", name(operation)), request(operation, view));
        all.insert(format!("{}Response", name(operation)), response(operation, view));
    }
    all.insert("Error".to_owned(), object(&[("code", integer()), ("message", text())], &["code", "message"]));
    all.into()
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn maybe(schema: &Value) -> Value {
    let mut schema = schema.clone();
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

fn integer() -> Value {
    json!({ "type": "integer" })
}

/// An integer, also as a string of digits: real clients send both.
fn number() -> Value {
    json!({ "type": ["integer", "string"], "pattern": "^[0-9]+$" })
}

/// A boolean, also as a string.
fn flag() -> Value {
    json!({ "type": ["boolean", "string"], "pattern": "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$" })
}

fn date() -> Value {
    json!({ "type": "string", "description": "MM/DD/YYYY, month and day also with one digit", "example": "06/30/2026" })
}

fn shown_date() -> Value {
    json!({ "type": "string", "pattern": "^[A-Z][a-z]{2} [0-9]{2}, [0-9]{4}$" })
}

fn list(of: &Value) -> Value {
    json!({ "type": "array", "items": of })
}

fn object(fields: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// An object of an answer: all its fields are there, but for some, and no others.
fn answer(fields: &[(&str, Value)], optional: &[&str]) -> Value {
    let required: Vec<&str> =
        fields.iter().map(|(name, _)| *name).filter(|name| !optional.contains(name)).collect();
    let mut schema = object(fields, &required);
    schema["additionalProperties"] = false.into();
    schema
}

fn filters() -> Vec<(&'static str, Value)> {
    let mut numbers = list(&number());
    (numbers["minItems"], numbers["maxItems"]) = (1.into(), 100.into());
    let node = object(&[("levelId", text()), ("levelNames", list(&text()))], &[]);
    vec![
        ("businessNumbers", numbers),
        ("startDate", date()),
        ("endDate", date()),
        ("reviewSources", list(&text())),
        (
            "ratings",
            list(
                &json!({ "type": ["string", "integer"], "enum": ["0", "1", "2", "3", "4", "5", 0, 1, 2, 3, 4, 5] }),
            ),
        ),
        ("hierarchyNodeData", list(&node)),
    ]
}

fn request(operation: Operation, view: View<'_>) -> Value {
    let dates = ["businessNumbers", "startDate", "endDate"];
    match operation {
        Operation::SentimentLocations => {
            let mut fields = filters();
            fields
                .insert(3, ("userEmail", json!({ "type": "string", "example": "owner@brightdental.test" })));
            fields.push(("groupByLevel", text()));
            object(&fields, &[dates.as_slice(), &["userEmail"]].concat())
        }
        Operation::SentimentBenchmark => object(&filters(), &dates),
        Operation::Contact => contact(),
        Operation::Reviews => object(
            &[
                ("fromDate", date()),
                ("toDate", date()),
                ("updateFromDate", date()),
                ("updateToDate", date()),
                (
                    "sources",
                    list(&json!({
                        "type": "string",
                        "examples": view.dialect.sources.iter().map(|source| source.alias.as_str()).collect::<Vec<_>>(),
                    })),
                ),
                (
                    "ratings",
                    list(
                        &json!({ "type": ["integer", "string"], "enum": [0, 1, 2, 3, 4, 5, "0", "1", "2", "3", "4", "5"] }),
                    ),
                ),
                ("searchStr", text()),
                ("subBusinessIds", list(&number())),
                ("statuses", list(&json!({ "type": "string", "enum": ["published", "parked", "all"] }))),
            ],
            &[],
        ),
        Operation::Qna => object(&[("startIndex", number()), ("pageSize", number())], &[]),
        Operation::Subscribe => {
            let names: Vec<&str> = KNOWN
                .into_iter()
                .chain([CLOSED_ALIAS.0])
                .chain(view.events.iter().map(String::as_str))
                .collect();
            let mut events = list(&json!({ "type": "string", "enum": names }));
            events["minItems"] = 1.into();
            let fields = [
                ("businessNumber", number()),
                ("apiKey", text()),
                ("events", events),
                ("endpoint", json!({ "type": "string", "format": "uri" })),
            ];
            object(&fields, &["businessNumber", "apiKey", "events", "endpoint"])
        }
    }
}

fn contact() -> Value {
    let flags =
        object(&[("marketingOptin", flag()), ("feedbackOptin", flag()), ("serviceOptin", flag())], &[]);
    let kinds = ["text", "number", "currency", "date", "yesno", "yes/no", "boolean"];
    let field = object(
        &[
            ("fieldName", text()),
            ("type", json!({ "type": "string", "enum": kinds })),
            ("fieldValue", text()),
        ],
        &["fieldName"],
    );
    object(
        &[
            ("id", number()),
            ("firstName", text()),
            ("lastName", text()),
            ("email", text()),
            ("phone", text()),
            ("countryCode", json!({ "type": "string", "enum": COUNTRIES, "default": COUNTRIES[0] })),
            ("smsOptin", flag()),
            ("blocked", flag()),
            ("businessIds", list(&number())),
            ("tags", list(&text())),
            ("customFields", list(&field)),
            ("externalId", text()),
            ("emailPreferences", flags.clone()),
            ("smsPreferences", flags),
        ],
        &[],
    )
}

fn response(operation: Operation, view: View<'_>) -> Value {
    let score = || json!({ "type": "number", "minimum": 0, "maximum": 100 });
    match operation {
        Operation::SentimentLocations => {
            let point = answer(
                &[("id", integer()), ("name", text()), ("score", score()), ("mentions", integer())],
                &[],
            );
            answer(&[("totalCount", integer()), ("dataPoints", list(&point))], &[])
        }
        Operation::SentimentBenchmark => {
            answer(&[("actual", answer(&[("score", score()), ("industryScore", score())], &[]))], &[])
        }
        Operation::Contact => answer(&[("id", integer())], &[]),
        Operation::Reviews => list(&review(view)),
        Operation::Qna => questions(),
        Operation::Subscribe => answer(
            &[("subscriptionId", integer()), ("businessId", integer()), ("events", list(&text()))],
            &[],
        ),
    }
}

fn review(view: View<'_>) -> Value {
    let names =
        ["firstName", "lastName", "nickName", "thumbnailUrl", "emailId", "facebookId", "city", "state"];
    let reviewer: Vec<(&str, Value)> = names.into_iter().map(|name| (name, maybe(&text()))).collect();
    let sources: Vec<&str> = view.dialect.sources.iter().map(|source| source.name.as_str()).collect();
    answer(
        &[
            ("reviewId", text()),
            ("rating", json!({ "type": "integer", "minimum": 0, "maximum": 5 })),
            ("comments", text()),
            ("title", maybe(&text())),
            ("reviewer", answer(&reviewer, &[])),
            ("reviewUrl", text()),
            ("sourceType", json!({ "type": "string", "enum": sources })),
            ("reviewDate", shown_date()),
            ("response", maybe(&text())),
            ("responseDate", maybe(&shown_date())),
            ("featured", json!({ "type": "integer", "enum": [0, 1] })),
            ("businessId", text()),
            ("uniqueReviewUrl", text()),
            ("businessName", text()),
            ("businessType", text()),
            ("enableReply", json!({ "type": "boolean" })),
            ("customerId", integer()),
            ("extraParams", json!({ "type": "object", "additionalProperties": text() })),
        ],
        &["customerId", "extraParams"],
    )
}

fn questions() -> Value {
    let boolean = || json!({ "type": "boolean" });
    let time = || json!({ "type": "string", "pattern": "^[0-9]{2}:[0-9]{2} [AP]M$" });
    let reply = answer(
        &[
            ("answerId", integer()),
            ("answer", text()),
            ("updatedBy", text()),
            ("updatedOn", shown_date()),
            ("answeredByOwner", boolean()),
            ("userCategory", text()),
            ("time", time()),
            ("userProfileLogoUrl", text()),
        ],
        &[],
    );
    let question = answer(
        &[
            ("questionId", integer()),
            ("answeredByOwner", boolean()),
            ("askedByOwner", boolean()),
            ("question", text()),
            ("updatedBy", text()),
            ("time", time()),
            ("updatedOn", shown_date()),
            ("userProfileLogoUrl", text()),
            ("userCategory", text()),
            ("locationName", text()),
            ("noOfAnswers", integer()),
            ("answers", list(&reply)),
        ],
        &[],
    );
    answer(&[("totalCount", integer()), ("questionsAndAnswers", list(&question))], &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::dialect::Dialect;
    use crate::operations;

    #[test]
    fn every_field_that_is_read_is_described_and_no_other() {
        let view = View { dialect: &Dialect::default(), events: &[], server: "" };
        for operation in Operation::ALL {
            let schema = request(operation, view);
            let mut described: Vec<&str> =
                schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            let mut read = operations::fields(operation).to_vec();
            described.sort_unstable();
            read.sort_unstable();
            assert_eq!(described, read, "{operation:?}");
        }
    }
}

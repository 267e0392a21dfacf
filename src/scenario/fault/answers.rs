//! Checks the places that a JSON Patch names against the schemas of the operations' answers.

use serde_json::{Value, json};

use crate::fault::pointer::Pointer;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::source::Span;

/// How a place is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Something must stand there.
    Finds,
    /// Something is put there.
    Adds,
}

/// Why there is nothing at a place.
struct Nowhere {
    step: String,
    within: Value,
}

/// Follows a pointer through the schema of an answer.
fn follow(schema: &Value, pointer: &Pointer, usage: Use) -> Result<(), Nowhere> {
    let mut schema = schema;
    let count = pointer.steps().count();
    for (at, step) in pointer.steps().enumerate() {
        let adds = usage == Use::Adds && at + 1 == count;
        let digits = step.bytes().all(|byte| byte.is_ascii_digit());
        let index = !step.is_empty() && digits && (step.len() == 1 || !step.starts_with('0'));
        let next = if let Some(members) = schema["properties"].as_object() {
            match members.get(&*step) {
                None if adds => return Ok(()),
                found => found,
            }
        } else if schema["additionalProperties"].is_object() {
            // A map whose members the author of the scenario chooses.
            return Ok(());
        } else {
            schema.get("items").filter(|_| index || (adds && step == "-"))
        };
        let Some(next) = next else {
            return Err(Nowhere { step: step.into_owned(), within: schema.clone() });
        };
        schema = next;
    }
    Ok(())
}

/// Notes a place that no answer of these operations has, be it an error.
pub fn check(
    findings: &mut Findings,
    (pointer, usage): (&Pointer, Use),
    span: Span,
    operations: &[&'static Spec],
) {
    let mut nowhere = None;
    let api_error = json!({ "properties": { "code": {}, "message": {} } });
    if follow(&api_error, pointer, usage).is_ok() {
        return;
    }
    for spec in operations {
        match follow(&(spec.response)(), pointer, usage) {
            Ok(()) => return,
            Err(why) => nowhere = nowhere.or(Some(why)),
        }
    }
    let Some(Nowhere { step, within }) = nowhere else { return };
    let names: Vec<&str> = operations.iter().map(|spec| spec.operation.name()).collect();
    let message = match operations.len() {
        1 => format!(
            "no answer of {} has a place `{}`, so the patch never applies",
            join_or(names),
            pointer.text()
        ),
        _ => format!(
            "no answer of this fault's operations has a place `{}`, so the patch never applies",
            pointer.text()
        ),
    };
    let finding = findings.warning("never-matches", span, message);
    if operations.len() > 1 {
        // The members of one of several operations would be no advice.
        return;
    }
    if let Some(members) = within["properties"].as_object() {
        finding.suggest(&step, members.keys().map(String::as_str));
    } else if within.get("items").is_some() {
        finding.help(format!("at `{step}`: there is a list, whose first element is `0`"));
    } else {
        finding.help(format!("at `{step}`: there is a single value, with nothing in it"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{contact, qna, reviews, sentiment_benchmark, sentiment_locations, subscribe};

    fn possible(spec: &Spec, pointer: &str, usage: Use) -> bool {
        follow(&(spec.response)(), &Pointer::new(pointer).unwrap(), usage).is_ok()
    }

    #[test]
    fn documented_places_are_found() {
        for (spec, pointer) in [
            (&reviews::SPEC, ""),
            (&reviews::SPEC, "/0/reviewer/firstName"),
            (&reviews::SPEC, "/12/extraParams/anything/within"),
            (&qna::SPEC, "/questionsAndAnswers/0/answers/1/answer"),
            (&sentiment_benchmark::SPEC, "/actual/score"),
            (&sentiment_locations::SPEC, "/dataPoints/3/mentions"),
            (&subscribe::SPEC, "/events/0"),
        ] {
            assert!(possible(spec, pointer, Use::Finds), "{pointer}");
        }
    }

    #[test]
    fn what_answers_never_have_is_not() {
        for (spec, pointer) in [
            (&reviews::SPEC, "/reviewer"),
            (&reviews::SPEC, "/-/rating"),
            (&reviews::SPEC, "/01/rating"),
            (&reviews::SPEC, "/0/stars"),
            (&contact::SPEC, "/id/0"),
        ] {
            assert!(!possible(spec, pointer, Use::Finds), "{pointer}");
        }
    }

    #[test]
    fn new_members_can_be_added_anywhere_but_in_single_values() {
        assert!(possible(&reviews::SPEC, "/0/stars", Use::Adds));
        assert!(possible(&reviews::SPEC, "/-", Use::Adds));
        assert!(!possible(&reviews::SPEC, "/stars", Use::Adds));
        assert!(!possible(&contact::SPEC, "/id/x", Use::Adds));
    }
}

//! Checks the places that a JSON Patch names against the schemas of the operations' answers.

use serde_json::{Value, json};

use crate::fault::pointer::Pointer;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::{Findings, join_or};
use crate::scenario::source::Span;

/// What must exist for a change to apply at a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requires {
    /// The value at the pointer.
    Value,
    /// Only the map or list around it, because the change adds the value.
    Parent,
}

/// The first step of a pointer that leads to nothing, and the schema in which it does.
struct DeadEnd {
    step: String,
    schema: Value,
}

/// Follows a pointer through the schema of an answer.
fn follow(schema: &Value, pointer: &Pointer, requires: Requires) -> Result<(), DeadEnd> {
    let mut schema = schema;
    let count = pointer.steps().count();
    for (at, step) in pointer.steps().enumerate() {
        let adds = requires == Requires::Parent && at + 1 == count;
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
            return Err(DeadEnd { step: step.into_owned(), schema: schema.clone() });
        };
        schema = next;
    }
    Ok(())
}

/// Warns about a pointer into nothing: neither the operations' answers nor an API error have the place.
pub(crate) fn check(
    findings: &mut Findings,
    (pointer, requires): (&Pointer, Requires),
    span: Span,
    operations: &[&'static Spec],
) {
    // Nothing is known of the answers of routes.
    if operations.is_empty() {
        return;
    }
    let mut dead_end = None;
    let api_error = json!({ "properties": { "code": {}, "message": {} } });
    if follow(&api_error, pointer, requires).is_ok() {
        return;
    }
    for spec in operations {
        match follow(&spec.response, pointer, requires) {
            Ok(()) => return,
            Err(found) => dead_end = dead_end.or(Some(found)),
        }
    }
    let Some(DeadEnd { step, schema }) = dead_end else { return };
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
        // The members of one operation's answer would not help with the others.
        return;
    }
    if let Some(members) = schema["properties"].as_object() {
        finding.suggest(&step, members.keys().map(String::as_str));
    } else if schema.get("items").is_some() {
        finding.help(format!("`{step}` is looked up in a list, whose first element is `0`"));
    } else {
        finding.help(format!("`{step}` is looked up in a single value, which has no members"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{contact, qna, reviews, sentiment_benchmark, sentiment_locations, subscribe};

    fn possible(spec: &Spec, pointer: &str, requires: Requires) -> bool {
        follow(&spec.response, &Pointer::new(pointer).unwrap(), requires).is_ok()
    }

    #[test]
    fn documented_places_exist() {
        for (spec, pointer) in [
            (&reviews::SPEC, ""),
            (&reviews::SPEC, "/0/reviewer/firstName"),
            (&reviews::SPEC, "/12/extraParams/anything/within"),
            (&qna::SPEC, "/questionsAndAnswers/0/answers/1/answer"),
            (&sentiment_benchmark::SPEC, "/actual/score"),
            (&sentiment_locations::SPEC, "/dataPoints/3/mentions"),
            (&subscribe::SPEC, "/events/0"),
        ] {
            assert!(possible(spec, pointer, Requires::Value), "{pointer}");
        }
    }

    #[test]
    fn other_places_do_not_exist() {
        for (spec, pointer) in [
            (&reviews::SPEC, "/reviewer"),
            (&reviews::SPEC, "/-/rating"),
            (&reviews::SPEC, "/01/rating"),
            (&reviews::SPEC, "/0/stars"),
            (&contact::SPEC, "/id/0"),
        ] {
            assert!(!possible(spec, pointer, Requires::Value), "{pointer}");
        }
    }

    #[test]
    fn new_members_can_be_added_anywhere_but_in_single_values() {
        assert!(possible(&reviews::SPEC, "/0/stars", Requires::Parent));
        assert!(possible(&reviews::SPEC, "/-", Requires::Parent));
        assert!(!possible(&reviews::SPEC, "/stars", Requires::Parent));
        assert!(!possible(&contact::SPEC, "/id/x", Requires::Parent));
    }
}

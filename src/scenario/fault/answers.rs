//! The shapes of the operations' answers: what a JSON Patch can find in them (`interface.md`).

use crate::api::operation::Operation;
use crate::fault::pointer::Pointer;
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

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// A text, a number, a boolean.
    Single,
    /// A map with members of the author's choice.
    Open,
    List(&'static Self),
    Map(&'static [(&'static str, Self)]),
}

use Shape::{List, Map, Open, Single};

const POINT: Shape = Map(&[("id", Single), ("name", Single), ("score", Single), ("mentions", Single)]);
const REVIEWER: Shape = Map(&[
    ("firstName", Single),
    ("lastName", Single),
    ("nickName", Single),
    ("thumbnailUrl", Single),
    ("emailId", Single),
    ("facebookId", Single),
    ("city", Single),
    ("state", Single),
]);
const REVIEW: Shape = Map(&[
    ("reviewId", Single),
    ("rating", Single),
    ("comments", Single),
    ("title", Single),
    ("reviewer", REVIEWER),
    ("reviewUrl", Single),
    ("sourceType", Single),
    ("reviewDate", Single),
    ("response", Single),
    ("responseDate", Single),
    ("featured", Single),
    ("businessId", Single),
    ("uniqueReviewUrl", Single),
    ("businessName", Single),
    ("businessType", Single),
    ("enableReply", Single),
    ("customerId", Single),
    ("extraParams", Open),
]);
const ANSWER: Shape = Map(&[
    ("answerId", Single),
    ("answer", Single),
    ("updatedBy", Single),
    ("updatedOn", Single),
    ("answeredByOwner", Single),
    ("userCategory", Single),
    ("time", Single),
    ("userProfileLogoUrl", Single),
]);
const QUESTION: Shape = Map(&[
    ("questionId", Single),
    ("answeredByOwner", Single),
    ("askedByOwner", Single),
    ("question", Single),
    ("updatedBy", Single),
    ("time", Single),
    ("updatedOn", Single),
    ("userProfileLogoUrl", Single),
    ("userCategory", Single),
    ("locationName", Single),
    ("noOfAnswers", Single),
    ("answers", List(&ANSWER)),
]);
const REFUSAL: Shape = Map(&[("code", Single), ("message", Single)]);

const fn shape(operation: Operation) -> Shape {
    match operation {
        Operation::SentimentLocations => Map(&[("totalCount", Single), ("dataPoints", List(&POINT))]),
        Operation::SentimentBenchmark => {
            Map(&[("actual", Map(&[("score", Single), ("industryScore", Single)]))])
        }
        Operation::Contact => Map(&[("id", Single)]),
        Operation::Reviews => List(&REVIEW),
        Operation::Qna => Map(&[("totalCount", Single), ("questionsAndAnswers", List(&QUESTION))]),
        Operation::Subscribe => {
            Map(&[("subscriptionId", Single), ("businessId", Single), ("events", List(&Single))])
        }
    }
}

/// Why there is nothing at a place.
struct Nowhere {
    step: String,
    within: Shape,
}

fn follow(mut shape: Shape, pointer: &Pointer, usage: Use) -> Result<(), Nowhere> {
    let count = pointer.steps().count();
    for (at, step) in pointer.steps().enumerate() {
        let adds = usage == Use::Adds && at + 1 == count;
        let parse_digits = step.bytes().all(|byte| byte.is_ascii_digit());
        let index = !step.is_empty() && parse_digits && (step.len() == 1 || !step.starts_with('0'));
        let next = match shape {
            Open => return Ok(()),
            List(element) if index || (adds && step == "-") => Some(*element),
            Single | List(_) => None,
            Map(members) => match members.iter().find(|(name, _)| *name == step) {
                None if adds => return Ok(()),
                found => found.map(|(_, shape)| *shape),
            },
        };
        let Some(next) = next else { return Err(Nowhere { step: step.into_owned(), within: shape }) };
        shape = next;
    }
    Ok(())
}

/// Notes a place that no answer of these operations has, be it an error.
pub fn check(
    findings: &mut Findings,
    (pointer, usage): (&Pointer, Use),
    span: Span,
    operations: &[Operation],
) {
    let mut nowhere = None;
    if follow(REFUSAL, pointer, usage).is_ok() {
        return;
    }
    for operation in operations {
        match follow(shape(*operation), pointer, usage) {
            Ok(()) => return,
            Err(why) => nowhere = nowhere.or(Some(why)),
        }
    }
    let Some(Nowhere { step, within }) = nowhere else { return };
    let names: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
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
    match within {
        // With several operations, the members of one of them would be no advice.
        Map(members) if operations.len() == 1 => {
            finding.suggest(&step, members.iter().map(|(name, _)| *name));
        }
        List(_) if operations.len() == 1 => {
            finding.help(format!("at `{step}`: there is a list, whose first element is `0`"));
        }
        Single if operations.len() == 1 => {
            finding.help(format!("at `{step}`: there is a single value, with nothing in it"));
        }
        Map(_) | List(_) | Single | Open => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn possible(operation: Operation, pointer: &str, usage: Use) -> bool {
        follow(shape(operation), &Pointer::new(pointer).unwrap(), usage).is_ok()
    }

    #[test]
    fn documented_places_are_found() {
        for (operation, pointer) in [
            (Operation::Reviews, ""),
            (Operation::Reviews, "/0/reviewer/firstName"),
            (Operation::Reviews, "/12/extraParams/anything/within"),
            (Operation::Qna, "/questionsAndAnswers/0/answers/1/answer"),
            (Operation::SentimentBenchmark, "/actual/score"),
            (Operation::SentimentLocations, "/dataPoints/3/mentions"),
            (Operation::Subscribe, "/events/0"),
        ] {
            assert!(possible(operation, pointer, Use::Finds), "{pointer}");
        }
    }

    #[test]
    fn what_answers_never_have_is_not() {
        for (operation, pointer) in [
            (Operation::Reviews, "/reviewer"),
            (Operation::Reviews, "/-/rating"),
            (Operation::Reviews, "/01/rating"),
            (Operation::Reviews, "/0/stars"),
            (Operation::Contact, "/id/0"),
        ] {
            assert!(!possible(operation, pointer, Use::Finds), "{pointer}");
        }
    }

    #[test]
    fn new_members_can_be_added_anywhere_but_in_single_values() {
        assert!(possible(Operation::Reviews, "/0/stars", Use::Adds));
        assert!(possible(Operation::Reviews, "/-", Use::Adds));
        assert!(!possible(Operation::Reviews, "/stars", Use::Adds));
        assert!(!possible(Operation::Contact, "/id/x", Use::Adds));
    }
}

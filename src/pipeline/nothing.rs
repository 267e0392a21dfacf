//! Step 2 failed: nothing is at the path. The 404 says what is near.

use crate::api::error::{ApiError, Code};
use crate::operations;
use crate::route::path::plain;
use crate::route::table::Table;

/// Most paths that the message lists.
const LISTED: usize = 12;

/// The 404 of a path where nothing is. The message lists the paths, and the detail the nearest one.
pub(super) fn nothing_at(path: &str, routes: &Table) -> ApiError {
    let all: Vec<&str> = operations::ALL.iter().map(|spec| spec.path).chain(routes.paths()).collect();
    let mut listed: Vec<&str> = Vec::new();
    for known in &all {
        if !listed.contains(known) {
            listed.push(known);
        }
    }
    let more = listed.len().saturating_sub(LISTED);
    let known = listed[..listed.len() - more].join(", ");
    let and = if more > 0 { format!(", and {more} more") } else { String::new() };
    let path = if path.is_empty() { "/" } else { path };
    let message = format!("Nothing is at {path}. The paths are {known}{and}.");
    let detail = match nearest(path, &listed) {
        Some(near) => format!("nothing is at {path}; did you mean {near}?"),
        None => String::new(),
    };
    ApiError { message: message.into(), ..ApiError::new(Code::NotFound, detail) }
}

/// Longer paths are not compared.
const LONGEST: usize = 300;

/// The path that differs least: in case, in doubled slashes, in few letters of its segments, or in a segment that is missing or too
/// many.
fn nearest<'a>(path: &str, known: &[&'a str]) -> Option<&'a str> {
    let sent: Vec<String> = segments(plain(path)).map(str::to_lowercase).collect();
    if path.len() > LONGEST || sent.is_empty() {
        return None;
    }
    let near = known.iter().filter_map(|known| {
        let wanted: Vec<String> = segments(known).map(str::to_lowercase).collect();
        let distance = distance(&sent, &wanted)?;
        (distance.letters <= MOST_LETTERS).then_some((distance.letters + distance.parameters, *known))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, near)| near)
}

/// Most letters in which a path may differ.
const MOST_LETTERS: usize = 4;

/// A missing segment weighs as many letters.
const SEGMENT: usize = 2;

/// Segments without empty ones, which doubled slashes make.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// How much two paths differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    letters: usize,
    /// Segments that a parameter takes. A path that names them is nearer.
    parameters: usize,
}

/// The distance of two paths, of which one may have one segment more. None if they have nothing to do with each other.
fn distance(sent: &[String], wanted: &[String]) -> Option<Distance> {
    if sent.len() == wanted.len() {
        of_segments(sent.iter(), wanted.iter())
    } else if sent.len() == wanted.len() + 1 {
        without_one(sent, |kept| of_segments(kept, wanted.iter()))
    } else if sent.len() + 1 == wanted.len() {
        without_one(wanted, |kept| of_segments(sent.iter(), kept))
    } else {
        None
    }
}

/// The least distance without one segment of the longer path.
fn without_one<'a>(
    long: &'a [String],
    distance: impl Fn(
        std::iter::Chain<std::slice::Iter<'a, String>, std::slice::Iter<'a, String>>,
    ) -> Option<Distance>,
) -> Option<Distance> {
    let distances = (0..long.len()).filter_map(|at| distance(long[..at].iter().chain(long[at + 1..].iter())));
    let Distance { letters, parameters } = distances.min()?;
    Some(Distance { letters: letters + SEGMENT, parameters })
}

fn of_segments<'a>(
    sent: impl Iterator<Item = &'a String>,
    wanted: impl Iterator<Item = &'a String>,
) -> Option<Distance> {
    sent.zip(wanted).try_fold(Distance::default(), |Distance { letters, parameters }, (sent, wanted)| {
        if wanted.starts_with('{') {
            // Ids have a digit; a word is another path.
            return sent
                .bytes()
                .any(|byte| byte.is_ascii_digit())
                .then_some(Distance { letters, parameters: parameters + 1 });
        }
        let differing = strsim::levenshtein(sent, wanted);
        // A segment of which more than half is other is another one.
        (differing <= wanted.len().div_ceil(2))
            .then_some(Distance { letters: letters + differing, parameters })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_path_is_suggested() {
        let known = [
            "/v1/review/businessid/{id}/summary",
            "/v1/customer/list",
            "/v1/qna/unanswered/get",
            "/v1/business/{id}",
            "/v1/tickets",
            "/v1/business/{id}/competitors",
        ];
        for (path, near) in [
            ("/v1/review/businessID/7/summary", Some(known[0])),
            ("/v1/contacts/list", None),
            ("/v1/customers/list", Some(known[1])),
            ("//v1//customer/list", Some(known[1])),
            ("/v1/qna/unanswered", Some(known[2])),
            ("/resources/v1/qna/unanswerd/get/", Some(known[2])),
            ("/v2/business/7", Some(known[3])),
            ("/v1/ticket", Some(known[4])),
            ("/v1/business/7/competitor", Some(known[5])),
            ("/v1/review/businessid/7/sumary", Some(known[0])),
            ("/v1/busines/7", Some(known[3])),
            ("/v1/users", None),
            ("/v1/business/seven/profile", None),
            ("/favicon.ico", None),
            ("/", None),
        ] {
            assert_eq!(nearest(path, &known), near, "{path}");
        }
    }
}

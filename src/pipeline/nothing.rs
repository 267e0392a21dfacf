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

/// The path that differs least: in case, in doubled slashes, or in few letters of its segments.
fn nearest<'a>(path: &str, known: &[&'a str]) -> Option<&'a str> {
    let sent: Vec<String> = segments(plain(path)).map(str::to_lowercase).collect();
    if path.len() > LONGEST || sent.is_empty() {
        return None;
    }
    let distance = |known: &str| {
        let wanted: Vec<String> = segments(known).map(str::to_lowercase).collect();
        if wanted.len() != sent.len() {
            return whole_distance(&sent, &wanted);
        }
        let pairs = sent.iter().zip(&wanted);
        Some(pairs.map(|(sent, wanted)| segment_distance(sent, wanted)).sum::<usize>())
    };
    let near = known.iter().filter_map(|known| Some((distance(known)?, *known)));
    let (distance, near) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= MOST_LETTERS).then_some(near)
}

/// Most letters in which a path may differ.
const MOST_LETTERS: usize = 4;

/// Segments without empty ones, which doubled slashes make.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

fn segment_distance(sent: &str, wanted: &str) -> usize {
    if wanted.starts_with('{') { 0 } else { strsim::levenshtein(sent, wanted) }
}

/// The distance where one segment is missing or too many: that of the others, and one.
fn whole_distance(sent: &[String], wanted: &[String]) -> Option<usize> {
    let (long, short) = if sent.len() > wanted.len() { (sent, wanted) } else { (wanted, sent) };
    if long.len() != short.len() + 1 {
        return None;
    }
    let without = |at: usize| {
        let kept = long.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, segment)| segment);
        let is_sent_long = sent.len() > wanted.len();
        kept.zip(short)
            .map(|(one, other)| {
                let (sent, wanted) = if is_sent_long { (one, other) } else { (other, one) };
                segment_distance(sent, wanted)
            })
            .sum::<usize>()
    };
    (0..long.len()).map(without).min().map(|distance| distance + 1)
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
        ];
        for (path, near) in [
            ("/v1/review/businessID/7/summary", Some(known[0])),
            ("/v1/contacts/list", None),
            ("/v1/customers/list", Some(known[1])),
            ("//v1//customer/list", Some(known[1])),
            ("/v1/qna/unanswered", Some(known[2])),
            ("/resources/v1/qna/unanswerd/get/", Some(known[2])),
            ("/v2/business/7", Some(known[3])),
            ("/favicon.ico", None),
            ("/", None),
        ] {
            assert_eq!(nearest(path, &known), near, "{path}");
        }
    }
}

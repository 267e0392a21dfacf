//! Paths with parameters in braces, and finding the routes of a path.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::api::call::decode;

/// A path under the base URL. A parameter takes a whole segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    text: String,
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// Still percent-encoded.
    Literal(String),
    Parameter(String),
}

/// Most segments of a path, so that the places of its parameters fit in a number.
pub(crate) const MAX_SEGMENTS: usize = 64;

impl Path {
    /// Reads a path such as `/v1/business/{id}`, without a trailing slash.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let mut segments = Vec::new();
        for piece in text.split('/').skip(1) {
            segments.push(match piece.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some("") => return Err("a parameter needs a name: `/v1/business/{id}`".to_owned()),
                Some(name) if name.contains(['{', '}']) => {
                    return Err(format!("`{piece}` is not one parameter"));
                }
                Some(name) => {
                    let parameter = Segment::Parameter(name.to_owned());
                    if segments.contains(&parameter) {
                        return Err(format!("the parameter `{name}` stands in it twice"));
                    }
                    parameter
                }
                None if piece.contains(['{', '}']) => {
                    return Err(format!(
                        "a parameter must be a whole segment, between two slashes: `{piece}` is none"
                    ));
                }
                None => Segment::Literal(piece.to_owned()),
            });
        }
        if segments.len() > MAX_SEGMENTS {
            return Err(format!("a path has at most {MAX_SEGMENTS} segments"));
        }
        Ok(Self { text: text.to_owned(), segments })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Names of the parameters.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Parameter(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        })
    }

    /// The parameters of a path that this one takes, decoded.
    pub(crate) fn values<'a>(&'a self, path: &'a str) -> Vec<(&'a str, Cow<'a, str>)> {
        let pieces = self.segments.iter().zip(pieces(path));
        pieces
            .filter_map(|(segment, piece)| match segment {
                Segment::Parameter(name) => Some((name.as_str(), decode(piece))),
                Segment::Literal(_) => None,
            })
            .collect()
    }

    /// Whether both take the same paths.
    pub(crate) fn is_same_shape(&self, other: &Self) -> bool {
        self.takes_all_of(other) && other.takes_all_of(self)
    }

    /// Whether this path takes every path that another one takes.
    pub(crate) fn takes_all_of(&self, other: &Self) -> bool {
        let takes = |own: &Segment, other: &Segment| matches!(own, Segment::Parameter(_)) || own == other;
        self.segments.len() == other.segments.len()
            && self.segments.iter().zip(&other.segments).all(|(own, other)| takes(own, other))
    }

    fn shape(&self) -> (usize, u64, String) {
        let (mut mask, mut key) = (0, String::new());
        for (at, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Parameter(_) => mask |= 1 << at,
                Segment::Literal(text) => {
                    key.push('/');
                    key.push_str(text);
                }
            }
        }
        (self.segments.len(), mask, key)
    }
}

/// The path that routing looks at: without `/resources` and without a trailing slash.
pub(crate) fn plain(path: &str) -> &str {
    let path = path.strip_prefix("/resources").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path)
}

fn pieces(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').skip(1)
}

/// The literal segments of the paths with parameters at the same places, each with the places of its routes.
type Shape = (u64, BTreeMap<String, Vec<u32>>);

/// Routes by path. Routes of one path are looked up, so that many routes cost a request no more than few.
#[derive(Debug, Default)]
pub(crate) struct Index(BTreeMap<usize, Vec<Shape>>);

impl Index {
    pub(crate) fn new<'a>(paths: impl Iterator<Item = &'a Path>) -> Self {
        let mut index = Self::default();
        for (place, path) in (0..).zip(paths) {
            let (length, mask, key) = path.shape();
            let shapes = index.0.entry(length).or_default();
            let at = shapes.iter().position(|(known, _)| *known == mask).unwrap_or_else(|| {
                shapes.push((mask, BTreeMap::new()));
                shapes.len() - 1
            });
            shapes[at].1.entry(key).or_default().push(place);
        }
        index
    }

    /// The places of the routes that take a plain path, ascending.
    pub(crate) fn find(&self, path: &str) -> Vec<u32> {
        let length = pieces(path).count();
        let mut found = Vec::new();
        for (mask, by_key) in self.0.get(&length).into_iter().flatten() {
            let mut key = String::with_capacity(path.len());
            let mut is_complete = true;
            for (at, piece) in pieces(path).enumerate() {
                if mask & (1 << at) == 0 {
                    key.push('/');
                    key.push_str(piece);
                } else {
                    is_complete &= !piece.is_empty();
                }
            }
            if is_complete {
                found.extend(by_key.get(&key).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_by_their_literal_segments_in_the_order_of_the_routes() {
        let paths: Vec<Path> = ["/v1/a/{id}", "/v1/a/b", "/v1/{x}/b", "/v1/a/{other}", "/{w}"]
            .map(|path| Path::new(path).unwrap())
            .into();
        let index = Index::new(paths.iter());
        for (path, found) in [
            ("/v1/a/7", &[0, 3][..]),
            ("/v1/a/b", &[0, 1, 2, 3]),
            ("/v1/c/b", &[2]),
            ("/v1/a/", &[]),
            ("/v1/a/b/c", &[]),
            ("/x", &[4]),
            ("/", &[]),
            ("", &[]),
            ("/v1/A/b", &[2]),
        ] {
            assert_eq!(index.find(path), found, "{path}");
        }
        assert_eq!(paths[0].values("/v1/a/x%20y"), [("id", "x y".into())]);
        let long = format!("/{}", "a/".repeat(500));
        assert_eq!(index.find(&long), [0; 0]);
    }

    #[test]
    fn a_parameter_is_a_whole_segment() {
        for (path, is_valid) in [
            ("/a/{b}", true),
            ("/a/{b}.json", false),
            ("/a/{}", false),
            ("/{a}/{a}", false),
            ("/a/{b", false),
            ("/{a}{b}", false),
        ] {
            assert_eq!(Path::new(path).is_ok(), is_valid, "{path}");
        }
    }
}

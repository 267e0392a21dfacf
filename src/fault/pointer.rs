//! JSON Pointer (RFC 6901): a place in a JSON document.

use std::borrow::Cow;

use serde_json::Value;

/// A JSON Pointer with valid syntax.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pointer(String);

/// Why a text is not a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidPointer {
    /// It does not start with `/`.
    Relative,
    /// The `~` at this byte is not part of `~0` or `~1`.
    Escape(usize),
}

impl Pointer {
    /// Parses a pointer. The empty text means the whole document.
    pub(crate) fn new(text: &str) -> Result<Self, InvalidPointer> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err(InvalidPointer::Relative);
        }
        let stray =
            text.match_indices('~').find(|(at, _)| !matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')));
        match stray {
            Some((at, _)) => Err(InvalidPointer::Escape(at)),
            None => Ok(Self(text.to_owned())),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// The steps from the document to the place, unescaped.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.split('/').skip(1).map(|step| {
            if step.contains('~') {
                Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(step)
            }
        })
    }

    pub(crate) fn find<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        document.pointer(&self.0)
    }

    /// Whether the place is the same as `other` or inside it.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.0.strip_prefix(&other.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(text: &str) -> Pointer {
        Pointer::new(text).unwrap()
    }

    #[test]
    fn steps_are_unescaped_once() {
        assert_eq!(pointer("/a~1b/~01/").steps().collect::<Vec<_>>(), ["a/b", "~1", ""]);
        assert_eq!(pointer("").steps().count(), 0);
    }

    #[test]
    fn a_pointer_begins_with_a_slash_and_escapes_its_tildes() {
        assert_eq!(Pointer::new("a/b"), Err(InvalidPointer::Relative));
        assert_eq!(Pointer::new("/a~"), Err(InvalidPointer::Escape(2)));
        assert_eq!(Pointer::new("/~2"), Err(InvalidPointer::Escape(1)));
    }

    #[test]
    fn a_place_is_within_itself_and_its_parents() {
        assert!(pointer("/a/b").is_within(&pointer("/a")));
        assert!(pointer("/a").is_within(&pointer("/a")));
        assert!(pointer("/a").is_within(&pointer("")));
        assert!(!pointer("/ab").is_within(&pointer("/a")));
    }
}

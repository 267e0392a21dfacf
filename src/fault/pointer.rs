//! Where in a JSON document: JSON Pointer (RFC 6901).

use std::borrow::Cow;

use serde_json::Value;

/// A JSON Pointer that follows its syntax.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pointer(String);

/// Why a text is no pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPointer {
    /// It does not begin with `/`.
    Relative,
    /// A `~` in it, at this byte, is not `~0` or `~1`.
    Escape(usize),
}

impl Pointer {
    /// Reads one; the empty text is the whole document.
    ///
    /// # Errors
    /// Where it does not follow the syntax.
    pub fn new(text: &str) -> Result<Self, NoPointer> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err(NoPointer::Relative);
        }
        let stray =
            text.match_indices('~').find(|(at, _)| !matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')));
        match stray {
            Some((at, _)) => Err(NoPointer::Escape(at)),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// As written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The steps from the whole document to the place, escapes undone.
    pub fn steps(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.split('/').skip(1).map(|step| {
            if step.contains('~') {
                Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(step)
            }
        })
    }

    /// The value at the place.
    #[must_use]
    pub fn find<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        document.pointer(&self.0)
    }

    /// Whether the place is that of `other` or within it.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
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
        assert_eq!(Pointer::new("a/b"), Err(NoPointer::Relative));
        assert_eq!(Pointer::new("/a~"), Err(NoPointer::Escape(2)));
        assert_eq!(Pointer::new("/~2"), Err(NoPointer::Escape(1)));
    }

    #[test]
    fn a_place_is_within_itself_and_its_parents() {
        assert!(pointer("/a/b").is_within(&pointer("/a")));
        assert!(pointer("/a").is_within(&pointer("/a")));
        assert!(pointer("/a").is_within(&pointer("")));
        assert!(!pointer("/ab").is_within(&pointer("/a")));
    }
}

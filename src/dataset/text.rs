//! A text that is put together when it is written, so that a review is shown without allocating its texts.

use std::fmt::{Display, Formatter, Result, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, Serializer};

use crate::dataset::words::{Words, WordsOf};

/// The id of a review, drawn or given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id<'a> {
    Number(u64),
    Given(&'a str),
}

impl Display for Id<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Given(text) => out.write_str(text),
        }
    }
}

/// An id as a part of an address, percent-encoded.
struct Encoded<'a>(Id<'a>);

impl Display for Encoded<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
        match self.0 {
            Id::Number(number) => write!(out, "{number}"),
            Id::Given(text) => utf8_percent_encode(text, &RESERVED).fmt(out),
        }
    }
}

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Text<'a> {
    Given(&'a str),
    /// Parts that are concatenated.
    Pieces([&'a str; 4]),
    Id(Id<'a>),
    /// The address of somebody's picture, from the parts of the name and a number. It is a path of this server.
    Avatar([&'a str; 2], u64),
    /// The address of the page of a location's review. It is a path of this server.
    Page(u64, Id<'a>),
    /// A nickname, from a first name and a number.
    Nickname(&'a str, u64),
    /// An email address, from a name and a number.
    Address(&'a str, &'a str, u64),
}

impl Display for Text<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match *self {
            Self::Given(text) => out.write_str(text),
            Self::Pieces(parts) => parts.iter().try_for_each(|part| out.write_str(part)),
            Self::Id(id) => write!(out, "{id}"),
            Self::Avatar(name, number) => {
                out.write_str("/__assets/avatar/")?;
                for initial in initials(name) {
                    let mut letters = [0; 4];
                    utf8_percent_encode(initial.encode_utf8(&mut letters), NON_ALPHANUMERIC).fmt(out)?;
                }
                write!(out, "-{number}.svg")
            }
            Self::Page(location, id) => write!(out, "/__assets/review/{location}/{}", Encoded(id)),
            Self::Nickname(first, number) => {
                for letter in first.chars() {
                    out.write_char(letter.to_ascii_lowercase())?;
                }
                write!(out, "{number}")
            }
            Self::Address(first, last, number) => {
                if first.is_ascii() && last.is_ascii() {
                    write_letters(out, first)?;
                    out.write_char('.')?;
                    write_letters(out, last)?;
                } else {
                    out.write_str("user")?;
                }
                write!(out, "{number}@mail.test")
            }
        }
    }
}

/// What a review says: as it is given, or words of a generated review. It is apart from [`Text`], since it is much larger and a
/// review has few.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Said<'a> {
    Given(&'a str),
    Words(Words<'a>, WordsOf),
}

impl Display for Said<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Given(text) => out.write_str(text),
            Self::Words(words, of) => out.write_str(&words.text(*of)),
        }
    }
}

impl Serialize for Said<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Given(text) => serializer.serialize_str(text),
            Self::Words(words, of) => serializer.serialize_str(&words.text(*of)),
        }
    }
}

/// Letters that show nothing.
const FILLERS: [char; 4] = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];

/// The first letters of the first and the last word of a name; none if it has no letter that shows something.
fn initials(name: [&str; 2]) -> impl Iterator<Item = char> {
    let mut words = name.into_iter().flat_map(str::split_whitespace);
    let letter =
        |word: &str| word.chars().find(|letter| letter.is_alphanumeric() && !FILLERS.contains(letter));
    let (first, last) = (words.next(), words.next_back());
    [first, last].into_iter().flatten().filter_map(letter)
}

fn write_letters(out: &mut Formatter<'_>, name: &str) -> Result {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).try_for_each(|letter| out.write_char(letter))
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Given(text) => serializer.serialize_str(text),
            Self::Pieces(..)
            | Self::Id(_)
            | Self::Avatar(..)
            | Self::Page(..)
            | Self::Nickname(..)
            | Self::Address(..) => serializer.collect_str(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths_of_this_server_and_of_mailboxes_that_nobody_has() {
        let id = Id::Number(7);
        for (text, expected) in [
            (Text::Avatar(["Ann Marie", "O'Hara"], 5), "/__assets/avatar/AO-5.svg"),
            (Text::Avatar(["王 明", ""], 5), "/__assets/avatar/%E7%8E%8B%E6%98%8E-5.svg"),
            (Text::Avatar(["-", ""], 5), "/__assets/avatar/-5.svg"),
            (Text::Avatar([" ", "\u{3164}"], 5), "/__assets/avatar/-5.svg"),
            (Text::Page(1_001, id), "/__assets/review/1001/7"),
            (Text::Page(1, Id::Given("a b/ä?#%-1")), "/__assets/review/1/a%20b%2F%C3%A4%3F%23%25-1"),
            (Text::Page(1, Id::Given("..//x")), "/__assets/review/1/..%2F%2Fx"),
            (Text::Address("Zoë", "Lee", 41), "user41@mail.test"),
            (Text::Address("Ann", "O'Hara", 41), "ann.ohara41@mail.test"),
            (Text::Nickname("Ann", 41), "ann41"),
        ] {
            assert_eq!(text.to_string(), expected);
        }
    }

    #[test]
    fn serialised_it_is_one_escaped_string() {
        let text = Text::Pieces(["a\"", "b", "", "\n"]);
        assert_eq!(serde_json::to_string(&text).unwrap(), r#""a\"b\n""#);
    }
}

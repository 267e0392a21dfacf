//! A text that is put together when it is written, so that a review is shown without allocating its texts.

use std::fmt::{Display, Formatter, Result, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, Serializer};

use crate::dataset::words::{Words, WordsOf};

/// The host of everything that the platform itself would serve.
const PLATFORM: &str = "standin.test";

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
    /// Words of a generated review.
    Words(Words<'a>, WordsOf),
    Id(Id<'a>),
    /// The address of a picture on the platform: its folder and number.
    Picture(&'static str, u64),
    /// The address of the platform's page of a review.
    Page(Id<'a>),
    /// The address of a review at its source, which is given by its alias.
    SourcePage(&'a str, Id<'a>),
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
            Self::Words(words, of) => words.write(of, out),
            Self::Id(id) => write!(out, "{id}"),
            Self::Picture(folder, number) => {
                write!(out, "https://images.{PLATFORM}/{folder}/{number}.png")
            }
            Self::Page(id) => write!(out, "https://reviews.{PLATFORM}/{}", Encoded(id)),
            Self::SourcePage(alias, id) => {
                out.write_str("https://")?;
                let mut letters = alias.chars().filter(char::is_ascii_alphanumeric).peekable();
                if letters.peek().is_none() {
                    out.write_str("source")?;
                }
                for letter in letters {
                    out.write_char(letter.to_ascii_lowercase())?;
                }
                write!(out, ".test/reviews/{}", Encoded(id))
            }
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

fn write_letters(out: &mut Formatter<'_>, name: &str) -> Result {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).try_for_each(|letter| out.write_char(letter))
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Given(text) => serializer.serialize_str(text),
            Self::Pieces(..)
            | Self::Words(..)
            | Self::Id(_)
            | Self::Picture(..)
            | Self::Page(_)
            | Self::SourcePage(..)
            | Self::Nickname(..)
            | Self::Address(..) => serializer.collect_str(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_ends_in_test() {
        let id = Id::Number(7);
        for (text, expected) in [
            (Text::Picture("users", 5), "https://images.standin.test/users/5.png"),
            (Text::Page(id), "https://reviews.standin.test/7"),
            (Text::SourcePage("yahoo_local", id), "https://yahoolocal.test/reviews/7"),
            (Text::SourcePage("?", id), "https://source.test/reviews/7"),
            (
                Text::SourcePage("yelp", Id::Given("a b/ä?#%-1")),
                "https://yelp.test/reviews/a%20b%2F%C3%A4%3F%23%25-1",
            ),
            (Text::Page(Id::Given("..//x")), "https://reviews.standin.test/..%2F%2Fx"),
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

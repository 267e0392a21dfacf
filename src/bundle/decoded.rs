//! Texts that are encoded in bytes, with the place of each letter in those bytes.

use std::ops::Range;

/// A decoded text.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) text: String,
    /// The place among the raw bytes of each byte of the text, and of its end.
    places: Vec<usize>,
}

impl Decoded {
    /// Bytes as they stand. Where they are not UTF-8, only ASCII is kept.
    pub(super) fn plain(raw: &[u8]) -> Self {
        Self::new(raw.to_vec(), (0..=raw.len()).collect())
    }

    fn new(mut bytes: Vec<u8>, places: Vec<usize>) -> Self {
        let text = String::from_utf8(bytes.clone()).unwrap_or_else(|_| {
            bytes.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self { text, places }
    }

    /// The raw bytes of a part of the text.
    pub(super) fn raw(&self, part: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.places.get(at).or(self.places.last()).copied().unwrap_or_default();
        place(part.start)..place(part.end)
    }

    /// What stands between the quotes of a JSON string.
    pub(super) fn of_json(raw: &[u8]) -> Self {
        let (mut bytes, mut places, mut at) = (Vec::new(), Vec::new(), 0);
        while at < raw.len() {
            let (letter, length) = if raw[at] == b'\\' { escaped(&raw[at..]) } else { (None, 1) };
            let mut buffer = [0; 4];
            let decoded = match letter {
                Some(letter) => letter.encode_utf8(&mut buffer).as_bytes(),
                None => &raw[at..=at],
            };
            bytes.extend_from_slice(decoded);
            places.resize(bytes.len(), at);
            at += length;
        }
        places.push(raw.len());
        Self::new(bytes, places)
    }

    /// The text that this one encodes with percent signs.
    pub(super) fn of_url(&self) -> Self {
        self.without_percent_signs(false)
    }

    /// The text that this one encodes as forms do, with percent signs and `+` for a space.
    pub(super) fn of_form(&self) -> Self {
        self.without_percent_signs(true)
    }

    fn without_percent_signs(&self, plus_is_space: bool) -> Self {
        let raw = self.text.as_bytes();
        let (mut bytes, mut places, mut at) = (Vec::new(), Vec::new(), 0);
        while at < raw.len() {
            let digits = raw.get(at + 1..at + 3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
            let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            let escaped = digits.filter(|_| raw[at] == b'%');
            let escaped = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let plain = if plus_is_space && raw[at] == b'+' { b' ' } else { raw[at] };
            bytes.push(escaped.unwrap_or(plain));
            places.push(self.raw(at..at).start);
            at += if escaped.is_some() { 3 } else { 1 };
        }
        places.push(self.raw(raw.len()..raw.len()).start);
        Self::new(bytes, places)
    }
}

/// The letter that an escape of a JSON string stands for, and the length of the escape.
fn escaped(raw: &[u8]) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match raw.get(1) {
        Some(b'u') => {
            let units = [unit(0), unit(6)];
            let both = [units[0].unwrap_or_default(), units[1].unwrap_or_default()];
            match char::decode_utf16(both).next() {
                Some(Ok(letter)) => (Some(letter), if letter.len_utf16() == 2 { 12 } else { 6 }),
                Some(Err(_)) | None => (Some('?'), 6),
            }
        }
        Some(b'n') => (Some('\n'), 2),
        Some(b't') => (Some('\t'), 2),
        Some(b'r') => (Some('\r'), 2),
        Some(b'b') => (Some('\u{8}'), 2),
        Some(b'f') => (Some('\u{c}'), 2),
        Some(byte) => (Some(char::from(*byte)), 2),
        None => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_knows_its_place() {
        let json = br#"a\u0062\"\ud83d\ude00c\ud83dx"#;
        let decoded = Decoded::of_json(json);
        assert_eq!(decoded.text, "ab\"\u{1f600}c?x");
        assert_eq!(&json[decoded.raw(1..2)], br"\u0062");
        assert_eq!(&json[decoded.raw(3..7)], br"\ud83d\ude00");
        assert_eq!(&json[decoded.raw(7..8)], b"c");
        let url = b"a+%62%2fc%zz%";
        let decoded = Decoded::plain(url);
        assert_eq!((&*decoded.of_url().text, &*decoded.of_form().text), ("a+b/c%zz%", "a b/c%zz%"));
        assert_eq!(&url[decoded.of_url().raw(2..4)], b"%62%2f");
        assert_eq!(Decoded::plain(b"k\xffk").text, "k?k");
        assert_eq!(Decoded::of_json(br"\").text, "\\");
    }
}

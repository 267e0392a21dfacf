//! How carelessly a review was typed, and a pen that types like that.

/// What ends a sentence, and is left out at the end of a text that is open-ended.
pub(super) const FULL_STOPS: [char; 2] = ['.', '。'];

/// How carelessly a review was typed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Typing {
    pub(super) in_lower_case: bool,
    /// Without the last full stop.
    pub(super) open_ended: bool,
    pub(super) emoji: Option<&'static str>,
    /// Where two letters are swapped, as a number to be taken modulo the places there are.
    pub(super) slip: Option<u64>,
}

impl Typing {
    pub(super) const fn differs(&self) -> bool {
        self.in_lower_case || self.open_ended || self.slip.is_some()
    }
}

/// Types a text as carelessly as its writer.
pub(super) struct Pen {
    text: String,
    /// A full stop that is left out if nothing follows it.
    held: Option<char>,
    typing: Typing,
}

impl Pen {
    pub(super) const fn new(typing: Typing) -> Self {
        Self { text: String::new(), held: None, typing }
    }

    pub(super) fn write(&mut self, mut part: &str) {
        if part.is_empty() {
            return;
        }
        self.text.extend(self.held.take());
        if let Some(rest) = part.strip_suffix(FULL_STOPS).filter(|_| self.typing.open_ended) {
            self.held = part.chars().next_back();
            part = rest;
        }
        if self.typing.in_lower_case {
            self.text.extend(part.chars().flat_map(char::to_lowercase));
        } else {
            self.text.push_str(part);
        }
    }

    pub(super) fn finish(self) -> String {
        let mut letters: Vec<char> = self.text.chars().collect();
        let Some(slip) = self.typing.slip else { return self.text };
        // Two letters within a word: its first and its last one are seldom mistyped.
        let can_swap = |around: &[char]| match *around {
            [before, one, other, after] => {
                let are_lower = one.is_ascii_lowercase() && other.is_ascii_lowercase();
                before.is_alphabetic() && are_lower && one != other && after.is_alphabetic()
            }
            _ => false,
        };
        let places: Vec<usize> =
            letters.windows(4).zip(2..).filter(|(around, _)| can_swap(around)).map(|(_, at)| at).collect();
        let count = places.len().max(1) as u64;
        if let Some(at) = places.get(usize::try_from(slip % count).unwrap_or_default()) {
            letters.swap(at - 1, *at);
        }
        letters.into_iter().collect()
    }
}

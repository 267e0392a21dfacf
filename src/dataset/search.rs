//! Text search without case over comments and titles. Generated words are never written out for it unless they must
//! be: the needle is first held against the finite phrases of a bank, which rules most reviews out by the places of
//! their phrases alone.

use crate::api::fold::fold;
use crate::dataset::generated::{NONE, outline, words};
use crate::dataset::phrases::Bank;
use crate::dataset::shown::Kind;
use crate::dataset::whole::Dataset;

/// A needle, and what it has in common with the banks met so far.
#[derive(Debug)]
pub struct Search {
    needle: String,
    banks: Vec<(&'static Bank, Table)>,
}

/// What a needle has in common with each phrase of a bank. A phrase that is followed by another is taken with the
/// space between them.
#[derive(Debug)]
struct Table {
    phrases: Vec<Common>,
    /// Whether any phrase has anything in common with the needle.
    any: bool,
}

/// Bit `k` of a mask speaks of the needle's first `k` bytes; bits beyond the mask's width are taken as set.
#[derive(Clone, Copy, Debug, Default)]
struct Common {
    /// The needle stands in it.
    whole: bool,
    /// It ends with the first `k` bytes.
    ends: u128,
    /// It begins with what follows the first `k` bytes.
    begins: u128,
    /// It stands in the needle.
    within: bool,
}

impl Common {
    fn of(needle: &str, phrase: &str) -> Self {
        let splits = (1..needle.len()).filter(|at| needle.is_char_boundary(*at));
        let (mut ends, mut begins) = (0_u128, 0_u128);
        for at in splits {
            let bit = 1 << at.min(127);
            let (head, tail) = needle.split_at(at);
            ends |= if phrase.ends_with(head) { bit } else { 0 };
            begins |= if phrase.starts_with(tail) { bit } else { 0 };
        }
        let within = !phrase.is_empty() && needle.contains(phrase);
        Self { whole: phrase.contains(needle), ends, begins, within }
    }

    const fn is_any(&self) -> bool {
        self.whole || self.within || (self.ends | self.begins) != 0
    }
}

impl Table {
    fn new(needle: &str, bank: &Bank) -> Self {
        let last = |at: u32| bank.close.iter().chain(&bank.title).any(|range| range.contains(&at));
        let phrases: Vec<Common> = (0..)
            .zip(bank.folded())
            .map(|(at, phrase)| {
                if last(at) {
                    Common::of(needle, phrase)
                } else {
                    Common::of(needle, &format!("{phrase}{}", bank.join))
                }
            })
            .collect();
        let any = phrases.iter().any(Common::is_any);
        Self { phrases, any }
    }

    fn common(&self, phrase: u32) -> Common {
        self.phrases.get(phrase as usize).copied().unwrap_or_default()
    }
}

impl Search {
    /// A search for that text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { needle: fold(text), banks: Vec::new() }
    }

    /// Whether the text stands in the comments or the title of a row.
    pub fn finds(&mut self, dataset: &Dataset, row: u32) -> bool {
        let Some((kind, record)) = dataset.kind(row) else { return false };
        match kind {
            Kind::Given(review) => [&review.comments, &review.title]
                .into_iter()
                .flatten()
                .any(|text| fold(text).contains(&self.needle)),
            Kind::Generated(plan) => {
                let outline = outline(plan, &dataset.sources, dataset.today, &record);
                let bank = dataset.bank_of(row, &outline);
                let table = table(&self.needle, &mut self.banks, bank);
                if !table.any {
                    return false;
                }
                let words = words(bank, outline.stars, &record);
                words.title != NONE && table.common(words.title).whole
                    || in_comments(&self.needle, table, bank, words.comments)
            }
        }
    }
}

/// The table of a bank, made when the bank is first met; few are ever met.
fn table<'a>(needle: &str, banks: &'a mut Vec<(&'static Bank, Table)>, bank: &'static Bank) -> &'a Table {
    let known = banks.iter().position(|(known, _)| std::ptr::eq(*known, bank));
    let at = known.unwrap_or_else(|| {
        banks.push((bank, Table::new(needle, bank)));
        banks.len() - 1
    });
    &banks[at].1
}

fn in_comments(needle: &str, table: &Table, bank: &Bank, comments: [u32; 4]) -> bool {
    let said = || comments.iter().filter(|phrase| **phrase != NONE);
    let (mut ends, mut meets, mut within) = (0, false, false);
    for phrase in said() {
        let common = table.common(*phrase);
        if common.whole {
            return true;
        }
        meets |= ends & common.begins != 0;
        within |= common.within;
        ends = common.ends;
    }
    if needle.len() <= 127 && !within {
        return meets;
    }
    if !meets && !within {
        return false;
    }
    let folded = bank.folded();
    let texts: Vec<&str> =
        said().filter_map(|phrase| folded.get(*phrase as usize)).map(String::as_str).collect();
    texts.join(bank.join).contains(needle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::whole::fixture;

    #[test]
    fn it_finds_exactly_the_reviews_whose_written_text_has_the_needle() {
        let dataset = fixture::generated(400);
        let rows = || 0..u32::try_from(dataset.reviews.len()).unwrap();
        let shown = |row| {
            let review = dataset.show(row).unwrap();
            (
                fold(&review.comments.to_string()),
                fold(&review.title.map(|t| t.to_string()).unwrap_or_default()),
            )
        };
        let sample = shown(7).0;
        let middle = sample.len() / 2;
        let at = |from: usize, to: usize| {
            let from = sample.floor_char_boundary(from.min(sample.len()));
            sample[from..sample.floor_char_boundary(to.min(sample.len()))].to_owned()
        };
        let mut needles: Vec<String> = (0..sample.len()).step_by(3).map(|from| at(from, from + 12)).collect();
        needles.extend([at(0, middle + 20), at(3, sample.len() - 2), at(0, sample.len())]);
        needles.extend(["STAFF", " the ", ". ", "zzzq", "e", "worst"].map(str::to_owned));
        for needle in needles {
            let mut search = Search::new(&needle);
            for row in rows() {
                let (comments, title) = shown(row);
                let expected = comments.contains(&fold(&needle)) || title.contains(&fold(&needle));
                assert_eq!(search.finds(&dataset, row), expected, "{needle:?} in {comments:?} {title:?}");
            }
        }
    }
}

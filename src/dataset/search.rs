//! Text search without case over comments and titles. Generated words are never written out for it unless they must
//! be: the needle is first held against the finite phrases of a bank, which rules most reviews out by the places of
//! their phrases alone.

use crate::api::fold::fold;
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{NONE, Outline, REVIEW, Record, outline, words};
use crate::dataset::phrases::{Bank, Section, bank, mood};
use crate::dataset::records::{Locale, Review, ReviewPlan, Reviews};
use crate::draw::Draw;

/// A needle, and what it has in common with what of the dataset it was held against so far.
#[derive(Debug)]
pub struct Search<'a> {
    dataset: &'a Dataset,
    needle: String,
    banks: Vec<(&'static Bank, Table)>,
    /// What stands in each location's list of reviews, once one of its rows has been met.
    entries: Vec<Option<Vec<Entry<'a>>>>,
}

/// An entry of a location's list of reviews, as a search sees it.
#[derive(Debug)]
enum Entry<'a> {
    /// Reviews as given.
    Given(&'a [Review]),
    /// Generated ones: what their draws have in common, and the place of the table for each of their languages.
    Generated(&'a ReviewPlan, Draw, Vec<(Locale, usize)>),
    /// Generated ones none of which can have the needle in it.
    Barren,
}

/// What a needle has in common with each phrase of a bank. A phrase that is followed by another is taken with the
/// space between them.
#[derive(Debug)]
struct Table {
    phrases: Vec<Common>,
    /// Whether a review of so many stars, 1-5, may have the needle in it at all.
    may: [bool; 5],
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

    /// What any of two has.
    const fn or(self, other: Self) -> Self {
        Self {
            whole: self.whole || other.whole,
            ends: self.ends | other.ends,
            begins: self.begins | other.begins,
            within: self.within || other.within,
        }
    }
}

impl Table {
    fn new(needle: &str, bank: &Bank) -> Self {
        let last = |at: u32| bank.close.iter().chain(&bank.title).any(|section| section.all.contains(&at));
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
        let any = |section: &Section| {
            let range = section.all.start as usize..section.all.end as usize;
            phrases
                .get(range)
                .unwrap_or_default()
                .iter()
                .fold(Common::default(), |any, common| any.or(*common))
        };
        let [good, bad] = [&bank.good, &bank.bad].map(|ranges| any(&ranges[0]).or(any(&ranges[1])));
        let may = std::array::from_fn(|star| {
            let stars = u8::try_from(star + 1).unwrap_or(5);
            let (open, close) = (any(&bank.open[star]), any(&bank.close[mood(stars)]));
            let details = match stars {
                4.. => good,
                2 | 3 => good.or(bad),
                _ => bad,
            };
            // It stands in one phrase, over the seam of two, or has whole phrases in it between the ends of two.
            let (first, last) = (open.or(details), details.or(close));
            let two = open.ends & details.begins | details.ends & last.begins;
            let more = details.within && first.ends != 0 && last.begins != 0;
            any(&bank.title[star]).whole || first.or(last).whole || two != 0 || more
        });
        Self { phrases, may }
    }

    fn common(&self, phrase: u32) -> Common {
        self.phrases.get(phrase as usize).copied().unwrap_or_default()
    }
}

impl<'a> Search<'a> {
    /// A search for that text.
    #[must_use]
    pub fn new(dataset: &'a Dataset, text: &str) -> Self {
        let entries = (0..dataset.location_count()).map(|_| None).collect();
        Self { dataset, needle: fold(text), banks: Vec::new(), entries }
    }

    /// Whether the text stands in the comments or the title of a row.
    pub fn finds(&mut self, row: u32) -> bool {
        let place = self.dataset.reviews.location[row as usize];
        if self.entries[place as usize].is_none() {
            self.entries[place as usize] = Some(self.entries_of(place));
        }
        let origin = self.dataset.reviews.origin[row as usize];
        let entries = self.entries[place as usize].as_deref().unwrap_or_default();
        match entries.get(origin.entry as usize) {
            Some(Entry::Given(reviews)) => reviews.get(origin.index as usize).is_some_and(|review| {
                let mut texts = [&review.comments, &review.title].into_iter().flatten();
                texts.any(|text| fold(text).contains(&self.needle))
            }),
            Some(Entry::Generated(plan, stream, tables)) => {
                let record = Record::of(stream, origin.index);
                let outline = outline(plan, &self.dataset.sources, self.dataset.today, &record);
                let Outline { stars, locale, .. } = outline;
                let table = tables.iter().find(|(known, _)| *known == locale);
                let Some((bank, table)) = table.and_then(|(_, at)| self.banks.get(*at)) else { return false };
                if !table.may[usize::from(stars.clamp(1, 5)) - 1] {
                    return false;
                }
                let words = words(bank, &outline, &record);
                words.title != NONE && table.common(words.title).whole
                    || in_comments(&self.needle, table, bank, words.comments)
            }
            Some(Entry::Barren) | None => false,
        }
    }

    fn entries_of(&mut self, place: u32) -> Vec<Entry<'a>> {
        let dataset = self.dataset;
        let location = dataset.location(place);
        let category = &dataset.account(dataset.account_of(place)).category;
        let entry = |(at, reviews): (u32, &'a Reviews)| match reviews {
            Reviews::Given(given) => Entry::Given(given),
            Reviews::Generated(plan) => {
                let locales = plan.locales.iter().map(|(locale, _)| *locale);
                let tables: Vec<(Locale, usize)> =
                    locales.map(|locale| (locale, self.table(bank(locale, category)))).collect();
                let barren = tables.iter().all(|(_, table)| self.banks[*table].1.may == [false; 5]);
                if barren {
                    return Entry::Barren;
                }
                Entry::Generated(plan, Record::stream(dataset.seed, REVIEW, location.number, at), tables)
            }
        };
        (0..).zip(&location.reviews).map(entry).collect()
    }

    /// Place of the table of a bank, made when the bank is first met; few are ever met.
    fn table(&mut self, bank: &'static Bank) -> usize {
        let known = self.banks.iter().position(|(known, _)| std::ptr::eq(*known, bank));
        known.unwrap_or_else(|| {
            self.banks.push((bank, Table::new(&self.needle, bank)));
            self.banks.len() - 1
        })
    }
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
    use crate::dataset::facts::fixture;

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
            let mut search = Search::new(&dataset, &needle);
            for row in rows() {
                let (comments, title) = shown(row);
                let expected = comments.contains(&fold(&needle)) || title.contains(&fold(&needle));
                assert_eq!(search.finds(row), expected, "{needle:?} in {comments:?} {title:?}");
            }
        }
    }
}

//! Text search without case over comments and titles. It avoids writing out generated texts: it first compares the needle
//! with the phrases of each bank, which decides for nearly all reviews by the phrases that they use.

use crate::api::fold::fold;
use crate::dataset::facts::Dataset;
use crate::dataset::generated::{Facts, NONE, REVIEW, Record, choose_phrases, generated_facts};
use crate::dataset::phrases::{Bank, Section, bank, mood};
use crate::dataset::records::{Locale, Review, ReviewPlan, Reviews};
use crate::draw::Draw;

/// A text to search for, folded for comparison without case.
#[derive(Debug)]
pub(crate) struct Needle(String);

impl Needle {
    pub(crate) fn new(text: &str) -> Self {
        Self(fold(text))
    }

    /// Whether the comments or the title of a given review contain it.
    pub(crate) fn is_in(&self, review: &Review) -> bool {
        let mut texts = [&review.comments, &review.title].into_iter().flatten();
        texts.any(|text| fold(text).contains(&self.0))
    }
}

/// A search over the rows of a dataset, with what it has learned about the dataset so far.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    dataset: &'a Dataset,
    needle: Needle,
    banks: Vec<(&'static Bank, Table)>,
    /// The entries of each location, computed when one of its rows is first visited.
    entries: Vec<Option<Vec<Entry<'a>>>>,
}

/// An entry of a location's list of reviews.
#[derive(Debug)]
enum Entry<'a> {
    Given(&'a [Review]),
    /// Generated reviews: their plan, their stream, and the index of the table of each of their languages.
    Generated(&'a ReviewPlan, Draw, Vec<(Locale, usize)>),
    /// Generated reviews none of which can contain the needle.
    NoMatch,
}

/// How the needle overlaps with each phrase of a bank. A phrase that another one follows is compared together with the
/// space between them.
#[derive(Debug)]
struct Table {
    phrases: Vec<Overlap>,
    /// Whether a review of 1-5 stars can contain the needle at all.
    may_match: [bool; 5],
}

/// How the needle overlaps with a phrase. Bit `k` of a mask is about a split of the needle after `k` bytes; splits from 127
/// on share the last bit.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    /// The phrase contains the needle.
    contains: bool,
    /// The phrase ends with the part before the split.
    ends: u128,
    /// The phrase begins with the part after the split.
    begins: u128,
    /// The needle contains the phrase.
    within: bool,
}

impl Overlap {
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
        Self { contains: phrase.contains(needle), ends, begins, within }
    }

    /// The overlaps that either of two phrases has.
    const fn or(self, other: Self) -> Self {
        Self {
            contains: self.contains || other.contains,
            ends: self.ends | other.ends,
            begins: self.begins | other.begins,
            within: self.within || other.within,
        }
    }
}

impl Table {
    fn new(needle: &str, bank: &Bank) -> Self {
        let is_last = |at: u32| bank.close.iter().chain(&bank.title).any(|section| section.all.contains(&at));
        let phrases: Vec<Overlap> = (0..)
            .zip(bank.folded())
            .map(|(at, phrase)| {
                if is_last(at) {
                    Overlap::of(needle, phrase)
                } else {
                    Overlap::of(needle, &format!("{phrase}{}", bank.join))
                }
            })
            .collect();
        let any = |section: &Section| {
            let range = section.all.start as usize..section.all.end as usize;
            phrases
                .get(range)
                .unwrap_or_default()
                .iter()
                .fold(Overlap::default(), |any, overlap| any.or(*overlap))
        };
        let [good, bad] = [&bank.good, &bank.bad].map(|ranges| any(&ranges[0]).or(any(&ranges[1])));
        let may_match = std::array::from_fn(|star| {
            let stars = u8::try_from(star + 1).unwrap_or(5);
            let (open, close) = (any(&bank.open[star]), any(&bank.close[mood(stars)]));
            let details = match stars {
                4.. => good,
                2 | 3 => good.or(bad),
                _ => bad,
            };
            // The needle is within one phrase, crosses from one phrase to the next, or spans at least one whole phrase.
            let (first, last) = (open.or(details), details.or(close));
            let two = open.ends & details.begins | details.ends & last.begins;
            let more = details.within && first.ends != 0 && last.begins != 0;
            any(&bank.title[star]).contains || first.or(last).contains || two != 0 || more
        });
        Self { phrases, may_match }
    }

    fn overlap(&self, phrase: u32) -> Overlap {
        self.phrases.get(phrase as usize).copied().unwrap_or_default()
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(dataset: &'a Dataset, text: &str) -> Self {
        let entries = (0..dataset.location_count()).map(|_| None).collect();
        Self { dataset, needle: Needle::new(text), banks: Vec::new(), entries }
    }

    /// Whether the comments or the title of a row contain the text.
    pub(crate) fn finds(&mut self, row: u32) -> bool {
        let location = self.dataset.reviews.location[row as usize];
        if self.entries[location as usize].is_none() {
            self.entries[location as usize] = Some(self.entries_of(location));
        }
        let origin = self.dataset.reviews.origin[row as usize];
        let entries = self.entries[location as usize].as_deref().unwrap_or_default();
        match entries.get(origin.entry as usize) {
            Some(Entry::Given(reviews)) => {
                reviews.get(origin.index as usize).is_some_and(|review| self.needle.is_in(review))
            }
            Some(Entry::Generated(plan, stream, tables)) => {
                let record = Record::of(stream, origin.index);
                let facts = generated_facts(plan, &self.dataset.sources, self.dataset.today, &record);
                let Facts { stars, locale, .. } = facts;
                let table = tables.iter().find(|(known, _)| *known == locale);
                let Some((bank, table)) = table.and_then(|(_, at)| self.banks.get(*at)) else { return false };
                if !table.may_match[usize::from(stars.clamp(1, 5)) - 1] {
                    return false;
                }
                let phrases = choose_phrases(bank, &facts, &record);
                phrases.title != NONE && table.overlap(phrases.title).contains
                    || in_comments(&self.needle.0, table, bank, phrases.comments)
            }
            Some(Entry::NoMatch) | None => false,
        }
    }

    fn entries_of(&mut self, location: u32) -> Vec<Entry<'a>> {
        let dataset = self.dataset;
        let category = &dataset.account(dataset.account_of(location)).category;
        let location = dataset.location(location);
        let entry = |(at, reviews): (u32, &'a Reviews)| match reviews {
            Reviews::Given(given) => Entry::Given(given),
            Reviews::Generated(plan) => {
                let locales = plan.locales.iter().map(|(locale, _)| *locale);
                let tables: Vec<(Locale, usize)> =
                    locales.map(|locale| (locale, self.table(bank(locale, category)))).collect();
                if tables.iter().all(|(_, table)| self.banks[*table].1.may_match == [false; 5]) {
                    return Entry::NoMatch;
                }
                Entry::Generated(plan, Record::stream(dataset.seed, REVIEW, location.number, at), tables)
            }
        };
        (0..).zip(&location.reviews).map(entry).collect()
    }

    /// The index of a bank's table, which is computed when it is first asked for. There are few.
    fn table(&mut self, bank: &'static Bank) -> usize {
        let known = self.banks.iter().position(|(known, _)| std::ptr::eq(*known, bank));
        known.unwrap_or_else(|| {
            self.banks.push((bank, Table::new(&self.needle.0, bank)));
            self.banks.len() - 1
        })
    }
}

fn in_comments(needle: &str, table: &Table, bank: &Bank, comments: [u32; 4]) -> bool {
    let phrases = || comments.iter().filter(|phrase| **phrase != NONE);
    let (mut ends, mut meets, mut within) = (0, false, false);
    for phrase in phrases() {
        let overlap = table.overlap(*phrase);
        if overlap.contains {
            return true;
        }
        meets |= ends & overlap.begins != 0;
        within |= overlap.within;
        ends = overlap.ends;
    }
    if needle.len() <= 127 && !within {
        return meets;
    }
    if !meets && !within {
        return false;
    }
    let folded = bank.folded();
    let texts: Vec<&str> =
        phrases().filter_map(|phrase| folded.get(*phrase as usize)).map(String::as_str).collect();
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
            let review = dataset.review(row).unwrap();
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

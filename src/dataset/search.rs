//! Text search without case over comments and titles. Generated texts are not written out for it: the needle is compared
//! once with each text of a bank, and a review is then decided by the parts that it is put together from.

use crate::api::fold::fold;
use crate::dataset::facts::Dataset;
use crate::dataset::people;
use crate::dataset::phrases::{Bank, bank};
use crate::dataset::records::{Location, Review, ReviewPlan, Reviews};
use crate::dataset::words::{Part, Words};

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

    /// What is searched for among parts: a mask has a bit for each split of it.
    fn start(&self) -> &str {
        let most = self.0.len().min(u128::BITS as usize);
        let end = (0..=most).rev().find(|at| self.0.is_char_boundary(*at));
        &self.0[..end.unwrap_or_default()]
    }
}

/// A search over the rows of a dataset, with what it has learned about the dataset so far.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    dataset: &'a Dataset,
    needle: Needle,
    tables: Vec<Table>,
    /// The entries of each location, computed when one of its rows is first visited.
    entries: Vec<Option<Vec<Entry<'a>>>>,
}

/// An entry of a location's list of reviews.
#[derive(Clone, Copy, Debug)]
enum Entry<'a> {
    Given(&'a [Review]),
    Generated,
    /// Generated reviews none of which can contain the needle.
    NoMatch,
}

/// What gives the parts of a text.
type Parts<'a> = &'a dyn Fn(&mut dyn FnMut(Part<'_>));

/// From how many reviews on it is first found out whether any sentence can contain the needle at all.
const MANY: u32 = 5_000;

/// How the needle overlaps with the texts of a bank.
#[derive(Debug)]
struct Table {
    bank: &'static Bank,
    /// Computed when a text is first met.
    overlaps: Vec<Option<Overlap>>,
    any: Option<Any>,
}

/// How the needle overlaps with a text. Bit `k` of a mask is about the split of the needle after `k` bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    /// The text contains the needle.
    contains: bool,
    /// The text ends with what is before the split.
    ends: u128,
    /// The text begins with what is after the split.
    begins: u128,
    /// What is after the split begins with the text, and goes on after it.
    goes_on: u128,
    /// The length of the text, if it goes on anywhere.
    length: u32,
}

impl Overlap {
    fn of(needle: &str, text: &str) -> Self {
        let mut overlap = Self { contains: text.contains(needle), ..Self::default() };
        for at in (1..needle.len()).filter(|at| needle.is_char_boundary(*at)) {
            let (head, tail) = needle.split_at(at);
            let bit = |is_set: bool| u128::from(is_set) << at;
            overlap.ends |= bit(text.ends_with(head));
            overlap.begins |= bit(text.starts_with(tail));
            overlap.goes_on |= bit(tail.len() > text.len() && tail.starts_with(text));
        }
        overlap.length = if overlap.goes_on == 0 { 0 } else { u32::try_from(text.len()).unwrap_or_default() };
        overlap
    }
}

/// How far the needle has been read: the splits whose first part the texts so far end with.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    splits: u128,
    is_found: bool,
}

impl Progress {
    const fn read(&mut self, overlap: &Overlap) {
        self.is_found |= overlap.contains || self.splits & overlap.begins != 0;
        self.splits = overlap.ends | (self.splits & overlap.goes_on) << overlap.length;
    }
}

/// The overlaps of all texts of a bank together.
#[derive(Debug)]
struct Any {
    all: Overlap,
    /// Those that lie within the needle.
    within: Vec<Overlap>,
}

impl Any {
    fn of(overlaps: impl Iterator<Item = Overlap>) -> Self {
        let mut any = Self { all: Overlap::default(), within: Vec::new() };
        overlaps.for_each(|overlap| any.add(&overlap));
        any
    }

    fn add(&mut self, overlap: &Overlap) {
        self.all.contains |= overlap.contains;
        self.all.ends |= overlap.ends;
        self.all.begins |= overlap.begins;
        if overlap.goes_on != 0 {
            self.within.push(*overlap);
        }
    }

    /// Whether some sequence of the texts contains the needle.
    fn can_match(&self) -> bool {
        let mut splits = self.all.ends;
        loop {
            let before = splits;
            for overlap in &self.within {
                splits |= (splits & overlap.goes_on) << overlap.length;
            }
            if splits == before {
                return self.all.contains || splits & self.all.begins != 0;
            }
        }
    }
}

impl Table {
    fn new(bank: &'static Bank) -> Self {
        Self { bank, overlaps: vec![None; bank.texts.len()], any: None }
    }

    fn overlap(&mut self, needle: &str, text: u32) -> Overlap {
        let Some(known) = self.overlaps.get_mut(text as usize) else { return Overlap::default() };
        *known.get_or_insert_with(|| {
            Overlap::of(needle, self.bank.folded().get(text as usize).map_or("", String::as_str))
        })
    }

    /// Whether a review of a location can contain the needle.
    fn can_match(&mut self, needle: &str, location: &Location) -> bool {
        let overlap = |text: &str| Overlap::of(needle, &fold(text));
        let any = self.any.get_or_insert_with(|| {
            let texts = self.bank.folded().iter().map(|text| Overlap::of(needle, text));
            let people = people::names_at_work(self.bank.locale).map(overlap);
            Any::of(texts.chain(people).chain(Words::EMOJI.iter().map(|emoji| overlap(emoji))))
        });
        let city = location.home(self.bank.locale).city;
        let own = [overlap(&location.name), overlap(city)];
        if own.iter().all(|own| own.goes_on | own.ends | own.begins == 0 && !own.contains) {
            return any.can_match();
        }
        let mut any = Any { all: any.all, within: any.within.clone() };
        for overlap in &own {
            any.add(overlap);
        }
        any.can_match()
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(dataset: &'a Dataset, text: &str) -> Self {
        let entries = (0..dataset.location_count()).map(|_| None).collect();
        Self { dataset, needle: Needle::new(text), tables: Vec::new(), entries }
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
            Some(Entry::Generated) => self.dataset.words(row).is_some_and(|words| self.finds_in(&words)),
            Some(Entry::NoMatch) | None => false,
        }
    }

    fn finds_in(&mut self, words: &Words<'_>) -> bool {
        let table = self.table(words.bank);
        let (needle, table) = (&self.needle, &mut self.tables[table]);
        let mut is_among = |parts: Parts<'_>| {
            let mut progress = Progress::default();
            parts(&mut |part| match part {
                _ if progress.is_found => {}
                Part::Known(text) => progress.read(&table.overlap(needle.start(), text)),
                Part::Other("") => {}
                Part::Other(text) => progress.read(&Overlap::of(needle.start(), &fold(text))),
            });
            progress.is_found
        };
        let typed = || fold(&words.typed()).contains(&needle.0);
        let in_comments = if words.is_typed_otherwise(&needle.0) {
            typed()
        } else {
            is_among(&|mut give| words.comments(&mut give))
                && (needle.start().len() == needle.0.len() || typed())
        };
        // No title is as long as a needle that is longer than its start.
        let can_be_title = needle.start().len() == needle.0.len();
        in_comments || can_be_title && words.has_title() && is_among(&|mut give| words.title(&mut give))
    }

    fn entries_of(&mut self, location: u32) -> Vec<Entry<'a>> {
        let dataset = self.dataset;
        let category = &dataset.account(dataset.account_of(location)).category;
        let location = dataset.location(location);
        let entry = |reviews: &'a Reviews| match reviews {
            Reviews::Given(given) => Entry::Given(given),
            Reviews::Generated(plan) if plan.nasty == 0 && plan.count > MANY => {
                if self.can_match(plan, category, location) { Entry::Generated } else { Entry::NoMatch }
            }
            Reviews::Generated(_) => Entry::Generated,
        };
        location.reviews.iter().map(entry).collect()
    }

    fn can_match(&mut self, plan: &ReviewPlan, category: &str, location: &Location) -> bool {
        plan.locales.iter().any(|(locale, _)| {
            let table = self.table(bank(*locale, category));
            self.tables[table].can_match(self.needle.start(), location)
        })
    }

    /// The index of a bank's table. There are few.
    fn table(&mut self, bank: &'static Bank) -> usize {
        let known = self.tables.iter().position(|known| std::ptr::eq(known.bank, bank));
        known.unwrap_or_else(|| {
            self.tables.push(Table::new(bank));
            self.tables.len() - 1
        })
    }
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

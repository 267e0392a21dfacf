//! Reads a phrase bank from its files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use super::{
    Bank, KIND_OF_THREE_STARS, KINDS, LOCATION_GROUPS, Piece, Remarks, Section, Sentence, Subject,
    is_coprime, length,
};
use crate::dataset::lists;
use crate::dataset::people::Sex;
use crate::dataset::places::Cycle;
use crate::dataset::records::Locale;
use crate::dataset::subjects::{COMMON_SUBJECTS, subjects};
use crate::draw::{Draw, Seed};

/// Within a page of 25 reviews no sentence comes twice if it comes again after more than twice as many.
const LEAST: u32 = 51;
/// The least for short reviews, of which a page, with the silent ones that are numbered with them, mostly has less than half as many
/// as this. Where a list has enough of them for all groups, they come again as late as other sentences.
pub(super) const SHORT: u32 = 25;
/// Of so many reviews of the same stars as many are stories as there are for a group of locations. Where there are more for a group,
/// it tells all of them before one comes again.
const STORIES: u32 = 53;
/// The same for five stars, which half of all reviews have, so that among a hundred reviews of a location a story seldom comes twice.
const STORIES_OF_FIVE_STARS: u32 = 79;
/// Sentences that a line gives at most.
const MOST_OF_LINE: u32 = 128;
/// How often the sentences of a bank that begin a review may begin with the same three words.
const SAME_OPENING: u32 = 2;
/// How many lines of subjects may begin with the same three words, those counted that always begin a review. A review begins with
/// one of them now and then.
const LINES_OF_OPENING: u32 = 2;

/// How many of the lines on subjects each kind of review takes, in proportion to how many such reviews tell no story.
const SHARES: [usize; KINDS as usize] = [6, 4, 3, 3];

/// Whether the sentences of a section begin a review.
#[derive(Clone, Copy, Debug)]
enum Begins {
    Always,
    Never,
    /// Some do. Those of one line are far from each other, so that they may begin alike.
    Sometimes,
}

/// A bank while it is read.
pub(super) struct Reading {
    bank: Bank,
    /// Index of each text, and of each variable.
    texts: HashMap<&'static str, u32>,
    variables: HashMap<&'static str, u32>,
    /// How many sentences that begin a review begin with the same words.
    openings: HashMap<String, u32>,
    files: [Vec<(&'static str, Vec<&'static str>)>; 2],
}

impl Reading {
    pub(super) fn read(locale: Locale, category: &str, common: &'static str, own: &'static str) -> Bank {
        let bank = Bank {
            locale,
            texts: Vec::new(),
            variables: Vec::new(),
            lines: Vec::new(),
            slots: Vec::new(),
            alternatives: Vec::new(),
            pieces: Vec::new(),
            subjects: Vec::new(),
            stories: Default::default(),
            recommendations: Default::default(),
            remarks: Default::default(),
            short: Default::default(),
            title: Default::default(),
            reply: Default::default(),
            follow: Default::default(),
            sign: Default::default(),
            lead: Vec::new(),
            questions: Vec::new(),
            join: 0,
            folded: OnceLock::new(),
        };
        let files = [lists::sections(common), lists::sections(own)];
        let (texts, variables, openings) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut reading = Self { bank, texts, variables, openings, files };
        reading.bank.join = reading.text(if locale == Locale::Ja { "" } else { " " });
        reading.read_variables();
        reading.read_sections(category);
        reading.bank
    }

    /// The entries of a section in the common file and in the trade's.
    fn entries(&self, name: &str) -> [Vec<&'static str>; 2] {
        self.files.each_ref().map(|file| {
            let found = file.iter().filter(|(known, _)| *known == name);
            found.flat_map(|(_, entries)| entries.iter().copied()).collect()
        })
    }

    fn all(&self, name: &str) -> Vec<&'static str> {
        self.entries(name).concat()
    }

    /// Those of the trade's file, or if there are none, of the common one.
    fn nearest(&self, name: &str) -> Vec<&'static str> {
        let [common, own] = self.entries(name);
        if own.is_empty() { common } else { own }
    }

    fn text(&mut self, text: &'static str) -> u32 {
        let next = length(&self.bank.texts);
        *self.texts.entry(text).or_insert_with(|| {
            self.bank.texts.push(text);
            next
        })
    }

    fn read_variables(&mut self) {
        let names: BTreeSet<&str> =
            self.files.iter().flatten().filter_map(|(name, _)| name.strip_prefix("var ")).collect();
        for name in names {
            let values = self.nearest(&format!("var {name}"));
            let values = values.into_iter().map(|value| self.text(value)).collect();
            self.variables.insert(name, length(&self.bank.variables));
            self.bank.variables.push(values);
        }
    }

    fn read_sections(&mut self, category: &str) {
        let (two, all) = (LOCATION_GROUPS * 2, LOCATION_GROUPS * KINDS);
        let stars = ["1", "2", "3", "4", "5"];
        let moods = ["good", "mixed", "bad"];
        // Sections whose sentences meet in a text have different sizes, since otherwise the same ones would always meet.
        let subjects = subjects(category);
        let of_subjects = [LEAST + 4, LEAST + 6, LEAST + 8, LEAST + 10].into_iter().cycle();
        self.bank.stories = stars.map(|stars| {
            let least = if stars == "5" { STORIES_OF_FIVE_STARS } else { STORIES };
            self.stories(&format!("story {stars}"), least)
        });
        self.bank.recommendations =
            ["no", "yes"].map(|verdict| self.stories(&format!("story {verdict}"), STORIES));
        self.bank.short =
            stars.map(|stars| self.section(&format!("short {stars}"), LEAST, two, true, Begins::Always));
        self.bank.title =
            stars.map(|stars| self.section(&format!("title {stars}"), LEAST + 2, two, true, Begins::Never));
        self.bank.reply =
            moods.map(|mood| self.section(&format!("reply {mood}"), LEAST, all * 2, true, Begins::Never));
        self.bank.follow = moods
            .map(|mood| self.section(&format!("follow {mood}"), LEAST + 2, all * 2, true, Begins::Never));
        self.bank.sign =
            moods.map(|mood| self.section(&format!("sign {mood}"), LEAST + 6, all * 2, true, Begins::Never));
        let nouns: HashMap<&str, &str> =
            self.all("subjects").into_iter().filter_map(|entry| entry.split_once(" = ")).collect();
        self.bank.subjects = subjects
            .into_iter()
            .zip(of_subjects)
            .map(|(subject, size)| Subject {
                praise: self.section(&format!("{subject} good"), size, all, false, Begins::Sometimes),
                blame: self.section(&format!("{subject} bad"), size, all, false, Begins::Sometimes),
                noun: self.text(nouns.get(subject).copied().unwrap_or_default()),
            })
            .collect();
        self.bank.remarks = [false, true].map(|praises| self.remarks(praises));
        let [blame, praise] = &mut self.bank.remarks;
        for ((blame, praise), kind) in blame.iter_mut().zip(praise).zip(0..) {
            if kind == KIND_OF_THREE_STARS {
                blame[1].limit(praise[0].limit(1));
            } else {
                for [first, second] in [blame, praise] {
                    second.limit(first.limit(1));
                }
            }
        }
        self.bank.lead = self.nearest("lead");
        let question = |line: &'static str| {
            let mut parts = line.split(" => ");
            (parts.next().unwrap_or_default(), parts.collect())
        };
        self.bank.questions = self.nearest("questions").into_iter().map(question).collect();
    }

    /// Reads stories. After the line of each comes that of the owner's response. A group of locations takes every eighth, and has
    /// none at the other places of the cycle, which has at least so many.
    fn stories(&mut self, name: &str, least: u32) -> Section {
        let mut sentences = Vec::new();
        for entry in self.nearest(name) {
            let (text, response) = entry.split_once(" => ").unwrap_or((entry, ""));
            let story = Sentence { line: length(&self.bank.lines), choice: 0 };
            self.line(text);
            self.line(response);
            // Most alternatives of its first words are among its first versions.
            let versions = 0..self.bank.choices(story.line).min(MOST_OF_LINE);
            let openings: BTreeSet<String> =
                versions.map(|choice| self.bank.opening(Sentence { choice, ..story }).0).collect();
            for opening in openings {
                *self.openings.entry(opening).or_default() += 1;
            }
            sentences.push(story);
        }
        // The long ones are dealt first, so that each group has as many.
        sentences.sort_by_key(|story| !self.bank.is_long(*story));
        // The size of a cycle is odd.
        let size = (length(&sentences) / LOCATION_GROUPS).max(least).div_ceil(2) * 2 - 1;
        Section { sentences, groups: LOCATION_GROUPS, shift: 0, cycle: Cycle::new(size) }
    }

    /// Deals the lines on all subjects, of praise or of blame, to the kinds of reviews, and there to the first sentence and the second,
    /// by their subjects, so that a review speaks of two. The kind that has the fewest for its share takes the next. Of parking none
    /// speak: whether one can park is a fact, which some would praise and some blame.
    fn remarks(&self, praises: bool) -> [[Remarks; 2]; KINDS as usize] {
        let mut lines = Vec::new();
        for (subject, Subject { praise, blame, .. }) in self.bank.subjects.iter().enumerate() {
            let mut sentences: BTreeMap<u32, Vec<Sentence>> = BTreeMap::new();
            for sentence in &if praises { praise } else { blame }.sentences {
                sentences.entry(sentence.line).or_default().push(*sentence);
            }
            let is_told = COMMON_SUBJECTS.get(subject) != Some(&"parking");
            let has_enough = |sentences: &Vec<Sentence>| is_told && length(sentences) >= Remarks::DEALT;
            lines.extend(sentences.into_values().filter(has_enough).map(|sentences| (subject, sentences)));
        }
        // Rooms are parts of the place, and quotes of the price and the bill: those of three stars would praise the one and blame the other.
        let is_trade = self.bank.subjects.len() > COMMON_SUBJECTS.len();
        let has_parts = |subject: usize| {
            is_trade && matches!(COMMON_SUBJECTS.get(subject), Some(&("place" | "price" | "billing")))
        };
        let mut dealt: [[Remarks; 2]; KINDS as usize] = Default::default();
        for (subject, sentences) in shuffled(&lines) {
            let openings = || sentences.iter().map(|sentence| self.bank.opening(*sentence).0);
            let begins_alike = openings().zip(openings().skip(1)).all(|(one, next)| one == next);
            let is_even = subject % 2 == 0;
            let place = |kind: u32| usize::from(is_even != kind.is_multiple_of(2));
            let can_take = |kind: &u32| {
                let is_other_of_three =
                    *kind == KIND_OF_THREE_STARS && (praises != is_even || has_parts(*subject));
                // A line that always begins alike is never the first sentence.
                !(is_other_of_three || place(*kind) == 0 && begins_alike)
            };
            let filled =
                |kind: &u32| dealt[*kind as usize][place(*kind)].lines.len() * 12 / SHARES[*kind as usize];
            let Some(kind) = (0..KINDS).filter(can_take).min_by_key(filled) else { continue };
            dealt[kind as usize][place(kind)].lines.push((*subject, sentences.clone()));
        }
        dealt
    }

    /// Reads a section of both files. Its sentences are dealt into up to so many groups of a size, which is odd. Of those
    /// that begin alike only a few are kept where they begin reviews.
    fn section(&mut self, name: &str, size: u32, groups: u32, adds: bool, begins: Begins) -> Section {
        let first = length(&self.bank.lines);
        // A trade may speak of a common subject in its own words; to the other sections it adds.
        let entries = if adds { self.all(name) } else { self.nearest(name) };
        for entry in &entries {
            self.line(entry);
        }
        let lines: Vec<(u32, u32)> =
            (first..).take(entries.len()).map(|line| (line, self.bank.choices(line))).collect();
        // A line's sentences are taken in steps of about the golden section, so that each differs much from the one before.
        let step =
            |choices: u32| (choices * 8 / 13..=choices).find(|step| is_coprime(*step, choices)).unwrap_or(1);
        let (mut sentences, mut begun) = (Vec::new(), HashSet::new());
        let is_short = name.starts_with("short");
        for round in 0..MOST_OF_LINE {
            for (line, choices) in lines.iter().filter(|(_, choices)| round < *choices) {
                let sentence = Sentence { line: *line, choice: round * step(*choices) % choices };
                let is_kept = match begins {
                    Begins::Never => true,
                    Begins::Always => {
                        let (opening, is_long) = self.bank.opening(sentence);
                        let times = self.openings.entry(opening).or_default();
                        // A whole review of some words may differ from another one by its punctuation alone.
                        let most = if is_short && is_long { 1 } else { SAME_OPENING };
                        let is_kept = *times < most;
                        *times += u32::from(is_kept);
                        is_kept
                    }
                    Begins::Sometimes => {
                        let place = (*line, self.bank.opening(sentence).0);
                        begun.contains(&place) || {
                            let times = self.openings.entry(place.1.clone()).or_default();
                            let is_kept = *times < LINES_OF_OPENING;
                            if is_kept {
                                *times += 1;
                                begun.insert(place);
                            }
                            is_kept
                        }
                    }
                };
                if is_kept {
                    sentences.push(sentence);
                }
            }
        }
        let all = length(&sentences);
        let size = if is_short { (all / groups).clamp(SHORT, size).div_ceil(2) * 2 - 1 } else { size };
        let groups = groups.min(all / size).max(1);
        let shift = (0..groups).find(|shift| is_coprime(groups + shift, length(&lines))).unwrap_or_default();
        // A short list has one smaller group.
        let size = size.min(if all.is_multiple_of(2) { all.saturating_sub(1) } else { all });
        Section { sentences, groups, shift, cycle: Cycle::new(size) }
    }

    /// Reads a line: text, `[alternative|alternative]` and `{filler}`.
    fn line(&mut self, line: &'static str) {
        let slots = length(&self.bank.slots);
        let mut rest = line;
        while !rest.is_empty() {
            let (alternatives, after) = match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
                Some(group) => group,
                None => rest.split_at(rest.find('[').unwrap_or(rest.len())),
            };
            let first = length(&self.bank.alternatives);
            for alternative in alternatives.split('|') {
                self.alternative(alternative);
            }
            self.bank.slots.push(first..length(&self.bank.alternatives));
            rest = after;
        }
        self.bank.lines.push(slots..length(&self.bank.slots));
    }

    fn alternative(&mut self, text: &'static str) {
        let first = length(&self.bank.pieces);
        let mut rest = text;
        while !rest.is_empty() {
            let filler = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let (piece, after) = if let Some((name, after)) = filler {
                (self.filler(name), after)
            } else {
                let (text, after) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
                (Piece::Text(self.text(text)), after)
            };
            self.bank.pieces.push(piece);
            rest = after;
        }
        self.bank.alternatives.push(first..length(&self.bank.pieces));
    }

    fn filler(&mut self, name: &'static str) -> Piece {
        match name {
            "staff" => Piece::Staff,
            "place" => Piece::Place,
            "city" => Piece::City,
            "reviewer" => Piece::Reviewer,
            "subject" => Piece::Subject,
            "she" => Piece::Writer(Sex::Woman),
            "he" => Piece::Writer(Sex::Man),
            // A test holds that every variable of a bank is known.
            _ => self.variables.get(name).map_or(Piece::Place, |variable| Piece::Variable(*variable)),
        }
    }
}

/// The entries of a list in an order that tells nothing.
fn shuffled<T>(list: &[T]) -> impl Iterator<Item = &T> {
    let (draw, count) = (Draw::new(Seed(0), "remarks"), list.len() as u64);
    (0..count).filter_map(move |at| list.get(usize::try_from(draw.permuted(at, count)).ok()?))
}

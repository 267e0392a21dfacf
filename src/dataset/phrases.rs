//! Phrase banks: the sentences from which the words of generated reviews, responses and questions are put together. In
//! `seed-data/phrases/` there is a file for each language (`common.txt`) and for trades in it, which add to the common one.
//! A bank is read when it is first used. The format is described in `docs/phrases.md`.

mod reading;

use std::ops::Range;
use std::sync::OnceLock;

use crate::api::fold::fold;
use crate::dataset::people::Sex;
use crate::dataset::phrases::reading::Reading;
use crate::dataset::places::{Cycle, Point};
use crate::dataset::records::{Locale, NEUTRAL};
use crate::draw::Draw;

/// A part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Index among the bank's texts.
    Text(u32),
    /// A text that one review uses throughout: index among the bank's variables.
    Variable(u32),
    /// First name of somebody who works at the location.
    Staff,
    /// Name of the location.
    Place,
    /// City of the location.
    City,
    /// First name of the reviewer.
    Reviewer,
    /// Nothing: here a story tells the sex of its writer.
    Writer(Sex),
    /// What the review speaks of first.
    Subject,
}

/// A sentence: a line of the file, and a choice of its alternatives as a number in mixed radix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    line: u32,
    choice: u32,
}

/// The sentences of one purpose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    sentences: Vec<Sentence>,
    /// Into how many groups the sentences are dealt, so that what must not be alike takes from different ones.
    groups: u32,
    /// By so many groups the next place is further, so that a group takes from all lines, one after the other.
    shift: u32,
    cycle: Cycle,
}

impl Section {
    /// Whether a record is the first of its like for which the section has the sentence that it has for it.
    pub(crate) fn is_first(&self, point: Point, number: u32) -> bool {
        self.cycle.is_first(point, number)
    }

    /// The sentence of a record by its point in time and the group of its like; none if the section is empty.
    pub(crate) fn at(&self, point: Point, group: u32) -> Option<Sentence> {
        // An empty list has one place, and nothing there.
        let place = self.cycle.place(point);
        let at = place * self.groups + (group + place * self.shift) % self.groups.max(1);
        self.sentences.get(at as usize).copied()
    }
}

/// The lines on subjects that the reviews of one kind use at one place, whatever the subject. All have their turn before one comes
/// again, in another of its sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remarks {
    /// The subject of each line, and its sentences, dealt to the groups of locations and there to the turns.
    lines: Vec<(usize, Vec<Sentence>)>,
    cycle: Cycle,
}

impl Remarks {
    /// In so many turns of a line its sentences are others.
    const TURNS: u32 = 3;
    /// The sentences that a line has at least: one for each turn at each group of locations.
    const DEALT: u32 = Self::TURNS * LOCATION_GROUPS;

    /// The subject and the sentence of a record, by its point in time and the group of its location. The draw chooses among the
    /// sentences that the line has there.
    pub(crate) fn at(&self, point: Point, group: u32, draw: &mut Draw) -> Option<(usize, Sentence)> {
        let place = self.cycle.place(point);
        let lines = self.cycle.size() / Self::TURNS;
        let (subject, sentences) = self.lines.get(place.checked_rem(lines)? as usize)?;
        let dealt = place / lines * LOCATION_GROUPS + group;
        let mut all = sentences.chunks_exact(Self::DEALT as usize);
        let more = usize::try_from(draw.below(all.len() as u64)).ok()?;
        Some((*subject, *all.nth(more)?.get(dealt as usize)?))
    }

    /// Lets it use the most of its lines whose number is odd and coprime to that of the list it meets, since otherwise the same lines
    /// would always meet. Returns the number.
    fn limit(&mut self, met: u32) -> u32 {
        let fits = |lines: &u32| lines % 2 == 1 && is_coprime(*lines, met);
        let lines = (1..=length(&self.lines)).rev().find(fits).unwrap_or_default();
        self.cycle = Cycle::new(lines * Self::TURNS);
        lines
    }
}

/// What a review can speak of.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// Praise and blame in a block that is about it.
    pub(crate) praise: Section,
    pub(crate) blame: Section,
    /// Its name in an owner's response.
    pub(crate) noun: u32,
}

/// The sentences of one language and category.
#[derive(Debug)]
pub(crate) struct Bank {
    pub(crate) locale: Locale,
    /// Each different text once.
    pub(crate) texts: Vec<&'static str>,
    /// The values of each variable, as indexes into the texts.
    pub(crate) variables: Vec<Vec<u32>>,
    /// Lines are ranges of slots, slots of alternatives, and those of pieces.
    lines: Vec<Range<u32>>,
    slots: Vec<Range<u32>>,
    alternatives: Vec<Range<u32>>,
    pieces: Vec<Piece>,
    /// The subjects of its category in the order of [`subjects`](crate::dataset::subjects::subjects).
    pub(crate) subjects: Vec<Subject>,
    /// Whole reviews with the owner's response to each, by stars 1-5. Not every bank has them.
    pub(crate) stories: [Section; 5],
    /// The same of those who advise against, and of those who recommend.
    pub(crate) recommendations: [Section; 2],
    /// What blames and what praises, by the kind of a review, for its first sentence and for its second. Those of three stars blame with
    /// the first or the second and praise with the other, and have one list of each.
    pub(crate) remarks: [[[Remarks; 2]; KINDS as usize]; 2],
    /// Whole reviews of at most six words, by stars 1-5.
    pub(crate) short: [Section; 5],
    /// Titles, by stars 1-5.
    pub(crate) title: [Section; 5],
    /// First, second and last sentences of the owner's response, by mood.
    pub(crate) reply: [Section; 3],
    pub(crate) follow: [Section; 3],
    pub(crate) sign: [Section; 3],
    /// Introductions to a question.
    pub(crate) lead: Vec<&'static str>,
    /// Questions, each with the answers of other customers.
    pub(crate) questions: Vec<(&'static str, Vec<&'static str>)>,
    /// What stands between two sentences.
    pub(crate) join: u32,
    folded: OnceLock<Vec<String>>,
}

/// The mood of stars: an index into `reply`, `follow` and `sign`.
pub(crate) const fn mood(stars: u8) -> usize {
    match stars {
        4.. => 0,
        3 => 1,
        _ => 2,
    }
}

macro_rules! banks {
    ($($locale:ident $folder:literal: $($category:literal)*;)*) => {
        /// The bank of a language and category, else the neutral bank of that language.
        pub(crate) fn bank(locale: Locale, category: &str) -> &'static Bank {
            match locale {
                $(Locale::$locale => {
                    const COMMON: &str = include_str!(concat!("../../seed-data/phrases/", $folder, "/common.txt"));
                    match category {
                        $($category => {
                            static BANK: OnceLock<Bank> = OnceLock::new();
                            const OWN: &str =
                                include_str!(concat!("../../seed-data/phrases/", $folder, "/", $category, ".txt"));
                            BANK.get_or_init(|| Reading::read(locale, category, COMMON, OWN))
                        })*
                        _ => {
                            static BANK: OnceLock<Bank> = OnceLock::new();
                            BANK.get_or_init(|| Reading::read(locale, NEUTRAL, COMMON, ""))
                        }
                    }
                })*
            }
        }

        /// Whether a category has a bank of its own in a language. The neutral one has one in every language.
        pub(crate) fn has_bank(locale: Locale, category: &str) -> bool {
            let own: &[&str] = match locale {
                $(Locale::$locale => &[$($category),*],)*
            };
            category == NEUTRAL || own.contains(&category)
        }
    };
}

banks! {
    En "en": "dentist" "veterinarian" "hotel" "restaurant" "automotive" "retail" "health" "home-services";
    Fr "fr": "hotel";
    De "de": "hotel";
    Es "es": "dentist" "restaurant";
    EsMx "es-MX": "dentist" "restaurant";
    Pt "pt":;
    Ja "ja":;
    Ar "ar":;
}

/// Into how many groups the locations of an account are dealt.
pub(crate) const LOCATION_GROUPS: u32 = 8;
/// How many kinds of reviews praise, and how many blame: by stars, and recommendations. Each takes sentences of its own.
pub(crate) const KINDS: u32 = 4;

/// The kind of reviews of three stars, which both praise and blame.
pub(crate) const KIND_OF_THREE_STARS: u32 = 2;

fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

impl Bank {
    /// The pieces of a sentence.
    pub(crate) fn pieces(&self, sentence: Sentence) -> impl Iterator<Item = Piece> {
        let mut choice = sentence.choice;
        let line = self.lines.get(sentence.line as usize).cloned().unwrap_or_default();
        slice(&self.slots, line).iter().flat_map(move |slot| {
            let alternatives = slice(&self.alternatives, slot.clone());
            let count = length(alternatives).max(1);
            let chosen = alternatives.get((choice % count) as usize).cloned().unwrap_or_default();
            choice /= count;
            slice(&self.pieces, chosen).iter().copied()
        })
    }

    /// A story and the owner's response to it, with the first alternatives of both.
    pub(crate) const fn as_written(story: Sentence) -> [Sentence; 2] {
        [Sentence { choice: 0, ..story }, Sentence { line: story.line + 1, choice: 0 }]
    }

    /// A version of a story that is drawn, and of the owner's response to it.
    pub(crate) fn version(&self, story: Sentence, draw: &mut Draw) -> [Sentence; 2] {
        [story.line, story.line + 1].map(|line| {
            let choice = draw.below(self.choices(line).into());
            Sentence { line, choice: u32::try_from(choice).unwrap_or_default() }
        })
    }

    /// The sex of the writer, if a story tells it.
    pub(crate) fn writer(&self, story: Sentence) -> Option<Sex> {
        self.pieces(story).find_map(|piece| if let Piece::Writer(sex) = piece { Some(sex) } else { None })
    }

    /// Whether a story is a long review as its writer wrote it.
    fn is_long(&self, story: Sentence) -> bool {
        let [story, _] = Self::as_written(story);
        let letters = self
            .pieces(story)
            .map(|piece| if let Piece::Text(text) = piece { self.text(text).chars().count() } else { 0 });
        // In Japanese half as many letters say as much.
        let long = if self.locale == Locale::Ja { 250 } else { 500 };
        letters.sum::<usize>() > long
    }

    /// How many sentences a line gives.
    fn choices(&self, line: u32) -> u32 {
        let line = self.lines.get(line as usize).cloned().unwrap_or_default();
        slice(&self.slots, line)
            .iter()
            .fold(1, |all: u32, slot| all.saturating_mul(slot.end - slot.start).min(1 << 24))
    }

    /// The first three words of a sentence, or in Japanese its first six letters, without case; and whether there are more.
    fn opening(&self, sentence: Sentence) -> (String, bool) {
        let mut text = String::new();
        for piece in self.pieces(sentence) {
            text.push_str(match piece {
                Piece::Text(text) => self.text(text),
                Piece::Variable(variable) => {
                    let values = self.variables.get(variable as usize);
                    values.and_then(|values| values.first()).map_or("", |value| self.text(*value))
                }
                Piece::Staff | Piece::Place | Piece::City | Piece::Reviewer | Piece::Subject => "x",
                Piece::Writer(_) => "",
            });
            if text.split_whitespace().count() > 3 {
                break;
            }
        }
        let letters = text.to_lowercase();
        if self.locale == Locale::Ja {
            let count = letters.chars().count();
            return (letters.chars().filter(|letter| letter.is_alphanumeric()).take(6).collect(), count > 6);
        }
        let word = |word: &str| word.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
        let words = letters.split_whitespace();
        (words.clone().map(word).take(3).collect::<Vec<_>>().join(" "), words.count() > 3)
    }

    pub(crate) fn text(&self, at: u32) -> &'static str {
        self.texts.get(at as usize).copied().unwrap_or_default()
    }

    /// All texts, folded for comparison without case.
    pub(crate) fn folded(&self) -> &[String] {
        self.folded.get_or_init(|| self.texts.iter().map(|text| fold(text)).collect())
    }
}

const fn is_coprime(left: u32, right: u32) -> bool {
    let (mut left, mut right) = (left, right);
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left == 1
}

fn slice<T>(list: &[T], range: Range<u32>) -> &[T] {
    list.get(range.start as usize..range.end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::dataset::phrases::reading::SHORT;
    use crate::dataset::records::CATEGORIES;
    use crate::dataset::subjects::subjects;

    #[test]
    fn every_bank_has_every_section_and_sentences_enough_for_a_page() {
        let locales = || Locale::ALL.into_iter().chain([Locale::EsMx]);
        let banks = locales().flat_map(|locale| CATEGORIES.map(|category| (locale, category)));
        for (locale, category) in banks.filter(|(locale, category)| has_bank(*locale, category)) {
            let bank = bank(locale, category);
            assert_eq!(bank.subjects.len(), subjects(category).len());
            let check = |name: &str, section: &Section, least: u32| {
                let Section { sentences, groups, cycle, .. } = section;
                let (count, size) = (length(sentences), cycle.size());
                assert!(
                    count >= least && size >= SHORT,
                    "{locale:?} {category} {name}: {count} {groups} {size}"
                );
            };
            for (name, subject) in subjects(category).iter().zip(&bank.subjects) {
                check(&format!("{name} good"), &subject.praise, 1_500);
                check(&format!("{name} bad"), &subject.blame, 1_500);
                assert!(!bank.text(subject.noun).is_empty(), "{locale:?} {category} {name}");
            }
            for remarks in bank.remarks.iter().flatten().flatten() {
                let size = remarks.cycle.size();
                assert!(remarks.lines.is_empty() || size >= 33, "{locale:?} {category} remarks: {size}");
            }
            for stars in 0..5 {
                check("short", &bank.short[stars], 100);
                check("title", &bank.title[stars], 51);
            }
            for mood in 0..3 {
                check("reply", &bank.reply[mood], 600);
                check("follow", &bank.follow[mood], 150);
                check("sign", &bank.sign[mood], 150);
            }
            assert!(bank.variables.iter().all(|values| !values.is_empty()));
            assert!(bank.questions.len() >= 30 && bank.lead.len() >= 6);
            assert!(bank.questions.iter().all(|(_, answers)| answers.len() == 2));
        }
    }

    #[test]
    fn no_sentence_and_no_response_stands_in_two_stories_of_a_bank() {
        let locales = || Locale::ALL.into_iter().chain([Locale::EsMx]);
        let banks = locales().flat_map(|locale| CATEGORIES.map(|category| (locale, category)));
        for (locale, category) in banks.filter(|(locale, category)| has_bank(*locale, category)) {
            let bank = bank(locale, category);
            let mut seen: HashMap<String, u32> = HashMap::new();
            let mut responses: HashMap<String, u32> = HashMap::new();
            let sections = bank.stories.iter().chain(&bank.recommendations);
            for story in sections.flat_map(|stories| &stories.sentences) {
                assert_ne!(bank.choices(story.line + 1), 0, "{category}: a story without a response");
                // The nth alternative of every slot at once.
                for choice in 0..4 {
                    let response = bank.written(story.line + 1, choice).to_lowercase();
                    let other = responses.insert(response.clone(), story.line).unwrap_or(story.line);
                    assert_eq!(other, story.line, "{category}: {response}");
                    let text = bank.written(story.line, choice);
                    for sentence in text.split(['.', '!', '?']).map(|sentence| sentence.trim().to_lowercase())
                    {
                        let is_long = sentence.split_whitespace().count() > 3;
                        let other = seen.insert(sentence.clone(), story.line).unwrap_or(story.line);
                        assert!(!is_long || other == story.line, "{category}: {sentence}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_version_of_a_story_tells_that_its_writer_is_a_woman_and_a_man() {
        for (locale, category) in Locale::ALL
            .into_iter()
            .chain([Locale::EsMx])
            .flat_map(|locale| CATEGORIES.map(|category| (locale, category)))
        {
            let bank = bank(locale, category);
            for story in
                bank.stories.iter().chain(&bank.recommendations).flat_map(|stories| &stories.sentences)
            {
                let slots = slice(&bank.slots, bank.lines[story.line as usize].clone());
                // What each place may tell, one or the other.
                let told = |slot: &Range<u32>| {
                    slice(&bank.alternatives, slot.clone())
                        .iter()
                        .flat_map(|alternative| slice(&bank.pieces, alternative.clone()))
                        .fold([false; 2], |[she, he], piece| {
                            [
                                she || *piece == Piece::Writer(Sex::Woman),
                                he || *piece == Piece::Writer(Sex::Man),
                            ]
                        })
                };
                let told: Vec<[bool; 2]> = slots.iter().map(told).collect();
                for (place, [she, _]) in told.iter().enumerate() {
                    let other = told.iter().enumerate().any(|(at, [_, he])| at != place && *he);
                    assert!(!(*she && other), "{locale:?} {category}: {}", bank.written(story.line, 0));
                }
            }
        }
    }

    impl Bank {
        /// A line with the alternative at that index in every slot, or its last one.
        fn written(&self, line: u32, at: usize) -> String {
            let slots = slice(&self.slots, self.lines[line as usize].clone()).iter();
            let chosen = slots.flat_map(|slot| {
                let alternatives = slice(&self.alternatives, slot.clone());
                slice(&self.pieces, alternatives[at.min(alternatives.len() - 1)].clone())
            });
            let text = |piece: &Piece| if let Piece::Text(text) = piece { self.text(*text) } else { "Robin" };
            chosen.map(text).collect()
        }
    }

    #[test]
    fn a_category_without_a_bank_in_a_language_takes_the_neutral_one() {
        assert!(std::ptr::eq(bank(Locale::Fr, "dentist"), bank(Locale::Fr, NEUTRAL)));
        assert!(!std::ptr::eq(bank(Locale::En, "dentist"), bank(Locale::En, NEUTRAL)));
    }
}

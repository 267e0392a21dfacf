//! The words of a generated review: its form, what it speaks of, its sentences, and the owner's response. They are chosen
//! from the review's record and point in time alone, and put together when they are written.

use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::generated::{Facts, Length, Record};
use crate::dataset::phrases::{Bank, KINDS, LOCATION_GROUPS, Piece, Section, Sentence, mood};
use crate::dataset::places::Point;
use crate::dataset::records::{Contact, Locale, Location};
use crate::dataset::subjects::COMMON_SUBJECTS;
use crate::dataset::typing::{FULL_STOPS, Pen, Typing};
use crate::dataset::{nasty, people};
use crate::draw::{Draw, Seed};

/// What the words of a review depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    pub(crate) bank: &'static Bank,
    /// What it is mainly about: a bit for each index among the category's subjects.
    pub(crate) about: u32,
    /// Share of the reviews like it whose author lives where the location is.
    pub(crate) locals: u32,
    /// Share of the reviews like it that carry hostile values.
    pub(crate) nasty: u32,
    pub(crate) location: &'a Location,
    pub(crate) facts: Facts,
    pub(crate) record: Record,
    /// The draws for its author.
    pub(crate) author: Draw,
    /// The contact who wrote it, instead of a person that is drawn.
    pub(crate) contact: Option<&'a Contact>,
    pub(crate) point: Point,
    /// Its number among the block's reviews of its kind, from which the point follows.
    pub(crate) number: u32,
    /// Index of the block among the location's entries.
    pub(crate) entry: u32,
    pub(crate) source: &'a Source,
}

/// The parts of a review that are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordsOf {
    Comments,
    Title,
    Response,
}

/// A part of a text while it is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Index among the bank's texts.
    Known(u32),
    Other(&'a str),
}

/// Bytes of a usual text, for which room is reserved.
const TYPICAL_LENGTH: usize = 256;

/// The most subjects of a review.
const MOST_SUBJECTS: usize = 8;

/// The form of a review's comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Stars alone.
    Silent,
    /// A few words.
    Short,
    /// A whole review from the bank, and the owner's response to it.
    Story([Sentence; 2]),
    /// Whole sentences: with or without a first one, on so many subjects, with or without a last one.
    Sentences { open: bool, subjects: usize, close: bool },
    /// A hostile text.
    Nasty,
}

/// What is chosen for a review before its sentences.
#[derive(Clone, Copy, Debug)]
struct Outline {
    form: Form,
    /// Indexes among the bank's subjects.
    subjects: [usize; MOST_SUBJECTS],
    /// After how many sentences a new paragraph begins.
    paragraph: Option<usize>,
}

/// Percent of the reviews with words that have a title, on sources with titles.
const TITLED: u64 = 25;
/// How many people who work at a location are named in its reviews.
const COLLEAGUES: u64 = 14;

const FORM: u64 = 1;
const SUBJECTS: u64 = 2;
const TYPING: u64 = 3;
const RESPONSE: u64 = 4;
const STAFF: u64 = 5;
const NASTY: u64 = 6;
const STORY: u64 = 7;
const VARIABLES: u64 = 100;

/// Forms of reviews of whole sentences, with their weights: a first sentence, the number of subjects, percent with a last sentence.
const FORMS: [(u64, bool, usize, u64); 9] = [
    (18, false, 1, 0),
    (6, true, 0, 12),
    (24, true, 1, 14),
    (12, false, 2, 8),
    (17, true, 2, 22),
    (8, true, 3, 35),
    (5, true, 4, 45),
    (2, true, 6, 60),
    (8, true, 8, 65),
];

/// The same in a bank with stories for a quarter of the reviews of five stars: one sentence or two, as sentences that are put together
/// tell no story. The last is for banks with few long stories.
const FORMS_BESIDE_STORIES: [(u64, bool, usize, u64); 3] =
    [(12, false, 1, 0), (88, false, 2, 0), (6, true, 8, 65)];

impl Words<'_> {
    /// What some add at the end, pleased or not.
    pub(crate) const EMOJI: [&'static str; 13] =
        [" 👍", " 😊", " ❤️", " 🙏", " 👏", " 😍", " 💯", " 🙂", " 😡", " 👎", " 😤", " 🙄", " 😞"];

    fn draw(&self, key: u64) -> Draw {
        self.record.words().with(key)
    }

    fn outline(&self) -> Outline {
        let mut draw = self.draw(FORM);
        let mut outline = Outline { form: Form::Silent, subjects: [0; MOST_SUBJECTS], paragraph: None };
        if self.is_nasty() {
            outline.form = Form::Nasty;
        } else if self.facts.length == Length::Silent {
        } else if self.facts.length == Length::Short {
            outline.form = Form::Short;
        } else if let Some(story) = self.story() {
            outline.form = Form::Story(story);
        } else {
            let [.., of_five_stars] = &self.bank.stories;
            let forms = if !of_five_stars.fills_a_quarter() {
                &FORMS[..]
            } else if self.source.alias == DIRECT_FEEDBACK {
                &FORMS_BESIDE_STORIES[..1]
            } else if self.bank.tells_long {
                &FORMS_BESIDE_STORIES[..2]
            } else {
                &FORMS_BESIDE_STORIES[..]
            };
            let all = forms.iter().map(|(weight, ..)| weight).sum();
            let mut left = draw.below(all);
            let fits = |form: &&(u64, bool, usize, u64)| {
                let fits = left < form.0;
                left = left.saturating_sub(form.0);
                fits
            };
            let (_, open, most, closes) = forms.iter().find(fits).copied().unwrap_or(FORMS[2]);
            let subjects = self.choose_subjects(most, &mut outline.subjects);
            let close = draw.below(100) < closes;
            outline.form = Form::Sentences { open, subjects, close };
            outline.paragraph = (subjects > 3 && draw.below(5) < 2).then(|| 2 + subjects / 4);
        }
        outline
    }

    /// Whether it tells a story.
    fn is_told(&self) -> bool {
        !matches!(self.facts.length, Length::Silent | Length::Short) && self.story_at_place().is_some()
    }

    /// The story it tells, if one is at its place: as it was written where it is told for the first time, else in a version.
    fn story(&self) -> Option<[Sentence; 2]> {
        let (stories, story) = self.story_at_place()?;
        // The locations of every other sixteen numbers tell it in versions of their own, so that few tell the same words.
        let tells_as_written = (self.location.number.saturating_sub(1) / 16).is_multiple_of(2);
        if tells_as_written && stories.is_first(self.point, self.number) {
            return Some(Bank::as_written(story));
        }
        Some(self.bank.version(story, &mut self.draw(STORY)))
    }

    /// Where its block is about something, it speaks of that and tells none; feedback that only the owner reads tells none either,
    /// since stories are told to other customers. Those who recommend or advise against have stories of
    /// their own, since they are numbered apart from those with the same stars.
    fn story_at_place(&self) -> Option<(&'static Section, Sentence)> {
        if self.about != 0 || self.source.alias == DIRECT_FEEDBACK {
            return None;
        }
        let stories = if self.source.recommendation {
            self.bank.recommendations.get(usize::from(self.facts.stars > 3))
        } else {
            self.bank.stories.get(usize::from(self.facts.stars).checked_sub(1)?)
        }?;
        Some((stories, stories.at(self.point, self.group((0, 1)))?))
    }

    /// Chooses up to so many different subjects, and returns how many there are.
    fn choose_subjects(&self, most: usize, chosen: &mut [usize; MOST_SUBJECTS]) -> usize {
        let count = self.bank.subjects.len().min(32);
        let mut draw = self.draw(SUBJECTS);
        let wanted = (0..count).fold(0, |bits, bit| bits | self.about & 1 << bit);
        let mut taken = 0_u32;
        let most = most.min(count).min(MOST_SUBJECTS);
        // Whether one can park there is a fact: of a location some may praise it, or others blame it.
        let parks_well = Draw::new(Seed(self.location.number), "parking").chance(500_000);
        let may_park = self.facts.stars != 3 && (self.facts.stars > 3) == parks_well;
        for (place, subject) in chosen.iter_mut().take(most).enumerate() {
            let weight = |subject: usize| match 1_u32 << subject {
                bit if taken & bit != 0 => 0,
                bit if wanted & bit != 0 => 40,
                _ if COMMON_SUBJECTS.get(subject) == Some(&"parking") && !may_park => 0,
                // What the block is about comes first.
                _ if wanted != 0 && taken == 0 => 0,
                _ if subject < COMMON_SUBJECTS.len() => 2,
                _ => 4,
            };
            let all = (0..count).map(weight).sum();
            if all == 0 {
                return place;
            }
            let mut left = draw.below(all);
            let found = (0..count).find(|subject| {
                let weight = weight(*subject);
                let found = left < weight;
                left = left.saturating_sub(weight);
                found
            });
            *subject = found.unwrap_or_default();
            taken |= 1 << *subject;
        }
        most
    }

    fn typing(&self) -> Typing {
        // A story is as its writer typed it.
        if self.is_nasty() || self.is_told() {
            return Typing::default();
        }
        let mut draw = self.draw(TYPING);
        let [lower, end, smile, slip] = [100, 100, 100, 100].map(|bound| draw.below(bound));
        let emoji = match self.facts.stars {
            4.. if smile < 7 => draw.pick(&Self::EMOJI[..8]).copied(),
            ..=2 if smile < 3 => draw.pick(&Self::EMOJI[8..]).copied(),
            _ => None,
        };
        let has_case = !matches!(self.bank.locale, Locale::Ja | Locale::Ar);
        Typing {
            in_lower_case: lower < 4 && has_case,
            open_ended: end < 14,
            emoji,
            slip: (slip < 3 && has_case && self.facts.length == Length::Sentences).then(|| draw.number()),
        }
    }

    /// Whether its comments are a hostile text.
    pub(crate) fn is_nasty(&self) -> bool {
        self.nasty > 0 && self.draw(NASTY).chance(self.nasty)
    }

    /// The group of its location and block, and of its kind among so many.
    fn group(&self, (kind, kinds): (u32, u32)) -> u32 {
        let block = self.location.number.wrapping_add(u64::from(self.entry) * 5);
        kind + kinds * u32::try_from(block % u64::from(LOCATION_GROUPS)).unwrap_or_default()
    }

    /// Its kind among those that praise, or among those that blame.
    fn kind(&self) -> u32 {
        match self.facts.stars {
            _ if self.source.recommendation => 3,
            1 | 5 => 0,
            2 | 4 => 1,
            _ => 2,
        }
    }

    fn sentence(&self, sections: &'static [Section; 5]) -> Option<Sentence> {
        let stars = usize::from(self.facts.stars.clamp(1, 5));
        // Those who recommend write as for five stars, the others as for one.
        let kinds = if matches!(stars, 1 | 5) { 2 } else { 1 };
        sections.get(stars - 1)?.at(self.point, self.group((self.source.recommendation.into(), kinds)))
    }

    /// Whether it praises the how-manyth of its subjects. Three stars praise and blame in turn.
    fn praises(&self, place: usize) -> bool {
        match self.facts.stars {
            3 => (place + usize::from(self.draw(SUBJECTS).with(1).chance(500_000))).is_multiple_of(2),
            stars => stars > 3,
        }
    }

    /// What it says of a subject, the how-manyth of its subjects.
    fn detail(&self, subject: usize, place: usize) -> Option<Sentence> {
        let praises = self.praises(place);
        let subject = self.bank.subjects.get(subject)?;
        let section = if praises { &subject.praise } else { &subject.blame };
        section.at(self.point, self.group((self.kind(), KINDS)))
    }

    /// Gives the parts of the comments in their order, as they would be typed with care.
    pub(crate) fn comments(&self, give: &mut impl FnMut(Part<'_>)) {
        let outline = self.outline();
        let mut sentences = 0;
        let mut add = |sentence: Option<Sentence>| {
            let Some(sentence) = sentence else { return };
            if sentences > 0 {
                let ends = outline.paragraph == Some(sentences);
                give(Part::Known(if ends { self.bank.paragraph } else { self.bank.join }));
            }
            sentences += 1;
            self.pieces(sentence, "", give);
        };
        match outline.form {
            Form::Silent => {}
            Form::Nasty => self.hostile(give),
            Form::Short => add(self.sentence(&self.bank.short)),
            Form::Story([story, _]) => add(Some(story)),
            Form::Sentences { open, subjects, close } => {
                if open {
                    add(self.sentence(&self.bank.open));
                }
                for (place, subject) in outline.subjects.iter().take(subjects).enumerate() {
                    add(self.detail(*subject, place));
                }
                if close {
                    add(self.sentence(&self.bank.close));
                }
            }
        }
        if let (Some(emoji), true) = (self.typing().emoji, sentences > 0) {
            give(Part::Other(emoji));
        }
    }

    /// A hostile text. Half of them have an ordinary sentence before or after it, so that few texts are the same.
    fn hostile(&self, give: &mut impl FnMut(Part<'_>)) {
        let mut draw = self.draw(NASTY).with(1);
        let text = Part::Other(nasty::text(&mut draw));
        match (draw.below(4), self.sentence(&self.bank.open)) {
            (0, Some(sentence)) => {
                self.pieces(sentence, "", give);
                give(Part::Known(self.bank.join));
                give(text);
            }
            (1, Some(sentence)) => {
                give(text);
                give(Part::Known(self.bank.join));
                self.pieces(sentence, "", give);
            }
            _ => give(text),
        }
    }

    /// Whether it has a title. Google and Facebook have none.
    pub(crate) fn has_title(&self) -> bool {
        let can_have = !self.source.is_google_or_facebook() && self.source.alias != DIRECT_FEEDBACK;
        let is_silent = self.facts.length == Length::Silent && !self.is_nasty();
        can_have && !is_silent && self.draw(FORM).with(1).below(100) < TITLED
    }

    /// Gives the parts of the title.
    pub(crate) fn title(&self, give: &mut impl FnMut(Part<'_>)) {
        if let Some(sentence) = self.sentence(&self.bank.title) {
            self.pieces(sentence, "", give);
        }
    }

    /// Gives the parts of the owner's response, which names the subject that the review speaks of first.
    pub(crate) fn response(&self, give: &mut impl FnMut(Part<'_>)) {
        let (bank, mut mood) = (self.bank, mood(self.facts.stars));
        // Reviews of a few words or none are numbered apart.
        let apart = if self.facts.length == Length::Sentences { 0 } else { KINDS };
        let group = self.group((self.kind() + apart, KINDS * 2));
        let outline = self.outline();
        let subjects = match outline.form {
            Form::Sentences { subjects, .. } => subjects,
            Form::Story([_, response]) => return self.pieces(response, "", give),
            Form::Silent | Form::Short | Form::Nasty => 0,
        };
        // To mixed feelings it answers with what they blame, and if that is nothing, as to praise.
        let mut spoken = outline.subjects.iter().take(subjects).enumerate();
        let mut subject = spoken.find(|(place, _)| mood != 1 || !self.praises(*place));
        if subject.is_none() && subjects > 0 {
            mood = 0;
            subject = outline.subjects.iter().take(1).enumerate().next();
        }
        let subject = subject.and_then(|(_, subject)| bank.subjects.get(*subject));
        let mut draw = self.draw(RESPONSE);
        let (follows, signs) = (draw.below(10) < 4, draw.below(10) < 5);
        let noun = subject.map_or("", |subject| bank.text(subject.noun));
        let sections = [
            Some(&bank.reply[mood]),
            Some(&bank.follow[mood]).filter(|_| follows && !noun.is_empty()),
            Some(&bank.sign[mood]).filter(|_| signs),
        ];
        for (place, section) in sections.into_iter().enumerate() {
            let Some(sentence) = section.and_then(|section| section.at(self.point, group)) else { continue };
            if place > 0 {
                give(Part::Known(bank.join));
            }
            self.pieces(sentence, noun, give);
        }
    }

    fn pieces(&self, sentence: Sentence, subject: &str, give: &mut impl FnMut(Part<'_>)) {
        for piece in self.bank.pieces(sentence) {
            match piece {
                Piece::Text(text) => give(Part::Known(text)),
                Piece::Variable(variable) => {
                    let values = self.bank.variables.get(variable as usize).map_or(&[][..], Vec::as_slice);
                    let mut draw = self.draw(VARIABLES + u64::from(variable));
                    draw.pick(values).into_iter().for_each(|value| give(Part::Known(*value)));
                }
                Piece::Staff => {
                    let worker = self.draw(STAFF).below(COLLEAGUES);
                    let mut draw = Draw::new(Seed(self.location.number), "staff").with(worker);
                    let [name, title] = people::colleague(self.bank.locale, &mut draw);
                    give(Part::Other(name));
                    give(Part::Other(title));
                }
                Piece::Place => give(Part::Other(&self.location.name)),
                Piece::City => give(Part::Other(self.location.home(self.bank.locale).city)),
                Piece::Reviewer => {
                    let drawn = || people::person(self.bank.locale, &mut { self.author });
                    let person = self.contact.map_or_else(drawn, Contact::person);
                    let [name, title] = people::address(self.bank.locale, person);
                    give(Part::Other(name));
                    give(Part::Other(title));
                }
                Piece::Subject => give(Part::Other(subject)),
            }
        }
    }

    /// Whether what is typed differs from the parts of the comments so that a search must look at the text.
    pub(crate) fn is_typed_otherwise(&self, needle: &str) -> bool {
        let typing = self.typing();
        typing.slip.is_some() || typing.open_ended && needle.contains(FULL_STOPS)
    }

    /// The comments as they are typed.
    pub(crate) fn typed(&self) -> String {
        let typing = self.typing();
        let mut pen = Pen::new(typing);
        self.comments(&mut |part| pen.write(part.text(self.bank)));
        pen.finish()
    }

    /// Puts one of its texts together.
    pub(crate) fn text(&self, of: WordsOf) -> String {
        let mut text = String::with_capacity(TYPICAL_LENGTH);
        let mut give = |part: Part<'_>| text.push_str(part.text(self.bank));
        match of {
            WordsOf::Comments if self.typing().differs() => return self.typed(),
            WordsOf::Comments => self.comments(&mut give),
            WordsOf::Title => self.title(&mut give),
            WordsOf::Response => self.response(&mut give),
        }
        text
    }
}

impl<'a> Part<'a> {
    fn text(self, bank: &'static Bank) -> &'a str {
        match self {
            Self::Known(text) => bank.text(text),
            Self::Other(text) => text,
        }
    }
}

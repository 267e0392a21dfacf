//! The words of a generated review: its form, what it speaks of, its sentences, and the owner's response. They are chosen
//! from the review's record and point in time alone, and put together when they are written.

use crate::api::sources::{DIRECT_FEEDBACK, Source};
use crate::dataset::generated::{Facts, Length, Record, pick_weighted};
use crate::dataset::people::{Person, is_name_of, person_of};
use crate::dataset::phrases::{
    Bank, KIND_OF_THREE_STARS, KINDS, LOCATION_GROUPS, Piece, Section, Sentence, Subject, mood,
};
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
    /// The contact who wrote it.
    pub(crate) contact: Option<&'a Contact>,
    /// The name of its author, if it is known, instead of a person that is drawn.
    pub(crate) name: Option<Person<'a>>,
    pub(crate) point: Point,
    /// Its number among the block's reviews of its kind, from which the point follows.
    pub(crate) number: u32,
    /// Index of the block among the location's entries.
    pub(crate) entry: u32,
    pub(crate) source: &'a Source,
    pub(crate) form: Form,
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

/// The most sentences that are put together.
const MOST_SENTENCES: usize = 2;

/// The form of a review's comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Stars alone.
    #[default]
    Silent,
    /// A few words.
    Short,
    /// A whole review from the bank, and the owner's response to it.
    Story([Sentence; 2]),
    /// A sentence or two, each on another subject.
    Sentences([Option<Remark>; MOST_SENTENCES]),
    /// A hostile text.
    Nasty,
}

/// A sentence on a subject, which praises it or blames it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// Index among the bank's subjects.
    subject: u16,
    praises: bool,
    sentence: Sentence,
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

impl<'a> Words<'a> {
    /// What some add at the end, pleased or not.
    pub(crate) const EMOJI: [&'static str; 13] =
        [" 👍", " 😊", " ❤️", " 🙏", " 👏", " 😍", " 💯", " 🙂", " 😡", " 👎", " 😤", " 🙄", " 😞"];

    fn draw(&self, key: u64) -> Draw {
        self.record.words().with(key)
    }

    /// The same with the form that follows from the rest.
    pub(crate) fn with_form(self) -> Self {
        let form = if self.nasty > 0 && self.draw(NASTY).chance(self.nasty) {
            Form::Nasty
        } else if self.facts.length == Length::Silent {
            Form::Silent
        } else if self.facts.length == Length::Short {
            Form::Short
        } else if let Some(story) = self.story() {
            Form::Story(story)
        } else {
            Form::Sentences(self.sentences())
        };
        Self { form, ..self }
    }

    /// What it says: a sentence on a subject, and one on another.
    fn sentences(&self) -> [Option<Remark>; MOST_SENTENCES] {
        if self.about != 0 {
            return self.sentences_about();
        }
        std::array::from_fn(|place| {
            let (praises, kind) = (self.praises(place), self.kind());
            let list = if kind == KIND_OF_THREE_STARS { usize::from(!praises) } else { place };
            let remarks = self.bank.remarks[usize::from(praises)].get(kind as usize)?.get(list)?;
            let mut draw = self.draw(SUBJECTS).with(place as u64);
            let (subject, sentence) = remarks.at(self.point, self.group((0, 1)), &mut draw)?;
            Some(Remark { subject: u16::try_from(subject).ok()?, praises, sentence })
        })
    }

    /// The same where its block is about something.
    fn sentences_about(&self) -> [Option<Remark>; MOST_SENTENCES] {
        let count = self.bank.subjects.len().min(32);
        let mut draw = self.draw(SUBJECTS);
        let mut taken = 0_u32;
        std::array::from_fn(|place| {
            // What the block is about comes first.
            let weight = |subject: usize| match 1_u32 << subject {
                bit if taken & bit != 0 => 0,
                bit if self.about & bit != 0 => 40,
                _ if place == 0 || COMMON_SUBJECTS.get(subject) == Some(&"parking") => 0,
                _ if subject < COMMON_SUBJECTS.len() => 2,
                _ => 4,
            };
            let subject = pick_weighted((0..count).map(weight), &mut draw);
            taken |= 1 << subject;
            let praises = self.praises(place);
            let Subject { praise, blame, .. } = self.bank.subjects.get(subject)?;
            let section = if praises { praise } else { blame };
            let sentence = section.at(self.point, self.group((self.kind(), KINDS)))?;
            Some(Remark { subject: u16::try_from(subject).ok()?, praises, sentence })
        })
    }

    /// The story it tells, if one is at its place: as it was written where it is told for the first time, else in a version.
    fn story(&self) -> Option<[Sentence; 2]> {
        let (stories, story) = self.story_at_place()?;
        // The locations of every other sixteen numbers tell it in versions of their own, so that few tell the same words.
        let tells_as_written = (self.location.number.saturating_sub(1) / 16).is_multiple_of(2);
        let told = if tells_as_written && stories.is_first(self.point, self.number) {
            Bank::as_written(story)
        } else {
            self.bank.version(story, &mut self.draw(STORY))
        };
        let fits = |name| self.bank.writer(told[0]).is_none_or(|sex| is_name_of(self.bank.locale, sex, name));
        self.name.is_none_or(fits).then_some(told)
    }

    /// Its author: the name that is known, or a person that is drawn, of the sex that the story tells.
    pub(crate) fn author(&self, draw: &mut Draw) -> Person<'a> {
        let sex = if let Form::Story([story, _]) = self.form { self.bank.writer(story) } else { None };
        let drawn = person_of(self.bank.locale, sex, draw);
        self.name.unwrap_or(drawn)
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

    fn typing(&self) -> Typing {
        // A story is as its writer typed it.
        if matches!(self.form, Form::Nasty | Form::Story(_)) {
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
        self.form == Form::Nasty
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
            _ => KIND_OF_THREE_STARS,
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

    /// Gives the parts of the comments in their order, as they would be typed with care.
    pub(crate) fn comments(&self, give: &mut impl FnMut(Part<'_>)) {
        let mut sentences = 0;
        let mut add = |sentence: Option<Sentence>| {
            let Some(sentence) = sentence else { return };
            if sentences > 0 {
                give(Part::Known(self.bank.join));
            }
            sentences += 1;
            self.pieces(sentence, "", give);
        };
        match self.form {
            Form::Silent => {}
            Form::Nasty => self.hostile(give),
            Form::Short => add(self.sentence(&self.bank.short)),
            Form::Story([story, _]) => add(Some(story)),
            Form::Sentences(said) => said.into_iter().for_each(|said| add(said.map(|said| said.sentence))),
        }
        if let (Some(emoji), true) = (self.typing().emoji, sentences > 0) {
            give(Part::Other(emoji));
        }
    }

    /// A hostile text. Half of them have an ordinary sentence before or after it, so that few texts are the same.
    fn hostile(&self, give: &mut impl FnMut(Part<'_>)) {
        let mut draw = self.draw(NASTY).with(1);
        let text = Part::Other(nasty::text(&mut draw));
        let [first, second] = self.sentences();
        match (draw.below(4), first.or(second)) {
            (0, Some(Remark { sentence, .. })) => {
                self.pieces(sentence, "", give);
                give(Part::Known(self.bank.join));
                give(text);
            }
            (1, Some(Remark { sentence, .. })) => {
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
        can_have && self.form != Form::Silent && self.draw(FORM).with(1).below(100) < TITLED
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
        let said = match self.form {
            Form::Sentences(said) => said,
            Form::Story([_, response]) => return self.pieces(response, "", give),
            Form::Silent | Form::Short | Form::Nasty => [None; MOST_SENTENCES],
        };
        // To mixed feelings it answers with what they blame, and if that is nothing, as to praise.
        let mut spoken = said.into_iter().flatten();
        let mut answered = spoken.find(|said| mood != 1 || !said.praises);
        if answered.is_none() && said.iter().any(Option::is_some) {
            mood = 0;
            answered = said.into_iter().flatten().next();
        }
        let subject = answered.and_then(|said| bank.subjects.get(usize::from(said.subject)));
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
                    let [name, title] = people::address(self.bank.locale, self.author(&mut { self.author }));
                    give(Part::Other(name));
                    give(Part::Other(title));
                }
                Piece::Subject => give(Part::Other(subject)),
                Piece::Writer(_) => {}
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

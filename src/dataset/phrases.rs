//! Phrase banks: the parts from which the words of generated reviews, responses and questions are put together. There is one
//! plain file per language and category in `seed-data/phrases/`, which is read when it is first used.

use std::ops::Range;
use std::sync::OnceLock;

use crate::api::fold::fold;
use crate::dataset::lists;
use crate::dataset::records::{Locale, NEUTRAL};

/// A section of a bank.
#[derive(Clone, Debug)]
pub struct Section {
    /// All of its phrases.
    pub all: Range<u32>,
    /// Those that do not mention stars, for sources without stars. They come first among all.
    pub plain: Range<u32>,
}

/// The phrases of one language and category, in one list with a range for each section.
#[derive(Debug)]
pub struct Bank {
    /// All phrases of reviews, responses and titles.
    pub phrases: Vec<&'static str>,
    /// First sentences, by stars 1-5.
    pub open: [Section; 5],
    /// Praise of people and of place.
    pub good: [Section; 2],
    /// Blame of people and of place.
    pub bad: [Section; 2],
    /// Last sentences, by mood.
    pub close: [Section; 3],
    /// Titles, by stars 1-5.
    pub title: [Section; 5],
    /// First sentences of the owner's response, by mood.
    pub reply: [Section; 3],
    /// Second sentences of the owner's response, by mood.
    pub follow: [Section; 3],
    /// Introductions to a question.
    pub lead: Vec<&'static str>,
    /// Questions, each with the answers of other customers.
    pub questions: Vec<(&'static str, Vec<&'static str>)>,
    /// The separator between two sentences.
    pub join: &'static str,
    folded: OnceLock<Vec<String>>,
}

/// The mood of stars: an index into `close`, `reply` and `follow`.
pub const fn mood(stars: u8) -> usize {
    match stars {
        4.. => 0,
        3 => 1,
        _ => 2,
    }
}

macro_rules! banks {
    ($($locale:ident $category:literal $file:literal,)*) => {
        /// The bank of a language and category, else the neutral bank of that language.
        pub fn bank(locale: Locale, category: &str) -> &'static Bank {
            $(
                if locale == Locale::$locale && category == $category {
                    static BANK: OnceLock<Bank> = OnceLock::new();
                    return BANK.get_or_init(|| read(
                        locale,
                        include_str!(concat!("../../seed-data/phrases/", $file, ".txt")),
                    ));
                }
            )*
            bank(locale, NEUTRAL)
        }
    };
}

banks! {
    En "neutral" "en/neutral",
    En "dentist" "en/dentist",
    En "veterinarian" "en/veterinarian",
    En "hotel" "en/hotel",
    En "restaurant" "en/restaurant",
    En "automotive" "en/automotive",
    En "retail" "en/retail",
    En "health" "en/health",
    En "home-services" "en/home-services",
    Fr "neutral" "fr/neutral",
    De "neutral" "de/neutral",
    Es "neutral" "es/neutral",
    Pt "neutral" "pt/neutral",
    Ja "neutral" "ja/neutral",
    Ar "neutral" "ar/neutral",
}

fn read(locale: Locale, file: &'static str) -> Bank {
    let mut sections = lists::sections(file);
    let mut phrases = Vec::new();
    let mut range = |name: &str| {
        let start = length(&phrases);
        let found = sections.iter_mut().find(|(known, _)| *known == name);
        let mut entries = found.map(|(_, entries)| std::mem::take(entries)).unwrap_or_default();
        entries.sort_by_key(|phrase| mentions_stars(phrase));
        let plain = entries.iter().filter(|phrase| !mentions_stars(phrase)).count();
        phrases.append(&mut entries);
        Section {
            all: start..length(&phrases),
            plain: start..start + u32::try_from(plain).unwrap_or_default(),
        }
    };
    let open = ["open 1", "open 2", "open 3", "open 4", "open 5"].map(&mut range);
    let good = ["good people", "good place"].map(&mut range);
    let bad = ["bad people", "bad place"].map(&mut range);
    let close = ["close good", "close mixed", "close bad"].map(&mut range);
    let title = ["title 1", "title 2", "title 3", "title 4", "title 5"].map(&mut range);
    let reply = ["reply good", "reply mixed", "reply bad"].map(&mut range);
    let follow = ["follow good", "follow mixed", "follow bad"].map(&mut range);
    let questions = lists::section(file, "questions")
        .into_iter()
        .map(|line| {
            let mut parts = line.split(" => ");
            (parts.next().unwrap_or_default(), parts.collect())
        })
        .collect();
    let join = if locale == Locale::Ja { "" } else { " " };
    let lead = lists::section(file, "lead");
    let folded = OnceLock::new();
    Bank { phrases, open, good, bad, close, title, reply, follow, lead, questions, join, folded }
}

/// Whether a phrase mentions stars as a rating, in any of the languages.
fn mentions_stars(phrase: &str) -> bool {
    const WORDS: [&str; 11] = [
        "star",
        "stars",
        "étoile",
        "étoiles",
        "stern",
        "sterne",
        "sternen",
        "estrella",
        "estrellas",
        "estrela",
        "estrelas",
    ];
    let folded = fold(phrase);
    let words = || folded.split(|letter: char| !letter.is_alphanumeric());
    folded.contains('星')
        || folded.contains("نجم")
        || folded.contains("نجوم")
        || words().any(|word| WORDS.contains(&word))
}

fn length(phrases: &[&str]) -> u32 {
    u32::try_from(phrases.len()).unwrap_or(u32::MAX)
}

impl Bank {
    /// The phrase at an index, which a section's range contains.
    pub fn phrase(&self, at: u32) -> &'static str {
        self.phrases.get(at as usize).copied().unwrap_or_default()
    }

    /// All phrases, folded for comparison without case.
    pub fn folded(&self) -> &[String] {
        self.folded.get_or_init(|| self.phrases.iter().map(|phrase| fold(phrase)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::records::CATEGORIES;

    fn all() -> Vec<(Locale, &'static str)> {
        let english = CATEGORIES.map(|category| (Locale::En, category));
        let others = Locale::ALL.into_iter().skip(1).map(|locale| (locale, NEUTRAL));
        english.into_iter().chain(others).collect()
    }

    #[test]
    fn every_bank_has_every_section_and_parts_enough_for_distinct_texts() {
        for (locale, category) in all() {
            let bank = bank(locale, category);
            let least = |section: &Section, count: u32| {
                assert!(section.all.end - section.all.start >= count, "{locale:?} {category} {section:?}");
                assert!(
                    section.plain.end - section.plain.start >= count / 2,
                    "{locale:?} {category} {section:?}"
                );
                assert!(section.plain.clone().all(|at| !mentions_stars(bank.phrase(at))));
            };
            bank.open.iter().for_each(|range| least(range, 18));
            bank.good.iter().chain(&bank.bad).for_each(|range| least(range, 30));
            bank.close.iter().for_each(|range| least(range, 18));
            bank.title.iter().for_each(|range| least(range, 8));
            bank.reply.iter().for_each(|range| least(range, 10));
            bank.follow.iter().for_each(|range| least(range, 10));
            assert!(bank.questions.len() >= 30 && bank.lead.len() >= 6);
            assert!(bank.questions.iter().all(|(_, answers)| answers.len() == 2));
        }
    }

    #[test]
    fn a_category_without_a_bank_in_a_language_takes_the_neutral_one() {
        assert!(std::ptr::eq(bank(Locale::Fr, "dentist"), bank(Locale::Fr, NEUTRAL)));
        assert!(!std::ptr::eq(bank(Locale::En, "dentist"), bank(Locale::En, NEUTRAL)));
    }
}

//! Names and places of generated people, by language. They are from the `fake` crate where it has them, else from the lists
//! in `seed-data/names/`, and all fictitious.

use std::sync::OnceLock;

use fake::locales::{AR_SA, DE_DE, Data, EN, FR_FR, JA_JP, PT_BR};

use crate::dataset::lists::section;
use crate::dataset::records::{Locale, Location};
use crate::draw::{Draw, Seed};

/// The names and places of one language.
#[derive(Debug)]
struct NameLists {
    first: Vec<&'static str>,
    last: Vec<&'static str>,
    cities: Vec<&'static str>,
    states: Vec<&'static str>,
}

/// A generated person.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person {
    pub(crate) first: &'static str,
    pub(crate) last: &'static str,
}

const EN_LIST: &str = include_str!("../../seed-data/names/en.txt");
const FR: &str = include_str!("../../seed-data/names/fr.txt");
const DE: &str = include_str!("../../seed-data/names/de.txt");
const ES: &str = include_str!("../../seed-data/names/es.txt");
const PT: &str = include_str!("../../seed-data/names/pt.txt");
const JA: &str = include_str!("../../seed-data/names/ja.txt");
const AR: &str = include_str!("../../seed-data/names/ar.txt");

fn name_lists(locale: Locale) -> &'static NameLists {
    static LISTS: [OnceLock<NameLists>; 8] = [const { OnceLock::new() }; 8];
    LISTS[locale as usize].get_or_init(|| match locale {
        Locale::En => from_fake::<EN>(EN_LIST, EN::ADDRESS_STATE_ABBR),
        Locale::Fr => from_fake::<FR_FR>(FR, &[]),
        Locale::De => from_fake::<DE_DE>(DE, DE_DE::ADDRESS_STATE),
        Locale::Pt => from_fake::<PT_BR>(PT, PT_BR::ADDRESS_STATE_ABBR),
        Locale::Ja => from_fake::<JA_JP>(JA, &[]),
        Locale::Ar => from_fake::<AR_SA>(AR, &[]),
        Locale::Es | Locale::EsMx => NameLists {
            first: section(ES, "first"),
            last: section(ES, "last"),
            cities: section(ES, "city"),
            states: section(ES, "state"),
        },
    })
}

fn from_fake<L: Data>(file: &'static str, states: &[&'static str]) -> NameLists {
    let own = section(file, "state");
    NameLists {
        first: suitable(L::NAME_FIRST_NAME),
        last: suitable(L::NAME_LAST_NAME),
        cities: section(file, "city"),
        states: if own.is_empty() { states.to_vec() } else { own },
    }
}

/// Names of the `fake` crate that are unsuitable for a demo.
const EXCLUDED: [&str; 7] = ["Adolf", "Adolph", "Mustermann", "Musterfrau", "Özm̂en", "Meikäläinen", "بن لادن"];

fn suitable(names: &[&'static str]) -> Vec<&'static str> {
    names.iter().filter(|name| !EXCLUDED.iter().any(|excluded| name.contains(excluded))).copied().collect()
}

/// Draws the name of a person who speaks a language.
pub(crate) fn person(locale: Locale, draw: &mut Draw) -> Person {
    let lists = name_lists(locale);
    let mut pick = |from: &[&'static str]| draw.pick(from).copied().unwrap_or_default();
    Person { first: pick(&lists.first), last: pick(&lists.last) }
}

/// How a colleague is called by those who know the first name, or in Japanese the family name: the name, and what follows it.
pub(crate) fn colleague(locale: Locale, draw: &mut Draw) -> [&'static str; 2] {
    address(locale, person(locale, draw))
}

/// How a person is addressed by somebody who is polite: the name, and what follows it.
pub(crate) const fn address(locale: Locale, person: Person) -> [&'static str; 2] {
    if matches!(locale, Locale::Ja) { [person.last, "さん"] } else { [person.first, ""] }
}

/// Every text that [`colleague`] may give.
pub(crate) fn names_at_work(locale: Locale) -> impl Iterator<Item = &'static str> {
    let lists = name_lists(locale);
    let names = if locale == Locale::Ja { &lists.last } else { &lists.first };
    names.iter().copied().chain((locale == Locale::Ja).then_some("さん"))
}

/// A place where somebody lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home<'a> {
    pub(crate) city: &'a str,
    pub(crate) state: Option<&'a str>,
}

/// Draws a place where a language is spoken.
pub(crate) fn elsewhere(locale: Locale, draw: &mut Draw) -> Home<'static> {
    let lists = name_lists(locale);
    Home { city: draw.pick(&lists.cities).copied().unwrap_or_default(), state: draw.pick(&lists.states).copied() }
}

impl Location {
    /// Where it is: what the scenario says, else a place where the language is spoken.
    pub(crate) fn home(&self, locale: Locale) -> Home<'_> {
        match &self.city {
            Some(city) => Home { city, state: self.state.as_deref() },
            None => elsewhere(locale, &mut Draw::new(Seed(self.number), "home")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_names_towns_and_states() {
        for locale in Locale::ALL {
            let mut draw = Draw::new(Seed(1), "people");
            let someone = person(locale, &mut draw);
            assert!(!someone.first.is_empty() && !someone.last.is_empty(), "{locale:?}");
            let home = elsewhere(locale, &mut draw);
            assert!(home.city.chars().count() > 1 && home.state.is_some(), "{locale:?}");
        }
    }
}

//! Names and places of generated people, by language: from the `fake` crate where it has them, else from the lists in
//! `seed-data/names/`. All fictitious.

use std::sync::OnceLock;

use fake::locales::{AR_SA, DE_DE, Data, EN, FR_FR, JA_JP, PT_BR};

use crate::dataset::lists::section;
use crate::dataset::records::Locale;
use crate::draw::Draw;

/// What one language offers.
#[derive(Debug)]
struct Stock {
    first: Vec<&'static str>,
    last: Vec<&'static str>,
    cities: Vec<&'static str>,
    states: Vec<&'static str>,
}

/// A generated person.
#[derive(Clone, Copy, Debug)]
pub struct Person {
    /// Given name.
    pub first: &'static str,
    /// Family name.
    pub last: &'static str,
}

const EN_LIST: &str = include_str!("../../seed-data/names/en.txt");
const FR: &str = include_str!("../../seed-data/names/fr.txt");
const DE: &str = include_str!("../../seed-data/names/de.txt");
const ES: &str = include_str!("../../seed-data/names/es.txt");
const PT: &str = include_str!("../../seed-data/names/pt.txt");
const JA: &str = include_str!("../../seed-data/names/ja.txt");
const AR: &str = include_str!("../../seed-data/names/ar.txt");

fn stock(locale: Locale) -> &'static Stock {
    static STOCKS: [OnceLock<Stock>; 7] = [const { OnceLock::new() }; 7];
    STOCKS[locale as usize].get_or_init(|| match locale {
        Locale::En => faked::<EN>(EN_LIST, EN::ADDRESS_STATE_ABBR),
        Locale::Fr => faked::<FR_FR>(FR, &[]),
        Locale::De => faked::<DE_DE>(DE, DE_DE::ADDRESS_STATE),
        Locale::Pt => faked::<PT_BR>(PT, PT_BR::ADDRESS_STATE_ABBR),
        Locale::Ja => faked::<JA_JP>(JA, &[]),
        Locale::Ar => faked::<AR_SA>(AR, &[]),
        Locale::Es => Stock {
            first: section(ES, "first"),
            last: section(ES, "last"),
            cities: section(ES, "city"),
            states: section(ES, "state"),
        },
    })
}

fn faked<L: Data>(file: &'static str, states: &[&'static str]) -> Stock {
    let own = section(file, "state");
    Stock {
        first: fit(L::NAME_FIRST_NAME),
        last: fit(L::NAME_LAST_NAME),
        cities: section(file, "city"),
        states: if own.is_empty() { states.to_vec() } else { own },
    }
}

/// Names that nobody wants to meet on a demo's screen.
const UNFIT: [&str; 7] = ["Adolf", "Adolph", "Mustermann", "Musterfrau", "Özm̂en", "Meikäläinen", "بن لادن"];

fn fit(names: &[&'static str]) -> Vec<&'static str> {
    names.iter().filter(|name| !UNFIT.iter().any(|unfit| name.contains(unfit))).copied().collect()
}

/// Someone who speaks that language.
pub fn person(locale: Locale, draw: &mut Draw) -> Person {
    let stock = stock(locale);
    let mut pick = |from: &[&'static str]| draw.pick(from).copied().unwrap_or_default();
    Person { first: pick(&stock.first), last: pick(&stock.last) }
}

/// A town where that language is spoken.
pub fn city(locale: Locale, draw: &mut Draw) -> &'static str {
    draw.pick(&stock(locale).cities).copied().unwrap_or_default()
}

/// A state or region there.
pub fn state(locale: Locale, draw: &mut Draw) -> Option<&'static str> {
    draw.pick(&stock(locale).states).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Seed;

    #[test]
    fn every_language_has_names_towns_and_states() {
        for locale in Locale::ALL {
            let mut draw = Draw::new(Seed(1), "people");
            let someone = person(locale, &mut draw);
            assert!(!someone.first.is_empty() && !someone.last.is_empty(), "{locale:?}");
            assert!(city(locale, &mut draw).chars().count() > 1, "{locale:?}");
            assert!(state(locale, &mut draw).is_some(), "{locale:?}");
        }
    }
}

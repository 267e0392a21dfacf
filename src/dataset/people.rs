//! Names and places of generated people, by language: from the `fake` crate where it has them, else from the lists in
//! `seed-data/names/`. All fictitious.

use std::sync::OnceLock;

use fake::locales::{AR_SA, DE_DE, Data, EN, FR_FR, JA_JP, PT_BR};

use crate::dataset::lists::section;
use crate::dataset::records::Locale;
use crate::dataset::text::Text;
use crate::draw::Draw;

/// What one language offers.
#[derive(Debug)]
struct Stock {
    first: Vec<&'static str>,
    last: Vec<&'static str>,
    /// Towns in full; empty where they are put together.
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

const FR: &str = include_str!("../../seed-data/names/fr.txt");
const DE: &str = include_str!("../../seed-data/names/de.txt");
const ES: &str = include_str!("../../seed-data/names/es.txt");
const PT: &str = include_str!("../../seed-data/names/pt.txt");
const JA: &str = include_str!("../../seed-data/names/ja.txt");
const AR: &str = include_str!("../../seed-data/names/ar.txt");

fn stock(locale: Locale) -> &'static Stock {
    static STOCKS: [OnceLock<Stock>; 7] = [const { OnceLock::new() }; 7];
    STOCKS[locale as usize].get_or_init(|| match locale {
        Locale::En => Stock { cities: Vec::new(), ..faked::<EN>("", EN::ADDRESS_STATE_ABBR) },
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
        first: L::NAME_FIRST_NAME.to_vec(),
        last: L::NAME_LAST_NAME.to_vec(),
        cities: section(file, "city"),
        states: if own.is_empty() { states.to_vec() } else { own },
    }
}

/// Someone who speaks that language.
pub fn person(locale: Locale, draw: &mut Draw) -> Person {
    let stock = stock(locale);
    let mut pick = |from: &[&'static str]| draw.pick(from).copied().unwrap_or_default();
    Person { first: pick(&stock.first), last: pick(&stock.last) }
}

/// A town where that language is spoken. English ones are put together as `fake` puts them together.
pub fn city(locale: Locale, draw: &mut Draw) -> Text<'static> {
    let stock = stock(locale);
    if let Some(city) = draw.pick(&stock.cities) {
        return Text::Given(city);
    }
    let mut pick = |from: &[&'static str]| draw.pick(from).copied().unwrap_or_default();
    match (pick(&stock.last), pick(EN::ADDRESS_CITY_SUFFIX), draw.below(3)) {
        (name, _, 0) => {
            Text::Pieces([draw.pick(EN::ADDRESS_CITY_PREFIX).copied().unwrap_or_default(), " ", name, ""])
        }
        (name, suffix, _) => Text::Pieces([name, suffix, "", ""]),
    }
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
            assert!(city(locale, &mut draw).to_string().chars().count() > 1, "{locale:?}");
            assert!(state(locale, &mut draw).is_some(), "{locale:?}");
        }
    }
}

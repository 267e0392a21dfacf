//! Names and places of generated people, by language, from the lists in `seed-data/names/`: names that anybody bears, and
//! places that exist.

use std::sync::OnceLock;

use crate::dataset::lists::sections;
use crate::dataset::records::{Locale, Location};
use crate::draw::{Draw, Seed};

/// Whether a person is a woman or a man, which first names tell and some texts of reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sex {
    Woman,
    Man,
}

/// The names and places of one language.
#[derive(Debug)]
struct NameLists {
    /// First names of women. Those that both bear are among the men's too.
    women: Vec<&'static str>,
    men: Vec<&'static str>,
    last: Vec<&'static str>,
    places: Vec<Home<'static>>,
}

/// The name of a person.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person<'a> {
    pub(crate) first: &'a str,
    pub(crate) last: &'a str,
}

/// A place where somebody lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home<'a> {
    pub(crate) city: &'a str,
    pub(crate) state: Option<&'a str>,
    /// The area code of its phone numbers, if it is known.
    pub(crate) area: Option<&'static str>,
}

fn name_lists(locale: Locale) -> &'static NameLists {
    static LISTS: [OnceLock<NameLists>; 8] = [const { OnceLock::new() }; 8];
    LISTS[locale as usize].get_or_init(|| {
        let file = match locale {
            Locale::En => include_str!("../../seed-data/names/en.txt"),
            Locale::Fr => include_str!("../../seed-data/names/fr.txt"),
            Locale::De => include_str!("../../seed-data/names/de.txt"),
            Locale::Es => include_str!("../../seed-data/names/es.txt"),
            Locale::EsMx => include_str!("../../seed-data/names/es-MX.txt"),
            Locale::Pt => include_str!("../../seed-data/names/pt.txt"),
            Locale::Ja => include_str!("../../seed-data/names/ja.txt"),
            Locale::Ar => include_str!("../../seed-data/names/ar.txt"),
        };
        let mut lists =
            NameLists { women: Vec::new(), men: Vec::new(), last: Vec::new(), places: Vec::new() };
        for (name, entries) in sections(file) {
            match name {
                "women" => lists.women = entries,
                "men" => lists.men = entries,
                "last" => lists.last = entries,
                _ => lists.places = entries.into_iter().map(place).collect(),
            }
        }
        lists
    })
}

/// Reads `city, state, area code`, of which the last may be missing.
fn place(entry: &'static str) -> Home<'static> {
    let mut parts = entry.split(", ");
    Home { city: parts.next().unwrap_or_default(), state: parts.next(), area: parts.next() }
}

/// Draws the name of a person who speaks a language.
pub(crate) fn person(locale: Locale, draw: &mut Draw) -> Person<'static> {
    person_of(locale, None, draw)
}

/// Draws the name of a person who speaks a language, of a sex if one is wanted.
pub(crate) fn person_of(locale: Locale, sex: Option<Sex>, draw: &mut Draw) -> Person<'static> {
    let NameLists { women, men, last, .. } = name_lists(locale);
    let mut pick = |lists: [&[&'static str]; 2]| {
        let at = draw.below(lists.map(<[_]>::len).iter().sum::<usize>() as u64);
        lists.into_iter().flatten().nth(usize::try_from(at).unwrap_or_default()).copied().unwrap_or_default()
    };
    let first = match sex {
        None => pick([women, men]),
        Some(Sex::Woman) => pick([women, &[]]),
        Some(Sex::Man) => pick([men, &[]]),
    };
    let mut names = [pick([last, &[]]), pick([last, &[]])].into_iter();
    // Some names are first and last names.
    Person { first, last: names.find(|last| *last != first).unwrap_or_default() }
}

/// Whether a person has a first name of a language that those of a sex bear.
pub(crate) fn is_name_of(locale: Locale, sex: Sex, person: Person<'_>) -> bool {
    let NameLists { women, men, .. } = name_lists(locale);
    let names = if sex == Sex::Woman { women } else { men };
    names.contains(&person.first)
}

/// How a colleague is called by those who know the first name, or in Japanese the family name: the name, and what follows it.
pub(crate) fn colleague(locale: Locale, draw: &mut Draw) -> [&'static str; 2] {
    address(locale, person(locale, draw))
}

/// How a person is addressed by somebody who is polite: the name, and what follows it.
pub(crate) const fn address(locale: Locale, person: Person<'_>) -> [&str; 2] {
    if matches!(locale, Locale::Ja) { [person.last, "さん"] } else { [person.first, ""] }
}

/// Every text that [`colleague`] may give.
pub(crate) fn names_at_work(locale: Locale) -> impl Iterator<Item = &'static str> {
    let lists = name_lists(locale);
    let names = if locale == Locale::Ja { [&lists.last[..], &[]] } else { [&lists.women[..], &lists.men] };
    names.into_iter().flatten().copied().chain((locale == Locale::Ja).then_some("さん"))
}

/// Draws a place where a language is spoken.
pub(crate) fn elsewhere(locale: Locale, draw: &mut Draw) -> Home<'static> {
    draw.pick(&name_lists(locale).places).copied().unwrap_or(Home { city: "", state: None, area: None })
}

impl Location {
    /// Where it is: what the scenario says, else a place where the language is spoken.
    pub(crate) fn home(&self, locale: Locale) -> Home<'_> {
        let Some(city) = &self.city else {
            return elsewhere(locale, &mut Draw::new(Seed(self.number), "home"));
        };
        let state = self.state.as_deref();
        let is_it = |known: &&Home<'_>| known.city == city && (state.is_none() || known.state == state);
        let known = name_lists(locale).places.iter().find(is_it);
        Home {
            city,
            state: state.or_else(|| known.and_then(|known| known.state)),
            area: known.and_then(|known| known.area),
        }
    }
}

/// Draws a phone number of a place, of those that are reserved for fiction where there are such: 555-01xx in North America,
/// and the numbers of the Australian regulator. None where contacts of the country have no phone number.
pub(crate) fn phone(country: &str, home: Home<'_>, draw: &mut Draw) -> Option<String> {
    let number = draw.below(100);
    let area = |usual: &[&'static str], draw: &mut Draw| {
        home.area.or_else(|| draw.pick(usual).copied()).unwrap_or_default()
    };
    match country {
        "US" => {
            Some(format!("+1 {} 555 01{number:02}", area(&["212", "312", "415", "503", "617", "713"], draw)))
        }
        "CA" => Some(format!("+1 {} 555 01{number:02}", draw.pick(&["416", "514", "604", "403", "613"])?)),
        "PR" => Some(format!("+1 787 555 01{number:02}")),
        "VI" => Some(format!("+1 340 555 01{number:02}")),
        "AU" => Some(format!("+61 {} 5550 {:04}", draw.pick(&["2", "3", "7", "8"])?, draw.below(10_000))),
        // Mexico has ten digits, and no numbers for fiction.
        "MX" => match area(&["55", "33", "81"], draw) {
            area if area.len() == 2 => Some(format!("+52 {area} 5550 01{number:02}")),
            area => Some(format!("+52 {area} 555 01{number:02}")),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_language_has_names_and_places_each_once() {
        for locale in Locale::ALL.into_iter().chain([Locale::EsMx]) {
            let NameLists { women, men, last, places } = name_lists(locale);
            for (names, least) in [(women, 45), (men, 45), (last, 60)] {
                assert!(names.len() >= least, "{locale:?}");
                assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{locale:?}");
                assert!(names.iter().all(|name| !name.contains(['"', '(', '\u{302}', ','])), "{locale:?}");
            }
            assert!(places.len() >= 25 && places.iter().all(|place| place.state.is_some()), "{locale:?}");
        }
    }

    #[test]
    fn a_phone_number_fits_its_place_and_is_reserved_for_fiction() {
        let mut draw = Draw::new(Seed(1), "phone");
        let portland = Home { city: "Portland", state: Some("OR"), area: Some("503") };
        assert!(phone("US", portland, &mut draw).unwrap().starts_with("+1 503 555 01"));
        let nowhere = Home { area: None, ..portland };
        assert!(phone("AU", nowhere, &mut draw).unwrap().contains(" 5550 "));
        let mexico = Home { area: Some("33"), ..portland };
        assert!(phone("MX", mexico, &mut draw).unwrap().starts_with("+52 33 5550 01"));
        assert_eq!(phone("FR", nowhere, &mut draw), None);
    }

    #[test]
    fn a_location_is_where_the_scenario_says_and_state_and_area_code_belong_to_it() {
        let location = |city: Option<&str>, state: Option<&str>| Location {
            number: 7,
            name: String::new(),
            city: city.map(str::to_owned),
            state: state.map(str::to_owned),
            country: None,
            levels: std::collections::BTreeMap::new(),
            reviews: Vec::new(),
            questions: Vec::new(),
        };
        let home = |city, state| {
            let location = location(city, state);
            let Home { city, state, area } = location.home(Locale::En);
            (city.to_owned(), state.map(str::to_owned), area)
        };
        let portland = |state: &str, area| ("Portland".to_owned(), Some(state.to_owned()), Some(area));
        assert_eq!(home(Some("Portland"), Some("OR")), portland("OR", "503"));
        assert_eq!(home(Some("Portland"), None), portland("ME", "207"));
        assert_eq!(home(Some("Nowhere"), None), ("Nowhere".to_owned(), None, None));
        assert_eq!(home(None, None), home(None, None));
    }
}

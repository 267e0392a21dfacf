//! The words of generated reviews: whatever page of an account is looked at, nothing shows that they are put together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::api::dates::Day;
use crate::api::sources;
use crate::dataset::facts::{Dataset, fixture::business};
use crate::dataset::phrases::has_bank;
use crate::dataset::records::{CATEGORIES, Locale, Location, ReviewPlan, Reviews, Shape};
use crate::dataset::review_view::ReviewView;
use crate::dataset::when::DayRange;
use crate::draw::Seed;
use crate::tests::harness::serve;

/// The length of a page.
const PAGE: usize = 25;

/// Every language and category that has phrases.
fn banks() -> impl Iterator<Item = (Locale, &'static str)> {
    let locales = Locale::ALL.into_iter().chain([Locale::EsMx]);
    locales.flat_map(|locale| {
        CATEGORIES.into_iter().filter(move |category| has_bank(locale, category)).map(move |it| (locale, it))
    })
}

fn plan(locale: Locale, count: u32) -> ReviewPlan {
    ReviewPlan {
        count,
        ratings: [10, 4, 8, 18, 60],
        sources: vec![(0, 50), (1, 15), (2, 20), (24, 10), (25, 5)],
        dates: DayRange { from: Some(Day(20_000).into()), to: Day(20_364).into() },
        published: 900_000,
        responded: 500_000,
        locales: vec![(locale, 1)],
        about: 0,
        shape: Shape::Steady,
        locals: 900_000,
        nasty: 0,
    }
}

/// An account with locations of those numbers of reviews.
fn dataset(locale: Locale, category: &str, seed: u64, counts: &[u32]) -> Dataset {
    let location = |(number, count): (u64, &u32)| Location {
        number,
        name: format!("Location {number}"),
        city: None,
        state: None,
        country: None,
        levels: BTreeMap::new(),
        reviews: vec![Reviews::Generated(plan(locale, *count))],
        questions: Vec::new(),
    };
    let mut account = business(100, (1_001..).zip(counts).map(location).collect());
    account.category = category.to_owned();
    let businesses = Arc::new(vec![account]);
    Dataset::build(Seed(seed), Day(20_364).start(), businesses, sources::built_in(), &AtomicU64::new(0))
}

/// What a reader would notice twice: sentences of four words or more.
fn sentences(text: &str, locale: Locale) -> Vec<String> {
    let ends = ['.', '!', '?', '…', '؟', '。', '！', '？', '\n'];
    let plain = |sentence: &str| {
        sentence.trim().trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
    };
    let is_long = |sentence: &String| {
        if locale == Locale::Ja {
            sentence.chars().count() >= 10
        } else {
            sentence.split_whitespace().count() >= 4
        }
    };
    text.split(ends).map(plain).filter(is_long).collect()
}

/// The first three words, or letters of Japanese.
fn opening(text: &str, locale: Locale) -> Option<String> {
    let letters = |word: &str| {
        word.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase()
    };
    if locale == Locale::Ja {
        let opening: String = letters(text).chars().take(6).collect();
        return (opening.chars().count() == 6).then_some(opening);
    }
    let words: Vec<String> =
        text.split_whitespace().map(letters).filter(|word| !word.is_empty()).take(3).collect();
    (words.len() == 3).then(|| words.join(" "))
}

/// Looks at every page of a list and returns what shows.
fn seams(reviews: &[ReviewView<'_>], locale: Locale) -> Vec<String> {
    let texts: Vec<String> = reviews.iter().map(|review| review.comments.to_string()).collect();
    let marks = |at: usize| {
        let sentences = sentences(&texts[at], locale).into_iter().map(|text| (text, 1));
        let opening = opening(&texts[at], locale).map(|text| (format!("begins: {text}"), 2));
        let response = reviews[at].response.map(|text| (format!("response: {text}"), 1));
        sentences.chain(opening).chain(response).collect::<Vec<_>>()
    };
    let marks: Vec<Vec<(String, usize)>> = (0..texts.len()).map(marks).collect();
    let mut on_page: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::new();
    for at in 0..texts.len() {
        for (mark, most) in &marks[at] {
            let times = on_page.entry(mark).or_default();
            *times += 1;
            if *times > *most {
                found.push(format!("{at}: {mark}"));
            }
        }
        if let Some(before) = at.checked_sub(PAGE - 1) {
            for (mark, _) in &marks[before] {
                *on_page.entry(mark).or_default() -= 1;
            }
        }
    }
    found
}

fn reviews<'a>(dataset: &'a Dataset, stars: &[u8]) -> Vec<ReviewView<'a>> {
    let rows = 0..u32::try_from(dataset.reviews.len()).unwrap();
    let all = rows.filter_map(|row| dataset.review(row));
    all.filter(|review| stars.is_empty() || stars.contains(&review.rating)).collect()
}

#[test]
fn no_page_of_one_location_shows_its_seams() {
    for (locale, category) in banks() {
        for (seed, count) in [(1, 40), (2, 333), (3, 3_000)] {
            let dataset = dataset(locale, category, seed, &[count]);
            for stars in [&[][..], &[1], &[2], &[1, 2], &[5]] {
                let found = seams(&reviews(&dataset, stars), locale);
                assert!(
                    found.is_empty(),
                    "{locale:?} {category} {count} {stars:?}: {} {found:#?}",
                    found.len()
                );
            }
        }
    }
}

#[test]
fn no_page_of_several_locations_shows_its_seams() {
    for (locale, category) in banks() {
        let dataset = dataset(locale, category, 4, &[500, 80, 900, 20, 300]);
        for stars in [&[][..], &[1, 2]] {
            let found = seams(&reviews(&dataset, stars), locale);
            assert!(found.is_empty(), "{locale:?} {category} {stars:?}: {} {found:#?}", found.len());
        }
    }
}

#[test]
fn of_ten_thousand_reviews_nearly_all_that_are_longer_than_six_words_are_distinct() {
    for (locale, category) in banks() {
        let dataset = dataset(locale, category, 5, &[10_000]);
        let texts = reviews(&dataset, &[]).into_iter().map(|review| review.comments.to_string());
        let long: Vec<String> = texts
            .filter(|text| {
                let words = text.split_whitespace().count();
                if locale == Locale::Ja { text.chars().count() > 15 } else { words > 6 }
            })
            .collect();
        let distinct: HashSet<&String> = long.iter().collect();
        assert!(
            distinct.len() * 100 >= long.len() * 95,
            "{locale:?} {category}: {} of {}",
            distinct.len(),
            long.len()
        );
    }
}

#[test]
fn half_of_the_hostile_texts_stand_beside_an_ordinary_sentence() {
    let folder = serve(
        "standin: 1\nclock: {start: 2026-06-30T12:00:00Z}\nbusinesses: [{number: 1, name: One, locations: [{number: 11, name: L, reviews: [{generate: 1000, nasty: 100%}]}]}]",
    );
    let body = serde_json::json!({"statuses": ["all"]});
    let answer = folder.call("/v1/review/businessId/1", "count=1000", "", &body);
    let mut texts: HashMap<&str, usize> = HashMap::new();
    for review in answer.as_array().unwrap() {
        *texts.entry(review["comments"].as_str().unwrap()).or_default() += 1;
    }
    let alone: usize = texts.values().filter(|times| **times > 4).sum();
    assert!((430..=570).contains(&alone), "{alone}");
    let kinds = texts.values().filter(|times| **times > 4).count();
    assert!(kinds >= 34 && texts.len() > 430, "{kinds} kinds, {} texts", texts.len());
}

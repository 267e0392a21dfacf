//! Review sources: the alias that requests and scenarios use, the name that answers show, and the source's manners
//! (`behaviour.md` 3).

use crate::api::fold::same;

/// One source of reviews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Short name in requests and scenarios.
    pub alias: String,
    /// Name in answers.
    pub name: String,
    /// Whether its reviews recommend (1) or not (0) in place of giving stars.
    pub recommendation: bool,
    /// Whether a review from there can be replied to, unless the review says otherwise.
    pub reply: bool,
}

/// Alias of reviews posted on the platform itself.
pub const OUR_WEBSITE: &str = "our_website";
/// Alias of direct feedback, whose rating is 0.
pub const DIRECT_FEEDBACK: &str = "direct_feedback";
/// Alias of the source of a review that names none.
pub const GOOGLE: &str = "google";

/// (alias, shown name, recommendation-style, can be replied to).
const KNOWN: [(&str, &str, bool, bool); 26] = [
    (GOOGLE, "Google", false, true),
    ("facebook", "Facebook", true, true),
    ("yelp", "Yelp", false, false),
    ("citysearch", "citysearch", false, false),
    ("yellow_pages", "Yellow Pages", false, false),
    ("superpages", "Superpages", false, false),
    ("insider_pages", "Insider Pages", false, false),
    ("yahoo_local", "Yahoo! Local", false, false),
    ("googleplay", "GooglePlay", false, true),
    ("appstore", "App Store", false, true),
    ("tripadvisor", "Tripadvisor", false, false),
    ("booking", "Booking.com", false, false),
    ("zillow", "Zillow", false, false),
    ("healthgrades", "Healthgrades", false, false),
    ("vitals", "Vitals", false, false),
    ("realself", "Realself", false, false),
    ("wedding_wire", "Wedding Wire", false, false),
    ("the_knot", "The Knot", false, false),
    ("vrbo", "Vrbo", false, false),
    ("amazon", "Amazon", false, false),
    ("cars", "Cars.com", false, true),
    ("dealerrater", "DealerRater", false, true),
    ("opentable", "OpenTable", false, false),
    ("trustpilot", "Trustpilot", false, true),
    (OUR_WEBSITE, "Our Website", false, true),
    (DIRECT_FEEDBACK, "Direct Feedback", false, true),
];

/// The sources that need no scenario to be known.
#[must_use]
pub fn known() -> Vec<Source> {
    KNOWN
        .iter()
        .map(|&(alias, name, recommendation, reply)| Source {
            alias: alias.to_owned(),
            name: name.to_owned(),
            recommendation,
            reply,
        })
        .collect()
}

/// Place of the source that a filter names: alias or shown name, without case.
#[must_use]
pub fn find(sources: &[Source], wanted: &str) -> Option<usize> {
    sources.iter().position(|source| same(&source.alias, wanted) || same(&source.name, wanted))
}

/// Places of the sources that a filter names, or none for an empty filter. An unknown source matches nothing.
#[must_use]
pub fn filter(sources: &[Source], wanted: &[std::borrow::Cow<'_, str>]) -> Option<Vec<u16>> {
    let place = |wanted: &std::borrow::Cow<'_, str>| u16::try_from(find(sources, wanted)?).ok();
    (!wanted.is_empty()).then(|| wanted.iter().filter_map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_found_by_alias_and_by_shown_name() {
        let sources = known();
        assert_eq!(find(&sources, "YAHOO! local"), find(&sources, "yahoo_local"));
        assert!(find(&sources, "yahoo_local").is_some());
        assert_eq!(find(&sources, "myspace"), None);
    }
}

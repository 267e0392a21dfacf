//! Review sources: the alias in requests and scenarios, the name in answers, and what reviews of the source can do
//! (`docs/api.md` 3).

use crate::api::fold::same;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Short name in requests and scenarios.
    pub(crate) alias: String,
    /// Name in answers.
    pub(crate) name: String,
    /// Whether its ratings are recommendations (1 or 0) instead of stars.
    pub(crate) recommendation: bool,
    /// Whether its reviews can be replied to, unless the review says otherwise.
    pub(crate) reply: bool,
}

impl Source {
    /// Whether it is one of the two on which many leave stars alone, and whose reviews have no title.
    pub(crate) fn is_google_or_facebook(&self) -> bool {
        self.alias == GOOGLE || self.alias == "facebook"
    }
}

/// Alias of reviews posted on the platform itself.
pub(crate) const OUR_WEBSITE: &str = "our_website";
/// Alias of direct feedback, whose rating is 0.
pub(crate) const DIRECT_FEEDBACK: &str = "direct_feedback";
/// Alias of the source of a review that names none.
pub(crate) const GOOGLE: &str = "google";

/// (alias, shown name, recommendation-style, can be replied to).
const BUILT_IN: [(&str, &str, bool, bool); 26] = [
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

/// The built-in sources.
pub(crate) fn built_in() -> Vec<Source> {
    BUILT_IN
        .iter()
        .map(|&(alias, name, recommendation, reply)| Source {
            alias: alias.to_owned(),
            name: name.to_owned(),
            recommendation,
            reply,
        })
        .collect()
}

/// Index of the source with this alias or shown name, compared without case.
pub(crate) fn find(sources: &[Source], wanted: &str) -> Option<usize> {
    sources.iter().position(|source| same(&source.alias, wanted) || same(&source.name, wanted))
}

/// Indexes of the sources that a filter names, or none for an empty filter. An unknown source matches nothing.
pub(crate) fn filter(sources: &[Source], wanted: &[std::borrow::Cow<'_, str>]) -> Option<Vec<u16>> {
    let place = |wanted: &std::borrow::Cow<'_, str>| u16::try_from(find(sources, wanted)?).ok();
    (!wanted.is_empty()).then(|| wanted.iter().filter_map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_found_by_alias_and_by_shown_name() {
        let sources = built_in();
        assert_eq!(find(&sources, "YAHOO! local"), find(&sources, "yahoo_local"));
        assert!(find(&sources, "yahoo_local").is_some());
        assert_eq!(find(&sources, "myspace"), None);
    }
}

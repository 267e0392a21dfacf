//! What reviews speak of, by category. Scenarios name the subjects in `about`.

/// Subjects that reviews of any business can speak of.
pub(crate) const COMMON_SUBJECTS: [&str; 8] =
    ["staff", "waiting", "price", "booking", "billing", "place", "parking", "communication"];

/// The subjects of each trade, beside the common ones.
pub(crate) const TRADES: [(&str, [&str; 5]); 8] = [
    ("dentist", ["treatment", "cleaning", "pain", "children", "explanation"]),
    ("veterinarian", ["care", "handling", "explanation", "emergency", "medicine"]),
    ("hotel", ["room", "sleep", "breakfast", "amenities", "checkin"]),
    ("restaurant", ["food", "drinks", "portions", "menu", "atmosphere"]),
    ("automotive", ["repair", "diagnosis", "honesty", "speed", "aftercare"]),
    ("retail", ["selection", "quality", "returns", "checkout", "advice"]),
    ("health", ["doctor", "nurse", "explanation", "results", "listening"]),
    ("home-services", ["work", "punctuality", "tidiness", "quote", "aftersales"]),
];

/// All subjects of a category, its own last.
pub(crate) fn subjects(category: &str) -> Vec<&'static str> {
    let own = TRADES.into_iter().filter(|(trade, _)| *trade == category).flat_map(|(_, own)| own);
    COMMON_SUBJECTS.into_iter().chain(own).collect()
}

//! Comparing text without case: full Unicode case folding, no normalisation (`docs/api.md` 3).

use unicase::UniCase;

/// The case-folded form. Texts are equal without case if their folded forms are equal.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { UniCase::unicode(text).to_folded_case() }
}

/// Whether two texts are equal without case. Allocates nothing.
pub(crate) fn same(left: &str, right: &str) -> bool {
    unicase::eq(left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_full() {
        assert_eq!(fold("Straße"), fold("STRASSE"));
        assert_eq!(fold("ΣΊΣΥΦΟΣ"), fold("σίσυφος"));
        assert_eq!(fold("Harbour North"), "harbour north");
        assert!(same("Straße", "STRASSE") && same("\u{212a}elvin", "Kelvin") && !same("Kelvin", "Kelvins"));
    }
}

//! Text compared without case: full Unicode case folding, no normalisation (`behaviour.md` 3).

use unicase::UniCase;

/// The folded form; two texts are equal without case when their folded forms are.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { UniCase::unicode(text).to_folded_case() }
}

/// Whether two texts are equal without case; allocates nothing.
#[must_use]
pub fn same(left: &str, right: &str) -> bool {
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

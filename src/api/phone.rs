//! Comparing phone numbers that are written in different ways (`docs/api.md` 4.3).

/// Country codes that the contact upsert accepts. The first is the default.
pub(crate) const COUNTRIES: [&str; 6] = ["US", "AU", "CA", "MX", "PR", "VI"];

/// The form in which phone numbers are compared: the digits with the country calling code. A number that does not look
/// like one of its country is compared as text.
pub(crate) fn comparable(phone: &str, country: &str) -> String {
    international(phone.trim(), country).unwrap_or_else(|| phone.trim().to_owned())
}

fn international(phone: &str, country: &str) -> Option<String> {
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    if !phone.chars().skip(1).all(|letter| letter.is_ascii_digit() || " -().".contains(letter)) {
        return None;
    }
    if phone.starts_with('+') {
        return (8..=15).contains(&digits.len()).then(|| format!("+{digits}"));
    }
    let (code, trunk, length) = match country {
        "AU" => ("61", "0", 9),
        "MX" => ("52", "", 10),
        _ => ("1", "", 10),
    };
    let national = match digits.len().checked_sub(length) {
        Some(0) => digits.as_str(),
        Some(_) => digits
            .strip_prefix(code)
            .filter(|rest| rest.len() == length)
            .or_else(|| digits.strip_prefix(trunk).filter(|rest| rest.len() == length))?,
        None => return None,
    };
    Some(format!("+{code}{national}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_written_in_many_ways_compares_equal() {
        for phone in ["+1 212 555 0100", "(212) 555-0100", "212.555.0100", "1-212-555-0100", "2125550100"] {
            assert_eq!(comparable(phone, "US"), "+12125550100", "{phone}");
        }
        assert_eq!(comparable("0412 345 678", "AU"), comparable("+61 412 345 678", "US"));
        assert_eq!(comparable("55 1234 5678", "MX"), "+525512345678");
    }

    #[test]
    fn odd_numbers_compare_as_text() {
        for odd in ["12", "call me", "212-555-0100 ext 4", "+1", ""] {
            assert_eq!(comparable(odd, "US"), odd);
        }
        assert_ne!(comparable("2125550100", "US"), comparable("2125550100", "MX"));
    }
}

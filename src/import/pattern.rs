//! Draws a text that fits a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::draw::Draw;

/// Longest text that is drawn.
const MAX_LENGTH: usize = 256;

/// Most candidates that are drawn for a pattern with look-around.
const CANDIDATES: usize = 100;
/// Most steps of matching such a pattern.
const STEPS: usize = 10_000;

/// A text that fits a pattern, as far as the pattern is one of characters, repetitions, alternatives and look-around.
pub(super) fn matching(pattern: &str, draw: &mut Draw) -> Option<String> {
    drawn(pattern, draw).or_else(|| looking_around(pattern, draw))
}

/// A text that fits a pattern with look-around: one that fits the rest of it, with or without what it looks for, if that fits.
fn looking_around(pattern: &str, draw: &mut Draw) -> Option<String> {
    let regex = fancy_regex::RegexBuilder::new(pattern).backtrack_limit(STEPS).build().ok()?;
    let (rest, sought) = without_look_around(pattern);
    (0..CANDIDATES).find_map(|_| {
        let text = drawn(&rest, draw)?;
        let found: String = sought.iter().filter_map(|sought| drawn(sought, draw)).collect();
        let candidates = [text.clone(), format!("{found}{text}"), text + &found, found];
        candidates.into_iter().find(|candidate| regex.is_match(candidate).unwrap_or(false))
    })
}

/// A pattern without the groups that look around, and the contents of those that look for something ahead.
fn without_look_around(pattern: &str) -> (String, Vec<&str>) {
    let (mut rest, mut sought) = (String::new(), Vec::new());
    let mut at = 0;
    while let Some(after) = pattern.get(at..).filter(|after| !after.is_empty()) {
        let mark = ["(?=", "(?!", "(?<=", "(?<!"].into_iter().find(|mark| after.starts_with(mark));
        let end = if let Some(mark) = mark {
            let end = group_end(after);
            if mark == "(?=" {
                sought.extend(after.get(mark.len()..end.saturating_sub(1)));
            }
            end
        } else {
            // An escape stays with the character behind it.
            let mut letters = after.chars();
            if letters.next() == Some('\\') {
                letters.next();
            }
            let end = after.len() - letters.as_str().len();
            rest.push_str(&after[..end]);
            end
        };
        at += end.max(1);
    }
    (rest, sought)
}

/// Bytes of the group with which a pattern begins.
fn group_end(pattern: &str) -> usize {
    let (mut depth, mut in_class, mut is_escaped) = (0_usize, false, false);
    for (at, letter) in pattern.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    pattern.len()
}

/// A text that fits a pattern without look-around.
fn drawn(pattern: &str, draw: &mut Draw) -> Option<String> {
    let parser = &mut regex_syntax::ParserBuilder::new().nest_limit(50).build();
    let hir = parser.parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, draw, &mut out)?;
    Some(out)
}

fn write(hir: &Hir, draw: &mut Draw, out: &mut String) -> Option<()> {
    if out.len() > MAX_LENGTH {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => {
            // Letters and digits look better than other characters.
            let ranges = class.ranges();
            let nice: Vec<char> = ('a'..='z')
                .chain('A'..='Z')
                .chain('0'..='9')
                .filter(|letter| ranges.iter().any(|range| (range.start()..=range.end()).contains(letter)))
                .collect();
            match draw.pick(&nice) {
                Some(letter) => out.push(*letter),
                None => out.push(ranges.first()?.start()),
            }
        }
        HirKind::Class(Class::Bytes(class)) => out.push(char::from(class.ranges().first()?.start())),
        HirKind::Repetition(repetition) => {
            let most = repetition
                .max
                .unwrap_or(repetition.min.saturating_add(4))
                .min(repetition.min.saturating_add(4));
            let times = u64::from(repetition.min) + draw.below(u64::from(most - repetition.min) + 1);
            for _ in 0..times {
                write(&repetition.sub, draw, out)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, draw, out)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, draw, out)?;
            }
        }
        HirKind::Alternation(parts) => {
            let at = usize::try_from(draw.below(parts.len() as u64)).ok()?;
            write(parts.get(at)?, draw, out)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Seed;

    #[test]
    fn a_text_is_drawn_for_patterns_that_look_around() {
        for pattern in [
            "^(?=.*[A-Z]).{3,}$",
            r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[@$!%*?&])[A-Za-z\d@$!%*?&]{8,}$",
            "^(?!0)[0-9]{5}$",
            r"^[a-z]+(?<!x)\(\)$",
        ] {
            let text = matching(pattern, &mut Draw::new(Seed(7), "pattern")).unwrap();
            assert!(fancy_regex::Regex::new(pattern).unwrap().is_match(&text).unwrap(), "{pattern}: {text}");
        }
        for pattern in ["^(?=a)b$", "(?=((((", "(?<=", r"(?=\"] {
            assert_eq!(matching(pattern, &mut Draw::new(Seed(7), "pattern")), None, "{pattern}");
        }
    }
}

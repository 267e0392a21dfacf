//! Draws a text that fits a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::draw::Draw;

/// Longest text that is drawn.
const MAX_LENGTH: usize = 256;

/// A text that fits a pattern, as far as the pattern is one of characters, repetitions and alternatives.
pub(super) fn matching(pattern: &str, draw: &mut Draw) -> Option<String> {
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

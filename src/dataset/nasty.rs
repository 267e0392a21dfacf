//! Hostile texts that `nasty` mixes into generated reviews: each is legal JSON and breaks something in many front-ends.

use std::sync::OnceLock;

use crate::draw::Draw;

const TEXTS: [&str; 34] = [
    // Bidirectional controls, which turn what follows around.
    "Great place \u{202e}yltneucer detisiv\u{202c} and friendly staff",
    "\u{2066}Nice\u{2069} \u{200f}מצוין\u{200f} 5/5 \u{061c}ممتاز",
    "User \u{202d}admin\u{202e}gpj.exe",
    // Control characters.
    "line one\rline two",
    "line one\r\nline two\n\n\n\nline seven",
    "null\u{0}byte",
    "bell \u{7} escape \u{1b}[31mred\u{1b}[0m backspace \u{8} delete \u{7f}",
    "tab\tseparated\tvalues\u{b}vertical\u{c}form feed",
    // White space.
    "   ",
    "\n",
    "\u{a0}\u{2003}\u{3000}\u{2028}\u{2029}",
    // Zero width, combining runs.
    "invis\u{200b}ible\u{200d} jo\u{feff}iners\u{2060}",
    "Z\u{351}\u{36b}\u{343}\u{34a}a\u{30d}\u{33f}\u{346}\u{325}l\u{365}\u{360}\u{323}\u{349}g\u{34c}\u{33d}\u{31d}o\u{363}\u{314}\u{34e} service",
    // Markup, script, queries, formulas.
    "<script>alert(document.cookie)</script>",
    "<img src=x onerror=\"alert(1)\">Lovely</img>",
    "\"><svg/onload=alert(1)>",
    "<b>Bold &amp; &lt;brave&gt;</b> &copy; </textarea></div>",
    "Robert'); DROP TABLE reviews;--",
    "' OR '1'='1",
    "=HYPERLINK(\"http://evil.test\",\"click\")",
    "+1+1",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "# Heading\n* **bold** _it_ [link](javascript:alert(1)) ![x](y) `code`",
    "javascript:alert(1)",
    "{{constructor.constructor('return 1')()}} ${7*7} <%= 7*7 %> %s %d %n",
    // Scripts and cases.
    "İstanbul'da ışık, IĞDIR ılık — straße STRASSE ẞ ﬁne",
    "อาหารอร่อยมาก บริการดีเยี่ยม จะกลับมาอีกแน่นอน",
    "बहुत अच्छा अनुभव, कर्मचारी मददगार थे।",
    "직원분들이 정말 친절하고 깨끗해요",
    "𝒢𝓇ℯ𝒶𝓉 𠜎𠜱 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩‍👩‍👧‍👦 👍🏽 🇺🇳",
    // The same letters composed and decomposed.
    "café cafe\u{301} Å A\u{30a} 각 \u{1100}\u{1161}\u{11a8}",
    "null",
    "undefined NaN -0 1e999 0x10 true",
    "\u{fffd}\u{fdd0}\u{10ffff}",
];

/// Draws a hostile text.
pub(crate) fn text(draw: &mut Draw) -> &'static str {
    static LONG: OnceLock<[String; 2]> = OnceLock::new();
    let long = LONG.get_or_init(|| {
        let address = format!("https://example.test/{}", "a/".repeat(990));
        ["W".repeat(20_000), address]
    });
    let at = usize::try_from(draw.below((TEXTS.len() + long.len()) as u64)).unwrap_or_default();
    TEXTS.get(at).copied().unwrap_or_else(|| &long[at % long.len()])
}

const NAMES: [&str; 10] = [
    "O'Brien-\u{200b}Smith",
    "Nguyễn Thị Minh Khai-Wolfeschlegelsteinhausenbergerdorff",
    "<b>Ann</b>",
    "\u{202e}nnA",
    "Null",
    " ",
    "李\u{0}明",
    "=1+1",
    "🦄🦄",
    "Jose\u{301}",
];

/// Draws a hostile name.
pub(crate) fn name(draw: &mut Draw) -> &'static str {
    draw.pick(&NAMES).copied().unwrap_or_default()
}

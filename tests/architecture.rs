//! Checks the sources against the rules of docs/architecture.md: which module may import which, and what is used in one module only.

#![expect(clippy::unwrap_used, reason = "sources that cannot be read fail the test")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The modules by level, the lowest first. A module may import only those of lower levels.
const LEVELS: [&[&str]; 15] = [
    &["clock", "draw", "memory", "template"],
    &["api"],
    &["dataset"],
    &["auth", "fault", "ledger"],
    &["operations"],
    &["journal", "route", "webhook"],
    &["expect"],
    &["scenario"],
    &["import", "world"],
    &["pipeline", "reload"],
    &["bundle", "explore"],
    &["server"],
    &["cli", "library"],
    &["bench", "fuzz"],
    &["tests"],
];

/// Words that only some files may have, and why.
const RESTRICTED: [(&[&str], &[&str], &str); 4] = [
    (&["actix_"], &["server/"], "only the server knows actix"),
    (&["serde_yaml", "serde_saphyr"], &["scenario/"], "only scenarios know YAML"),
    (
        &["std::fs", "fs::read", "fs::File", "File::open", "File::create", "OpenOptions"],
        // `cli/child/` reads /proc and opens the terminal. Tests compare documents.
        &[
            "scenario/files.rs",
            "cli/import.rs",
            "cli/new.rs",
            "cli/run/outputs.rs",
            "cli/run/github.rs",
            "cli/explore/files.rs",
            "cli/serve/snapshot.rs",
            "cli/openapi.rs",
            "cli/child/",
            "cli/explore/files.rs",
            "bench/",
            "tests/",
        ],
        "only the loader reads files, and only `import`, `new`, `run`, `explore`, `openapi` and `serve --snapshot` write some",
    ),
    (
        &[
            "SystemTime::now",
            "Instant::now",
            "rand::rng()",
            "rand::rng;",
            "thread_rng",
            "rand::random",
            "StdRng",
            "SmallRng",
        ],
        &["clock.rs"],
        "time comes from the clock and chance from draws",
    ),
];

/// The maximum of code lines of a file, without blank lines, comments and tests.
const MAX_LINES: usize = 400;

/// All violations in a source file. `path` is relative to `src`.
fn violations(path: &str, text: &str) -> Vec<String> {
    let plain = without_comments_and_strings(text);
    let mut problems = Vec::new();
    for (line, module) in imports(path, &plain) {
        if let Some(why) = forbidden(module_of(path), &module) {
            problems.push(format!("{path}:{line}: {why}"));
        }
    }
    if is_test(path) {
        return problems;
    }
    let code = without_tests(&plain);
    for (words, places, why) in RESTRICTED {
        if places.iter().any(|place| path.starts_with(place)) {
            continue;
        }
        for word in words {
            for (at, _) in code.match_indices(word).filter(|(at, _)| starts_word(code, *at)) {
                problems.push(format!("{path}:{}: {word}: {why}", line_of(code, at)));
            }
        }
    }
    let lines = code.lines().filter(|line| !line.trim().is_empty()).count();
    if lines > MAX_LINES {
        problems.push(format!("{path}: {lines} code lines are more than {MAX_LINES}"));
    }
    problems
}

/// Whether a file has only tests: `tests.rs`, or a file in a folder `tests`.
fn is_test(path: &str) -> bool {
    path.trim_end_matches(".rs").split('/').any(|part| part == "tests")
}

/// The top-level module of a file.
fn module_of(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or_default();
    first.strip_suffix(".rs").unwrap_or(first)
}

fn level_of(module: &str) -> Option<usize> {
    LEVELS.iter().position(|modules| modules.contains(&module))
}

/// Why a module may not import another.
fn forbidden(from: &str, to: &str) -> Option<String> {
    if from == to || matches!(from, "lib" | "main") {
        return None;
    }
    match (level_of(from), level_of(to)) {
        (None, _) => Some(format!("the module {from} has no level")),
        (_, None) => Some(format!("crate::{to} is not a known module")),
        (Some(own), Some(other)) if other > own => {
            Some(format!("{from} imports {to}, which is on a higher level"))
        }
        (Some(own), Some(other)) if other == own => {
            Some(format!("{from} imports {to}, which is on the same level"))
        }
        (Some(_), Some(_)) => None,
    }
}

/// The modules named after `crate::`, or after a chain of `super::` that leaves the own module, with line numbers.
fn imports(path: &str, plain: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in plain.match_indices("crate").filter(|(at, _)| starts_word(plain, *at)) {
        let Some(rest) = plain[at + "crate".len()..].trim_start().strip_prefix("::") else { continue };
        for name in first_names(rest) {
            found.push((line_of(plain, at), name));
        }
    }
    let depth = path.trim_end_matches(".rs").split('/').filter(|part| *part != "mod").count();
    let mut end = 0;
    for (at, _) in plain.match_indices("super").filter(|(at, _)| starts_word(plain, *at)) {
        if at < end {
            continue;
        }
        let (mut rest, mut steps) = (&plain[at..], 0);
        while let Some(after) =
            rest.strip_prefix("super").and_then(|rest| rest.trim_start().strip_prefix("::"))
        {
            (rest, steps) = (after.trim_start(), steps + 1);
        }
        end = plain.len() - rest.len();
        if steps >= depth {
            let modules = first_names(rest).into_iter().filter(|name| level_of(name).is_some());
            found.extend(modules.map(|name| (line_of(plain, at), name)));
        }
    }
    found
}

/// The first name of a path, or of each path of a group: `a::b` has `a`, `{a::{b, c}, d}` has `a` and `d`.
fn first_names(rest: &str) -> Vec<String> {
    let rest = rest.trim_start();
    let Some(group) = rest.strip_prefix('{') else { return name(rest).into_iter().collect() };
    let (mut depth, mut names, mut awaited) = (1, Vec::new(), true);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => awaited = true,
            _ if awaited && !letter.is_whitespace() => {
                names.extend(name(&group[at..]));
                awaited = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn name(text: &str) -> Option<String> {
    let text = text.strip_prefix("r#").unwrap_or(text);
    let name: String = text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    // `crate::{self}` names no module.
    (!name.is_empty() && name != "self").then_some(name)
}

fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$')
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// The source before its test module.
fn without_tests(plain: &str) -> &str {
    let is_module = |at: &usize| {
        let rest = plain[at + "#[cfg(test)]".len()..].trim_start();
        rest.starts_with("mod ") || rest.starts_with("pub mod ")
    };
    let tests = plain.match_indices("#[cfg(test)]").map(|(at, _)| at).find(is_module);
    &plain[..tests.unwrap_or(plain.len())]
}

/// The source with comments and string literals replaced by spaces. Line numbers do not change.
fn without_comments_and_strings(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let blank = |out: &mut String, letters: &[char]| {
        out.extend(letters.iter().map(|letter| if *letter == '\n' { '\n' } else { ' ' }));
    };
    while at < letters.len() {
        let after_word = at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_');
        let end = match letters[at] {
            '/' if letters.get(at + 1) == Some(&'/') => {
                letters[at..].iter().position(|letter| *letter == '\n').map_or(letters.len(), |n| at + n)
            }
            '/' if letters.get(at + 1) == Some(&'*') => end_of_block_comment(&letters, at),
            '"' => end_of_string(&letters, at),
            'r' | 'b' if !after_word => end_of_raw_string(&letters, at).unwrap_or(at),
            '\'' => end_of_char(&letters, at).unwrap_or(at),
            _ => at,
        };
        if end > at {
            blank(&mut out, &letters[at..end]);
            at = end;
        } else {
            out.push(letters[at]);
            at += 1;
        }
    }
    out
}

fn end_of_block_comment(letters: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    while at < letters.len() {
        match (letters[at], letters.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 1),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_string(letters: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < letters.len() && letters[at] != '"' {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(letters.len())
}

/// The end of a raw string (`r"…"`, `r#"…"#`, `br"…"`), if one starts here.
fn end_of_raw_string(letters: &[char], start: usize) -> Option<usize> {
    let mut at = start + usize::from(letters[start] == 'b');
    if letters.get(at) != Some(&'r') {
        return None;
    }
    at += 1;
    let fences = letters[at..].iter().take_while(|letter| **letter == '#').count();
    at += fences;
    if letters.get(at) != Some(&'"') {
        return None;
    }
    at += 1;
    while at < letters.len() {
        let closed = letters[at] == '"'
            && letters[at + 1..].iter().take_while(|letter| **letter == '#').count() >= fences;
        if closed {
            return Some(at + 1 + fences);
        }
        at += 1;
    }
    Some(letters.len())
}

/// The end of a character literal, if one starts here and not a lifetime.
fn end_of_char(letters: &[char], start: usize) -> Option<usize> {
    match letters.get(start + 1)? {
        '\\' => {
            let close = letters[start + 3..].iter().position(|letter| *letter == '\'')?;
            Some(start + 3 + close + 1)
        }
        _ => (letters.get(start + 2) == Some(&'\'')).then_some(start + 3),
    }
}

/// Collects all source files below a folder with their relative paths.
fn sources(root: &Path, folder: &Path, out: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(root, &path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            out.push((name, fs::read_to_string(path).unwrap()));
        }
    }
}

fn all_sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut out = Vec::new();
    sources(&root, &root, &mut out);
    assert!(out.len() > 30, "the sources were not found");
    out
}

#[test]
fn the_sources_follow_the_rules() {
    let mut found = String::new();
    for (path, text) in all_sources() {
        for problem in violations(&path, &text) {
            writeln!(found, "{problem}").unwrap();
        }
    }
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn every_module_has_a_level_and_is_named_by_the_library() {
    let sources = all_sources();
    let modules: BTreeSet<&str> = sources
        .iter()
        .map(|(path, _)| module_of(path))
        .filter(|module| !matches!(*module, "lib" | "main"))
        .collect();
    let lib = &sources.iter().find(|(path, _)| path == "lib.rs").unwrap().1;
    for module in modules {
        assert!(level_of(module).is_some(), "{module} has no level");
        assert!(lib.contains(&format!("mod {module};")), "lib.rs does not name {module}");
    }
}

#[test]
fn the_program_is_short_and_calls_the_library_once() {
    let sources = all_sources();
    let main = &sources.iter().find(|(path, _)| path == "main.rs").unwrap().1;
    assert!(main.lines().count() < 40);
    assert_eq!(main.matches("standin::").count(), 1);
}

#[test]
fn most_files_are_short() {
    let mut sizes: Vec<usize> = all_sources()
        .iter()
        .filter(|(path, _)| !is_test(path))
        .map(|(_, text)| {
            let plain = without_comments_and_strings(text);
            without_tests(&plain).lines().filter(|line| !line.trim().is_empty()).count()
        })
        .collect();
    sizes.sort_unstable();
    let (median, ninth) = (sizes[sizes.len() / 2], sizes[sizes.len() * 9 / 10]);
    assert!(median < 100, "the median file has {median} code lines");
    assert!(ninth < 250, "the ninth file in ten has {ninth} code lines");
}

#[cfg(test)]
mod scanner {
    use super::*;

    #[track_caller]
    fn finds(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(violations(path, text), expected, "{path}\n{text}");
    }

    #[test]
    fn imports_from_lower_levels_are_allowed() {
        finds("api/call.rs", "use crate::draw::Seed;\nuse crate::api::ids;", &[]);
        finds("cli/serve.rs", "use crate::{api::call::Call, clock, world::{World, registry}};", &[]);
        finds("operations/mod.rs", "fn f(x: crate::dataset::facts::Dataset) {}", &[]);
    }

    #[test]
    fn an_import_from_a_higher_level_is_found_in_any_form() {
        let why = "api imports dataset, which is on a higher level";
        for text in [
            "use crate::dataset::facts;",
            "use crate::{draw::Seed, dataset};",
            "use crate::{draw::{Draw, Seed}, dataset::{whole::Dataset, bits}};",
            "use crate :: dataset;",
            "pub use crate::{\n    dataset::x as y,\n};",
            "fn f() { crate::dataset::f() }",
            "impl crate::dataset::Trait for u8 {}",
            "use super::super::dataset::facts;",
            "mod tests { use super::super::dataset; }",
        ] {
            finds("api/call.rs", text, &[&format!("api/call.rs:1: {why}")]);
        }
        finds("api/mod.rs", "\n\nuse super::dataset;", &[&format!("api/mod.rs:3: {why}")]);
    }

    #[test]
    fn an_import_from_the_same_level_is_found() {
        let why = "ledger/contacts.rs:2: ledger imports auth, which is on the same level";
        finds("ledger/contacts.rs", "// first\nuse crate::auth::Caller;", &[why]);
        finds(
            "reload.rs",
            "use crate::pipeline;",
            &["reload.rs:1: reload imports pipeline, which is on the same level"],
        );
        finds(
            "clock.rs",
            "use crate::draw;",
            &["clock.rs:1: clock imports draw, which is on the same level"],
        );
    }

    #[test]
    fn a_module_without_a_level_is_found() {
        finds("api/call.rs", "use crate::util::x;", &["api/call.rs:1: crate::util is not a known module"]);
        finds("util.rs", "use crate::api::x;", &["util.rs:1: the module util has no level"]);
    }

    #[test]
    fn comments_and_strings_are_not_imports() {
        finds(
            "api/call.rs",
            "// crate::dataset\n/* crate::cli /* x */ crate::cli */\n/// [`crate::cli`]",
            &[],
        );
        finds("api/call.rs", "const A: &str = \"crate::cli \\\" crate::cli\";", &[]);
        finds("api/call.rs", "const A: &str = r#\"crate::cli \" crate::cli\"#;", &[]);
        finds("api/call.rs", "fn f<'a>(x: &'a str) -> char { '\"' }\n// \"", &[]);
        let after = "api/call.rs:1: api imports cli, which is on a higher level";
        finds("api/call.rs", "const A: char = '\\''; const B: &[u8] = br\"x\"; use crate::cli;", &[after]);
    }

    #[test]
    fn super_paths_within_a_module_are_allowed() {
        finds("scenario/validate/keys.rs", "use super::super::cli_words;\nuse super::Once;", &[]);
        finds("auth.rs", "mod tests { use super::*; }", &[]);
        finds(
            "scenario/validate/keys.rs",
            "use super::super::super::cli;",
            &["scenario/validate/keys.rs:1: scenario imports cli, which is on a higher level"],
        );
    }

    #[test]
    fn actix_is_allowed_only_in_the_server() {
        let text = "use actix_web::web;";
        finds("server/bind.rs", text, &[]);
        finds("cli/serve.rs", text, &["cli/serve.rs:1: actix_: only the server knows actix"]);
    }

    #[test]
    fn yaml_is_allowed_only_in_scenarios() {
        let text = "fn f() { serde_yaml::from_str(\"\") }";
        finds("scenario/yaml.rs", text, &[]);
        finds("world/mod.rs", text, &["world/mod.rs:1: serde_yaml: only scenarios know YAML"]);
    }

    #[test]
    fn file_reads_are_allowed_only_in_the_loader() {
        let why = "only the loader reads files, and only `import`, `new`, `run`, `explore`, `openapi` and `serve --snapshot` write some";
        for (text, word) in [
            ("use std::fs;", "std::fs"),
            ("fn f() { File::open(p) }", "File::open"),
            ("fn f() { fs::read_to_string(p) }", "fs::read"),
        ] {
            finds("scenario/files.rs", text, &[]);
            finds("cli/new.rs", text, &[]);
            finds("scenario/load.rs", text, &[&format!("scenario/load.rs:1: {word}: {why}")]);
        }
        finds("scenario/load.rs", "fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }", &[]);
        finds("scenario/tests/corpus.rs", "use std::fs;", &[]);
        finds("webhook/tests.rs", "use std::fs;", &[]);
    }

    #[test]
    fn ambient_time_and_chance_are_found() {
        let why = "time comes from the clock and chance from draws";
        for word in ["SystemTime::now", "Instant::now", "rand::rng()"] {
            let text = format!("fn f() {{ let x = {word}; }}");
            finds("clock.rs", &text, &[]);
            finds("draw.rs", &text, &[&format!("draw.rs:1: {word}: {why}")]);
        }
    }

    #[test]
    fn a_long_file_is_found_without_counting_comments_blank_lines_and_tests() {
        let code = "fn f() {}\n".repeat(400);
        let rest = "// x\n\n/// y\n/* a\nb */\n".repeat(100)
            + "#[cfg(test)]\nmod tests {\n"
            + &"fn t() {}\n".repeat(100)
            + "}";
        finds("draw.rs", &format!("{code}{rest}"), &[]);
        finds(
            "draw.rs",
            &format!("{code}fn g() {{}}\n{rest}"),
            &["draw.rs: 401 code lines are more than 400"],
        );
        let early = format!("#[cfg(test)]\nuse x;\n{code}");
        finds("draw.rs", &early, &["draw.rs: 402 code lines are more than 400"]);
    }
}

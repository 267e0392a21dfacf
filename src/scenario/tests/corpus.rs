//! The examples load, and every broken scenario of `tests/broken` has its expected diagnostics.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::scenario::allow::WARNINGS;
use crate::scenario::diagnostic::{Diagnostic, Severity};
use crate::scenario::render;

use super::{codes, from_disk, here};

/// The files of a folder with that ending, sorted.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<String> {
    let names =
        fs::read_dir(here(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    names
}

fn without_folder(problem: &Diagnostic, folder: &str) -> Diagnostic {
    let mut problem = problem.clone();
    let prefix = format!("{}/", here(folder).display());
    for place in std::iter::once(&mut problem.location).chain(&mut problem.related) {
        place.file = place.file.strip_prefix(here(folder)).map(Path::to_owned).unwrap_or(place.file.clone());
    }
    problem.message = problem.message.replace(&prefix, "");
    problem.help = problem.help.map(|help| help.replace(&here(folder).display().to_string(), "ROOT"));
    problem
}

#[test]
fn the_examples_load() {
    for name in files("examples", ".yaml") {
        let loaded = from_disk("examples", &name);
        let rendered: Vec<String> =
            loaded.diagnostics.iter().map(|problem| render::human(problem, false)).collect();
        let known = ["frozen-clock"];
        assert!(codes(&loaded).iter().all(|code| known.contains(code)), "{name}\n{}", rendered.join("\n\n"));
        assert!(loaded.scenario.is_some(), "{name}");
    }
}

#[test]
fn every_broken_scenario_has_its_expected_diagnostics() {
    let mut wrong = Vec::new();
    for name in files("broken", ".yaml") {
        let loaded = from_disk("broken", &name);
        let mut rendered = String::new();
        for problem in &loaded.diagnostics {
            rendered.push_str(&render::human(&without_folder(problem, "broken"), false));
            rendered.push_str("\n\n");
        }
        assert!(!loaded.diagnostics.is_empty(), "{name} has no mistake");
        let errors = loaded.diagnostics.iter().any(|problem| problem.severity == Severity::Error);
        assert_eq!(loaded.scenario.is_none(), errors, "{name}");
        let expected = here("broken").join(&name).with_extension("txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(expected, &rendered).unwrap();
        } else if fs::read_to_string(expected).ok().as_deref() != Some(&rendered) {
            wrong.push(format!("{name}:\n{rendered}"));
        }
    }
    assert!(wrong.is_empty(), "UPDATE=1 accepts these:\n\n{}", wrong.join("\n"));
}

/// Codes that need a folder or very many findings. Unit tests cover them.
const ELSEWHERE: [&str; 3] = ["too-many", "unused-file", "wrong-name"];

#[test]
fn every_diagnostic_code_has_an_example() {
    let mut raised: BTreeSet<String> = ELSEWHERE.map(str::to_owned).into();
    for name in files("broken", ".yaml") {
        raised.extend(codes(&from_disk("broken", &name)).into_iter().map(str::to_owned));
    }
    let mut known = BTreeSet::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scenario"), &mut known);
    assert!(known.len() > 30, "{known:?}");
    let missing: Vec<&String> = known.difference(&raised).collect();
    assert!(missing.is_empty(), "no example has {missing:?}");
}

#[test]
fn the_list_of_warnings_has_the_code_of_each_warning() {
    let mut warnings = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scenario");
    codes_after(&folder, &[".warning(", "Severity::Warning,"], &mut warnings);
    // Nobody needs to silence the warning about a comment: it can be removed.
    warnings.retain(|code| !["unknown-allow", "unused-allow"].contains(&code.as_str()));
    warnings.insert("unused-file".to_owned());
    assert_eq!(warnings.into_iter().collect::<Vec<_>>(), WARNINGS);
}

/// Collects the diagnostic codes in the sources.
fn sources(folder: &Path, codes: &mut BTreeSet<String>) {
    let calls =
        [".error(", ".warning(", "Severity::Error,", "Severity::Warning,", "Unique::new(", "=> (", "code) ="];
    codes_after(folder, &calls, codes);
}

/// Collects texts of lower-case words and dashes that stand after these calls, in all files of a folder.
fn codes_after(folder: &Path, calls: &[&str], codes: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests") {
            continue;
        }
        if path.is_dir() {
            codes_after(&path, calls, codes);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("mod tests {").next().unwrap();
        for call in calls {
            for rest in text.split(*call).skip(1) {
                let Some(rest) = rest.trim_start().trim_start_matches('(').strip_prefix('"') else {
                    continue;
                };
                let code = rest.split('"').next().unwrap();
                if !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
                    codes.insert(code.to_owned());
                }
            }
        }
    }
}

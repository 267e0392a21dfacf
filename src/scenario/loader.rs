//! A scenario file with all that it includes, read and merged.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::scenario::LoadContext;
use crate::scenario::diagnostic::Findings;
use crate::scenario::files::{is_under, normalize_path};
use crate::scenario::merge;
use crate::scenario::node::Node;
use crate::scenario::raw::ScenarioFile;
use crate::scenario::read::Read;
use crate::scenario::source::{FileId, Sources, Span};
use crate::scenario::yaml;

/// A scenario file may be so large.
pub const SCENARIO_LIMIT: u64 = 4 << 20;
/// So many files may be included, one counted again each time.
const INCLUDES: usize = 200;

/// A load under way.
pub struct Loader<'a> {
    /// Where files come from.
    pub context: &'a LoadContext<'a>,
    /// Texts read so far.
    pub sources: Sources,
    /// What was found so far.
    pub findings: Findings,
    /// Every file read or looked for.
    pub files: Vec<PathBuf>,
    /// How many records are to be generated.
    pub generated: u64,
    includes: usize,
}

impl<'a> Loader<'a> {
    /// One that has not begun.
    #[must_use]
    pub fn new(context: &'a LoadContext<'a>) -> Self {
        Self {
            context,
            sources: Sources::default(),
            findings: Findings::default(),
            files: Vec::new(),
            generated: 0,
            includes: 0,
        }
    }
}

/// The path that `name` means where `at` stands; nothing, and a finding, where it leads out of the root.
pub fn resolve(loader: &mut Loader, name: &str, at: Span) -> Option<PathBuf> {
    let file = loader.sources.get(at.file).map_or_else(PathBuf::new, |source| source.path.clone());
    let folder = file.parent().unwrap_or(Path::new(""));
    let path = normalize_path(&folder.join(name));
    if is_under(&loader.context.root, &path) {
        return Some(path);
    }
    let root = loader.context.root.display().to_string();
    let root = if root.is_empty() { ".".to_owned() } else { root };
    loader
        .findings
        .error("outside-root", at, format!("`{name}` lies outside of the root folder"))
        .help(format!("the root is {root}; `--root` names another"));
    None
}

/// Reads a file's text; nothing, and a finding at the place that names it, where it cannot be had.
pub fn text(loader: &mut Loader, path: &Path, at: Option<Span>, limit: u64) -> Option<(FileId, String)> {
    loader.files.push(path.to_owned());
    let bytes = match loader.context.files.read(path, limit) {
        Ok(bytes) => bytes,
        Err(error) => {
            let at = at.unwrap_or_else(|| Span::new(loader.sources.add(path, String::new()), 0, 0));
            let shown = path.display();
            let findings = &mut loader.findings;
            if error.kind() == ErrorKind::NotFound {
                findings.error("no-file", at, format!("there is no file {shown}"));
            } else if error.kind() == ErrorKind::FileTooLarge {
                let message =
                    format!("{shown} is larger than {} MiB, the limit for such a file", limit >> 20);
                findings.error("limit", at, message);
            } else {
                findings.error("no-file", at, format!("{shown} cannot be read: {error}"));
            }
            return None;
        }
    };
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    match String::from_utf8(bytes) {
        Ok(text) => {
            let file = loader.sources.add(path, String::new());
            Some((file, text))
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let span = Span::new(loader.sources.add(path, text), at, at + 1);
            loader.findings.error("not-utf8", span, format!("this file is not UTF-8, from byte {at} on"));
            None
        }
    }
}

/// Reads a scenario file and merges what it includes; nothing where there is no use in looking further.
pub fn file(loader: &mut Loader, path: &Path) -> Option<ScenarioFile> {
    let (file, text) = text(loader, path, None, SCENARIO_LIMIT)?;
    merged(loader, file, text, &mut vec![path.to_owned()])
}

/// The same for a text that stands for a file.
pub fn given(loader: &mut Loader, path: &Path, text: &str) -> Option<ScenarioFile> {
    let file = loader.sources.add(path, String::new());
    merged(loader, file, text.to_owned(), &mut vec![path.to_owned()])
}

fn merged(loader: &mut Loader, file: FileId, text: String, chain: &mut Vec<PathBuf>) -> Option<ScenarioFile> {
    let node = yaml::parse(&mut loader.findings, file, &text);
    loader.sources.set(file, text);
    let own = root(loader, file, &node?)?;
    let mut base: Option<ScenarioFile> = None;
    for include in own.include.iter().flat_map(|list| &list.value) {
        let Some(path) = resolve(loader, &include.value.0, include.span) else { continue };
        if let Some(place) = chain.iter().position(|before| *before == path) {
            let names = chain[place..].iter().chain([&path]).map(|path| path.display().to_string());
            let chain = names.collect::<Vec<_>>().join(" -> ");
            loader.findings.error("include-loop", include.span, format!("this include leads back: {chain}"));
            continue;
        }
        loader.includes += 1;
        if loader.includes > INCLUDES {
            let message = format!("more than {INCLUDES} files are included, one counted again each time");
            loader.findings.error("limit", include.span, message);
            return None;
        }
        let Some((file, text)) = self::text(loader, &path, Some(include.span), SCENARIO_LIMIT) else {
            continue;
        };
        chain.push(path);
        let included = merged(loader, file, text, chain);
        chain.pop();
        if let Some(mut included) = included {
            (included.name, included.summary, included.part) = (None, None, None);
            base = Some(merge::over(base.unwrap_or_default(), included));
        }
    }
    Some(match base {
        Some(base) => merge::over(base, own),
        None => own,
    })
}

fn root(loader: &mut Loader, file: FileId, node: &Node) -> Option<ScenarioFile> {
    let findings = &mut loader.findings;
    if node.is_null() {
        let span = Span::new(file, 0, 0);
        findings.error("missing-key", span, "this file is empty: a scenario needs at least `standin: 1`");
        return None;
    }
    if let Some(version) = node.get("standin") {
        let written = version.scalar().filter(|scalar| scalar.plain).map(|scalar| &*scalar.text);
        if written != Some("1") {
            findings
                .error("version", version.span, "this build reads version 1 of the format: `standin: 1`")
                .help("a scenario of a later version needs a later build");
            return None;
        }
    }
    ScenarioFile::read(findings, node)
}

//! Reads a scenario file and everything it includes, and merges them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::scenario::LoadContext;
use crate::scenario::diagnostic::Findings;
use crate::scenario::files::{Outside, is_under, normalize_path, read_within};
use crate::scenario::merge;
use crate::scenario::node::Node;
use crate::scenario::raw::ScenarioFile;
use crate::scenario::read::Read;
use crate::scenario::scalars::whole_number;
use crate::scenario::source::{FileId, Sources, Span};
use crate::scenario::validate::warn_no_effect;
use crate::scenario::{seed_data, yaml};

/// Maximum size of a scenario file, in bytes.
pub(crate) const SCENARIO_LIMIT: u64 = 4 << 20;
/// Maximum size of a scenario file and all that it includes, in bytes. A file included twice counts twice.
const SCENARIO_LIMIT_IN_ALL: u64 = 8 << 20;
/// Maximum number of included files. A file included twice counts twice.
const MAX_INCLUDES: usize = 200;
/// Maximum number of files that a scenario reads. A file read twice counts twice.
const MAX_FILES: usize = 1000;

/// The state of a load.
pub(crate) struct Loader<'a> {
    pub(crate) context: &'a LoadContext<'a>,
    /// The texts read so far.
    pub(crate) sources: Sources,
    pub(crate) findings: Findings,
    /// Every file that was read, or that was looked for and is missing.
    pub(crate) files: Vec<PathBuf>,
    /// Number of records that the scenario generates, for the limit.
    pub(crate) generated: u64,
    /// What the scenario's seed-data files have in all, and their size, for the limits.
    pub(crate) seed_counts: seed_data::Counts,
    pub(crate) seed_bytes: u64,
    includes: usize,
    /// The size of the scenario's files that were read so far.
    pub(crate) scenario_bytes: u64,
    /// Where links may lead: to anywhere under these folders.
    within: Vec<PathBuf>,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(context: &'a LoadContext<'a>) -> Self {
        Self {
            context,
            sources: Sources::default(),
            findings: Findings::default(),
            files: Vec::new(),
            generated: 0,
            seed_counts: seed_data::Counts::default(),
            seed_bytes: 0,
            includes: 0,
            scenario_bytes: 0,
            within: vec![context.root.clone()],
        }
    }
}

/// Resolves a path that a file names at `span`, relative to that file. Reports a path outside the root folder.
pub(crate) fn resolve_path(loader: &mut Loader, name: &str, span: Span) -> Option<PathBuf> {
    let file = loader.sources.get(span.file).map_or_else(PathBuf::new, |source| source.path.clone());
    let folder = file.parent().unwrap_or(Path::new(""));
    let path = normalize_path(&folder.join(name));
    if is_under(&loader.context.root, &path) {
        return Some(path);
    }
    loader
        .findings
        .error("outside-root", span, format!("`{name}` is outside the root folder"))
        .help(root_help(&loader.context.root));
    None
}

/// The help for a path outside the root.
pub(crate) fn root_help(root: &Path) -> String {
    let root = root.display().to_string();
    format!("the root is {}; `--root` sets another", if root.is_empty() { "." } else { &root })
}

/// Reads the text of a file. A failure is reported at `span`, where the scenario names the file.
///
/// The text is not yet in `sources`: the caller puts it there after parsing (`Sources::set`), which saves a copy.
pub(crate) fn open(
    loader: &mut Loader,
    path: &Path,
    span: Option<Span>,
    limit: u64,
) -> Option<(FileId, String)> {
    loader.files.push(path.to_owned());
    if loader.files.len() > MAX_FILES {
        // Reported once; the other files are only not read.
        if let (Some(span), true) = (span, loader.files.len() == MAX_FILES + 1) {
            let message = format!("more than {MAX_FILES} files are read (a file counts each time)");
            loader.findings.error("limit", span, message);
        }
        loader.files.truncate(MAX_FILES + 1);
        return None;
    }
    let (files, within) =
        (loader.context.files, loader.within.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    // Without a span this is the scenario's own file. Its path was given on the command line, unless it has a folder.
    let read = match (span, &within[..]) {
        (None, [_root]) => files.read(path, limit),
        _ => read_within(files, path, &within, limit),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => {
            let span = span.unwrap_or_else(|| Span::new(loader.sources.add(path, String::new()), 0, 0));
            let shown = path.display();
            if error.get_ref().is_some_and(Outside::is) {
                let message = format!("{shown} is a link out of the root folder");
                loader.findings.error("outside-root", span, message).help(root_help(&loader.context.root));
                return None;
            }
            let (code, message) = if error.kind() == ErrorKind::NotFound {
                ("no-file", format!("there is no file {shown}"))
            } else if error.kind() == ErrorKind::FileTooLarge {
                let mebibytes = limit >> 20;
                ("limit", format!("{shown} is larger than {mebibytes} MiB, the limit for this kind of file"))
            } else {
                ("no-file", format!("{shown} cannot be read: {error}"))
            };
            loader.findings.error(code, span, message);
            return None;
        }
    };
    match String::from_utf8(without_byte_order_mark(bytes)) {
        Ok(text) => Some((loader.sources.add(path, String::new()), text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let span = Span::new(loader.sources.add(path, text), at, at + 1);
            loader.findings.error("not-utf8", span, format!("this file is not valid UTF-8 at byte {at}"));
            None
        }
    }
}

fn without_byte_order_mark(bytes: Vec<u8>) -> Vec<u8> {
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    }
}

/// Reads a scenario file and merges its includes. Returns `None` if its root cannot be read as a map. `folder` is the folder
/// that the file was found in, if it was not named itself.
pub(crate) fn read_file(loader: &mut Loader, path: &Path, folder: Option<&Path>) -> Option<ScenarioFile> {
    loader.within.extend(folder.map(Path::to_owned));
    let (file, text) = open(loader, path, None, SCENARIO_LIMIT)?;
    read_with_includes(loader, file, text, &mut vec![path.to_owned()])
}

/// Reads a scenario from a text that stands for the file at `path`.
pub(crate) fn read_text(loader: &mut Loader, path: &Path, text: &str) -> Option<ScenarioFile> {
    let file = loader.sources.add(path, String::new());
    read_with_includes(loader, file, text.to_owned(), &mut vec![path.to_owned()])
}

/// `chain` holds the files that include each other down to this one.
fn read_with_includes(
    loader: &mut Loader,
    file: FileId,
    text: String,
    chain: &mut Vec<PathBuf>,
) -> Option<ScenarioFile> {
    loader.scenario_bytes += text.len() as u64;
    if loader.scenario_bytes > SCENARIO_LIMIT_IN_ALL {
        let mebibytes = SCENARIO_LIMIT_IN_ALL >> 20;
        let message =
            format!("the scenario and the files it includes are larger than {mebibytes} MiB in all");
        loader.findings.error("limit", Span::new(file, 0, 0), message);
        return None;
    }
    let node = yaml::parse(&mut loader.findings, file, &text);
    loader.sources.set(file, text);
    let own = read_root(loader, file, &node?)?;
    let mut merged: Option<ScenarioFile> = None;
    for include in own.include.iter().flat_map(|list| &list.value) {
        let Some(path) = resolve_path(loader, &include.value.0, include.span) else { continue };
        if let Some(first) = chain.iter().position(|before| *before == path) {
            let names = chain[first..].iter().chain([&path]).map(|path| path.display().to_string());
            let chain = names.collect::<Vec<_>>().join(" -> ");
            loader.findings.error(
                "include-loop",
                include.span,
                format!("these files include each other: {chain}"),
            );
            continue;
        }
        loader.includes += 1;
        if loader.includes > MAX_INCLUDES {
            let message = format!("more than {MAX_INCLUDES} files are included (a file counts each time)");
            loader.findings.error("limit", include.span, message);
            return None;
        }
        let Some((file, text)) = open(loader, &path, Some(include.span), SCENARIO_LIMIT) else {
            continue;
        };
        chain.push(path);
        let included = read_with_includes(loader, file, text, chain);
        chain.pop();
        if let Some(mut included) = included {
            warn_of_ignored_keys(loader, &included);
            (included.name, included.summary, included.part) = (None, None, None);
            merged = Some(merge::merge(merged.unwrap_or_default(), included));
        }
    }
    Some(match merged {
        Some(merged) => merge::merge(merged, own),
        None => own,
    })
}

/// Warns about keys of a part that nothing reads, since a part is never a scenario itself.
fn warn_of_ignored_keys(loader: &mut Loader, part: &ScenarioFile) {
    if part.part.is_none_or(|part| !part.value) {
        return;
    }
    let spans = [
        ("name", part.name.as_ref().map(|name| name.span)),
        ("summary", part.summary.as_ref().map(|it| it.span)),
    ];
    for (key, span) in spans {
        if let Some(span) = span {
            let message = format!("`{key}` has no effect in a part, which is only included");
            warn_no_effect(&mut loader.findings, span, &message);
        }
    }
}

/// Reads the root map of a file, if the file is of a version that this build supports.
fn read_root(loader: &mut Loader, file: FileId, node: &Node) -> Option<ScenarioFile> {
    let findings = &mut loader.findings;
    if node.is_null() {
        let span = Span::new(file, 0, 0);
        findings.error("missing-key", span, "this file is empty: a scenario needs at least `standin: 1`");
        return None;
    }
    if let Some(version) = node.get("standin") {
        let written = whole_number(version);
        if written.is_none() && version.scalar().is_some_and(|scalar| &*scalar.text == "1") {
            let finding = findings.error("version", version.span, "`standin` is a number: remove the quotes");
            finding.label("the quotes make this text").help("write `standin: 1`");
            return None;
        }
        if written != Some(1) {
            findings
                .error("version", version.span, "this build supports version 1 of the format: `standin: 1`")
                .help("a scenario of a later version needs a later build");
            return None;
        }
    }
    ScenarioFile::read(findings, node)
}

//! The texts of a load, and spans in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file of a load, as an index into `Sources`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(pub(crate) u32);

/// A byte range in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) file: FileId,
    pub(crate) start: u32,
    /// Exclusive.
    pub(crate) end: u32,
}

impl Span {
    /// Offsets beyond 4 GiB are capped; the size limits keep files below that.
    pub(crate) fn new(file: FileId, start: usize, end: usize) -> Self {
        let capped = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { file, start: capped(start), end: capped(end) }
    }

    /// The span from the start of this one to the end of `other`.
    pub(crate) fn to(self, other: Self) -> Self {
        Self { end: other.end.max(self.start), ..self }
    }
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The text without a byte order mark. Bytes that are not UTF-8 are replaced.
    pub(crate) text: String,
}

/// The files of a load, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

impl Sources {
    pub(crate) fn add(&mut self, path: &Path, text: String) -> FileId {
        self.0.push(Source { path: path.to_owned(), text });
        FileId(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// Sets the text of a file that was added without one.
    pub(crate) fn set(&mut self, file: FileId, text: String) {
        if let Some(source) = self.0.get_mut(file.0 as usize) {
            source.text = text;
        }
    }

    /// The texts of some files only.
    pub(crate) fn only(mut self, files: &BTreeSet<FileId>) -> Self {
        for (source, file) in self.0.iter_mut().zip((0..).map(FileId)) {
            if !files.contains(&file) {
                source.text = String::new();
            }
        }
        self
    }

    pub(crate) fn get(&self, file: FileId) -> Option<&Source> {
        self.0.get(file.0 as usize)
    }
}

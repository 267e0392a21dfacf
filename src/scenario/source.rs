//! The texts that problems point into, and places in them.

use std::path::{Path, PathBuf};

/// One of the files of a load, by its place among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A stretch of a file's text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Which file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
}

impl Span {
    /// A stretch of a file; what lies beyond 4 GiB (no file is let so far) is cut off.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let small = |place| u32::try_from(place).unwrap_or(u32::MAX);
        Self { file, start: small(start), end: small(end) }
    }

    /// From the start of this to the end of that.
    #[must_use]
    pub fn to(self, end: Self) -> Self {
        Self { end: end.end.max(self.start), ..self }
    }
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name by which it was asked for.
    pub path: PathBuf,
    /// Its text, without a byte order mark; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// Every file of one load, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, path: &Path, text: String) -> FileId {
        self.0.push(Source { path: path.to_owned(), text });
        FileId(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// Sets the text of a file, for which none was known before.
    pub fn set(&mut self, file: FileId, text: String) {
        if let Some(source) = self.0.get_mut(file.0 as usize) {
            source.text = text;
        }
    }

    /// The file of that place.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.0.get(file.0 as usize)
    }

    /// Its text; empty for a file that is not there.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        self.get(file).map_or("", |source| &source.text)
    }
}

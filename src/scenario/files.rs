//! Access to scenario files, on disk or in memory. The only module that reads files.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Component, Path, PathBuf};

pub(crate) trait Files: Send + Sync {
    /// Reads a regular file. Fails with `FileTooLarge` if it has more than `limit` bytes.
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>>;

    /// Lists a folder, sorted by path. The flag tells whether an entry is a folder itself.
    fn list(&self, folder: &Path) -> Result<Vec<(PathBuf, bool)>>;

    fn is_folder(&self, path: &Path) -> bool;

    /// A number that changes when a file or folder is replaced or written, as far as its metadata shows.
    fn stamp(&self, path: &Path) -> u64;
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>> {
        // Check before opening: opening a pipe would wait for its writer.
        if !fs::metadata(path)?.is_file() {
            return Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        check_size(bytes, limit)
    }

    fn list(&self, folder: &Path) -> Result<Vec<(PathBuf, bool)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            // Skip broken links and files that have been deleted meanwhile.
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if !(metadata.is_dir() && is_link_to_ancestor(folder, &path)) {
                found.push((path, metadata.is_dir()));
            }
        }
        found.sort();
        Ok(found)
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn stamp(&self, path: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        // A link may have a new target whose metadata are the same.
        fs::canonicalize(path).ok().hash(&mut hasher);
        if let Ok(metadata) = fs::metadata(path) {
            (metadata.len(), metadata.modified().ok()).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Whether an entry of a folder is a link to that folder or to one above it. Following it would never end.
fn is_link_to_ancestor(folder: &Path, entry: &Path) -> bool {
    entry.is_symlink()
        && matches!((fs::canonicalize(folder), fs::canonicalize(entry)), (Ok(here), Ok(there)) if here.starts_with(&there))
}

fn check_size(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>> {
    if bytes.len() as u64 > limit {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

/// Files in memory, for tests and embedding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(name, text)| (name.into(), (*text).into())).collect())
    }
}

impl Files for Memory {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>> {
        let bytes = self.0.get(path).ok_or_else(|| Error::from(ErrorKind::NotFound))?;
        check_size(bytes.clone(), limit)
    }

    fn list(&self, folder: &Path) -> Result<Vec<(PathBuf, bool)>> {
        let mut found: Vec<(PathBuf, bool)> = Vec::new();
        for path in self.0.keys() {
            let Ok(rest) = path.strip_prefix(folder) else { continue };
            let mut parts = rest.components();
            if let Some(first) = parts.next() {
                found.push((folder.join(first), parts.next().is_some()));
            }
        }
        found.dedup();
        if found.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(found) }
    }

    fn is_folder(&self, path: &Path) -> bool {
        !self.0.contains_key(path) && self.0.keys().any(|file| file.starts_with(path))
    }

    fn stamp(&self, path: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.get(path).hash(&mut hasher);
        hasher.finish()
    }
}

/// Removes `.` and, as far as possible, `..` from a path. Looks only at the text: links are not resolved.
pub(crate) fn normalize_path(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir) => {}
                Some(Component::Prefix(_) | Component::CurDir | Component::ParentDir) | None => {
                    out.push("..");
                }
            },
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// Whether a normalized path lies in a root folder. Looks only at the text: links are not resolved.
pub(crate) fn is_under(root: &Path, path: &Path) -> bool {
    let rest = path.strip_prefix(normalize_path(root));
    rest.is_ok_and(|rest| rest.components().all(|part| matches!(part, Component::Normal(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized_without_the_disk() {
        for (path, expected) in [
            ("a/./b/../c", "a/c"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/../a", "/a"),
            (".", ""),
            ("a/..", ""),
        ] {
            assert_eq!(normalize_path(path.as_ref()), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn a_path_that_leaves_the_root_is_not_under_it() {
        let under = |root: &str, path: &str| is_under(root.as_ref(), &normalize_path(path.as_ref()));
        assert!(under("", "a/b") && under(".", "a") && under("/r", "/r/x") && under("/r/", "/r/a/../x"));
        assert!(!under("", "../a") && !under("/r", "/rx/a") && !under("/r", "/r/../x") && !under("", "/a"));
    }

    #[test]
    fn regular_files_are_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        fs::write(&path, b"12345").unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        assert_eq!(Disk.read(&path, 5).unwrap(), b"12345");
        assert_eq!(Disk.read(&path, 4).map_err(|error| error.kind()), Err(ErrorKind::FileTooLarge));
        assert_eq!(Disk.read(folder.path(), 4).map_err(|error| error.kind()), Err(ErrorKind::InvalidInput));
        let names = |found: Vec<(PathBuf, bool)>| found.into_iter().map(|one| one.1).collect::<Vec<_>>();
        assert_eq!(names(Disk.list(folder.path()).unwrap()), [false, true]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_its_own_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        assert_eq!(Disk.list(folder.path()).unwrap(), []);
    }
}

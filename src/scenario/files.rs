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

    /// The path with all links resolved.
    fn real(&self, path: &Path) -> Result<PathBuf> {
        Ok(path.to_owned())
    }

    /// A number that changes when a file or folder is replaced or written, as far as its metadata shows.
    fn stamp(&self, path: &Path) -> u64;
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>> {
        let regular = |metadata: fs::Metadata| {
            let other = || Error::new(ErrorKind::InvalidInput, "it is not a regular file");
            metadata.is_file().then_some(()).ok_or_else(other)
        };
        // Check before opening, which may have effects on a device, and again what was opened.
        regular(fs::metadata(path)?)?;
        let file = open_at_once(path)?;
        regular(file.metadata()?)?;
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
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

    fn real(&self, path: &Path) -> Result<PathBuf> {
        // The empty path is the working directory.
        fs::canonicalize(if path.as_os_str().is_empty() { Path::new(".") } else { path })
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

/// Opens a file to read it. Never waits, as opening a pipe for reading would.
fn open_at_once(path: &Path) -> Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.open(path)
}

/// The error of a file that is reached by a link out of the folders that may be read.
#[derive(Debug)]
pub(crate) struct Outside;

impl Outside {
    pub(crate) fn is(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
        error.is::<Self>()
    }
}

impl std::error::Error for Outside {}

impl std::fmt::Display for Outside {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("it is outside the root folder")
    }
}

/// Whether a path, with its links resolved, lies in one of some folders.
///
/// # Errors
/// The path does not exist.
pub(crate) fn is_real_within(files: &dyn Files, path: &Path, folders: &[&Path]) -> Result<bool> {
    let real = files.real(path)?;
    Ok(folders.iter().any(|folder| files.real(folder).is_ok_and(|folder| real.starts_with(folder))))
}

/// Reads a file that must lie in one of some folders, with its links resolved.
///
/// # Errors
/// As `Files::read`, and `Outside`.
pub(crate) fn read_within(files: &dyn Files, path: &Path, folders: &[&Path], limit: u64) -> Result<Vec<u8>> {
    let before = files.real(path)?;
    if !is_real_within(files, path, folders)? {
        return Err(Error::other(Outside));
    }
    let bytes = files.read(path, limit)?;
    // A link that was changed meanwhile may have led elsewhere.
    if files.real(path)? == before {
        Ok(bytes)
    } else {
        Err(Error::other("it was replaced while it was read"))
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
    fn links_may_not_leave_the_folders_that_may_be_read() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), b"s").unwrap();
        fs::write(inside.path().join("own"), b"o").unwrap();
        let link = |target: &Path, name: &str| {
            std::os::unix::fs::symlink(target, inside.path().join(name)).unwrap();
        };
        link(&outside.path().join("secret"), "out");
        link(outside.path(), "folder");
        link("/proc/self/environ".as_ref(), "environ");
        link(&inside.path().join("own"), "in");
        let read = |name: &str| {
            let read = read_within(&Disk, &inside.path().join(name), &[inside.path()], 9);
            read.map_err(|error| error.get_ref().is_some_and(Outside::is))
        };
        assert_eq!((read("own"), read("in")), (Ok(b"o".to_vec()), Ok(b"o".to_vec())));
        for name in ["out", "folder/secret", "environ"] {
            assert_eq!(read(name), Err(true), "{name}");
        }
        assert_eq!(read("missing"), Err(false));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_and_devices_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.yaml");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), "/dev/zero".as_ref()] {
            assert_eq!(Disk.read(path, 9).map_err(|error| error.kind()), Err(ErrorKind::InvalidInput));
        }
        // Opened in spite of the first check, for a pipe that took the place of a file meanwhile.
        assert!(!open_at_once(&pipe).unwrap().metadata().unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_its_own_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        assert_eq!(Disk.list(folder.path()).unwrap(), []);
    }
}

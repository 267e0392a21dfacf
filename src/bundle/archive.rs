//! The zip file: named parts, within bounds. Nothing is ever unpacked to the disk.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Maximum number of bytes of a bundle, packed and unpacked alike.
pub(crate) const LIMIT: usize = 512 << 20;
/// Maximum number of parts.
const MOST_PARTS: usize = 5_000;

/// Why a file is no bundle that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(super) String);

impl Display for Unreadable {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Packs parts. The same parts give the same bytes.
pub(super) fn pack(parts: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in parts {
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Unpacks the parts of a zip file.
pub(super) fn unpack(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, Unreadable> {
    let broken = |error: &dyn Display| Unreadable(format!("it is no whole zip file: {error}"));
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    if zip.len() > MOST_PARTS {
        return Err(Unreadable(format!("it has more than {MOST_PARTS} parts")));
    }
    let (mut parts, mut left) = (BTreeMap::new(), LIMIT);
    for index in 0..zip.len() {
        let part = zip.by_index(index).map_err(|error| broken(&error))?;
        let name = part.name().map_err(|error| broken(&error))?.into_owned();
        if !is_inside(&name) || part.is_symlink() {
            return Err(Unreadable(format!("its part {name:?} is no plain path in the bundle")));
        }
        let mut content = Vec::new();
        part.take(left as u64 + 1).read_to_end(&mut content).map_err(|error| broken(&error))?;
        let Some(rest) = left.checked_sub(content.len()) else {
            return Err(Unreadable(format!("its parts have more than {} MiB together", LIMIT >> 20)));
        };
        left = rest;
        if parts.insert(name.clone(), content).is_some() {
            return Err(Unreadable(format!("it has two parts named {name:?}")));
        }
    }
    Ok(parts)
}

/// Whether a path names a file below the folder in which it is.
pub(super) fn is_inside(path: &str) -> bool {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    path.split('/').all(is_plain) && !path.contains(['\\', '\0', ':'])
}

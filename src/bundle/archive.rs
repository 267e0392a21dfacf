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
pub(crate) fn pack(parts: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in parts {
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Unpacks the parts of a zip file.
pub(crate) fn unpack(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, Unreadable> {
    unpack_within(LIMIT, bytes)
}

fn unpack_within(limit: usize, bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, Unreadable> {
    let broken = |error: &dyn Display| Unreadable(format!("it is no whole zip file: {error}"));
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    if zip.len() > MOST_PARTS {
        return Err(Unreadable(format!("it has more than {MOST_PARTS} parts")));
    }
    let (mut parts, mut left) = (BTreeMap::new(), limit);
    for index in 0..zip.len() {
        let part = zip.by_index(index).map_err(|error| broken(&error))?;
        let name = part.name().map_err(|error| broken(&error))?.into_owned();
        if !is_inside(&name) || part.is_symlink() {
            return Err(Unreadable(format!("its part {name:?} is no plain path in the bundle")));
        }
        let mut content = Vec::new();
        part.take(left as u64 + 1).read_to_end(&mut content).map_err(|error| broken(&error))?;
        let Some(rest) = left.checked_sub(content.len()) else {
            return Err(Unreadable(format!("its parts have more than {limit} bytes together")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
        pack(&parts.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect()).unwrap()
    }

    #[test]
    fn parts_are_packed_and_unpacked_within_the_limit() {
        let parts: [(&str, &[u8]); 2] = [("a/b.json", b"{}"), ("c", &[0; 98])];
        let bytes = zip(&parts);
        assert_eq!(unpack_within(100, &bytes).unwrap()["c"], [0; 98]);
        let error = unpack_within(99, &bytes).unwrap_err();
        assert_eq!(error.to_string(), "its parts have more than 99 bytes together");
        assert!(unpack(b"PK").is_err() && unpack(b"").is_err() && unpack(&bytes[..bytes.len() - 9]).is_err());
        let names: Vec<String> = (0..=MOST_PARTS).map(|number| number.to_string()).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert_eq!(unpack(&zip(&many)).unwrap_err().to_string(), "it has more than 5000 parts");
    }

    #[test]
    fn a_path_that_could_leave_the_bundle_and_a_link_are_refused() {
        for name in ["../a", "/a", "a/../../b", "a\\b", "c:/a", "a//b", "./a", "a/"] {
            let error = unpack(&zip(&[(name, b"x")])).unwrap_err();
            assert!(error.to_string().contains("no plain path"), "{name}: {error}");
        }
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        let error = unpack(&zip.finish().unwrap().into_inner()).unwrap_err();
        assert!(error.to_string().contains("no plain path"), "{error}");
    }
}

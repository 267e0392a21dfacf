//! Plain lists in `seed-data/`: `#` begins a comment line, `[name]` a section, and every other line is one entry. The
//! files are embedded in the program.

/// The sections of a list file with their entries, in the order of the file.
pub(crate) fn sections(file: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        // A phrase may begin and end with alternatives.
        let name =
            line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).filter(|name| !name.contains('|'));
        match name {
            Some(name) => sections.push((name, Vec::new())),
            None => sections.last_mut().into_iter().for_each(|(_, entries)| entries.push(line)),
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        let file = "# a\n[one]\nfirst\n\n second \n[two]\n[three]\nthird";
        let expected = vec![("one", vec!["first", "second"]), ("two", vec![]), ("three", vec!["third"])];
        assert_eq!(sections(file), expected);
    }
}

//! Changed copies of the seeds in `fuzz/seeds`, for each way in. A fuzzer goes further from the same seeds (`fuzz/README.md`).

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::fuzz;
use crate::tests::harness::cases;

/// Pieces that are put in: what has a meaning in one of the languages.
pub(super) const PIECES: [&str; 32] = [
    "",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "{{",
    "}}",
    "{%",
    "%}",
    ":",
    ": ",
    ",",
    "- ",
    "\n",
    "\r",
    "\t",
    "&a ",
    "*a",
    "#",
    "|",
    "\u{0}",
    "\u{feff}",
    "\\ud800",
    "null",
    "-1",
    "1e999",
    "99999999999999999999",
    "true",
    "~1",
    "/-",
];

/// The files of a folder of seeds. Paths start at the folder of the project.
fn seeds(folder: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Copies of the seeds in which up to six places were changed: bytes taken out, a piece or a byte put in.
fn changed(folder: &str) -> impl Strategy<Value = Vec<u8>> + use<> {
    let place = (
        any::<Index>(),
        0_usize..8,
        prop_oneof![
            3 => proptest::sample::select(PIECES.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ],
    );
    (proptest::sample::select(seeds(folder)), proptest::collection::vec(place, 0..6)).prop_map(
        |(mut bytes, places)| {
            for (at, length, piece) in places {
                let start = at.index(bytes.len() + 1);
                let end = (start + length).min(bytes.len());
                bytes.splice(start..end, piece);
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_bytes_are_a_scenario_or_have_a_diagnostic(bytes in changed("tests/examples")) {
        fuzz::scenario(&bytes);
    }

    #[test]
    fn any_bytes_are_reviews_in_csv_or_have_diagnostics_in_that_file(bytes in changed("fuzz/seeds/csv")) {
        fuzz::csv(&bytes);
    }

    #[test]
    fn any_bytes_are_reviews_in_json_lines_or_have_diagnostics_in_that_file(bytes in changed("fuzz/seeds/jsonl")) {
        fuzz::json_lines(&bytes);
    }

    #[test]
    fn no_bytes_in_a_body_make_an_operation_fail(bytes in changed("fuzz/seeds/body")) {
        fuzz::body(&bytes);
    }

    #[test]
    fn a_patch_of_any_bytes_is_refused_or_gives_json(bytes in changed("fuzz/seeds/patch")) {
        fuzz::json_patch(&bytes);
    }

    #[test]
    fn a_template_of_any_bytes_is_refused_or_renders(bytes in changed("fuzz/seeds/template")) {
        fuzz::template(&bytes);
    }

    #[test]
    fn any_bytes_are_a_scenario_with_routes_or_have_a_diagnostic(bytes in changed("scenarios/parts")) {
        fuzz::scenario(&bytes);
    }

    #[test]
    fn an_openapi_document_of_any_bytes_is_refused_or_its_import_loads(bytes in changed("fuzz/seeds/openapi")) {
        fuzz::openapi(&bytes);
    }

    #[test]
    fn no_host_name_but_a_loopback_one_opens_the_admin_side(bytes in changed("fuzz/seeds/host")) {
        fuzz::host(&bytes);
    }

    #[test]
    fn no_endpoint_reaches_link_local_addresses_or_the_server_itself(bytes in changed("fuzz/seeds/endpoint")) {
        fuzz::endpoint(&bytes);
    }
}

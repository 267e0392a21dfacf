//! What `serve` prints when it is ready.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::harness::serve;
use crate::cli::serve::greeting::Greeting;
use crate::server::log::Format;

#[test]
fn control_characters_of_a_scenario_do_not_reach_the_terminal() {
    let folder = serve(
        "standin: 1\nsummary: \"a\\e[2Jb\\u009bc\"\nkeys: [{key: \"k'\\u202e\"}]\nbusinesses: [{number: 1, name: A}]\n",
    );
    let paths = [PathBuf::from("s\u{1b}c")];
    let address = SocketAddr::from(([127, 0, 0, 1], 8080));
    let greeting =
        Greeting { registry: &folder.registry, address, paths: &paths, shipped: false, admin: true };
    let text = greeting.format(Format::Text);
    for shown in [r"a\u{1b}[2Jb\u{9b}c", r"k'\u{202e}", r"x-api-key: k'\''\u{202e}'", r"Reloads s\u{1b}c"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    let plain = anstream::adapter::strip_str(&text).to_string();
    assert!(!plain.contains(|c: char| c.is_control() && c != '\n'), "{plain:?}");
}

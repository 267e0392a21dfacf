//! Reload with the real file watcher: every way in which a file is replaced.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Server, folder, wait_until, write};

/// A scenario whose version is in every review.
fn version(version: u32) -> String {
    let review =
        |at: u32| format!("          - {{id: '{at}', rating: 5, date: 2026-01-01, comments: v{version}}}\n");
    format!(
        "standin: 1\nname: watched\nbusinesses:\n  - number: 1\n    name: One\n    locations:\n      - number: 11\n        name: L\n        reviews:\n{}",
        (0..20).map(review).collect::<String>()
    )
}

const BROKEN: &str = "standin: 1\nname: watched\nbusinesses: [\n";

fn serve(arguments: &[&str]) -> Server {
    Server::of(&[("watched.yaml", &version(1))], arguments)
}

/// The version that is served. All reviews of an answer must have the same one.
fn served(server: &Server) -> u32 {
    let answer = server.world("watched").with_key("k").reviews(1).send().ok();
    let versions: Vec<&str> =
        answer.as_array().unwrap().iter().map(|one| one["comments"].as_str().unwrap()).collect();
    assert!(versions.windows(2).all(|pair| pair[0] == pair[1]), "{versions:?}");
    versions.first().map_or(0, |version| version[1..].parse().unwrap())
}

fn health(server: &Server) -> Value {
    server.admin("GET", "health").send().ok()
}

fn status(server: &Server) -> String {
    health(server)["status"].as_str().unwrap().to_owned()
}

fn becomes(server: &Server, version: u32) {
    wait_until(&format!("version {version} is served"), || served(server) == version);
    wait_until("health is ok", || status(server) == "ok");
}

fn degrades(server: &Server) {
    wait_until("health is degraded", || status(server) == "degraded");
}

/// Saves as many editors do: writes another file and renames it over the first.
fn rename_over(folder: &Path, name: &str, text: &str) {
    let other = folder.join(format!(".{name}.swp"));
    fs::write(&other, text).unwrap();
    fs::rename(other, folder.join(name)).unwrap();
}

#[test]
fn a_write_in_place_is_served() {
    let server = serve(&[]);
    assert_eq!(served(&server), 1);
    for next in 2..5 {
        write(server.path(), "watched.yaml", &version(next));
        becomes(&server, next);
    }
    let log = server.log.lock().unwrap();
    assert!(log.iter().any(|line| line["event"] == "loaded" && line["scenario"] == "watched"), "{log:?}");
}

#[test]
fn files_renamed_over_the_first_are_served_each_time() {
    let server = serve(&[]);
    for next in 2..5 {
        rename_over(server.path(), "watched.yaml", &version(next));
        becomes(&server, next);
    }
}

#[test]
fn a_broken_save_degrades_health_and_the_last_good_version_is_served() {
    let server = serve(&[]);
    write(server.path(), "watched.yaml", "standin: 1\nname: watched\nbusineses: []\n");
    degrades(&server);
    assert_eq!(served(&server), 1);
    let scenario = &health(&server)["scenarios"][0];
    assert_eq!((&scenario["name"], &scenario["generation"]), (&json!("watched"), &json!(1)));
    let diagnostic = &scenario["diagnostics"][0];
    assert_eq!(
        (&diagnostic["severity"], &diagnostic["line"], &diagnostic["column"]),
        (&json!("error"), &json!(3), &json!(1))
    );
    assert!(diagnostic["file"].as_str().unwrap().ends_with("watched.yaml"));
    assert!(diagnostic.to_string().contains("did you mean `businesses`?"), "{diagnostic}");
    write(server.path(), "watched.yaml", &version(2));
    becomes(&server, 2);
    assert_eq!(health(&server)["scenarios"][0]["generation"], 2);
}

#[test]
fn a_deleted_file_is_still_served_and_a_created_one_is_loaded() {
    let server = serve(&[]);
    fs::remove_file(server.path().join("watched.yaml")).unwrap();
    degrades(&server);
    assert_eq!(served(&server), 1);
    write(server.path(), "watched.yaml", &version(2));
    becomes(&server, 2);
    write(server.path(), "sub/other.yaml", "standin: 1\n");
    wait_until("the new scenario has a world", || {
        server.world("other").with_key("k").call("POST", "/").send().json["message"]
            .as_str()
            .is_some_and(|message| message.contains("The paths are"))
    });
    write(server.path(), "sub/third.yaml", "standin: 1\n");
    wait_until("a file in the new folder is seen", || {
        health(&server)["scenarios"].as_array().unwrap().len() == 3
    });
}

#[cfg(unix)]
#[test]
fn a_config_map_that_swaps_its_symlink_is_reloaded() {
    use std::os::unix::fs::symlink;
    let mounted = folder(&[("..v1/watched.yaml", &version(1))]);
    let path = mounted.path();
    symlink("..v1", path.join("..data")).unwrap();
    symlink("..data/watched.yaml", path.join("watched.yaml")).unwrap();
    let server = Server::start(path, &["."]);
    assert_eq!(served(&server), 1);
    for next in 2..5 {
        write(path, &format!("..v{next}/watched.yaml"), &version(next));
        symlink(format!("..v{next}"), path.join("..data_tmp")).unwrap();
        fs::rename(path.join("..data_tmp"), path.join("..data")).unwrap();
        fs::remove_dir_all(path.join(format!("..v{}", next - 1))).unwrap();
        becomes(&server, next);
    }
}

#[test]
fn a_file_written_slowly_is_loaded_when_it_is_complete() {
    let server = serve(&[]);
    let text = version(2);
    let (first, rest) = text.split_at(text.len() - 20);
    let mut file =
        OpenOptions::new().write(true).truncate(true).open(server.path().join("watched.yaml")).unwrap();
    file.write_all(first.as_bytes()).unwrap();
    file.sync_all().unwrap();
    degrades(&server);
    assert_eq!(served(&server), 1, "half a file is nothing");
    file.write_all(rest.as_bytes()).unwrap();
    drop(file);
    becomes(&server, 2);
}

#[test]
fn after_thirty_saves_in_a_second_the_last_is_served_and_no_call_fails() {
    let server = serve(&[]);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut last = 0;
            while !over.load(Ordering::Relaxed) {
                let now = served(&server);
                assert!(now >= last, "{now} after {last}");
                last = now;
            }
        });
        for next in 2..=31 {
            if next % 2 == 0 {
                write(server.path(), "watched.yaml", &version(next));
            } else {
                rename_over(server.path(), "watched.yaml", &version(next));
            }
        }
        becomes(&server, 31);
        over.store(true, Ordering::Relaxed);
        asking.join().unwrap();
    });
}

#[test]
fn included_files_and_seed_data_are_watched_in_their_folders() {
    let server = Server::of(
        &[
            ("scenarios/watched.yaml", "standin: 1\ninclude: [../base/base.yaml]\n"),
            (
                "base/base.yaml",
                "standin: 1\npart: true\nbusinesses: [{number: 1, name: One, locations: [{number: 11, name: L, reviews: [{file: ../rows/r.csv}]}]}]\n",
            ),
            ("rows/r.csv", "rating,date,comments\n5,2026-01-01,v1\n"),
        ],
        &[],
    );
    assert_eq!(served(&server), 1);
    write(server.path(), "rows/r.csv", "rating,date,comments\n5,2026-01-01,v2\n");
    becomes(&server, 2);
    rename_over(&server.path().join("rows"), "r.csv", "rating,date,comments\n5,2026-01-01,v3\n");
    becomes(&server, 3);
    fs::remove_dir_all(server.path().join("rows")).unwrap();
    degrades(&server);
    assert_eq!(served(&server), 3);
    write(server.path(), "rows/r.csv", "rating,date,comments\n5,2026-01-01,v4\n");
    becomes(&server, 4);
    write(server.path(), "base/base.yaml", "standin: 1\npart: true\nbusinesses: [{number: 1, name: One}]\n");
    becomes(&server, 0);
}

#[test]
fn one_named_file_is_watched_through_its_folder() {
    let dir = folder(&[("deep/watched.yaml", &version(1)), ("deep/other.yaml", "not: a scenario\n")]);
    let server = Server::start(dir.path(), &["deep/watched.yaml"]);
    rename_over(&dir.path().join("deep"), "watched.yaml", &version(2));
    becomes(&server, 2);
    write(dir.path(), "deep/watched.yaml", BROKEN);
    degrades(&server);
    assert_eq!(served(&server), 2);
    fs::remove_file(dir.path().join("deep/watched.yaml")).unwrap();
    File::create(dir.path().join("deep/unrelated.txt")).unwrap();
    write(dir.path(), "deep/watched.yaml", &version(3));
    becomes(&server, 3);
}

#[test]
fn polling_compares_file_contents() {
    let server = serve(&["--poll"]);
    write(server.path(), "watched.yaml", &version(2));
    becomes(&server, 2);
    rename_over(server.path(), "watched.yaml", &version(3));
    becomes(&server, 3);
    write(server.path(), "watched.yaml", BROKEN);
    degrades(&server);
    write(server.path(), "watched.yaml", &version(3));
    becomes(&server, 3);
}

#[test]
fn contacts_survive_a_reload_and_a_new_key_is_accepted_at_once() {
    let server = serve(&[]);
    let client = server.client().with_key("k");
    let saved = client.contact(1).json(&json!({"email": "a@b.test", "businessIds": [11]})).send().ok();
    write(server.path(), "watched.yaml", &format!("{}keys: [{{key: k2}}]\n", version(2)));
    wait_until("the old key is refused", || client.qna(1).send().status == 401);
    let again = server.client().with_key("k2").contact(1).json(&json!({"email": "a@b.test"})).send().ok();
    assert_eq!(again, saved);
}

#[test]
fn a_renamed_default_scenario_is_served_on_and_health_says_so() {
    let server = serve(&[]);
    // At once: while it is written in place, health may be degraded since the file is empty.
    rename_over(server.path(), "watched.yaml", &version(2).replace("name: watched", "name: other"));
    degrades(&server);
    let reviews =
        |client: crate::harness::Client| client.with_key("k").reviews(1).send().ok()[0]["comments"].clone();
    assert_eq!(reviews(server.client()), "v1");
    assert_eq!(reviews(server.world("other")), "v2");
    let health = health(&server);
    let old = health["scenarios"].as_array().unwrap().iter().find(|one| one["name"] == "watched").unwrap();
    let problem = &old["diagnostics"][0];
    assert_eq!((&problem["code"], &problem["line"]), (&"renamed".into(), &2.into()));
    assert!(problem["message"].as_str().unwrap().contains("also at `/`"), "{problem}");
}

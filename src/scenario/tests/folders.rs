//! Folders of scenarios.

use std::path::Path;

use crate::scenario::files::{Disk, Memory};
use crate::scenario::{LoadedFolder, load_all};

use super::{TODAY, codes};

fn folder(files: &[(&str, &str)]) -> LoadedFolder {
    load_all(&Memory::new(files), TODAY.start(), &["s".into()], None, Path::new("/w"))
}

fn all_codes(files: &[(&str, &str)]) -> Vec<&'static str> {
    folder(files).all_diagnostics().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn a_folder_may_have_scenarios_parts_and_other_files() {
    let found = folder(&[
        ("/w/s/b.yaml", "standin: 1\ninclude: [deep/used.yml]"),
        (
            "/w/s/deep/a.yml",
            "standin: 1\nname: first\nbusinesses: [{number: 1, name: A, locations: [{number: 2, name: B, reviews: [{file: ../../data/x.yaml}]}]}]",
        ),
        ("/w/s/deep/used.yml", "standin: 1\npart: true"),
        ("/w/s/deep/unused.yml", "standin: 1\npart: true"),
        ("/w/s/.hidden/c.yaml", "standin: 1\nnonsense: 1"),
        ("/w/s/other.yaml", "a: 1"),
        ("/w/s/readme.md", "standin: 1"),
        ("/w/s/broken.yaml", "standin: 1\n  a: [\n"),
        ("/w/data/x.yaml", "[]"),
    ]);
    let names: Vec<_> =
        found.scenarios.iter().map(|one| (one.name.as_deref(), one.scenario.is_some())).collect();
    assert_eq!(names, [(None, false), (Some("b"), true), (Some("first"), true)]);
    let problems: Vec<_> =
        found.diagnostics.iter().map(|it| (it.code, it.location.file.to_str().unwrap())).collect();
    assert_eq!(problems, [("unused-file", "s/deep/unused.yml")]);
    assert_eq!(found.scenarios[0].diagnostics[0].location.file, Path::new("s/broken.yaml"));
    let dirs: Vec<&str> = found.dirs.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(dirs, ["/w/data", "/w/s", "/w/s/deep"]);
    assert!(found.has_errors());
}

#[test]
fn two_scenarios_of_one_name_are_an_error_in_both() {
    let found = folder(&[
        ("/w/s/a.yaml", "standin: 1"),
        ("/w/s/b.yaml", "standin: 1\nname: a"),
        ("/w/s/c.yaml", "standin: 1"),
    ]);
    let results: Vec<_> = found.scenarios.iter().map(|one| (codes(one), one.scenario.is_some())).collect();
    assert_eq!(results, [(vec!["duplicate-name"], false), (vec!["duplicate-name"], false), (vec![], true)]);
}

#[test]
fn the_own_world_of_a_key_may_not_have_the_name_of_a_scenario() {
    let found = folder(&[
        ("/w/s/a.yaml", "standin: 1\nkeys: [{key: k, name: b, world: own}]"),
        ("/w/s/b.yaml", "standin: 1"),
    ]);
    assert_eq!(codes(&found.scenarios[0]), ["world-name"]);
    assert_eq!(codes(&found.scenarios[1]), [""; 0]);
}

#[test]
fn a_named_file_that_is_missing_is_an_error() {
    let found = load_all(&Memory::default(), TODAY.start(), &["no.yaml".into()], None, Path::new("/w"));
    assert_eq!(
        found.all_diagnostics().map(|it| it.message.as_str()).collect::<Vec<_>>(),
        ["there is no file no.yaml"]
    );
}

#[test]
fn the_root_is_the_working_directory_or_the_scenarios_folder() {
    let text = "standin: 1\ninclude: [../p.yaml]";
    let files = [("/w/s/a.yaml", text), ("/w/p.yaml", "standin: 1\npart: true")];
    let at = |cwd: &str, root: Option<&str>| {
        let found = load_all(
            &Memory::new(&files),
            TODAY.start(),
            &["/w/s/a.yaml".into()],
            root.map(Path::new),
            Path::new(cwd),
        );
        !found.has_errors()
    };
    assert!(at("/w", None) && at("/elsewhere", Some("/w")) && at("/", Some(".")));
    assert!(!at("/elsewhere", None) && !at("/", None) && !at("/w/s", None) && !at("/w", Some("s")));
}

#[test]
fn a_comment_in_an_included_file_is_unused_only_if_no_scenario_has_its_warning() {
    let base =
        "standin: 1\npart: true\nkeys:\n  - {key: a, rate_limit: 1 per 1m} # standin: allow frozen-clock\n";
    let including = |clock: &str| format!("standin: 1\ninclude: [base.yaml]\nclock: {{mode: {clock}}}\n");
    let all = |frozen: &str| {
        all_codes(&[
            ("/w/s/base.yaml", base),
            ("/w/s/a.yaml", &including(frozen)),
            ("/w/s/b.yaml", &including("running")),
        ])
    };
    assert_eq!(all("frozen"), [""; 0]);
    assert_eq!(all("running"), ["unused-allow", "unused-allow"]);
}

#[test]
fn a_comment_at_its_start_silences_the_warning_about_an_unused_part() {
    let part = |comment: &str| format!("{comment}\nstandin: 1\npart: true\n");
    let scenario = ("/w/s/a.yaml", "standin: 1\n");
    assert_eq!(all_codes(&[scenario, ("/w/s/p.yaml", &part("# later"))]), ["unused-file"]);
    assert_eq!(all_codes(&[scenario, ("/w/s/p.yaml", &part("# standin: allow unused-file"))]), [""; 0]);
}

#[test]
fn the_root_of_a_folder_elsewhere_is_its_parent() {
    let files =
        [("/w/s/a.yaml", "standin: 1\ninclude: [../p.yaml]"), ("/w/p.yaml", "standin: 1\npart: true")];
    let at = |folder: &str, cwd: &str| {
        !load_all(&Memory::new(&files), TODAY.start(), &[folder.into()], None, Path::new(cwd)).has_errors()
    };
    for (folder, cwd) in [("/w/s", "/elsewhere"), ("/w/s", "/"), (".", "/w/s"), ("s", "/w"), ("../s", "/w/x")]
    {
        assert!(at(folder, cwd), "{folder} from {cwd}");
    }
    let on_top = [("/s/a.yaml", "standin: 1\ninclude: [../p.yaml]"), ("/p.yaml", "standin: 1\npart: true")];
    let found = load_all(&Memory::new(&on_top), TODAY.start(), &["/s".into()], None, Path::new("/"));
    assert_eq!(codes(&found.scenarios[0]), ["outside-root"], "the whole disk is never the root by itself");
}

#[cfg(unix)]
#[test]
fn links_found_in_a_folder_may_not_leave_the_root() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (folder, outside) = (folder.path().canonicalize().unwrap(), outside.path().canonicalize().unwrap());
    let scenario = "standin: 1\nname: linked\n";
    std::fs::create_dir_all(folder.join("project/s")).unwrap();
    std::fs::write(outside.join("linked.yaml"), scenario).unwrap();
    std::fs::write(outside.join("rows.csv"), "id\nsecret\n").unwrap();
    std::fs::write(folder.join("project/beside.yaml"), "standin: 1\nname: beside\n").unwrap();
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, folder.join("project/s").join(name)).unwrap();
    };
    link(&outside.join("linked.yaml"), "out.yaml");
    link(&outside.join("rows.csv"), "rows.csv");
    link(&outside, "more");
    link(&folder.join("project/beside.yaml"), "in.yaml");
    let reads = "standin: 1\nname: reads\ninclude: [out.yaml]\nbusinesses: [{number: 1, name: A, contacts: [{file: rows.csv}]}]\n";
    std::fs::write(folder.join("project/s/reads.yaml"), reads).unwrap();
    let load = |named: &Path| load_all(&Disk, TODAY.start(), &[named.to_owned()], None, Path::new("/"));
    let found = load(&folder.join("project/s"));
    let scenarios: Vec<_> = found
        .scenarios
        .iter()
        .map(|one| (one.path.file_name().unwrap().to_str().unwrap(), codes(one)))
        .collect();
    assert_eq!(
        scenarios,
        [
            ("out.yaml", vec!["outside-root"]),
            ("in.yaml", vec![]),
            ("reads.yaml", vec!["outside-root", "outside-root"]),
        ]
    );
    assert_eq!(found.diagnostics.iter().map(|it| it.code).collect::<Vec<_>>(), ["outside-root"]);
    assert!(!found.all_diagnostics().any(|it| format!("{it:?}").contains("secret")));
    // A file or folder that is named may be a link itself.
    assert!(!load(&folder.join("project/s/out.yaml")).has_errors());
    std::fs::remove_file(outside.join("rows.csv")).unwrap();
    assert_eq!(load(&folder.join("project/s/more")).names().collect::<Vec<_>>(), ["linked"]);
}

#[cfg(unix)]
#[test]
fn each_folder_is_read_once_however_many_links_lead_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..8).map(|number| format!("d{number}")).collect();
    for name in &names {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join(format!("{name}.yaml")), "standin: 1").unwrap();
    }
    for (from, to) in names.iter().flat_map(|from| names.iter().map(move |to| (from, to))) {
        let link = folder.path().join(from).join(format!("to-{to}"));
        std::os::unix::fs::symlink(folder.path().join(to), link).unwrap();
    }
    let found = load_all(&Disk, TODAY.start(), &[folder.path().to_owned()], None, Path::new("/"));
    assert_eq!((found.scenarios.len(), found.has_errors()), (8, false));
}

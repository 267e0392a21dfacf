//! `standin run`: whichever way it ends, nothing of the command is left running. Each command has a marker in its environment,
//! and so have its descendants.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::harness::{folder, now, program, wait_until, write};

const SMALL: &str = "standin: 1\nbusinesses: [{number: 1, name: One}]\n";
/// Starts a daemon: a process in another session, whose parent has ended, and which ignores what can be ignored.
const DAEMON: &str = "(setsid sh -c 'trap \"\" TERM INT HUP QUIT; : >daemon; while :; do sleep 1000; done' </dev/null >/dev/null 2>&1 &);
    while ! [ -e daemon ]; do sleep 0.01; done";

/// A folder with a scenario, and a marker for the processes of one test.
struct Place {
    folder: TempDir,
    marker: String,
}

impl Place {
    fn new(name: &str) -> Self {
        Self {
            folder: folder(&[("small.yaml", SMALL)]),
            marker: format!("run-{name}-{}", std::process::id()),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// `standin run` with flags, of a shell script.
    fn command(&self, flags: &[&str], script: &str) -> Command {
        let mut command = program();
        command.current_dir(self.path()).env("LEFTOVERS", &self.marker);
        command.args(["run", "--allow-no-calls", "small.yaml"]).args(flags).args(["--", "sh", "-c", script]);
        command
    }

    /// Runs it to its end, and returns the exit code.
    fn run(&self, flags: &[&str], script: &str) -> i32 {
        self.command(flags, script).status().unwrap().code().unwrap()
    }

    /// Starts it, and waits until its script has made the file `ready`.
    fn start(&self, script: &str) -> Child {
        let child = self.command(&[], script).stderr(Stdio::null()).spawn().unwrap();
        wait_until("the command is ready", || self.path().join("ready").exists());
        child
    }

    /// A number in a file that the script has written.
    fn number(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap().trim().to_owned()
    }

    fn left(&self) -> Vec<(String, String)> {
        left(&self.marker)
    }

    #[track_caller]
    fn nothing_is_left(&self) {
        let left = self.left();
        assert!(left.is_empty(), "{left:?}");
    }

    fn wait_until_nothing_is_left(&self) {
        wait_until("nothing is left", || self.left().is_empty());
    }
}

impl Drop for Place {
    /// What a test that fails has left must not disturb others.
    fn drop(&mut self) {
        for (number, _) in self.left() {
            let _ = Command::new("kill").args(["-KILL", &number]).output();
        }
    }
}

/// The numbers and command lines of all processes that have this marker in the variable `LEFTOVERS`.
pub fn left(marker: &str) -> Vec<(String, String)> {
    let variable = format!("LEFTOVERS={marker}");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_marked = |process: &fs::DirEntry| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
    };
    let line = |process: fs::DirEntry| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let number = process.file_name().to_string_lossy().into_owned();
        (number, String::from_utf8_lossy(&line).replace('\0', " "))
    };
    processes.filter(is_marked).map(line).filter(|(_, line)| !line.is_empty()).collect()
}

pub fn signal(name: &str, pid: &impl ToString) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn a_daemon_does_not_outlive_a_command_that_ends() {
    let place = Place::new("daemon");
    for code in [0, 5] {
        assert_eq!(place.run(&[], &format!("{DAEMON}; exit {code}")), code);
        place.nothing_is_left();
    }
}

#[test]
fn background_processes_do_not_outlive_a_command_that_ends() {
    let place = Place::new("background");
    assert_eq!(place.run(&[], "sleep 1000 & sleep 1000 & (sleep 1000; true) & exit 4"), 4);
    place.nothing_is_left();
}

#[test]
fn a_program_that_is_not_there_leaves_nothing() {
    let place = Place::new("missing");
    let mut command = place.command(&[], "true");
    assert_eq!(command.stderr(Stdio::null()).status().unwrap().code(), Some(0));
    assert_eq!(place.run(&[], "exec no-such-program 2>/dev/null"), 127);
    place.nothing_is_left();
}

#[test]
fn processes_that_start_others_for_ever_are_all_killed() {
    let place = Place::new("forking");
    // Each starts the next one and ends at once. The first ones are at it before the command ends.
    write(place.path(), "next.sh", "sh next.sh & : >\"went-$1\"");
    write(
        place.path(),
        "chain.sh",
        "i=0; while [ $i -lt 15 ]; do sh next.sh $i & i=$((i+1)); done; while ! [ -e went-14 ]; do sleep 0.01; done",
    );
    assert_eq!(place.run(&[], ". ./chain.sh"), 0);
    place.nothing_is_left();
}

#[test]
fn a_command_that_ignores_sigterm_is_killed_after_the_grace_time() {
    let place = Place::new("stubborn");
    // It is ignored from the start, so that the timeout cannot come first.
    let run = place.command(&["--timeout", "100ms"], &format!("{DAEMON}; while :; do sleep 1000; done"));
    let mut ignoring = Command::new("sh");
    ignoring.args(["-c", "trap '' TERM; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    let started = now();
    let status = ignoring.current_dir(place.path()).env("LEFTOVERS", &place.marker).status().unwrap();
    assert_eq!(status.code(), Some(124));
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(5), "{took:?}");
    place.nothing_is_left();
}

#[test]
fn a_signal_is_passed_on_and_the_command_ends_as_it_likes() {
    for (name, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129), ("-QUIT", 131)] {
        let place = Place::new(&format!("plain{name}"));
        let mut run = place.start(": >ready; exec sleep 1000");
        signal(name, &run.id());
        assert_eq!(run.wait().unwrap().code(), Some(code), "{name}");
        place.nothing_is_left();
    }
    let place = Place::new("handled");
    let mut run = place.start("trap 'exit 9' TERM; sleep 1000 & : >ready; wait");
    signal("-TERM", &run.id());
    assert_eq!(run.wait().unwrap().code(), Some(9));
    place.nothing_is_left();
}

#[test]
fn after_a_signal_the_other_processes_of_the_command_have_time_to_end() {
    let place = Place::new("graceful");
    // The shell is ended at once. Its children, one of them in another session, clean up first.
    let child = "trap 'sleep 0.2; : >\"cleaned-$1\"; exit' TERM; : >\"up-$1\"; while :; do sleep 0.01; done";
    write(place.path(), "child.sh", child);
    let script = "sh child.sh 1 & setsid sh child.sh 2 & while ! [ -e up-1 -a -e up-2 ]; do sleep 0.01; done; : >ready; exec sleep 1000";
    let mut run = place.start(script);
    let started = now();
    signal("-TERM", &run.id());
    assert_eq!(run.wait().unwrap().code(), Some(143));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(place.path().join("cleaned-1").exists() && place.path().join("cleaned-2").exists());
    place.nothing_is_left();
}

#[test]
fn after_a_signal_what_does_not_end_is_killed() {
    let place = Place::new("signal-daemon");
    let mut run = place.start(&format!("{DAEMON}; trap 'exit 6' TERM; : >ready; sleep 1000 & wait"));
    let started = now();
    signal("-TERM", &run.id());
    assert_eq!(run.wait().unwrap().code(), Some(6), "it is still the command's own");
    assert!(started.elapsed() >= Duration::from_millis(4900));
    place.nothing_is_left();
}

#[test]
fn a_signal_ends_a_run_whose_command_has_ended_and_which_is_busy_with_its_report() {
    let place = Place::new("judging");
    // A pipe that is full holds up who writes to it.
    let pipe = place.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let calls = "for i in $(seq 9); do curl -s \"$STANDIN_BASE_URL/$(printf '%20000s' | tr ' ' x)\" >/dev/null; done; : >ended";
    let mut run = place.command(&["--har", "pipe"], calls).stderr(Stdio::null()).spawn().unwrap();
    let mut report = fs::File::open(&pipe).unwrap();
    let mut begin = [0];
    report.read_exact(&mut begin).unwrap();
    assert!(place.path().join("ended").exists());
    signal("-TERM", &run.id());
    assert_eq!(run.wait().unwrap().code(), Some(143));
    place.nothing_is_left();
}

#[test]
fn nothing_is_left_when_standin_is_killed() {
    let place = Place::new("killed");
    let mut run = place.start(&format!("{DAEMON}; sleep 1000 & : >ready; sleep 1000"));
    assert!(place.left().len() >= 5, "{:?}", place.left());
    run.kill().unwrap();
    run.wait().unwrap();
    place.wait_until_nothing_is_left();
}

#[test]
fn nothing_is_left_when_the_supervisor_is_killed() {
    let place = Place::new("supervisor");
    let mut run =
        place.start(&format!("{DAEMON}; echo $PPID >supervisor; sleep 1000 & : >ready; sleep 1000"));
    signal("-KILL", &place.number("supervisor"));
    assert_eq!(run.wait().unwrap().code(), Some(137));
    place.nothing_is_left();
}

#[test]
fn nothing_is_left_when_the_command_kills_its_process_group() {
    let place = Place::new("group");
    assert_eq!(place.run(&[], &format!("{DAEMON}; kill -KILL 0")), 137);
    place.nothing_is_left();
    assert_eq!(place.run(&[], "rm daemon; trap 'exit 8' TERM; kill 0; sleep 1000"), 8);
    place.nothing_is_left();
}

#[test]
fn a_command_within_a_run_within_a_run_is_ended_too() {
    let place = Place::new("nested");
    let program = env!("CARGO_BIN_EXE_standin");
    let inner = format!("{DAEMON}; : >ready; sleep 1000");
    write(place.path(), "inner.sh", &inner);
    let mut run = place.start(&format!("'{program}' run small.yaml -- sh inner.sh"));
    run.kill().unwrap();
    run.wait().unwrap();
    place.wait_until_nothing_is_left();
}

/// Runs a shell script at a pseudo-terminal, types, and returns what the terminal shows.
fn at_a_terminal(place: &Place, script: &str, typed: &[(&str, &[u8])]) -> String {
    write(place.path(), "at-terminal.sh", script);
    let mut terminal = Command::new("script")
        .args(["-qefc", "sh at-terminal.sh", "typescript"])
        .current_dir(place.path())
        .env("LEFTOVERS", &place.marker)
        .env("STANDIN", env!("CARGO_BIN_EXE_standin"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut keys = terminal.stdin.take().unwrap();
    let shown = || fs::read_to_string(place.path().join("typescript")).unwrap_or_default();
    for (after, typed) in typed {
        wait_until(&format!("the terminal shows {after}"), || shown().contains(after));
        keys.write_all(typed).unwrap();
        keys.flush().unwrap();
    }
    wait_until("the terminal is left", || terminal.try_wait().unwrap().is_some());
    shown()
}

#[test]
fn on_a_terminal_the_command_is_the_foreground_group_and_reads_it() {
    let place = Place::new("terminal");
    let inner = "read -r _ _ _ _ group _ _ foreground _ </proc/$$/stat
        [ $group = $foreground ] && echo in-fore\"\"ground; echo ask-\"\"now; read -r line; echo \"got $line\"; exit 5";
    write(place.path(), "inner.sh", inner);
    let script = "\"$STANDIN\" run --allow-no-calls small.yaml -- sh inner.sh; echo \"code $?\"; read -r line; echo \"then $line\"";
    let shown = at_a_terminal(&place, script, &[("ask-now", b"hello\n"), ("code 5", b"again\n")]);
    for part in ["in-foreground", "got hello", "code 5", "then again"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    place.nothing_is_left();
}

#[test]
fn ctrl_c_at_the_terminal_is_for_the_command_alone() {
    let place = Place::new("ctrl-c");
    let script = "trap 'echo outer got it' INT
        \"$STANDIN\" run --allow-no-calls small.yaml -- sh -c 'trap \"echo inner got it; exit 6\" INT; echo re\"\"ady; while :; do sleep 0.01; done'; echo \"code $?\"";
    let shown = at_a_terminal(&place, script, &[("ready", b"\x03")]);
    assert!(
        shown.contains("inner got it") && shown.contains("code 6") && !shown.contains("outer got it"),
        "{shown}"
    );
    place.nothing_is_left();
}

#[test]
fn ctrl_z_stops_the_run_and_it_can_be_continued() {
    let place = Place::new("ctrl-z");
    let script = "set -m
        \"$STANDIN\" run --allow-no-calls small.yaml -- sh -c 'echo re\"\"ady; read -r line; echo \"got $line\"'; echo \"sto\"\"pped $?\"; fg; echo \"code $?\"";
    let shown = at_a_terminal(&place, script, &[("ready", b"\x1a"), ("stopped", b"hello\n")]);
    assert!(shown.contains("got hello") && shown.contains("code 0"), "{shown}");
    place.nothing_is_left();
}

#[test]
fn a_command_whose_output_goes_elsewhere_reads_the_terminal_all_the_same() {
    let place = Place::new("piped");
    let script = "set -m
        \"$STANDIN\" run --allow-no-calls small.yaml -- sh -c 'echo ask-\"\"now; read -r line; echo \"got $line\"' | cat; echo e\"\"nd";
    let shown = at_a_terminal(&place, script, &[("ask-now", b"hello\n")]);
    assert!(shown.contains("got hello") && shown.contains("end"), "{shown}");
    place.nothing_is_left();
}

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::judged::path;

/// Says on standard output, which the test harness does not capture this way, that something was not tried.
pub fn skipped(what: &str, why: impl Display) {
    let _ = writeln!(std::io::stdout(), "SKIPPED: {what}: {why}");
}

/// Whether a program runs and ends with 0.
pub fn works(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Python 3.10 or later.
pub fn has_python() -> bool {
    works("python3", &["-c", "import sys; sys.exit(sys.version_info < (3, 10))"])
}

/// The command of Node 22.6 or later, with TypeScript.
pub fn node() -> Option<Vec<String>> {
    let output = Command::new("node").arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    let mut parts = version.trim().strip_prefix('v')?.split('.').map(str::parse::<u32>);
    let version = (parts.next()?.ok()?, parts.next()?.ok()?);
    let flags = ["node", "--experimental-strip-types", "--no-warnings"];
    (version >= (22, 6)).then(|| flags.map(str::to_owned).into())
}

/// A folder in the target folder, for what is built and installed once.
pub fn kept() -> PathBuf {
    // The program is in target/debug.
    let program = PathBuf::from(env!("CARGO_BIN_EXE_standin"));
    program.ancestors().nth(2).unwrap().join("clients")
}

/// Builds a crate of its own and returns the path of its program, or why that cannot be done.
pub fn built(manifest: &str, program: &str) -> Result<String, String> {
    let target = kept();
    let build = |offline: &[&str]| {
        let cargo = option_env!("CARGO").unwrap_or("cargo");
        let mut command = Command::new(cargo);
        command.args(["build", "--locked", "--quiet", "--manifest-path", &path(manifest), "--target-dir"]);
        command.arg(&target).args(offline).stdin(Stdio::null()).output()
    };
    // Without the network first: with it, cargo would ask the registry each time.
    let output = match build(&["--offline"]) {
        Ok(output) if output.status.success() => Ok(output),
        _ => build(&[]),
    };
    match output {
        Ok(output) if output.status.success() => Ok(target.join("debug").join(program).display().to_string()),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let cannot_get =
                ["download", "network", "registry", "resolve host"].iter().any(|why| errors.contains(why));
            assert!(cannot_get, "{manifest} does not build: {errors}");
            Err("its dependencies cannot be downloaded".to_owned())
        }
        Err(error) => Err(format!("cargo does not run: {error}")),
    }
}

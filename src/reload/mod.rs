//! Reload: trigger, load and apply, each on its own (`docs/api.md` 7). Start and reload take the same path. A failed load
//! changes nothing that is served; it is reported, and health is degraded until the file is corrected.

/// The load status of all scenarios, and applying a load.
pub(crate) mod status;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::clock::{self, Moment, TimeSource};
use crate::draw::Seed;
use crate::reload::status::{LoadEvent, LoadStatus};
use crate::scenario::discover::default_root;
use crate::scenario::files::{Files, normalize_path};
use crate::scenario::load_all;
use crate::scenario::model::{Scenario, SeedSetting};
use crate::scenario::{LoadedFolder, LoadedScenario};
use crate::world::kept::ScenarioFiles;
use crate::world::registry::Registry;

/// What is loaded, at the start and at every reload.
pub(crate) struct Setup {
    pub(crate) files: Box<dyn Files>,
    /// Scenario files and folders, as named on the command line.
    pub(crate) paths: Vec<PathBuf>,
    /// The folder that no path may leave, if one is given.
    pub(crate) root: Option<PathBuf>,
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// The seed of scenarios with `seed: random`.
    pub(crate) random: Seed,
    /// Where a load reads the time.
    pub(crate) time: TimeSource,
    /// Whether what a bundle needs is kept: the files of the scenarios, and what happens to worlds apart from calls.
    pub(crate) keeps: bool,
}

impl Setup {
    /// The seed of a scenario.
    fn seed(&self, scenario: &Scenario) -> Seed {
        match scenario.seed {
            SeedSetting::Fixed(seed) => seed,
            SeedSetting::Random => self.random,
        }
    }

    /// The root of a scenario that was sent over HTTP: the given one, else the working directory if what is served lies in it
    /// or is it, else the root of the first file or folder that is served.
    pub(crate) fn root(&self) -> PathBuf {
        match (&self.root, self.paths.first()) {
            (Some(root), _) => normalize_path(&self.cwd.join(root)),
            (None, Some(first)) => {
                let first = normalize_path(&self.cwd.join(first));
                if first == self.cwd && self.cwd.parent().is_some() {
                    return first;
                }
                default_root(&first, self.files.is_folder(&first), &self.cwd)
            }
            (None, None) => self.cwd.clone(),
        }
    }
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Setup").field("paths", &self.paths).finish_non_exhaustive()
    }
}

/// All scenarios as read from the files at one moment.
pub(crate) struct Reading {
    pub(crate) folder: LoadedFolder,
    /// A fingerprint of the content of each file.
    prints: Prints,
    /// The stamp of each file and folder, taken before it was read.
    stamps: BTreeMap<PathBuf, u64>,
    /// The content of each file, if it is kept.
    contents: Contents,
    now: Moment,
}

type Contents = BTreeMap<PathBuf, Arc<[u8]>>;
/// The SHA-256 of each file; zeros for one that cannot be read.
type Prints = BTreeMap<PathBuf, [u8; 32]>;

/// Files that take a stamp before they are read and a fingerprint when they are read.
struct Printed<'a> {
    files: &'a dyn Files,
    prints: Mutex<Prints>,
    stamps: Mutex<BTreeMap<PathBuf, u64>>,
    /// None unless the content is kept.
    contents: Option<Mutex<Contents>>,
}

impl<'a> Printed<'a> {
    fn new(setup: &'a Setup) -> Self {
        let contents = setup.keeps.then(Mutex::default);
        Self { files: setup.files.as_ref(), prints: Mutex::default(), stamps: Mutex::default(), contents }
    }

    fn stamp_first(&self, path: &Path) {
        let mut stamps = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        stamps.entry(path.to_owned()).or_insert_with(|| self.files.stamp(path));
    }
}

impl Files for Printed<'_> {
    fn read(&self, path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
        self.stamp_first(path);
        let read = self.files.read(path, limit);
        if let (Some(contents), Ok(bytes)) = (&self.contents, &read) {
            let mut contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
            contents.insert(path.to_owned(), bytes.as_slice().into());
        }
        let print = read.as_ref().map(|bytes| Sha256::digest(bytes).into()).unwrap_or_default();
        let mut prints = self.prints.lock().unwrap_or_else(PoisonError::into_inner);
        prints.insert(path.to_owned(), print);
        drop(prints);
        read
    }

    fn list(&self, folder: &Path) -> std::io::Result<Vec<(PathBuf, bool)>> {
        self.stamp_first(folder);
        self.files.list(folder)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.files.is_folder(path)
    }

    fn real(&self, path: &Path) -> std::io::Result<PathBuf> {
        self.files.real(path)
    }

    fn stamp(&self, path: &Path) -> u64 {
        self.files.stamp(path)
    }
}

/// Reads all scenarios.
pub(crate) fn read(setup: &Setup) -> Reading {
    let printed = Printed::new(setup);
    let now = setup.time.now();
    let folder = load_all(&printed, now, &setup.paths, setup.root.as_deref(), &setup.cwd);
    let contents = printed.contents.map(whole).unwrap_or_default();
    Reading { folder, prints: whole(printed.prints), stamps: whole(printed.stamps), contents, now }
}

fn whole<T>(held: Mutex<T>) -> T {
    held.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The files of a scenario as they were read; none unless their content is kept.
fn kept(contents: &Contents, loaded: &LoadedScenario, now: Moment) -> Option<Arc<ScenarioFiles>> {
    contents.get(&loaded.path)?;
    let content = |path: &PathBuf| Some((path.clone(), Arc::clone(contents.get(path)?)));
    let files = loaded.files.iter().chain([&loaded.path]).filter_map(content).collect();
    let (root, scenario) = (loaded.root.clone(), loaded.path.clone());
    Some(Arc::new(ScenarioFiles { root, scenario, now, files, overrides: loaded.overrides.clone() }))
}

/// A hash of what a scenario is loaded from, wherever its files lie: `own` is its text if that is in none of them.
fn content(prints: &Prints, loaded: &LoadedScenario, own: Option<&str>) -> Arc<str> {
    let mut hash = Sha256::new();
    if let Some(text) = own {
        hash.update(Sha256::digest(text.as_bytes()));
    }
    for file in &loaded.files {
        hash.update(prints.get(file).copied().unwrap_or_default());
    }
    for fault in &loaded.overrides.faults {
        hash.update(Sha256::digest(fault.name.as_bytes()));
        hash.update(Sha256::digest(fault.text.as_bytes()));
    }
    // A key is hidden by its place in a world's snapshot, so only its place matters.
    hash.update([loaded.overrides.key.is_some().into()]);
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat().into()
}

impl Reading {
    /// A fingerprint of all files that were read.
    pub(crate) fn print_of_all(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.prints.values().for_each(|print| print.hash(&mut hasher));
        hasher.finish()
    }

    /// A fingerprint of all files of a scenario.
    fn print(&self, loaded: &LoadedScenario) -> u64 {
        let mut hasher = DefaultHasher::new();
        for file in &loaded.files {
            (file, self.prints.get(file)).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// A number that changes when one of the files is saved.
    fn stamp(&self, loaded: &LoadedScenario) -> u64 {
        stamp(&loaded.files, |file| self.stamps.get(file).copied())
    }
}

fn stamp(files: &[PathBuf], of: impl Fn(&Path) -> Option<u64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in files {
        (file, of(file)).hash(&mut hasher);
    }
    hasher.finish()
}

/// Time without another change after which the files are read.
const QUIET: Duration = Duration::from_millis(60);
/// Most time that further changes are awaited.
const LONGEST: Duration = Duration::from_millis(500);
/// How often stamps are compared, for changes without an event.
const LOOK: Duration = Duration::from_millis(400);

/// Follows the files until the sender of changes is dropped: waits for a change, loads, applies, reports. `watch` gets the
/// folders to watch after every load.
pub(crate) fn follow(
    setup: &Setup,
    registry: &Registry,
    status: &LoadStatus,
    changes: &Receiver<()>,
    mut watch: impl FnMut(&[PathBuf]),
    mut report: impl FnMut(&[LoadEvent]),
) {
    loop {
        let mut reading = read(setup);
        if reading.folder.has_errors() && changes.recv_timeout(QUIET).is_ok() {
            // The file was probably read in the middle of a save.
            settle(changes);
            reading = read(setup);
        }
        watch(&reading.folder.dirs);
        let stamps = reading.stamps.clone();
        let events = status.apply(setup, reading, |snapshot| registry.apply(&snapshot));
        if !events.is_empty() {
            report(&events);
        }
        if !wait_for_change(setup, &stamps, changes) {
            return;
        }
    }
}

/// Waits until nothing changes any more. A slow writer is awaited, up to a limit.
fn settle(changes: &Receiver<()>) {
    let start = clock::real_now();
    while start.elapsed() < LONGEST && changes.recv_timeout(QUIET).is_ok() {}
}

/// Waits until something has changed and nothing more does. Returns whether there is still a sender of changes. A change
/// after the reading and before the watch began has no event, but another stamp.
fn wait_for_change(setup: &Setup, stamps: &BTreeMap<PathBuf, u64>, changes: &Receiver<()>) -> bool {
    while stamps.iter().all(|(path, stamp)| setup.files.stamp(path) == *stamp) {
        match changes.recv_timeout(LOOK) {
            Ok(()) => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    settle(changes);
    true
}

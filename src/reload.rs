//! From a saved file to what is served: trigger, load and apply, each by itself (`behaviour.md` 7). Start and reload take
//! the same path. A load that fails changes nothing that is served; it is told, and health is degraded until it is mended.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::{self, Moment};
use crate::draw::Seed;
use crate::scenario::discover::{shorten, taken_by_key, taken_by_scenario};
use crate::scenario::files::{Files, normal};
use crate::scenario::model::{Scenario, SeedSetting};
use crate::scenario::problem::{Place, Problem, Severity};
use crate::scenario::{Context, load_all, load_text};
use crate::scenario::{Folder, Loaded};
use crate::world::registry::Registry;
use crate::world::snapshot::Snapshot;

/// What is loaded, again and again.
pub struct Setup {
    /// Where files come from.
    pub files: Box<dyn Files>,
    /// Scenario files and folders, as named on the command line.
    pub paths: Vec<PathBuf>,
    /// The folder that no path may leave, if told.
    pub root: Option<PathBuf>,
    /// The working directory.
    pub cwd: PathBuf,
    /// What `seed: random` means in this process.
    pub random: Seed,
}

impl Setup {
    /// The root of a scenario that was sent, and so stands in no folder: the one told, else the working directory, or
    /// where that is the root of all files the first folder that is served.
    fn root(&self) -> PathBuf {
        match (&self.root, self.paths.first()) {
            (Some(root), _) => normal(&self.cwd.join(root)),
            (None, Some(first)) if self.cwd.parent().is_none() => {
                let first = normal(&self.cwd.join(first));
                let is_folder = self.files.is_folder(&first);
                if is_folder { first } else { first.parent().unwrap_or(&self.cwd).to_owned() }
            }
            (None, _) => self.cwd.clone(),
        }
    }
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Setup").field("paths", &self.paths).finish_non_exhaustive()
    }
}

/// All scenarios as they stand on the disk at one moment.
pub struct Reading {
    /// What was loaded.
    pub folder: Folder,
    /// A fingerprint of the bytes of each file read.
    prints: BTreeMap<PathBuf, u64>,
    /// The stamp of each file and folder, taken before it was read.
    stamps: BTreeMap<PathBuf, u64>,
}

/// How the loads of one scenario went.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The scenario's name; the file's, where none could be read.
    pub name: String,
    /// The file; none where the scenario was sent and has none.
    pub file: Option<PathBuf>,
    /// How many good loads there were.
    pub generation: u64,
    /// How many loads there were that had errors.
    pub failures: u64,
    /// When the last good one was.
    pub loaded_at: Option<Moment>,
    /// What was found at the last load, good or not.
    pub problems: Vec<Problem>,
    /// What is served, if there ever was a good load.
    pub snapshot: Option<Arc<Snapshot>>,
    print: u64,
    /// All that the file was last read with, and the stamps that these had.
    files: Vec<PathBuf>,
    stamp: u64,
    /// What is served was sent, and lasts until one of those files is saved.
    sent: bool,
}

impl Entry {
    /// Whether what is on the disk is not what is served.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// How all loads went.
#[derive(Debug, Default)]
pub struct Board {
    /// By file. The lock is held to copy or replace it.
    entries: Mutex<Vec<Entry>>,
}

/// What a load changed, for the person at the terminal.
#[derive(Clone, Debug)]
pub enum News {
    /// A scenario is served as it is now on the disk.
    Loaded {
        /// Its name.
        name: String,
        /// Which load it was.
        generation: u64,
        /// Warnings, unless they are those of the load before.
        problems: Vec<Problem>,
    },
    /// A scenario has errors; its last good version, if any, is served on.
    Broken {
        /// Its name.
        name: String,
        /// Errors and warnings.
        problems: Vec<Problem>,
        /// Whether an earlier version is served.
        served: bool,
    },
    /// A scenario is as served again.
    Mended {
        /// Its name.
        name: String,
    },
}

/// Files that are stamped before and fingerprinted as they are read.
struct Printed<'a> {
    files: &'a dyn Files,
    prints: Mutex<BTreeMap<PathBuf, u64>>,
    stamps: Mutex<BTreeMap<PathBuf, u64>>,
}

impl Printed<'_> {
    fn stamp_first(&self, path: &Path) {
        let mut stamps = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        stamps.entry(path.to_owned()).or_insert_with(|| self.files.stamp(path));
    }
}

impl Files for Printed<'_> {
    fn read(&self, path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
        self.stamp_first(path);
        let read = self.files.read(path, limit);
        let mut hasher = DefaultHasher::new();
        read.as_ref().ok().hash(&mut hasher);
        let mut prints = self.prints.lock().unwrap_or_else(PoisonError::into_inner);
        prints.insert(path.to_owned(), hasher.finish());
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

    fn stamp(&self, path: &Path) -> u64 {
        self.files.stamp(path)
    }
}

/// Loads everything, and changes nothing.
#[must_use]
pub fn read(setup: &Setup) -> Reading {
    let printed = Printed { files: setup.files.as_ref(), prints: Mutex::default(), stamps: Mutex::default() };
    let today = clock::system_now().day();
    let folder = load_all(&printed, today, &setup.paths, setup.root.as_deref(), &setup.cwd);
    let whole = |map: Mutex<BTreeMap<PathBuf, u64>>| map.into_inner().unwrap_or_else(PoisonError::into_inner);
    Reading { folder, prints: whole(printed.prints), stamps: whole(printed.stamps) }
}

impl Reading {
    /// A fingerprint of all that a scenario is made from.
    fn print(&self, loaded: &Loaded) -> u64 {
        let mut hasher = DefaultHasher::new();
        for file in &loaded.files {
            (file, self.prints.get(file)).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// A number that changes when any of them is saved.
    fn stamp(&self, loaded: &Loaded) -> u64 {
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

impl Board {
    /// How the loads of every scenario went, by name.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = self.lock().clone();
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        entries
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a reading in: scenarios that are good and new are given to `serve`; everything else stays as it was.
    pub fn apply(&self, setup: &Setup, reading: Reading, mut serve: impl FnMut(Arc<Snapshot>)) -> Vec<News> {
        let mut entries = self.lock();
        let mut news = Vec::new();
        let present: Vec<(PathBuf, String)> =
            reading.folder.scenarios.iter().map(|loaded| (loaded.path.clone(), name(loaded))).collect();
        follow_renamed(&mut entries, &present);
        let prints: Vec<(u64, u64)> = reading
            .folder
            .scenarios
            .iter()
            .map(|loaded| (reading.print(loaded), reading.stamp(loaded)))
            .collect();
        for (loaded, print) in reading.folder.scenarios.into_iter().zip(prints) {
            let known = entries.iter().position(|entry| entry.file.as_ref() == Some(&loaded.path));
            let place = known.unwrap_or_else(|| {
                entries.push(Entry::new(name(&loaded), Some(loaded.path.clone())));
                entries.len() - 1
            });
            let entry = &mut entries[place];
            news.extend(entry.take(setup, loaded, print, &mut serve));
        }
        let is_present = |entry: &Entry| present.iter().any(|(path, _)| entry.file.as_ref() == Some(path));
        // What never was served, and is gone, is nobody's loss.
        entries.retain(|entry| entry.snapshot.is_some() || is_present(entry));
        for entry in entries.iter_mut().filter(|entry| !is_present(entry)) {
            news.extend(entry.gone());
        }
        news
    }

    /// Takes in a scenario that was sent under a name, as if it were a file's; a later save of its file wins. Gives its
    /// entry, and whether it is new.
    ///
    /// # Errors
    /// All that is wrong with it; then nothing changes.
    pub fn send(
        &self,
        setup: &Setup,
        (name, text): (&str, &str),
        serve: impl FnOnce(Arc<Snapshot>),
    ) -> Result<(Entry, bool), Vec<Problem>> {
        let context =
            Context { files: setup.files.as_ref(), root: setup.root(), today: clock::system_now().day() };
        let mut loaded = load_text(&context, name, text);
        let mut entries = self.lock();
        loaded.problems.extend(taken_names(&entries, name, &loaded));
        shorten(&mut loaded.problems, &setup.cwd);
        let failed = loaded.problems.iter().any(|problem| problem.severity == Severity::Error);
        let Some(scenario) = loaded.scenario.filter(|_| !failed) else { return Err(loaded.problems) };
        let known = entries.iter().position(|entry| entry.name == name);
        let place = known.unwrap_or_else(|| {
            entries.push(Entry::new(name.to_owned(), None));
            entries.len() - 1
        });
        let entry = &mut entries[place];
        let new = entry.snapshot.is_none();
        entry.problems = loaded.problems;
        entry.stamp = stamp(&entry.files, |file| Some(setup.files.stamp(file)));
        entry.sent = true;
        entry.serve(setup, scenario, serve);
        Ok((entry.clone(), new))
    }
}

/// Names of keys' own worlds that scenarios have, and the other way round.
fn taken_names(entries: &[Entry], name: &str, loaded: &Loaded) -> Vec<Problem> {
    let others = || entries.iter().filter(|entry| entry.name != name);
    let keys = others().filter_map(|entry| entry.snapshot.as_ref()).flat_map(|other| other.keys.all());
    let by_key = keys.filter(|key| key.own_world && key.name.as_deref() == Some(name)).take(1);
    let by_scenario =
        loaded.own_worlds.iter().filter(|(world, _)| others().any(|entry| entry.name == *world));
    by_key
        .map(|_| taken_by_key(name, loaded.named_at.clone()))
        .chain(by_scenario.map(|(world, place)| taken_by_scenario(world, place.clone())))
        .collect()
}

/// A scenario whose file is gone, or that has none, but whose name a file has now, goes on there.
fn follow_renamed(entries: &mut Vec<Entry>, present: &[(PathBuf, String)]) {
    let is_gone = |entry: &mut Entry| !present.iter().any(|(path, _)| entry.file.as_ref() == Some(path));
    let gone: Vec<Entry> = entries.extract_if(.., is_gone).collect();
    for mut entry in gone {
        let Some((path, _)) = present.iter().find(|(_, name)| *name == entry.name) else {
            entries.push(entry);
            continue;
        };
        entry.file = Some(path.clone());
        match entries.iter_mut().find(|known| known.file == entry.file) {
            None => entries.push(entry),
            Some(known) if known.snapshot.is_none() => *known = entry,
            Some(_) => {}
        }
    }
}

fn name(loaded: &Loaded) -> String {
    loaded.name.clone().unwrap_or_else(|| loaded.path.to_string_lossy().into_owned())
}

impl Entry {
    fn new(name: String, file: Option<PathBuf>) -> Self {
        Self {
            name,
            file,
            generation: 0,
            failures: 0,
            loaded_at: None,
            problems: Vec::new(),
            snapshot: None,
            print: 0,
            files: Vec::new(),
            stamp: 0,
            sent: false,
        }
    }

    fn take(
        &mut self,
        setup: &Setup,
        loaded: Loaded,
        (print, stamp): (u64, u64),
        serve: &mut impl FnMut(Arc<Snapshot>),
    ) -> Option<News> {
        let name = name(&loaded);
        if self.sent && self.stamp == stamp && self.name == name {
            return None;
        }
        self.stamp = stamp;
        self.files = loaded.files;
        let was_degraded = self.is_degraded();
        let known = loaded.problems == self.problems;
        self.problems.clone_from(&loaded.problems);
        let Some(scenario) = loaded.scenario else {
            self.failures += u64::from(!known);
            let broken = News::Broken { name, problems: loaded.problems, served: self.snapshot.is_some() };
            return (!known).then_some(broken);
        };
        if self.snapshot.is_some() && !self.sent && self.print == print && self.name == name {
            return was_degraded.then_some(News::Mended { name });
        }
        self.name.clone_from(&name);
        self.print = print;
        self.sent = false;
        self.serve(setup, scenario, serve);
        let problems = if known { Vec::new() } else { loaded.problems };
        Some(News::Loaded { name, generation: self.generation, problems })
    }

    fn serve(&mut self, setup: &Setup, scenario: Scenario, serve: impl FnOnce(Arc<Snapshot>)) {
        let seed = match scenario.seed {
            SeedSetting::Fixed(seed) => seed,
            SeedSetting::Random => setup.random,
        };
        self.generation += 1;
        self.loaded_at = Some(clock::system_now());
        let snapshot = Arc::new(Snapshot::new(self.generation, seed, scenario));
        self.snapshot = Some(Arc::clone(&snapshot));
        serve(snapshot);
    }

    /// The file is not there any more. What was sent does not need it.
    fn gone(&mut self) -> Option<News> {
        if self.sent {
            self.file = None;
        }
        let file = self.file.clone()?;
        let told = self.problems.iter().any(|problem| problem.code == GONE);
        if told {
            return None;
        }
        let place = Place {
            file,
            line: 1,
            column: 1,
            span: 0..0,
            text: String::new(),
            marked: 0..0,
            label: String::new(),
        };
        self.problems = vec![Problem {
            severity: Severity::Error,
            code: GONE,
            message: "the file is gone; its last good version is served until the next start".to_owned(),
            help: Some("put it back, or restart without it".to_owned()),
            place,
            also: Vec::new(),
        }];
        let served = self.snapshot.is_some();
        Some(News::Broken { name: self.name.clone(), problems: self.problems.clone(), served })
    }
}

const GONE: &str = "file-gone";

/// After a change, this long without another one and the files are read.
const QUIET: Duration = Duration::from_millis(60);
/// So long changes are waited out at the most.
const LONGEST: Duration = Duration::from_millis(500);
/// How often it is looked whether anything changed that no event told of.
const LOOK: Duration = Duration::from_millis(400);

/// Follows the files until the sender of changes is gone: waits for a change, loads, applies, tells. `watch` is given
/// the folders to watch after every load.
pub fn follow(
    setup: &Setup,
    registry: &Registry,
    board: &Board,
    changes: &Receiver<()>,
    mut watch: impl FnMut(&[PathBuf]),
    mut tell: impl FnMut(&[News]),
) {
    loop {
        let mut reading = read(setup);
        if reading.folder.has_errors() && changes.recv_timeout(QUIET).is_ok() {
            // Read in the middle of a save, likely.
            settle(changes);
            reading = read(setup);
        }
        watch(&reading.folder.dirs);
        let stamps = reading.stamps.clone();
        let news = board.apply(setup, reading, |snapshot| registry.apply(&snapshot));
        if !news.is_empty() {
            tell(&news);
        }
        if !wait_for_change(setup, &stamps, changes) {
            return;
        }
    }
}

/// Waits until nothing changes any more, for a while: a slow writer is waited for, but not for ever.
fn settle(changes: &Receiver<()>) {
    let start = clock::real_now();
    while start.elapsed() < LONGEST && changes.recv_timeout(QUIET).is_ok() {}
}

/// Waits until something has changed, and nothing more does; says whether there is still a sender of changes. What was
/// changed after it was read but before the watch was armed, no event tells of: the stamps do, at once.
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

//! The load status of all scenarios, and applying a load to the worlds.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use crate::clock::{self, Moment};
use crate::reload::{Printed, Reading, Setup, content, kept, stamp, whole};
use crate::scenario::diagnostic::{Diagnostic, Severity, SourceLocation};
use crate::scenario::discover::{
    own_world_named_like_scenario, scenario_named_like_own_world, shorten_paths,
};
use crate::scenario::model::{DemoStep, Scenario};
use crate::scenario::{LoadContext, LoadedScenario, load_text};
use crate::webhook::settings::Happening;
use crate::world::fault_edits;
use crate::world::kept::ScenarioFiles;
use crate::world::snapshot::{Counts, Foreign, NoDataset, Snapshot};

/// The load status of one scenario.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The scenario's name, or the file's if that could not be read.
    pub(crate) name: String,
    /// None if the scenario was sent over HTTP.
    pub(crate) file: Option<PathBuf>,
    /// The number of good loads.
    pub(crate) generation: u64,
    /// The number of loads with errors.
    pub(crate) failures: u64,
    /// The time of the last good load.
    pub(crate) loaded_at: Option<Moment>,
    /// The findings of the last load, good or not.
    pub(crate) problems: Vec<Diagnostic>,
    /// What is served, if there was a good load.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    print: u64,
    /// The files of the last load, and a stamp of all of them.
    files: Vec<PathBuf>,
    stamp: u64,
    /// Whether what is served was sent over HTTP. It is served until one of the files is saved.
    sent: bool,
    /// About how many bytes it takes, if it was sent.
    weight: usize,
}

/// Most scenarios that were sent over HTTP.
const MOST_SENT: usize = 200;
/// Most bytes of them together, by `weight`.
const SENT_BYTES: usize = 64 << 20;

/// Why a scenario that was sent is not served.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    Wrong(Vec<Diagnostic>),
    /// Too many were sent.
    Number {
        most: usize,
    },
    /// They would take too much memory.
    Memory {
        most: usize,
    },
    /// They would have too many records.
    Records(NoDataset),
}

impl Entry {
    /// Whether the last load had errors, so that an earlier one is served.
    pub(crate) fn is_degraded(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// The load status of all scenarios.
#[derive(Debug, Default)]
pub(crate) struct LoadStatus {
    /// By name. Replaced once the worlds serve what was loaded; nobody waits to read it.
    entries: ArcSwap<Vec<Entry>>,
    /// Held by whoever applies a load, so that no other load comes between.
    applying: Mutex<()>,
}

/// What a load changed, to report on the terminal.
#[derive(Clone, Debug)]
pub(crate) enum LoadEvent {
    /// A scenario is served as it is in the file.
    Loaded {
        /// Its name.
        name: String,
        /// Which load it was.
        generation: u64,
        /// Warnings, unless they are those of the load before.
        problems: Vec<Diagnostic>,
    },
    /// A scenario has errors. Its last good load, if any, is still served.
    Broken {
        /// Its name.
        name: String,
        /// Errors and warnings.
        problems: Vec<Diagnostic>,
        /// Whether an earlier version is served.
        served: bool,
    },
    /// The file is again what is served.
    Mended {
        /// Its name.
        name: String,
    },
}

impl LoadStatus {
    /// The load status of every scenario, by name.
    pub(crate) fn entries(&self) -> Arc<Vec<Entry>> {
        self.entries.load_full()
    }

    fn publish(&self, mut entries: Vec<Entry>) {
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        self.entries.store(Arc::new(entries));
    }

    /// Applies a reading. `serve` gets each scenario that is good and changed; everything else stays as it was.
    pub(crate) fn apply(
        &self,
        setup: &Setup,
        reading: Reading,
        mut serve: impl FnMut(Arc<Snapshot>),
    ) -> Vec<LoadEvent> {
        let _applying = self.applying.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = Vec::clone(&self.entries());
        let mut events = Vec::new();
        let present: Vec<Present> = reading.folder.scenarios.iter().map(Present::new).collect();
        follow_moved(&mut entries, &present);
        let read = |loaded: &LoadedScenario| Read {
            print: reading.print(loaded),
            stamp: reading.stamp(loaded),
            content: content(&reading.prints, loaded, None),
            files: kept(&reading.contents, loaded, reading.now),
        };
        let reads: Vec<Read> = reading.folder.scenarios.iter().map(read).collect();
        for ((loaded, read), found) in reading.folder.scenarios.into_iter().zip(reads).zip(&present) {
            let known = entries.iter().position(|entry| found.is_of(entry));
            let place = known.unwrap_or_else(|| {
                entries.push(Entry::new(name(&loaded), Some(loaded.path.clone())));
                entries.len() - 1
            });
            let entry = &mut entries[place];
            events.extend(entry.update(setup, loaded, read, &mut serve));
        }
        let is_present = |entry: &Entry| present.iter().any(|found| found.is_of(entry));
        // A missing file that was never served is forgotten.
        entries.retain(|entry| entry.snapshot.is_some() || is_present(entry));
        for entry in entries.iter_mut().filter(|entry| !is_present(entry)) {
            let renamed = present.iter().find(|found| entry.file.as_ref() == Some(&found.file));
            events.extend(entry.mark_missing(renamed));
        }
        self.publish(entries);
        events
    }

    /// Takes in a scenario that was sent under a name, as if it were a file's; a later save of its file wins. Gives its
    /// entry, and whether it is new.
    ///
    /// # Errors
    /// Something is wrong with it, or there is no room for it; then nothing changes.
    pub(crate) fn send(
        &self,
        setup: &Setup,
        (name, text): (&str, &str),
        datasets: &Foreign,
        serve: impl FnOnce(Arc<Snapshot>),
    ) -> Result<(Entry, bool), Refused> {
        let (printed, now) = (Printed::new(setup), setup.time.now());
        let context = LoadContext { files: &printed, root: setup.root(), now };
        let mut loaded = load_text(&context, name, text);
        let sent = content(&whole(printed.prints), &loaded, Some(text));
        let files = printed.contents.and_then(|contents| {
            let mut contents = whole(contents);
            contents.insert(loaded.path.clone(), text.as_bytes().into());
            kept(&contents, &loaded, now)
        });
        let _applying = self.applying.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = Vec::clone(&self.entries());
        loaded.diagnostics.extend(taken_names(&entries, name, &loaded));
        shorten_paths(&mut loaded.diagnostics, &setup.cwd);
        let failed = loaded.diagnostics.iter().any(|problem| problem.severity == Severity::Error);
        let Some(scenario) = loaded.scenario.filter(|_| !failed) else {
            return Err(Refused::Wrong(loaded.diagnostics));
        };
        let weight = weight(&scenario) + loaded.bytes;
        check_room(&entries, name, weight)?;
        let known = entries.iter().position(|entry| entry.name == name);
        let place = known.unwrap_or_else(|| {
            entries.push(Entry::new(name.to_owned(), None));
            entries.len() - 1
        });
        let entry = &mut entries[place];
        let new = entry.snapshot.is_none();
        let mut snapshot = Snapshot::new(entry.generation + 1, setup.seed(&scenario), scenario);
        (snapshot.files, snapshot.content) = (files, sent);
        let snapshot = snapshot.sent(datasets, entry.snapshot.as_deref()).map_err(Refused::Records)?;
        entry.problems = loaded.diagnostics;
        entry.stamp = stamp(&entry.files, |file| Some(setup.files.stamp(file)));
        (entry.sent, entry.weight) = (true, weight);
        entry.serve(snapshot, serve);
        let entry = entry.clone();
        self.publish(entries);
        Ok((entry, new))
    }
}

/// About how many bytes a scenario takes beside its text.
fn weight(scenario: &Scenario) -> usize {
    let Counts { businesses, locations, given, .. } = Counts::of(scenario);
    let faults = scenario.faults.iter().map(fault_edits::weight);
    let is_record = |what: &&Happening| matches!(what, Happening::Record(..));
    let steps = scenario.demo.iter().flat_map(|button| &button.steps).filter_map(|step| match step {
        DemoStep::Happens(what) => Some(what),
        DemoStep::Advance(_) | DemoStep::Fault { .. } => None,
    });
    let arriving = scenario.webhooks.timeline.iter().map(|entry| &entry.what).chain(steps);
    1024 * arriving.filter(is_record).count()
        + 1024 * (businesses + locations)
        + 512 * given
        + 128 * scenario.keys.len()
        + faults.sum::<usize>()
}

/// Checks that there is room for one more scenario of that weight, in place of the one of its name.
fn check_room(entries: &[Entry], name: &str, weight: usize) -> Result<(), Refused> {
    let others = || entries.iter().filter(|entry| entry.sent && entry.name != name);
    if others().count() >= MOST_SENT {
        return Err(Refused::Number { most: MOST_SENT });
    }
    let bytes = others().map(|entry| entry.weight).sum::<usize>() + weight;
    if bytes > SENT_BYTES { Err(Refused::Memory { most: SENT_BYTES }) } else { Ok(()) }
}

/// Names of keys' own worlds that scenarios have, and the other way round.
fn taken_names(entries: &[Entry], name: &str, loaded: &LoadedScenario) -> Vec<Diagnostic> {
    let others = || entries.iter().filter(|entry| entry.name != name);
    let keys = others().filter_map(|entry| entry.snapshot.as_ref()).flat_map(|other| other.keys.all());
    let by_key = keys.filter(|key| key.own_world && key.name.as_deref() == Some(name)).take(1);
    let scenarios: BTreeSet<&str> = others().map(|entry| entry.name.as_str()).collect();
    let own_worlds = loaded.own_worlds.names.iter();
    let by_scenario = own_worlds.filter(|(world, _)| scenarios.contains(world.as_str())).take(3);
    let at = |span| loaded.own_worlds.location(span);
    by_key
        .map(|_| scenario_named_like_own_world(name, loaded.name_location.clone()))
        .chain(by_scenario.map(|(world, span)| own_world_named_like_scenario(world, at(*span))))
        .collect()
}

/// What a reading says of the files of a scenario.
struct Read {
    print: u64,
    stamp: u64,
    /// A hash of their content.
    content: Arc<str>,
    /// None unless they are kept.
    files: Option<Arc<ScenarioFiles>>,
}

/// A scenario in the files of a load.
struct Present {
    file: PathBuf,
    name: String,
    /// Where the name stands.
    place: SourceLocation,
    good: bool,
}

impl Present {
    fn new(loaded: &LoadedScenario) -> Self {
        let (file, place) = (loaded.path.clone(), loaded.name_location.clone());
        Self { file, name: name(loaded), place, good: loaded.scenario.is_some() }
    }

    /// Whether this is what the entry follows. A scenario that got another name is not: what was served under the old
    /// name counts as deleted.
    fn is_of(&self, entry: &Entry) -> bool {
        let same = entry.snapshot.is_none() || entry.name == self.name;
        entry.file.as_ref() == Some(&self.file) && if self.good { same } else { !entry.has(RENAMED) }
    }
}

/// A scenario whose file is gone, or that has none, but whose name a file has now, goes on there.
fn follow_moved(entries: &mut Vec<Entry>, present: &[Present]) {
    let is_gone = |entry: &mut Entry| !present.iter().any(|found| found.is_of(entry));
    let gone: Vec<Entry> = entries.extract_if(.., is_gone).collect();
    for mut entry in gone {
        let Some(found) = present.iter().find(|found| found.name == entry.name) else {
            entries.push(entry);
            continue;
        };
        entry.file = Some(found.file.clone());
        match entries.iter_mut().find(|known| found.is_of(known)) {
            None => entries.push(entry),
            Some(known) if known.snapshot.is_none() => *known = entry,
            Some(_) => {}
        }
    }
}

fn name(loaded: &LoadedScenario) -> String {
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
            weight: 0,
        }
    }

    fn update(
        &mut self,
        setup: &Setup,
        loaded: LoadedScenario,
        Read { print, stamp, content, files }: Read,
        serve: &mut impl FnMut(Arc<Snapshot>),
    ) -> Option<LoadEvent> {
        let name = name(&loaded);
        if self.sent && self.stamp == stamp && self.name == name {
            return None;
        }
        self.stamp = stamp;
        self.files = loaded.files;
        let was_degraded = self.is_degraded();
        let known = loaded.diagnostics == self.problems;
        self.problems.clone_from(&loaded.diagnostics);
        let Some(scenario) = loaded.scenario else {
            self.failures += u64::from(!known);
            let broken =
                LoadEvent::Broken { name, problems: loaded.diagnostics, served: self.snapshot.is_some() };
            return (!known).then_some(broken);
        };
        if self.snapshot.is_some() && !self.sent && self.print == print && self.name == name {
            return was_degraded.then_some(LoadEvent::Mended { name });
        }
        self.name.clone_from(&name);
        self.print = print;
        (self.sent, self.weight) = (false, 0);
        let mut snapshot = Snapshot::new(self.generation + 1, setup.seed(&scenario), scenario);
        (snapshot.files, snapshot.content) = (files, content);
        self.serve(snapshot, serve);
        let problems = if known { Vec::new() } else { loaded.diagnostics };
        Some(LoadEvent::Loaded { name, generation: self.generation, problems })
    }

    fn serve(&mut self, snapshot: Snapshot, serve: impl FnOnce(Arc<Snapshot>)) {
        self.generation = snapshot.generation;
        self.loaded_at = Some(clock::system_now());
        let snapshot = Arc::new(snapshot);
        self.snapshot = Some(Arc::clone(&snapshot));
        serve(snapshot);
    }

    fn has(&self, code: &str) -> bool {
        self.problems.iter().any(|problem| problem.code == code)
    }

    /// The file is not there any more, or its scenario has another name now. What was sent does not need it.
    fn mark_missing(&mut self, renamed: Option<&Present>) -> Option<LoadEvent> {
        if self.sent {
            self.file = None;
        }
        let file = self.file.clone()?;
        if self.has(GONE) || self.has(RENAMED) {
            return None;
        }
        let old = &self.name;
        let (code, message, help, location) = match renamed {
            Some(found) => (
                RENAMED,
                format!(
                    "this scenario was `{old}` and is now `{}`; the last good version of `{old}` is served until the next start, also at `/` if `{old}` is the default",
                    found.name
                ),
                format!("name it `{old}` again, or restart"),
                found.place.clone(),
            ),
            None => (
                GONE,
                "the file is gone; its last good version is served until the next start".to_owned(),
                "put it back, or restart without it".to_owned(),
                SourceLocation { file, line: 1, column: 1, ..SourceLocation::default() },
            ),
        };
        let (severity, help, related) = (Severity::Error, Some(help), Vec::new());
        self.problems = vec![Diagnostic { severity, code, message, help, location, related }];
        let served = self.snapshot.is_some();
        Some(LoadEvent::Broken { name: self.name.clone(), problems: self.problems.clone(), served })
    }
}

const GONE: &str = "file-gone";
const RENAMED: &str = "renamed";

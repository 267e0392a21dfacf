//! Takes a world's snapshot, and takes one up.

use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;

use crate::clock::{self, VirtualClock};
use crate::draw::Seed;
use crate::fault::counters::Counters;
use crate::journal::record::Journal;
use crate::ledger::Ledger;
use crate::ledger::added::AddedRecords;
use crate::webhook::state::WebhookState;
use crate::world::create::{CreateError, Start};
use crate::world::fault_edits::FaultEdits;
use crate::world::fault_edits::saved::SavedFault;
use crate::world::quota::Quotas;
use crate::world::run::Run;
use crate::world::saved::{self, Hidden, NotRestored, SavedClock, SavedStart, SavedWorld, mangled};
use crate::world::snapshot::Snapshot;
use crate::world::{World, WorldConfig};

impl World {
    /// The text of its snapshot. Calls in flight may be in it or not.
    ///
    /// # Errors
    /// It is too large.
    pub(crate) fn save(&self) -> Result<String, String> {
        let config = self.config();
        let run = self.run();
        let snapshot = run.snapshot();
        let keys = snapshot.keys.all();
        let reading = run.clock.at(clock::real_now());
        let saved = SavedWorld {
            scenario: snapshot.scenario.clone(),
            scenario_content: snapshot.content.to_string(),
            api_key: self.minted.as_ref().map(|key| key.key.clone()),
            seed: snapshot.seed.0,
            dates: snapshot.start,
            clock: SavedClock { start: reading.start, now: reading.now, mode: run.clock.mode() },
            start: SavedStart {
                seed: config.start.seed.map(|seed| seed.0),
                clock: config.start.clock.start,
                mode: config.start.clock.mode,
                faults: saved::faults(&config.start.faults),
            },
            faults: config.fault_edits.save(),
            counters: run.counters().save(),
            quotas: run.quotas().save(keys),
            ledger: run.ledger().save(),
            records: run.added.save(),
            webhooks: run.webhooks.save(),
        };
        drop(config);
        saved.write(keys)
    }

    /// Takes up a snapshot of its scenario in place of all that it holds. `scenario` is that scenario as loaded. It may
    /// build the dataset, which takes a while.
    ///
    /// # Errors
    /// The snapshot does not fit the scenario, or there is no room for it; the world stays as it was.
    pub(super) fn restore(&self, hidden: &Hidden, scenario: Arc<Snapshot>) -> Result<(), NotRestored> {
        if hidden.scenario_content != *scenario.content {
            return Err(mangled(format!(
                "the scenario {} is not what it was when the snapshot was taken, and keys and faults are told by their place in it. Serve it as it was, the files that it includes and reads, too",
                scenario.scenario
            )));
        }
        let saved = hidden.fill(scenario.keys.all())?;
        let references = scenario.references(saved.clock.mode);
        let (seed, clock) = saved.start.setting();
        let parse = |fault: SavedFault| fault.parse(&references);
        let faults =
            saved.start.faults.into_iter().map(parse).collect::<Result<Vec<_>, _>>().map_err(mangled)?;
        let start = Start { seed, clock, faults };
        let fault_edits = FaultEdits::restored(saved.faults, &references).map_err(mangled)?;
        let mut share = self.shared.fault_memory().share(0);
        let bytes = start.weight() + fault_edits.weight();
        share.replace(0, bytes).map_err(|full| mangled(crate::ledger::Full::from(full).to_string()))?;
        drop(references);
        // Another process draws another seed for `seed: random`.
        let own_seed = Some(Seed(saved.seed)).filter(|seed| *seed != scenario.seed);
        let began = scenario.start_at(saved.dates);
        let given_up = self.snapshot();
        scenario
            .room_for(own_seed, saved.dates, &self.shared.datasets, Some(&given_up))
            .map_err(CreateError::from)?;
        let mut config = WorldConfig {
            seed: own_seed,
            began,
            start: if self.is_standing() { Start::default() } else { start },
            fault_edits,
            share,
            resets: 0,
            scenario,
        };
        let snapshot = config.snapshot(&self.shared, Some(&given_up));
        let run = self.restored_run(
            Parts {
                clock: saved.clock,
                counters: saved.counters,
                quotas: Quotas::restored(saved.quotas, snapshot.keys.all()),
                ledger: saved.ledger,
                records: saved.records,
                webhooks: saved.webhooks,
            },
            snapshot,
        )?;
        let mut held = self.config();
        config.resets = held.resets + 1;
        *held = config;
        let before = self.run.swap(Arc::new(run));
        before.webhooks.close();
        Ok(())
    }

    fn restored_run(&self, parts: Parts, snapshot: Arc<Snapshot>) -> Result<Run, NotRestored> {
        let Parts { clock, counters, quotas, ledger, records, webhooks } = parts;
        let setting = clock::Setting { start: Some(clock.start), mode: clock.mode };
        if clock.now < clock.start {
            return Err(mangled("its clock stands before its start"));
        }
        let (shared, stream) = (&self.shared, Arc::clone(&self.stream));
        let run =
            Run::new((Arc::clone(&snapshot), Vec::new()), setting, stream, self.minted.as_ref(), shared);
        let memory = shared.memory();
        let no_room = || mangled("its counters or webhooks are not whole, or there is no room for them");
        let since_start = run.clock.since_start(clock.now);
        let world_clock = VirtualClock::new(setting);
        world_clock.show(clock.now);
        Ok(Run {
            clock: world_clock,
            ledger: Mutex::new(Ledger::restored(ledger, &memory).map_err(mangled)?),
            added: AddedRecords::restored(records, snapshot.dataset(), &memory).map_err(mangled)?,
            journal: Journal::new(Arc::clone(&shared.budget)),
            quotas: Mutex::new(quotas),
            counters: Mutex::new(Counters::restored(counters, &shared.counted).ok_or_else(no_room)?),
            webhooks: WebhookState::restored(
                webhooks,
                (Arc::clone(&snapshot.webhooks), snapshot.seed),
                shared.engine.memory(),
                &shared.counted,
                since_start,
            )
            .ok_or_else(no_room)?,
            snapshot: ArcSwap::new(snapshot),
            ..run
        })
    }
}

/// What a run is restored from.
struct Parts {
    clock: SavedClock,
    counters: crate::fault::counters::saved::SavedCounters,
    quotas: Quotas,
    ledger: crate::ledger::saved::SavedLedger,
    records: crate::ledger::added::saved::SavedRecords,
    webhooks: crate::webhook::state::saved::SavedWebhooks,
}

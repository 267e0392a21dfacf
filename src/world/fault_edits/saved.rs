//! A world's own faults as its snapshot has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::fault::counters::id;
use crate::scenario::admin_input;
use crate::scenario::references::References;
use crate::world::fault_edits::{FaultEdits, Own, weight};

/// A fault as text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedFault {
    name: String,
    /// As a scenario has it.
    text: String,
    enabled: bool,
}

/// How the faults differ from those of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedEdits {
    front: Vec<SavedFault>,
    over: BTreeMap<String, Option<SavedFault>>,
}

impl SavedFault {
    pub(crate) fn of(fault: &Fault) -> Self {
        Self { name: fault.name.clone(), text: fault.text.clone(), enabled: fault.enabled }
    }

    /// The fault of that text.
    ///
    /// # Errors
    /// It is none in this scenario.
    pub(crate) fn parse(self, references: &References<'_>) -> Result<Arc<Fault>, String> {
        let Self { name, text, enabled } = self;
        let parsed = admin_input::parse_fault(references, &name, &text);
        let (fault, _) = parsed.map_err(|problems| {
            let first = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
            format!("fault {name}: {first}")
        })?;
        Ok(Arc::new(Fault { enabled, ..fault }))
    }
}

impl FaultEdits {
    pub(crate) fn save(&self) -> SavedEdits {
        let save = |own: &Own| SavedFault::of(&own.fault);
        let over = self.over.iter().map(|(name, own)| (name.to_string(), own.as_ref().map(save)));
        SavedEdits { front: self.front.iter().map(save).collect(), over: over.collect() }
    }

    /// The changes of a snapshot.
    ///
    /// # Errors
    /// A fault is none in this scenario, or there are too many.
    pub(crate) fn restored(saved: SavedEdits, references: &References<'_>) -> Result<Self, String> {
        let own = |saved: SavedFault| {
            let fault = saved.parse(references)?;
            Ok::<_, String>(Own { id: id(&fault), weight: weight(&fault), fault })
        };
        let front = saved.front.into_iter().map(own).collect::<Result<Vec<_>, _>>()?;
        let over = saved.over.into_iter().map(|(name, fault)| Ok((name.into(), fault.map(own).transpose()?)));
        let edits = Self { front, over: over.collect::<Result<BTreeMap<_, _>, String>>()? };
        if edits.are_too_many() { Err("it has too many faults".to_owned()) } else { Ok(edits) }
    }
}

//! What stands in the place of parts of a scenario's files: the flags of `standin run`, which a bundle keeps.

use crate::auth::Key;
use crate::fault::Fault;
use crate::scenario::model::Scenario;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Overrides {
    /// Each takes the place of the one of its name. Those of a new name stand in front of all, in this order.
    pub(crate) faults: Vec<Fault>,
    /// A further API key, behind the others.
    pub(crate) key: Option<String>,
}

impl Overrides {
    /// Makes them part of a scenario.
    pub(crate) fn apply(&self, scenario: &mut Scenario) {
        let mut new: Vec<Fault> = Vec::new();
        for fault in &self.faults {
            let mut known = new.iter_mut().chain(&mut scenario.faults);
            match known.find(|known| known.name == fault.name) {
                Some(known) => known.clone_from(fault),
                None => new.push(fault.clone()),
            }
        }
        scenario.faults.splice(0..0, new);
        if let Some(key) = self.key.clone() {
            let (name, accounts, rate_limit) = (None, None, None);
            scenario.keys.push(Key { key, name, accounts, rate_limit, revoked: false, own_world: false });
        }
    }
}

//! The API key and the business number that the command gets.

use crate::auth::Key;
use crate::cli::serve::Failure;
use crate::dataset::records::{Business, Kind};
use crate::scenario::diagnostic::did_you_mean;
use crate::world::registry::{DEFAULT, mint};
use crate::world::snapshot::Snapshot;

/// What the command gets to call the simulated API.
#[derive(Debug)]
pub(in crate::cli) struct Access {
    pub(in crate::cli) key: String,
    /// The first enterprise that the key covers, in the order of the scenario; none if there is none.
    pub(in crate::cli) business: Option<u64>,
    /// The name of the world that answers it at the base URL.
    pub(in crate::cli) world: String,
}

/// Whether a key is good for the world of the scenario.
pub(super) const fn is_usable(key: &Key) -> bool {
    !key.revoked && !key.own_world
}

impl Access {
    /// The key of that name, else the first that is usable. If the scenario has no keys, it is a new one, since any is accepted.
    ///
    /// # Errors
    /// There is no key of that name, or the system provides no random number for a new one.
    pub(in crate::cli) fn of(snapshot: &Snapshot, name: Option<&str>) -> Result<Self, Failure> {
        let keys = snapshot.keys.all();
        let key = match name {
            Some(name) => {
                Some(keys.iter().find(|key| key.name.as_deref() == Some(name)).ok_or_else(|| {
                    let names = keys.iter().filter_map(|key| key.name.as_deref());
                    let scenario = &snapshot.scenario;
                    if names.clone().next().is_none() {
                        return Failure::usage(format!(
                            "--key {name}: no key of the scenario {scenario} has a name"
                        ));
                    }
                    let help = did_you_mean(name, names);
                    Failure::usage(format!(
                        "--key {name}: the scenario {scenario} has no key of that name: {help}"
                    ))
                })?)
            }
            None => keys.iter().find(|key| is_usable(key)),
        };
        let businesses = snapshot.businesses();
        let is_covered = |business: &&Business| {
            business.kind == Kind::Enterprise && key.is_none_or(|key| covers(key, businesses, business))
        };
        Ok(Self {
            business: businesses.iter().find(is_covered).map(|business| business.number),
            world: key
                .filter(|key| key.own_world)
                .and_then(|key| key.name.clone())
                .unwrap_or_else(|| DEFAULT.to_owned()),
            key: match key {
                Some(key) => key.key.clone(),
                None => mint().ok_or_else(|| {
                    Failure::cannot_start("cannot get a random number from the operating system".to_owned())
                })?,
            },
        })
    }
}

/// Whether a key covers an account: it is one of the key's, or stands below one of them.
fn covers(key: &Key, businesses: &[Business], business: &Business) -> bool {
    let Some(accounts) = &key.accounts else { return true };
    let parent = |business: &Business| {
        let number = business.parent?;
        businesses.iter().find(|other| other.number == number)
    };
    std::iter::successors(Some(business), |business| parent(business))
        .take(businesses.len())
        .any(|business| accounts.contains(&business.number))
}

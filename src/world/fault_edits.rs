//! Fault changes made at runtime in one world.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::fault::Fault;
use crate::fault::counters::Plan;
use crate::scenario::fault::MAX_FAULTS;

/// Most bytes of all faults that are put into one world at runtime, as JSON.
const MAX_BYTES: usize = 8 << 20;

/// Changes that override the faults of a scenario file. A change is dropped when the file's fault of that name changes,
/// appears or disappears.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultEdits {
    /// Faults under new names, the last one first.
    front: Vec<Arc<Fault>>,
    /// Replacements of the file's faults by name. None means that the fault was removed.
    over: BTreeMap<String, Option<Arc<Fault>>>,
}

/// A fault of a world.
#[derive(Clone, Debug)]
pub(crate) struct FaultStatus {
    /// The fault.
    pub(crate) fault: Arc<Fault>,
    /// Whether it is as in the file, except that it may be turned on or off.
    pub(crate) from_file: bool,
    /// How often it applied.
    pub(crate) hits: u64,
}

impl FaultEdits {
    /// The changes that putting some faults in order makes.
    pub(crate) fn of(file: &Plan, faults: &[Arc<Fault>]) -> Self {
        let mut edits = Self::default();
        for fault in faults {
            edits.put(file, Arc::clone(fault));
        }
        edits
    }

    /// Whether the changes stay within their limits with one more fault.
    pub(crate) fn has_room_for(&self, fault: &Fault) -> bool {
        let put = self.front.iter().chain(self.over.values().flatten());
        let (count, bytes) = put
            .filter(|other| other.name != fault.name)
            .fold((0, 0), |(count, bytes), other| (count + 1, bytes + other.text.len()));
        count < MAX_FAULTS && bytes + fault.text.len() <= MAX_BYTES
    }

    /// How many bytes of text the changes have.
    pub(crate) fn size(&self) -> usize {
        self.front.iter().chain(self.over.values().flatten()).map(|fault| fault.text.len()).sum()
    }

    /// Puts a fault: in the place of the one of its name, else in front of all. Returns whether its name is new.
    pub(crate) fn put(&mut self, file: &Plan, fault: Arc<Fault>) -> bool {
        if let Some(place) = self.front.iter_mut().find(|known| known.name == fault.name) {
            *place = fault;
            return false;
        }
        let removed = self.over.get(&fault.name).is_some_and(Option::is_none);
        match file.named(&fault.name).filter(|_| !removed) {
            Some(known) if *known == fault => {
                self.over.remove(&fault.name);
                false
            }
            Some(_) => {
                self.over.insert(fault.name.clone(), Some(fault));
                false
            }
            None => {
                self.front.insert(0, fault);
                true
            }
        }
    }

    /// Removes the fault of that name. Returns whether there was one.
    pub(crate) fn remove(&mut self, file: &Plan, name: &str) -> bool {
        let before = self.front.len();
        self.front.retain(|fault| fault.name != name);
        if self.front.len() < before {
            return true;
        }
        file.named(name).is_some() && self.over.insert(name.to_owned(), None) != Some(None)
    }

    /// Drops the changes that a new load of the file overrules.
    pub(crate) fn follow(&mut self, before: &Plan, now: &Plan) {
        let text = |plan: &Plan, name: &str| plan.named(name).map(|fault| fault.text.clone());
        let stays = |name: &str| text(before, name) == text(now, name);
        self.front.retain(|fault| stays(&fault.name));
        self.over.retain(|name, _| stays(name));
    }

    /// All faults in the order in which they are considered, each with whether it is as in the file.
    pub(crate) fn over<'a>(&'a self, file: &'a Plan) -> impl Iterator<Item = (&'a Arc<Fault>, bool)> {
        let front = self.front.iter().map(|fault| (fault, false));
        front.chain(file.faults().filter_map(|(_, own)| match self.over.get(&own.name) {
            None => Some((own, true)),
            Some(other) => other.as_ref().map(|fault| (fault, fault.text == own.text)),
        }))
    }

    /// The faults with the changes; none if there are no changes.
    pub(crate) fn plan(&self, file: &Plan) -> Option<Plan> {
        let changed = !self.front.is_empty() || !self.over.is_empty();
        changed.then(|| Plan::shared(file.generation, self.over(file).map(|(fault, _)| Arc::clone(fault))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::operation::Operation;
    use crate::fault::condition::Condition;
    use crate::fault::count::{Count, Per, Share};
    use crate::fault::effect::Effects;

    /// A fault of a name and a text.
    fn fault(name: &str, text: &str) -> Fault {
        Fault {
            name: name.to_owned(),
            operations: vec![Operation::new("reviews")],
            condition: Condition::default(),
            count: Count { per: Per::World, hits: Vec::new(), share: Share::All },
            during: None,
            enabled: true,
            on_request: false,
            effect: Effects::default(),
            text: text.to_owned(),
        }
    }

    fn file(faults: &[(&str, &str)]) -> Plan {
        Plan::new(1, faults.iter().map(|(name, text)| fault(name, text)).collect())
    }

    fn put(edits: &mut FaultEdits, file: &Plan, name: &str, text: &str) -> bool {
        edits.put(file, Arc::new(fault(name, text)))
    }

    /// Names and texts in order; an asterisk where it is not as in the file.
    fn shown(edits: &FaultEdits, file: &Plan) -> Vec<String> {
        let mark = |own: bool| if own { "" } else { "*" };
        edits.over(file).map(|(fault, own)| format!("{}{}{}", fault.name, fault.text, mark(own))).collect()
    }

    #[test]
    fn a_known_name_keeps_its_place_and_a_new_one_goes_in_front() {
        let file = file(&[("a", "1"), ("b", "1")]);
        let mut edits = FaultEdits::default();
        assert!(edits.plan(&file).is_none());
        assert!(put(&mut edits, &file, "x", "1") && put(&mut edits, &file, "y", "1"));
        assert!(!put(&mut edits, &file, "x", "2") && !put(&mut edits, &file, "b", "2"));
        assert_eq!(shown(&edits, &file), ["y1*", "x2*", "a1", "b2*"]);
        assert!(!put(&mut edits, &file, "b", "1"));
        assert_eq!(shown(&edits, &file), ["y1*", "x2*", "a1", "b1"]);
        assert!(edits.remove(&file, "x") && edits.remove(&file, "y"));
        assert!(edits.plan(&file).is_none(), "all is as in the file again");
    }

    #[test]
    fn a_world_takes_so_many_faults_at_runtime() {
        let file = file(&[]);
        let mut edits = FaultEdits::default();
        for number in 0..MAX_FAULTS {
            put(&mut edits, &file, &number.to_string(), "");
        }
        assert!(!edits.has_room_for(&fault("new", "")) && edits.has_room_for(&fault("7", "")));
        assert!(!edits.has_room_for(&fault("7", &"x".repeat(MAX_BYTES + 1))));
    }

    #[test]
    fn what_is_removed_is_gone_once_and_new_when_it_is_put_again() {
        let file = file(&[("a", "1"), ("b", "1")]);
        let mut edits = FaultEdits::default();
        assert!(edits.remove(&file, "b") && !edits.remove(&file, "b") && !edits.remove(&file, "z"));
        assert_eq!(shown(&edits, &file), ["a1"]);
        assert!(put(&mut edits, &file, "b", "1"));
        assert_eq!(shown(&edits, &file), ["b1*", "a1"]);
        assert!(edits.remove(&file, "b"));
        assert_eq!(shown(&edits, &file), ["a1"]);
    }

    #[test]
    fn a_change_lasts_until_the_file_says_otherwise_about_that_name() {
        let before = file(&[("changed", "1"), ("same", "1"), ("removed", "1"), ("gone", "1")]);
        let mut edits = FaultEdits::default();
        for name in ["new", "taken", "changed", "same", "gone"] {
            put(&mut edits, &before, name, "2");
        }
        edits.remove(&before, "removed");
        let now = file(&[("taken", "1"), ("same", "1"), ("removed", "1"), ("changed", "3")]);
        edits.follow(&before, &now);
        assert_eq!(shown(&edits, &now), ["new2*", "taken1", "same2*", "changed3"]);
        edits.follow(&now, &now);
        assert_eq!(shown(&edits, &now), ["new2*", "taken1", "same2*", "changed3"]);
    }
}

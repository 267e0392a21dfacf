//! Fault changes made at runtime in one world.

/// The changes in a snapshot of a world.
pub(crate) mod saved;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::fault::Fault;
use crate::fault::counters::{Plan, id};
use crate::memory::Full;
use crate::scenario::fault::MAX_FAULTS;

/// Changes that override the faults of a scenario file. A change is dropped when the file's fault of that name changes,
/// appears or disappears. Clones share the faults.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultEdits {
    /// Faults under new names, the last one first.
    front: Vec<Own>,
    /// Replacements of the file's faults by name. None means that the fault was removed.
    over: BTreeMap<Arc<str>, Option<Own>>,
}

/// A fault that is not the file's.
#[derive(Clone, Debug)]
struct Own {
    id: u64,
    fault: Arc<Fault>,
    /// The bytes that are counted for it.
    weight: usize,
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

/// Why a fault is not put into a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// There are too many.
    Number,
    Memory(Full),
}

/// About how many bytes a fault takes: its text in a few forms, and its values.
pub(crate) fn weight(fault: &Fault) -> usize {
    let values = fault.text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    512 + 4 * fault.text.len() + 40 * values
}

impl FaultEdits {
    /// The changes that the faults make, in order, with which a world starts. They count nothing here: its start keeps them.
    pub(crate) fn of(file: &Plan, faults: &[Arc<Fault>]) -> Self {
        let mut edits = Self::default();
        for fault in faults {
            edits.put_own(file, Own { id: id(fault), fault: Arc::clone(fault), weight: 0 });
        }
        edits
    }

    /// How many bytes the changes take.
    pub(crate) fn weight(&self) -> usize {
        self.front.iter().chain(self.over.values().flatten()).map(|own| own.weight).sum()
    }

    /// Whether there are more changes than a world may have.
    pub(crate) fn are_too_many(&self) -> bool {
        self.front.len() + self.over.values().flatten().count() > MAX_FAULTS
    }

    /// Puts a fault: in the place of the one of its name, else in front of all. Returns whether its name is new.
    pub(crate) fn put(&mut self, file: &Plan, fault: Fault) -> bool {
        self.put_own(file, Own { id: id(&fault), weight: weight(&fault), fault: Arc::new(fault) })
    }

    fn put_own(&mut self, file: &Plan, own: Own) -> bool {
        let name = &*own.fault.name;
        if let Some(place) = self.front.iter_mut().find(|known| known.fault.name == name) {
            *place = own;
            return false;
        }
        let removed = self.over.get(name).is_some_and(Option::is_none);
        match file.named(name).filter(|_| !removed) {
            Some(known) if *known == own.fault => {
                self.over.remove(name);
                false
            }
            Some(_) => {
                self.over.insert(name.into(), Some(own));
                false
            }
            None => {
                self.front.insert(0, own);
                true
            }
        }
    }

    /// Removes the fault of that name. Returns whether there was one.
    pub(crate) fn remove(&mut self, file: &Plan, name: &str) -> bool {
        let before = self.front.len();
        self.front.retain(|own| own.fault.name != name);
        if self.front.len() < before {
            return true;
        }
        file.named(name).is_some() && !matches!(self.over.insert(name.into(), None), Some(None))
    }

    /// Drops the changes that a new load of the file overrules.
    pub(crate) fn follow(&mut self, before: &Plan, now: &Plan) {
        fn text<'a>(plan: &'a Plan, name: &str) -> Option<&'a String> {
            plan.named(name).map(|fault| &fault.text)
        }
        let stays = |name: &str| text(before, name) == text(now, name);
        self.front.retain(|own| stays(&own.fault.name));
        self.over.retain(|name, _| stays(name));
    }

    /// All faults in the order in which they are considered, with their ids, and each with whether it is as in the file.
    pub(crate) fn over<'a>(&'a self, file: &'a Plan) -> impl Iterator<Item = (u64, &'a Arc<Fault>, bool)> {
        let front = self.front.iter().map(|own| (own.id, &own.fault, false));
        front.chain(file.faults().filter_map(|(id, known)| match self.over.get(&*known.name) {
            None => Some((id, known, true)),
            Some(other) => other.as_ref().map(|own| (own.id, &own.fault, own.fault.text == known.text)),
        }))
    }

    /// The faults with the changes; none if there are no changes.
    pub(crate) fn plan(&self, file: &Plan) -> Option<Plan> {
        let changed = !self.front.is_empty() || !self.over.is_empty();
        changed.then(|| {
            Plan::shared(file.generation, self.over(file).map(|(id, fault, _)| (id, Arc::clone(fault))))
        })
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
            operations: crate::fault::Operations::Of(vec![Operation::new("reviews")]),
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
        edits.put(file, fault(name, text))
    }

    /// Names and texts in order; an asterisk where it is not as in the file.
    fn shown(edits: &FaultEdits, file: &Plan) -> Vec<String> {
        let mark = |own: bool| if own { "" } else { "*" };
        edits.over(file).map(|(_, fault, own)| format!("{}{}{}", fault.name, fault.text, mark(own))).collect()
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
    fn changes_are_weighed_without_those_of_the_start_and_clones_share_their_faults() {
        let file = file(&[("a", "1")]);
        let mut edits = FaultEdits::of(&file, &[Arc::new(fault("start", "[1,1]"))]);
        assert_eq!(edits.weight(), 0);
        put(&mut edits, &file, "a", "[1,1]");
        assert_eq!(edits.weight(), 512 + 4 * 5 + 40 * 2);
        let other = edits.clone();
        assert!(Arc::ptr_eq(&edits.front[0].fault, &other.front[0].fault));
        assert!(edits.remove(&file, "a"));
        assert_eq!(edits.weight(), 0);
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

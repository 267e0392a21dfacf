//! Finds shadowed faults: an earlier fault takes every request that they could apply to.

use crate::fault::Fault;
use crate::fault::condition::Condition;
use crate::scenario::diagnostic::Findings;
use crate::scenario::source::Span;

/// Number of values that are compared at most. Conditions with long lists could take minutes; the warning is not worth that.
const MAX_COMPARISONS: usize = 20_000_000;

/// What is left of the comparisons.
pub(crate) struct Comparisons(usize);

impl Default for Comparisons {
    fn default() -> Self {
        Self(MAX_COMPARISONS)
    }
}

impl Comparisons {
    /// Whether `earlier` holds for every request for which `later` holds. False once there are no comparisons left.
    pub(crate) fn covers(&mut self, earlier: &Condition, later: &Condition) -> bool {
        match self.0.checked_sub(1 + earlier.comparisons(later)) {
            Some(left) => {
                self.0 = left;
                earlier.covers(later)
            }
            None => false,
        }
    }
}

/// Warns about each shadowed fault. The spans are those of the faults' names.
pub(crate) fn check(findings: &mut Findings, faults: &[(Fault, Span)]) {
    let mut comparisons = Comparisons::default();
    for (at, (fault, span)) in faults.iter().enumerate() {
        let shadow = faults[..at].iter().find(|(earlier, _)| covers(&mut comparisons, earlier, fault));
        if let (Some((earlier, first)), true) = (shadow, fault.enabled) {
            let message = format!(
                "`{}` never applies: the earlier fault `{}` takes every request that it matches",
                fault.name, earlier.name
            );
            findings
                .warning("shadowed", *span, message)
                .label("never applies")
                .related(*first, "takes every request")
                .help("the first fault that matches takes the request: put the more specific one first");
        }
    }
}

fn covers(comparisons: &mut Comparisons, earlier: &Fault, fault: &Fault) -> bool {
    earlier.takes_all()
        && earlier.operations.contains_all(&fault.operations)
        && comparisons.covers(&earlier.condition, &fault.condition)
}

//! Faults in another's shadow: an earlier one takes every request that they could strike.

use crate::fault::Fault;
use crate::scenario::diagnostic::Findings;
use crate::scenario::source::Span;

/// Notes each fault that an earlier one leaves nothing to strike. Faults come with the places of their names.
pub fn check(findings: &mut Findings, faults: &[(Fault, Span)]) {
    for (at, (fault, span)) in faults.iter().enumerate() {
        let shadow = faults[..at].iter().find(|(earlier, _)| covers(earlier, fault));
        if let (Some((earlier, first)), true) = (shadow, fault.enabled) {
            let message = format!(
                "`{}` never strikes: `{}` stands before it and takes every request that it could",
                fault.name, earlier.name
            );
            findings
                .warning("shadowed", *span, message)
                .label("in the shadow")
                .related(*first, "this takes them all")
                .help("the first fault that matches takes the request: put the narrower one first");
        }
    }
}

fn covers(earlier: &Fault, fault: &Fault) -> bool {
    earlier.takes_all()
        && fault.operations.iter().all(|operation| earlier.operations.contains(operation))
        && earlier.condition.covers(&fault.condition)
}

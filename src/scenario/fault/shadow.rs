//! Finds shadowed faults: an earlier fault takes every request that they could apply to.

use crate::fault::Fault;
use crate::scenario::diagnostic::Findings;
use crate::scenario::source::Span;

/// Warns about each shadowed fault. The spans are those of the faults' names.
pub(crate) fn check(findings: &mut Findings, faults: &[(Fault, Span)]) {
    for (at, (fault, span)) in faults.iter().enumerate() {
        let shadow = faults[..at].iter().find(|(earlier, _)| covers(earlier, fault));
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

fn covers(earlier: &Fault, fault: &Fault) -> bool {
    earlier.takes_all()
        && fault.operations.iter().all(|operation| earlier.operations.contains(operation))
        && earlier.condition.covers(&fault.condition)
}

//! Which answers of the API the client met.

use crate::api::error::Code;
use crate::expect::call::Call;
use crate::expect::report::{Coverage, Pair};
use crate::operations;
use crate::operations::spec::Spec;

/// Codes of the transport, which are no answers of an operation.
const TRANSPORT: [Code; 4] = [Code::NotFound, Code::Method, Code::TooLarge, Code::MediaType];

pub(crate) fn of(calls: &[Call]) -> Coverage {
    let all: Vec<(&'static Spec, Option<u32>)> = operations::ALL.into_iter().flat_map(answers).collect();
    let pairs: Vec<Pair> = all
        .iter()
        .map(|(spec, code)| Pair {
            operation: spec.operation.name(),
            code: *code,
            calls: calls.iter().filter(|call| is_met(call, spec, *code)).count(),
        })
        .filter(|pair| pair.calls > 0)
        .collect();
    Coverage { met: pairs.len(), of: all.len(), pairs }
}

/// What an operation can answer: success, and each of its codes.
fn answers(spec: &'static Spec) -> impl Iterator<Item = (&'static Spec, Option<u32>)> {
    let codes = spec.codes().into_iter().filter(|code| !TRANSPORT.contains(code));
    std::iter::once(None).chain(codes.map(|code| Some(code.row().number))).map(move |code| (spec, code))
}

fn is_met(call: &Call, spec: &Spec, code: Option<u32>) -> bool {
    call.operation == Some(spec.operation)
        && call.code == code
        && call.status.is_some_and(|status| code.is_some() || status < 300)
}

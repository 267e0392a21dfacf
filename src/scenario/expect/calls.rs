//! Validates conditions on calls: `requests`, a step of `order`, and `pages`.

use crate::api::error::Code;
use crate::api::operation::Operation;
use crate::expect::expectation::CallPattern;
use crate::operations;
use crate::operations::spec::Spec;
use crate::scenario::diagnostic::Findings;
use crate::scenario::expect::raw::{PagedOperation, PagesMap, RequestsMap};
use crate::scenario::fault::{condition, fields};
use crate::scenario::read::Spanned;
use crate::scenario::references::{References, unknown_code};
use crate::scenario::report::{given_entries, unknown_reference};
use crate::scenario::scalars::{NonBlank, distinct_operations};
use crate::scenario::source::Span;

pub(super) fn validate(
    findings: &mut Findings,
    references: &References,
    requests: &RequestsMap,
) -> CallPattern {
    let (operations, routes) = given_entries(findings, "operation", requests.operation.as_ref())
        .map(|listed| distinct_operations(findings, references, listed))
        .unwrap_or_default();
    let when = requests.when();
    let condition = condition::validate(findings, references, &when);
    let is_any = operations.is_empty() && routes.is_empty();
    let matching = if is_any { &operations::ALL[..] } else { &operations };
    if routes.is_empty() && (!is_any || references.routes.is_empty()) {
        fields::check(findings, references, (&when, &condition), matching);
    }
    let statuses = given_entries(findings, "status", requests.status.as_ref());
    let statuses = statuses.into_iter().flat_map(|list| &list.0);
    let statuses = statuses.filter_map(|status| u16::try_from(status.value.0).ok()).collect();
    let mut codes = Vec::new();
    for Spanned { span, value } in
        given_entries(findings, "code", requests.code.as_ref()).into_iter().flat_map(|list| &list.0)
    {
        let code = u32::try_from(value.0).ok();
        codes.extend(code.filter(|code| is_known_code(findings, references, *code, *span)));
    }
    let mut faults = Vec::new();
    for Spanned { span, value: NonBlank(name) } in
        given_entries(findings, "fault", requests.fault.as_ref()).into_iter().flat_map(|list| &list.0)
    {
        if is_known_fault(findings, references, name, *span) {
            faults.push(name.clone());
        }
    }
    let operations = names(&operations).into_iter().chain(routes).collect();
    CallPattern { operations, condition, statuses, codes, faults }
}

pub(super) fn validate_pages(
    findings: &mut Findings,
    references: &References,
    pages: &PagesMap,
) -> CallPattern {
    let listed = given_entries(findings, "operation", pages.operation.as_ref());
    let is_listed =
        |spec: &&Spec| listed.is_none_or(|listed| listed.0.iter().any(|listed| listed.value.0 == *spec));
    let operations: Vec<&'static Spec> = PagedOperation::all().filter(is_listed).collect();
    let when = pages.when();
    let condition = condition::validate(findings, references, &when);
    fields::check(findings, references, (&when, &condition), &operations);
    CallPattern { operations: names(&operations), condition, ..CallPattern::default() }
}

pub(super) fn names(specs: &[&'static Spec]) -> Vec<Operation> {
    specs.iter().map(|spec| spec.operation).collect()
}

/// Whether the API or a fault answers an error code. Reports an unknown one.
pub(super) fn is_known_code(
    findings: &mut Findings,
    references: &References,
    number: u32,
    span: Span,
) -> bool {
    let is_known = Code::numbered(number).is_some() || references.custom_codes.contains(&number);
    if !is_known {
        unknown_code(findings, number, span, "");
    }
    is_known
}

/// Whether there is a fault of that name. Reports an unknown one.
pub(super) fn is_known_fault(
    findings: &mut Findings,
    references: &References,
    name: &str,
    span: Span,
) -> bool {
    let is_known = references.faults.iter().any(|fault| fault == name);
    if !is_known {
        let faults = references.faults.iter().map(String::as_str);
        unknown_reference(findings, span, ("fault", name), faults);
    }
    is_known
}

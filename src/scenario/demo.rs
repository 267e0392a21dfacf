//! The section `demo`: buttons for a demonstration, each with the steps that it takes.

use std::time::Duration;

use crate::scenario::arrival::{Arriving, Response};
use crate::scenario::diagnostic::Findings;
use crate::scenario::fault::patch::entries;
use crate::scenario::happening::{self, Keys};
use crate::scenario::model::{DemoButton, DemoStep};
use crate::scenario::node::Node;
use crate::scenario::raw::List;
use crate::scenario::raw_records as records;
use crate::scenario::read::{Read, Spanned, raw};
use crate::scenario::references::References;
use crate::scenario::report::{at_most_one, stray_key, unknown_reference};
use crate::scenario::scalars::{Id, NonBlank, Text};
use crate::scenario::validate::Unique;
use crate::webhook::settings::Happening;

raw! {
    /// A button for a demonstration.
    pub(crate) struct ButtonMap "a demo button" {
        /// Text of the button, unique among the buttons.
        required "label" label: NonBlank,
        /// What it does, in this order.
        required "do" steps: List<StepMap>,
    }

    /// A step of a demo button: a record arrives, an event is emitted, the clock is advanced, or a fault is switched.
    pub(crate) struct StepMap "a step" {
        /// A review arrives. What is not given is generated.
        optional "review" review: Arriving<records::Review>,
        /// A question arrives. What is not given is generated.
        optional "question" question: Arriving<records::Question>,
        /// The owner responds to a review.
        optional "response" response: Response,
        /// Name of the event to emit; beside a record, of the event that carries it.
        optional "event" event: NonBlank,
        /// Number of the event's account.
        optional "business" business: Id,
        /// Name of the conversation that the event belongs to.
        optional "conversation" conversation: NonBlank,
        /// Text of the message.
        optional "text" text: Text,
        /// Members that are merged into the payload's `data`.
        optional "data" data: Node,
        /// Advances the world's clock.
        optional "advance" advance: Duration,
        /// Name of the fault to switch on or off.
        optional "fault" fault: NonBlank,
        /// Whether the fault is on.
        optional "enabled" enabled: bool,
    }
}

/// Validates the buttons. Those with an error are left out.
pub(crate) fn validate(findings: &mut Findings, references: &References, nodes: &[&Node]) -> Vec<DemoButton> {
    let mut labels = Unique::new("duplicate-name", "button");
    nodes.iter().filter_map(|node| button(findings, references, &mut labels, node)).collect()
}

fn button(
    findings: &mut Findings,
    references: &References,
    labels: &mut Unique<String>,
    node: &Node,
) -> Option<DemoButton> {
    let raw = ButtonMap::read(findings, node)?;
    if let Some(label) = &raw.label {
        labels.insert(findings, label.value.0.clone(), label.span);
    }
    let list = raw.steps?;
    if list.value.is_empty() && node.get("do").is_some_and(|node| entries(node).is_empty()) {
        findings.error("empty-list", list.span, "`do` is an empty list: the button does nothing");
    }
    // The steps in the order of the text, without those that could not be read.
    let mut texts = node.get("do").map_or(&[][..], entries).iter();
    let mut steps = Vec::new();
    for raw in &list.value {
        if let Some(text) = texts.find(|text| text.span == raw.span) {
            steps.extend(step(findings, references, raw, text));
        }
    }
    Some(DemoButton { label: raw.label?.value.0, steps })
}

fn step(
    findings: &mut Findings,
    references: &References,
    raw: &Spanned<StepMap>,
    node: &Node,
) -> Option<DemoStep> {
    let step = &raw.value;
    let given = [
        ("review", step.review.as_ref().map(|it| it.span)),
        ("question", step.question.as_ref().map(|it| it.span)),
        ("response", step.response.as_ref().map(|it| it.span)),
        ("event", step.event.as_ref().map(|it| it.span)),
    ];
    let happens = given.into_iter().find(|(_, span)| span.is_some()).unwrap_or(("event", None));
    let advance = ("advance", step.advance.map(|it| it.span));
    let kinds = [happens, advance, ("fault", step.fault.as_ref().map(|it| it.span))];
    let kind = at_most_one(findings, "a step does one thing", &kinds);
    if let Some(enabled) = step.enabled.filter(|_| node.get("fault").is_none()) {
        stray_key(findings, enabled.span, ("enabled", "`fault`"));
    }
    match kind {
        Some("advance") => {
            only(findings, step, "`event`");
            step.advance.map(|span| DemoStep::Advance(span.value))
        }
        Some("fault") => {
            only(findings, step, "`event`");
            fault(findings, references, raw)
        }
        _ if ["advance", "fault"].iter().any(|key| node.get(key).is_some()) => None,
        _ => {
            let keys = Keys {
                review: step.review.as_ref(),
                question: step.question.as_ref(),
                response: step.response.as_ref(),
                event: step.event.as_ref(),
                business: step.business,
                conversation: step.conversation.as_ref(),
                text: step.text.as_ref(),
                data: step.data.as_ref(),
            };
            let what = happening::validate(findings, references, &keys, ("a step", node))?;
            if matches!(&what, Happening::Event(event) if event.business.is_none())
                && node.get("business").is_none()
            {
                findings
                    .error("missing-key", raw.span, "a step with an event needs `business`")
                    .label("`business` is missing");
                return None;
            }
            Some(DemoStep::Happens(what))
        }
    }
}

/// Reports the keys of events in a step without one.
fn only(findings: &mut Findings, step: &StepMap, with: &str) {
    let spans = [
        ("business", step.business.map(|it| it.span)),
        ("conversation", step.conversation.as_ref().map(|it| it.span)),
        ("text", step.text.as_ref().map(|it| it.span)),
        ("data", step.data.as_ref().map(|it| it.span)),
    ];
    for (key, span) in spans {
        if let Some(span) = span {
            stray_key(findings, span, (key, with));
        }
    }
}

fn fault(findings: &mut Findings, references: &References, raw: &Spanned<StepMap>) -> Option<DemoStep> {
    let name = raw.value.fault.as_ref()?;
    let enabled = raw.value.enabled.map(|enabled| enabled.value);
    if enabled.is_none() {
        findings
            .error("missing-key", raw.span, "a step with a fault needs `enabled`")
            .label("`enabled` is missing")
            .help("`enabled: true` switches the fault on, `enabled: false` off");
    }
    if !references.faults.contains(&name.value.0) {
        let names = references.faults.iter().map(String::as_str);
        unknown_reference(findings, name.span, ("fault", &name.value.0), names);
        return None;
    }
    Some(DemoStep::Fault { name: name.value.0.clone(), enabled: enabled? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::arrival::{Answered, Arrival};
    use crate::scenario::references::fixtures::validate_yaml;

    #[test]
    fn a_button_takes_every_kind_of_step_in_order() {
        let (buttons, codes) = validate_yaml(
            "- label: A bad review arrives
  do:
    - {review: {business: 1001, rating: 1, about: [waiting]}, event: post.published}
    - {question: {business: 1001}}
    - {response: {review: last, text: 'So sorry, Ana.'}}
    - {event: message.added, business: 100, conversation: c1, text: Hi}
    - {advance: 1h}
    - {fault: slow, enabled: true}
- {label: The second, do: [{response: {review: '9001', business: 100}}]}",
            validate,
        );
        assert_eq!(codes, [""; 0]);
        assert_eq!(buttons[0].label, "A bad review arrives");
        let [review, question, response, event, advance, fault] = &buttons[0].steps[..] else {
            panic!("{buttons:?}")
        };
        let DemoStep::Happens(Happening::Record(Arrival::Review(new), named)) = review else { panic!() };
        assert_eq!((new.location, new.record.rating, new.record.comments.as_deref()), (1001, 1, None));
        assert_eq!(
            (new.about.as_slice(), named.as_deref()),
            (&["waiting".to_owned()][..], Some("post.published"))
        );
        let DemoStep::Happens(Happening::Record(Arrival::Question(new), None)) = question else { panic!() };
        assert_eq!((new.location, new.record.question.as_str()), (1001, ""));
        let DemoStep::Happens(Happening::Record(Arrival::Response(new), None)) = response else { panic!() };
        assert_eq!((&new.review, new.text.as_deref()), (&Answered::Last, Some("So sorry, Ana.")));
        assert!(matches!(event, DemoStep::Happens(Happening::Event(event)) if event.business == Some(100)));
        assert_eq!(*advance, DemoStep::Advance(Duration::from_secs(3600)));
        assert_eq!(*fault, DemoStep::Fault { name: "slow".to_owned(), enabled: true });
        let DemoStep::Happens(Happening::Record(Arrival::Response(new), None)) = &buttons[1].steps[0] else {
            panic!()
        };
        assert_eq!(new.review, Answered::Id { id: "9001".to_owned(), business: Some(100) });
    }

    #[test]
    fn buttons_of_an_included_file_are_replaced_by_label() {
        let files = crate::scenario::files::Memory::new(&[
            (
                "/a.yaml",
                "standin: 1\ninclude: [b.yaml]\ndemo: [{label: One, do: [{advance: 2h}]}, {label: Three, do: [{advance: 3h}]}]",
            ),
            (
                "/b.yaml",
                "standin: 1\npart: true\ndemo: [{label: One, do: [{advance: 1h}]}, {label: Two, do: [{advance: 1h}]}]",
            ),
        ]);
        let now = crate::clock::Moment(0);
        let context = crate::scenario::LoadContext { files: &files, root: "/".into(), now };
        let demo = crate::scenario::load(&context, "/a.yaml".as_ref()).scenario.unwrap().demo;
        let shown: Vec<String> =
            demo.iter().map(|button| format!("{} {:?}", button.label, button.steps)).collect();
        assert_eq!(shown, ["One [Advance(7200s)]", "Two [Advance(3600s)]", "Three [Advance(10800s)]"]);
    }
}

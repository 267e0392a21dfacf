//! Baselines: runs without faults, from which classes and masks are learnt.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::cli::explore::once::Explorer;
use crate::cli::serve::Failure;
use crate::clock;
use crate::explore::mask::{Item, Masks, apart};
use crate::explore::oracle::{Baseline, Observed};
use crate::explore::report::{BaselineRun, Verdict};
use crate::explore::times;

/// What the baselines tell.
pub(super) struct Learnt {
    pub(super) runs: Vec<BaselineRun>,
    pub(super) masks: Masks,
    pub(super) baseline: Baseline,
    /// Calls that only some of them made.
    pub(super) differs: Vec<Value>,
    /// Why nothing can be explored.
    pub(super) refused: Option<(Verdict, String)>,
    /// The end of what the command wrote.
    pub(super) output: String,
    /// How many answers of the API there are.
    pub(super) pairs: usize,
    pub(super) met: std::collections::BTreeSet<(&'static str, Option<u32>)>,
}

/// Runs the command twice without faults, and once more if the calls differ, or if they tell the time and were made in the same
/// second.
///
/// # Errors
/// It cannot be run at all.
pub(super) async fn learn(explorer: &Explorer<'_>) -> Result<Learnt, Failure> {
    let mut all = Vec::new();
    let began = clock::system_now();
    let side_by_side = explorer.flags.jobs > 1;
    if side_by_side {
        // Side by side they show what they share.
        let (first, second) = tokio::join!(explorer.run(Vec::new(), None), explorer.run(Vec::new(), None));
        all.extend([first?, second?]);
    } else {
        all.push(explorer.run(Vec::new(), None).await?);
        if is_fine(&all[0]) && explorer.interrupted.get().is_none() {
            next_second().await;
            all.push(explorer.run(Vec::new(), None).await?);
        }
    }
    let calls = |observed: &Observed| observed.calls.iter().map(Item::of_call).collect::<Vec<_>>();
    let mut items: Vec<Vec<Item>> = all.iter().map(calls).collect();
    let (mut masks, mut stored_masks) = (Masks::default(), Masks::default());
    // Runs in the same second may have the same time of day in their calls.
    let may_agree_by_chance =
        |items: &[Item]| side_by_side && times::tells(items, began, clock::system_now());
    if let [first, second] = &items[..]
        && all.iter().all(is_fine)
        && (apart(first, second, &masks) != (Vec::new(), Vec::new()) || may_agree_by_chance(first))
        && explorer.interrupted.get().is_none()
    {
        next_second().await;
        all.push(explorer.run(Vec::new(), None).await?);
        items = all.iter().map(calls).collect();
    }
    for (other, items_of_other) in all.iter().zip(&items).skip(1) {
        masks.learn(&items[0], items_of_other);
        stored_masks.learn(&all[0].contacts, &other.contacts);
        stored_masks.learn(&all[0].subscriptions, &other.subscriptions);
    }
    let mut differs = Vec::new();
    for other in &items[1..] {
        let (one, two) = apart(&items[0], other, &masks);
        differs.extend(one.into_iter().chain(two).map(shown));
    }
    let refused = refuse(&all, &differs);
    let longest = all.iter().map(|observed| observed.duration).max().unwrap_or_default();
    Ok(Learnt {
        runs: all
            .iter()
            .map(|observed| BaselineRun {
                exit: observed.exit,
                calls: observed.calls.len(),
                duration_ms: u64::try_from(observed.duration.as_millis()).unwrap_or(u64::MAX),
            })
            .collect(),
        masks,
        baseline: Baseline::new(&all[0], longest, stored_masks),
        differs: if matches!(refused, Some((Verdict::NotDeterministic, _))) { differs } else { Vec::new() },
        refused,
        output: all[0].output.clone(),
        pairs: all[0].pairs,
        met: all.iter().flat_map(|observed| observed.met.clone()).collect(),
    })
}

fn is_fine(observed: &Observed) -> bool {
    observed.exit == 0 && !observed.calls.is_empty()
}

fn refuse(all: &[Observed], differs: &[Value]) -> Option<(Verdict, String)> {
    let first = &all[0];
    if all.iter().all(|observed| observed.exit != 0) {
        let message = format!("the command fails without any fault: it ended with {}", first.exit);
        return Some((Verdict::Error, message));
    }
    if all.iter().all(|observed| observed.calls.is_empty()) {
        return Some((Verdict::Error, "no calls: does the client use STANDIN_BASE_URL?".to_owned()));
    }
    if all.iter().any(|observed| (observed.exit == 0) != (first.exit == 0)) {
        let exits: Vec<String> = all.iter().map(|observed| observed.exit.to_string()).collect();
        let message =
            format!("not deterministic: without any fault the command ended with {}", exits.join(", "));
        return Some((Verdict::NotDeterministic, message));
    }
    if differs.is_empty() {
        return None;
    }
    Some((
        Verdict::NotDeterministic,
        "not deterministic: without any fault, only some runs made these calls".to_owned(),
    ))
}

/// A call as reports show it.
fn shown(item: &Item) -> Value {
    let part = |prefix: &str| -> Map<String, Value> {
        let values = item.values.iter();
        values
            .filter_map(|(place, value)| Some((place.strip_prefix(prefix)?.to_owned(), value.clone())))
            .collect()
    };
    json!({
        "operation": if item.kind.is_empty() { Value::Null } else { json!(item.kind) },
        "path": item.values.get("path"),
        "query": part("query "),
        "body": part("body "),
    })
}

/// Waits for the next second of the clock, so that a time of day in calls is another one.
async fn next_second() {
    let millis = clock::system_now().0.rem_euclid(1000);
    let rest = u64::try_from(1000 - millis).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(rest)).await;
}

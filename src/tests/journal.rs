//! The memory that journals are said to hold, while calls are added and removed at once.

use std::sync::Arc;

use crate::journal::budget::{Budget, Limits};
use crate::journal::record::Journal;
use crate::tests::harness::ScenarioFolder;

#[test]
fn adding_and_clearing_at_once_never_releases_more_than_was_reserved() {
    // A world of the program, so that there are real entries to add.
    let folder = ScenarioFolder::new(&[(
        "a.yaml",
        "standin: 1\nbusinesses: [{number: 1, name: A, locations: [{number: 2, name: L}]}]",
    )]);
    folder.call("/v1/review/businessId/1", "", "1", &serde_json::json!({}));
    let entry = folder.registry.named("a").unwrap().run().journal.read().entries[0].clone();
    let budget = Budget::new(Limits { world: 1 << 20, ..Limits::default() });
    let journal = Journal::new(Arc::clone(&budget));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..50_000).for_each(|_| journal.add(Arc::clone(&entry))));
        }
        scope.spawn(|| {
            for _ in 0..50_000 {
                journal.clear();
                assert!(budget.held() < 1 << 40, "more was released than reserved");
            }
        });
    });
}

//! Bounds of what clients leave behind over the admin API: faults, scenarios, and worlds with seeds of their own.

use super::harness::{ScenarioFolder, create_world, serve};
use crate::draw::Seed;
use crate::fault::Fault;
use crate::memory::Full;
use crate::reload::status::Refused;
use crate::scenario::admin_input::parse_fault;
use crate::world::create::{CreateError, Start, WorldRequest};
use crate::world::fault_edits::NoRoom;

const EMPTY: &str = "standin: 1\n";

fn generated(reviews: u32) -> String {
    format!(
        "standin: 1\nseed: 1\nbusinesses: [{{number: 1, name: One, locations: [{{number: 11, name: L, reviews: [{{generate: {reviews}}}]}}]}}]\n"
    )
}

/// A fault with a text of so many bytes.
fn fault(folder: &ScenarioFolder, name: &str, bytes: usize) -> Fault {
    let text = format!("{{then: {{status: 503, text: {}}}}}", "x".repeat(bytes));
    let world = folder.registry.default_world();
    parse_fault(&world.snapshot().references(world.run().clock.mode()), name, &text).unwrap().0
}

fn with_seed(folder: &ScenarioFolder, seed: u64) -> Result<String, CreateError> {
    let start = Start { seed: Some(Seed(seed)), ..Start::default() };
    let made = folder.registry.make(WorldRequest { start, ..WorldRequest::default() });
    made.map(|world| world.name.clone())
}

#[test]
fn the_faults_of_a_world_are_bounded_and_a_smaller_or_removed_one_makes_room() {
    let folder = serve(EMPTY);
    let world = create_world(&folder, "w", None);
    let put = |name: &str, bytes| world.put_fault(fault(&folder, name, bytes));
    let full = Err(NoRoom::Memory(Full::World { limit: 32 << 20 }));
    for number in 0..7 {
        assert_eq!(put(&number.to_string(), 1 << 20), Ok(true));
    }
    assert_eq!((put("more", 1 << 20), world.faults().len()), (full, 7));
    assert_eq!(put("3", 1 << 20), Ok(false), "one is replaced by another of its size");
    assert_eq!((put("3", 5), put("more", 1 << 20), put("most", 1 << 20)), (Ok(false), Ok(true), full));
    assert!(world.remove_fault("5"));
    assert_eq!(put("most", 1 << 20), Ok(true));
    world.reset(None);
    assert_eq!(world.fault_bytes(), 0);
}

#[test]
fn enabling_a_fault_of_the_file_counts_its_copy() {
    let text = format!("faults: [{{name: f, then: {{status: 503, text: {}}}}}]", "x".repeat(3 << 20));
    let folder = serve(&format!("{EMPTY}{text}"));
    let worlds: Vec<_> = (0..20).map(|number| create_world(&folder, &format!("w{number}"), None)).collect();
    let disabled = worlds.iter().map_while(|world| world.enable_fault("f", false).ok()).count();
    assert_eq!(disabled, 10, "of 128 MiB");
    assert_eq!(worlds[10].enable_fault("f", false), Err(NoRoom::Memory(Full::All { limit: 128 << 20 })));
    assert!(worlds[10].faults()[0].fault.enabled);
    assert_eq!((worlds[10].enable_fault("f", true), worlds[10].fault_bytes()), (Ok(true), 0), "it is so");
    assert_eq!(worlds[0].enable_fault("f", true), Ok(true));
    assert_eq!(worlds[10].enable_fault("f", false), Ok(true), "the copy of the first world is gone");
}

#[test]
fn faults_with_which_worlds_start_count_as_long_as_the_world_is_there() {
    let folder = serve(EMPTY);
    let faults = vec![std::sync::Arc::new(fault(&folder, "f", 3 << 20))];
    let wanted = || WorldRequest {
        start: Start { faults: faults.clone(), ..Start::default() },
        ..WorldRequest::default()
    };
    let made = std::iter::from_fn(|| folder.registry.make(wanted()).ok()).count();
    assert_eq!((made, folder.registry.make(wanted()).err()), (10, Some(CreateError::NoRoom)));
    let world = folder.registry.named("world-3").unwrap();
    assert!(world.remove_fault("f"));
    assert_eq!(folder.registry.make(wanted()).err(), Some(CreateError::NoRoom), "a reset brings it back");
    drop(world);
    assert!(folder.registry.put("world-3", wanted()).is_ok(), "it takes the place of itself");
    folder.registry.remove("world-3").unwrap();
    assert!(folder.registry.make(wanted()).is_ok());
}

#[test]
fn scenarios_that_are_sent_are_bounded_and_replacing_one_makes_room() {
    let folder = serve(EMPTY);
    for number in 0..200 {
        assert!(folder.send(&format!("s{number}"), EMPTY).unwrap());
    }
    assert!(matches!(folder.send("more", EMPTY), Err(Refused::Number { most: 200 })));
    assert!(!folder.send("s7", EMPTY).unwrap());
    folder.save("s7.yaml", &format!("{EMPTY}# saved\n"));
    assert!(folder.send("more", EMPTY).unwrap(), "a save of its file took the place of one");

    let large = format!("{EMPTY}# {}\n", "x".repeat(3 << 20));
    let fit = (0..199).take_while(|number| {
        let name = if *number == 7 { "more".to_owned() } else { format!("s{number}") };
        folder.send(&name, &large).is_ok()
    });
    assert_eq!(fit.count(), 21, "of 64 MiB");
    assert!(matches!(folder.send("s22", &large), Err(Refused::Memory { .. })));
    assert!(folder.send("s3", EMPTY).is_ok() && folder.send("s22", &large).is_ok());
}

#[test]
fn seed_data_and_records_of_scenarios_that_are_sent_count() {
    let folder = serve(EMPTY);
    let records = |millions: u32| generated(millions * 1_000_000);
    assert!(folder.send("one", &records(5)).unwrap());
    assert!(matches!(folder.send("two", &records(4)), Err(Refused::Records(_))));
    assert!(!folder.send("one", &records(8)).unwrap(), "it takes its own place");
    assert!(!folder.send("one", EMPTY).unwrap());
    assert!(folder.send("two", &records(4)).unwrap());
    let many = "{rating: 5, date: 2026-06-01}, ".repeat(70_000);
    let given = generated(1).replace("{generate: 1}", &many);
    assert!(folder.send("one", &given).is_ok() && folder.send("three", &given).is_err());
}

#[test]
fn datasets_of_other_seeds_are_bounded_in_all_however_small_each_is() {
    let folder = serve(&generated(90_000));
    let made: Vec<String> = (2..200).map_while(|seed| with_seed(&folder, seed).ok()).collect();
    assert_eq!((made.len(), with_seed(&folder, 999)), (88, Err(CreateError::TooManyRecords)));
    assert!(with_seed(&folder, 5).is_ok() && with_seed(&folder, 1).is_ok(), "these seeds are in use");
    let world = folder.registry.named(&made[0]).unwrap();
    assert_eq!(folder.registry.reset(&world, Some(Seed(777))), Ok(()), "it gives up its own");
    drop(world);
    folder.registry.remove(&made[0]).unwrap();
    assert!(with_seed(&folder, 999).is_ok());
}

#[test]
fn a_reload_keeps_the_seeds_of_worlds_as_far_as_there_is_room() {
    let folder = serve(&generated(5_000_000));
    let (one, two) = (create_world(&folder, "one", Some(7)), create_world(&folder, "two", Some(7)));
    assert_eq!(with_seed(&folder, 8), Err(CreateError::TooManyRecords));
    let seeds = || [one.snapshot().seed.0, two.snapshot().seed.0];
    folder.save("a.yaml", &generated(5_000_001));
    assert_eq!((seeds(), one.snapshot().counts.reviews), ([7, 7], 5_000_001));
    folder.save("a.yaml", &generated(9_000_000));
    assert_eq!(seeds(), [1, 1], "the scenario's");
    folder.save("a.yaml", &generated(3_000_000));
    assert_eq!(seeds(), [7, 7]);
    assert!(with_seed(&folder, 8).is_ok());
}

//! Tests that need several rooms at once, in process and without HTTP, where a call takes microseconds. A test of one room stands with it, and
//! tests of the running program are in `tests/suite`.

mod harness;
mod arrivals;
mod bundle;
mod bundle_broken;
mod bundle_changes;
mod bundle_server;
mod days;
mod greeting;

mod any_calls;
mod bounds;
mod contact_reviews;
mod fault_reload;
mod fault_repeats;
mod fault_shares;
mod fuzz;
mod imports;
mod journal;
mod operations;
mod platform;
mod properties;
mod reference;
mod reload;
mod route_document;
mod routes;
mod scorecard_document;
mod seams;
mod worlds;

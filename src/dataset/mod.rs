//! The seeded facts of a scenario, immutable and shared: records as given, columns over all reviews, and what the
//! operations ask of them. It knows no HTTP and no world.

/// A set of rows, one bit each.
pub mod bits;
/// Contacts that are there from the start.
pub mod contacts;
/// Custom fields of contacts.
pub mod custom_field;
/// What a generated review is, as a function of seed and place.
pub mod generated;
/// Levels above locations.
pub mod hierarchy;
/// Sentiment scores.
pub mod insight;
/// Plain lists of phrases and names, embedded.
pub mod lists;
/// Names and places of generated people.
pub mod people;
/// Phrase banks: the words of generated reviews, responses and questions.
pub mod phrases;
/// All questions, newest first.
pub mod questions;
/// What a scenario gives, as checked values.
pub mod records;
/// All reviews in columns, newest first.
pub mod reviews;
/// Text search over given and generated words.
pub mod search;
/// Which reviews a request asks for.
pub mod selection;
/// A review as answers show it.
pub mod shown;
/// A text put together when it is written.
pub mod text;
/// The dataset as a whole, and who is where in it.
pub mod whole;

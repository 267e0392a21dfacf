//! The seeded facts of a scenario, immutable and shared: records as given, columns over all reviews, and what the
//! operations ask of them. It knows no HTTP and no world.

/// What a scenario gives, as checked values.
pub mod records;
/// Plain lists of phrases and names, embedded.
pub mod lists;
/// Phrase banks: the words of generated reviews, responses and questions.
pub mod phrases;
/// Names and places of generated people.
pub mod people;
/// A text put together when it is written.
pub mod text;
/// What a generated review is, as a function of seed and place.
pub mod generated;
/// A set of rows, one bit each.
pub mod bits;
/// Rows in groups.
pub mod groups;
/// Reviews by source, rating and publication together.
pub mod classes;
/// Days of update, coarsely.
pub mod zones;
/// All reviews in columns, newest first.
pub mod reviews;
/// Which reviews a request asks for.
pub mod selection;
/// Sentiment scores.
pub mod insight;
/// Levels above locations.
pub mod hierarchy;
/// Text search over given and generated words.
pub mod search;
/// A review as answers show it.
pub mod shown;
/// All questions, newest first.
pub mod questions;
/// Contacts that are there from the start.
pub mod contacts;
/// Custom fields of contacts.
pub mod custom_field;
/// The dataset as a whole, and who is where in it.
pub mod facts;
/// Records that are added while it is served.
pub mod added;

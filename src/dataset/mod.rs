//! The seeded facts of a scenario, immutable and shared: the given records, columns over all reviews, and the queries of
//! the operations. It knows no HTTP and no world.

/// Records of a scenario, as checked values.
pub mod records;
/// Plain lists of phrases and names, embedded.
pub mod lists;
/// Phrase banks: the words of generated reviews, responses and questions.
pub mod phrases;
/// Names and places of generated people.
pub mod people;
/// A text that is put together when it is written.
pub mod text;
/// What a generated review is, as a function of its seed, location and index.
pub mod generated;
/// A set of rows, one bit each.
pub mod bits;
/// Rows in groups.
pub mod groups;
/// Reviews by source, rating and publication together.
pub mod classes;
/// The range of update days of each block of rows.
pub mod update_blocks;
/// All reviews in columns, newest first.
pub mod reviews;
/// Filters of reviews, and the rows that pass.
pub mod selection;
/// Sentiment scores.
pub mod insight;
/// Levels above locations.
pub mod hierarchy;
/// Text search over given and generated words.
pub mod search;
/// A review with all the fields that an answer shows.
pub mod review_view;
/// All questions, newest first.
pub mod questions;
/// Contacts of the scenario.
pub mod contacts;
/// Custom fields of contacts.
pub mod custom_field;
/// The dataset as a whole: businesses and locations by number.
pub mod facts;
/// Records that are added while the dataset is served.
pub mod added;

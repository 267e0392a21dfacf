//! The seeded facts of a scenario, immutable and shared: the given records, columns over all reviews, and the queries of
//! the operations. It knows no HTTP and no world.

/// Days and instants, fixed or relative to the clock's start.
pub(crate) mod when;
/// Records of a scenario, as checked values.
pub(crate) mod records;
/// Plain lists of phrases and names, embedded.
pub(crate) mod lists;
/// Phrase banks: the words of generated reviews, responses and questions.
pub(crate) mod phrases;
/// Names and places of generated people.
pub(crate) mod people;
/// Where a generated record stands in time and in a list of sentences.
pub(crate) mod places;
/// On which days the reviews of a block come.
pub(crate) mod calendar;
/// The words of a generated review.
pub(crate) mod words;
/// How carelessly a review was typed.
mod typing;
/// Hostile texts.
pub(crate) mod nasty;
/// A text that is put together when it is written.
pub(crate) mod text;
/// What a generated review is, as a function of its seed, location and index.
pub(crate) mod generated;
/// Which generated reviews are by contacts.
pub(crate) mod contact_reviews;
/// A set of rows, one bit each.
pub(crate) mod bits;
/// Rows in groups.
pub(crate) mod groups;
/// Reviews by source, rating and publication together.
pub(crate) mod classes;
/// The range of update days of each block of rows.
pub(crate) mod update_blocks;
/// All reviews in columns, newest first.
pub(crate) mod reviews;
/// Filters of reviews, and the rows that pass.
pub(crate) mod selection;
pub(crate) mod subjects;
/// Sentiment scores.
pub(crate) mod insight;
/// Levels above locations.
pub(crate) mod hierarchy;
/// Text search over given and generated words.
pub(crate) mod search;
/// A review with all the fields that an answer shows.
pub(crate) mod review_view;
/// All questions, newest first.
pub(crate) mod questions;
/// Contacts of the scenario.
pub(crate) mod contacts;
/// Custom fields of contacts.
pub(crate) mod custom_field;
/// The dataset as a whole: businesses and locations by number.
pub(crate) mod facts;
/// Records that arrive in a world.
pub(crate) mod arrival;
/// The words of records that arrive without any.
pub(crate) mod arrival_words;
/// The ids of an account's records, and rows by id.
pub(crate) mod ids;
/// A sorted map whose copies share what is the same.
pub(crate) mod chunks;
/// Records that are added or changed while the dataset is served.
pub(crate) mod added;

//! The six operations, one file each, and their dispatch. An operation is called when key, rate limit and
//! `x-business-number` are settled (`behaviour.md` 1); it reads its fields in the documented order and answers or refuses.

use std::sync::Mutex;

use bytes::Bytes;

use crate::api::call::Call;
use crate::api::dialect::Dialect;
use crate::api::error::ApiError;
use crate::api::field;
use crate::api::operation::Operation;
use crate::auth::Caller;
use crate::dataset::facts::Dataset;
use crate::ledger::Ledger;

/// Sentiment location info.
pub mod sentiment_locations;
/// Sentiment score benchmark.
pub mod sentiment_benchmark;
/// Contact upsert.
pub mod contact;
/// Review list.
pub mod reviews;
/// Unanswered questions and answers.
pub mod qna;
/// Webhook subscription.
pub mod subscribe;

/// What is settled about a call before its operation sees it.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Manners of the scenario's API.
    pub dialect: &'a Dialect,
    /// Who calls.
    pub caller: Caller<'a>,
    /// The account of `x-business-number`, for the operations that carry it.
    pub enterprise: Option<u32>,
    /// The path parameter, decoded.
    pub parameter: &'a str,
    /// Names of webhook events that the scenario adds.
    pub events: &'a [String],
    /// Reviews and questions that were added to the world, beside the dataset.
    pub added: Option<&'a Dataset>,
}

/// A 200 answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The body: JSON.
    pub body: Bytes,
    /// What the journal remarks.
    pub note: Option<String>,
}

impl Answer {
    /// The answer whose body that value is.
    ///
    /// # Panics
    /// Never: the response types have string keys alone, and a vector takes every byte.
    #[must_use]
    pub fn of(response: &impl serde::Serialize) -> Self {
        let mut body = Vec::with_capacity(256);
        let written = serde_json::to_writer(&mut body, response);
        debug_assert!(written.is_ok(), "a response type that is not JSON: {written:?}");
        Self { body: body.into(), note: None }
    }
}

/// Names of the query parameters that an operation has.
#[must_use]
pub fn parameters(operation: Operation, dialect: &Dialect) -> Vec<&str> {
    let names = &dialect.names;
    match operation {
        Operation::SentimentLocations => vec!["start-index", "page-size", "sort-by", "sort-order"],
        Operation::Reviews => vec![&names.start_index, &names.count, &names.competitor],
        Operation::Qna => vec![&names.business],
        Operation::SentimentBenchmark | Operation::Contact | Operation::Subscribe => Vec::new(),
    }
}

/// Names of the body's fields, in the documented order.
#[must_use]
pub fn fields(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::SentimentLocations => field::names::<sentiment_locations::Request>(),
        Operation::SentimentBenchmark => field::names::<sentiment_benchmark::Request>(),
        Operation::Contact => field::names::<contact::Request>(),
        Operation::Reviews => field::names::<reviews::Request>(),
        Operation::Qna => field::names::<qna::Request>(),
        Operation::Subscribe => field::names::<subscribe::Request>(),
    }
}

/// Hands a call to its operation. The ledger's lock is taken by the operations that write, for the write alone.
///
/// # Errors
/// The refusal of the first check that fails.
pub fn answer(
    operation: Operation,
    context: Context<'_>,
    dataset: &Dataset,
    ledger: &Mutex<Ledger>,
    call: &Call<'_>,
) -> Result<Answer, ApiError> {
    match operation {
        Operation::SentimentLocations => sentiment_locations::answer(context, dataset, call),
        Operation::SentimentBenchmark => sentiment_benchmark::answer(context, dataset, call),
        Operation::Contact => contact::answer(context, dataset, ledger, call),
        Operation::Reviews => reviews::answer(context, dataset, call),
        Operation::Qna => qna::answer(context, dataset, call),
        Operation::Subscribe => subscribe::answer(context, dataset, ledger, call),
    }
}

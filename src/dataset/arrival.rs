//! Records that arrive in a world: through the admin API, on the timeline of a scenario, or by a button of its demo.

use serde::{Deserialize, Serialize};

use crate::dataset::records::{Question, Review};
use crate::dataset::when::GivenDay;

/// A record that arrives. Its relative dates refer to the time at which it does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arrival {
    Review(Box<NewReview>),
    Question(Box<NewQuestion>),
    Response(NewResponse),
}

/// A review that arrives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewReview {
    /// Number of its location.
    pub(crate) location: u64,
    /// Without comments, its words are generated.
    pub(crate) record: Review,
    /// Subjects of generated words.
    pub(crate) about: Vec<String>,
}

/// A question that arrives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewQuestion {
    /// Number of its location.
    pub(crate) location: u64,
    /// With a blank text, its words are generated.
    pub(crate) record: Question,
}

/// A response of the owner that arrives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewResponse {
    pub(crate) review: Answered,
    /// Generated if absent.
    pub(crate) text: Option<String>,
    pub(crate) day: GivenDay,
}

/// The review that a response answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The review that arrived last.
    Last,
    /// The review of that id; with the number of its account or location where several accounts have the id.
    Id { id: String, business: Option<u64> },
}

/// What happens to the response of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ResponseChange {
    #[default]
    Keep,
    TakeAway,
    Write(String),
}

/// A change of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReviewChange {
    pub(crate) response: ResponseChange,
    /// Day of the response. Default: of a new response the world's present day.
    pub(crate) response_day: Option<GivenDay>,
    pub(crate) published: Option<bool>,
}

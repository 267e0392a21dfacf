//! The six operations of `interface.md`, by name and by path.

/// One operation of the simulated API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Sentiment location info.
    SentimentLocations,
    /// Sentiment score benchmark.
    SentimentBenchmark,
    /// Contact upsert.
    Contact,
    /// Review list, of a competitor or of an own business.
    Reviews,
    /// Unanswered questions and answers.
    Qna,
    /// Webhook subscription.
    Subscribe,
}

use Operation::{Contact, Qna, Reviews, SentimentBenchmark, SentimentLocations, Subscribe};

const REVIEWS_PREFIX: &str = "/v1/review/businessId/";
/// The same without an id, which is an id missing (1011).
const REVIEWS: &str = "/v1/review/businessId";

impl Operation {
    /// All six, in the order of `interface.md`.
    pub const ALL: [Self; 6] = [SentimentLocations, SentimentBenchmark, Contact, Reviews, Qna, Subscribe];

    /// The name that scenarios, the journal and the metrics use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SentimentLocations => "sentiment-locations",
            SentimentBenchmark => "sentiment-benchmark",
            Contact => "contact",
            Reviews => "reviews",
            Qna => "qna",
            Subscribe => "subscribe",
        }
    }

    /// The operation of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The path under the base URL, `{…}` standing for a path parameter.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            SentimentLocations => "/v1/insight/sentiment/locationInfo",
            SentimentBenchmark => "/v1/insight/sentiment/scoreBenchmark",
            Contact => "/v1/contact/external/preferences/saveCustomer",
            Reviews => "/v1/review/businessId/{CompetitorEnterpriseBusinessId}",
            Qna => "/v1/qna/unanswered/get",
            Subscribe => "/v1/messenger/subscribe/webhook/event",
        }
    }

    /// The operation at a path (world prefix and query removed), with its path parameter, still percent-encoded and
    /// empty where there is none. `/resources/v1/…` is `/v1/…`, and a trailing slash is accepted
    /// (`behaviour.md` 1, step 2).
    #[must_use]
    pub fn at(path: &str) -> Option<(Self, &str)> {
        let path = path.strip_prefix("/resources").unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path);
        if let Some(id) = path.strip_prefix(REVIEWS_PREFIX).or_else(|| (path == REVIEWS).then_some("")) {
            return (!id.contains('/')).then_some((Reviews, id));
        }
        Self::ALL
            .into_iter()
            .find(|operation| *operation != Reviews && operation.path() == path)
            .map(|operation| (operation, ""))
    }

    /// Whether this is one of the two sentiment operations.
    #[must_use]
    pub const fn is_sentiment(self) -> bool {
        matches!(self, SentimentLocations | SentimentBenchmark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_found_by_its_path_and_name() {
        for operation in Operation::ALL {
            let path = operation.path().replace("{CompetitorEnterpriseBusinessId}", "200");
            assert_eq!(Operation::at(&path).map(|found| found.0), Some(operation));
            assert_eq!(Operation::named(operation.name()), Some(operation));
        }
    }

    #[test]
    fn the_published_prefix_and_a_trailing_slash_are_the_same_path() {
        assert_eq!(Operation::at("/resources/v1/qna/unanswered/get/"), Some((Qna, "")));
        assert_eq!(Operation::at("/v1/review/businessId/200/"), Some((Reviews, "200")));
        assert_eq!(Operation::at("/v1/review/businessId/"), Some((Reviews, "")));
        assert_eq!(Operation::at("/x/v1/review/businessId"), None);
        assert_eq!(Operation::at("/v1/review/businessId/1/2"), None);
        assert_eq!(Operation::at("/v2/qna/unanswered/get"), None);
    }
}

//! The raw form of the file of `standin explore --accept`.

use crate::scenario::read::{Spanned, raw};
use crate::scenario::scalars::NonBlank;

raw! {
    /// Deviations of a client that are wanted.
    pub(crate) struct AcceptFile "the file" {
        /// The deviations.
        required "accept" accept: Vec<Spanned<Deviation>>,
    }

    /// What a client does about a fault at one of its calls.
    pub(crate) struct Deviation "a deviation" {
        /// The call and its fault.
        required "at" at: NonBlank,
        /// `exit`, `hang`, `storm`, `state` or a rule of the scorecard.
        required "deviation" deviation: NonBlank,
    }
}

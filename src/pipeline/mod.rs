//! The way of a request through the simulated API, a file for each stage. All of it is synchronous and free of I/O: what is
//! decided here is performed by `server`.

pub(crate) mod receive;
mod admit;
mod decide;
pub(crate) mod run;
pub(crate) mod route;
pub(crate) mod example;
mod nothing;
mod shape;
pub(crate) mod record;
mod refuse;

use crate::dataset::facts::Dataset;
use crate::pipeline::receive::Received;
use crate::pipeline::record::Outcome;

/// Answers a request in the order of `docs/api.md` 1. Its world and its dataset are there already: `receive` finds the
/// world (steps 0 and 1), and building a dataset takes a while, so the server does it on another thread in between.
pub(crate) fn answer(received: &Received<'_>, dataset: &Dataset) -> Outcome {
    // Step 2: the operation at the path, the key that was sent, the time of the world's clock.
    let admitted = admit::admit(received);
    // Step 3: which fault applies, counted together with the arrival.
    let decided = decide::decide(&admitted);
    // Steps 4 to 9: key, rate limit, account, body, fields, operation; or the fault's answer in place of all of them.
    let ran = run::run(&decided, dataset);
    // Changes that a fault makes to the answer, CORS, and what the client asked to be told.
    let shaped = shape::shape(&decided, ran);
    // The journal has the request before anybody can have the answer.
    record::record(&decided, shaped)
}

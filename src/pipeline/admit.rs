//! Step 2: what a call asks for, with which key, and when by the world's clock.

use std::borrow::Cow;

use crate::api::call::{KeyMatch, decode};
use crate::api::operation::Operation;
use crate::auth::sent_key;
use crate::clock::Reading;
use crate::fault::request::Request;
use crate::operations::spec::{KeyIn, Spec};
use crate::pipeline::receive::{Received, Target};
use crate::route::Method;
use crate::route::path::plain;
use crate::route::table::Found;

/// A call that has arrived in its world.
pub(super) struct Admitted<'a> {
    pub(super) received: &'a Received<'a>,
    pub(super) at_path: AtPath<'a>,
    /// The key as sent. None if it is missing or blank.
    pub(super) key: Option<Cow<'a, str>>,
    pub(super) key_match: KeyMatch,
    /// The world's clock when the call arrived.
    pub(super) reading: Reading,
}

/// What is at the path of a call.
pub(super) enum AtPath<'a> {
    /// One of the six operations, and the path parameter, decoded and empty where its path has none.
    Operation(&'static Spec, Cow<'a, str>),
    /// A route of the scenario.
    Route(&'a crate::route::Route),
    /// Routes for other methods.
    Method(Vec<Method>),
    /// Routes whose conditions do not hold.
    NoCondition,
    Nothing,
}

impl AtPath<'_> {
    /// The operation or route that answers.
    pub(super) const fn operation(&self) -> Option<Operation> {
        match self {
            Self::Operation(spec, _) => Some(spec.operation),
            Self::Route(route) => Some(route.operation),
            Self::Method(_) | Self::NoCondition | Self::Nothing => None,
        }
    }

    /// The definition, for one of the six operations.
    pub(super) const fn spec(&self) -> Option<&'static Spec> {
        match self {
            Self::Operation(spec, _) => Some(*spec),
            Self::Route(_) | Self::Method(_) | Self::NoCondition | Self::Nothing => None,
        }
    }

    /// The values of the parameters in the path of a route.
    pub(super) fn path_values<'p>(&'p self, path: &'p str) -> Vec<Cow<'p, str>> {
        match self {
            Self::Route(route) => {
                route.path.values(plain(path)).into_iter().map(|(_, value)| value).collect()
            }
            Self::Operation(..) | Self::Method(_) | Self::NoCondition | Self::Nothing => Vec::new(),
        }
    }

    /// The path parameter by which faults know the business.
    pub(super) fn parameter(&self) -> &str {
        match self {
            Self::Operation(_, parameter) => parameter,
            Self::Route(_) | Self::Method(_) | Self::NoCondition | Self::Nothing => "",
        }
    }
}

pub(super) fn admit<'a>(received: &'a Received<'a>) -> Admitted<'a> {
    let Received { at, world, run, snapshot, call, target, .. } = received;
    let key = match target {
        Target::Operation(Spec { key: KeyIn::Body(_), .. }, _) => {
            received.body_key.as_ref().ok().and_then(|key| key.as_deref()).map(Cow::Borrowed)
        }
        Target::Operation(..) | Target::Other => sent_key(call, &snapshot.dialect),
    };
    let key = key.map(trim).filter(|key| !key.is_empty());
    let is_minted = world.minted.as_ref().is_some_and(|minted| key.as_deref() == Some(&minted.key));
    let key_match = if is_minted { KeyMatch::Minted } else { snapshot.keys.match_of(key.as_deref()) };
    let at_path = match *target {
        Target::Operation(spec, parameter) => AtPath::Operation(spec, decode(parameter)),
        Target::Other if snapshot.routes.routes.is_empty() => AtPath::Nothing,
        Target::Other => {
            let sent = (key.as_deref(), key_match);
            let request = Request::new((Operation::new(""), ""), call, &snapshot.dialect, sent);
            match snapshot.routes.find(&request) {
                Found::Route(route) => AtPath::Route(route),
                Found::Method(methods) => AtPath::Method(methods),
                Found::NoCondition => AtPath::NoCondition,
                Found::Nothing => AtPath::Nothing,
            }
        }
    };
    Admitted { received, at_path, key, key_match, reading: run.clock.at(*at) }
}

fn trim(key: Cow<'_, str>) -> Cow<'_, str> {
    match key {
        Cow::Borrowed(key) => Cow::Borrowed(key.trim()),
        Cow::Owned(key) => Cow::Owned(key.trim().to_owned()),
    }
}

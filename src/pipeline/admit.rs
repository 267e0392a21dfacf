//! Step 2: what a call asks for, with which key, and when by the world's clock.

use std::borrow::Cow;

use crate::api::call::{KeyMatch, decode};
use crate::auth::sent_key;
use crate::clock::Reading;
use crate::operations::spec::{KeyIn, Spec};
use crate::pipeline::receive::Received;

/// A call that has arrived in its world.
pub(super) struct Admitted<'a> {
    pub(super) received: &'a Received<'a>,
    /// None where nothing is at the path.
    pub(super) route: Option<Route<'a>>,
    /// The key as sent. None if it is missing or blank.
    pub(super) key: Option<Cow<'a, str>>,
    pub(super) key_match: KeyMatch,
    /// The world's clock when the call arrived.
    pub(super) reading: Reading,
}

/// An operation, and the path parameter, decoded and empty where its path has none.
pub(super) struct Route<'a> {
    pub(super) spec: &'static Spec,
    pub(super) parameter: Cow<'a, str>,
}

pub(super) fn admit<'a>(received: &'a Received<'a>) -> Admitted<'a> {
    let Received { at, world, run, snapshot, call, .. } = received;
    let route = received.route.map(|(spec, parameter)| Route { spec, parameter: decode(parameter) });
    let key = match &route {
        Some(Route { spec: Spec { key: KeyIn::Body(_), .. }, .. }) => {
            received.body_key.as_ref().ok().and_then(|key| key.as_deref()).map(Cow::Borrowed)
        }
        Some(_) | None => sent_key(call, &snapshot.dialect),
    };
    let key = key.map(trim).filter(|key| !key.is_empty());
    let is_minted = world.minted.as_ref().is_some_and(|minted| key.as_deref() == Some(&minted.key));
    let key_match = if is_minted { KeyMatch::Minted } else { snapshot.keys.match_of(key.as_deref()) };
    Admitted { received, route, key, key_match, reading: run.clock.at(*at) }
}

fn trim(key: Cow<'_, str>) -> Cow<'_, str> {
    match key {
        Cow::Borrowed(key) => Cow::Borrowed(key.trim()),
        Cow::Owned(key) => Cow::Owned(key.trim().to_owned()),
    }
}

//! Admin handler for a world's contacts: list, in the API's field names.

use std::collections::VecDeque;
use std::sync::Arc;

use actix_web::HttpResponse;

use crate::dataset::contacts::ContactIndex;
use crate::dataset::records;
use crate::ledger::shown::Contact;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Limit, Offset, Page};
use crate::server::api::build_dataset;
use crate::server::long;
use crate::world::World;

/// Lists the contacts of a world, account by account.
#[utoipa::path(get, path = "/__admin/worlds/{world}/contacts", params(WorldPath, Page),
    responses((status = 200, description = "The contacts", body = Vec<Contact>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    build_dataset(&world.snapshot()).await;
    let (contacts, total) = long::run(move || select(&world, &page)).await?;
    list::respond(total, contacts, |contact| list::json(&Contact::of(contact))).await
}

/// All contacts.
pub(crate) fn all(world: &World) -> Vec<Contact> {
    let page = Page { offset: Offset(0), limit: Limit(usize::MAX) };
    select(world, &page).0.iter().map(|contact| Contact::of(contact)).collect()
}

/// The contacts of a page, and how many there are. The ledger is locked only to copy what was written.
fn select(world: &World, page: &Page) -> (VecDeque<Arc<records::Contact>>, usize) {
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let run = world.run();
    let (mut found, mut total) = (VecDeque::new(), 0);
    for business in snapshot.businesses() {
        let seeded = dataset.contacts.of(business.number);
        let written = run.ledger().contacts.written(business.number);
        let is_seeded =
            |contact: &&Arc<records::Contact>| seeded.is_some_and(|seeded| seeded.get(contact.id).is_some());
        let removed = run.ledger().contacts.removed(business.number);
        let overridden = written.iter().filter(is_seeded).count();
        let gone = removed.iter().filter(|id| seeded.is_some_and(|seeded| seeded.get(**id).is_some()));
        let length = seeded.map_or(0, ContactIndex::len) + written.len() - overridden - gone.count();
        let rest = Page {
            offset: Offset(page.offset.0.saturating_sub(total)),
            limit: Limit(page.limit.0 - found.len()),
        };
        total += length;
        if rest.limit.0 > 0 && rest.offset.0 < length {
            let seeded = seeded.into_iter().flat_map(ContactIndex::all);
            let seeded = seeded.filter(|contact| !removed.contains(&contact.id));
            found.append(&mut rest.of(merged(seeded, &written)));
        }
    }
    (found, total)
}

/// The contacts of an account by id: seeded ones, overridden by written ones.
fn merged<'a>(
    seeded: impl Iterator<Item = &'a Arc<records::Contact>>,
    written: &'a [Arc<records::Contact>],
) -> impl Iterator<Item = Arc<records::Contact>> {
    let (mut seeded, mut written) = (seeded.peekable(), written.iter().peekable());
    std::iter::from_fn(move || {
        let (left, right) = (seeded.peek().map(|one| one.id), written.peek().map(|one| one.id));
        if right.is_none_or(|right| left.is_some_and(|left| left < right)) {
            return seeded.next().cloned();
        }
        seeded.next_if(|_| left == right);
        written.next().cloned()
    })
}

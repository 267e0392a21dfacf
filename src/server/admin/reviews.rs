//! The reviews of a world, those of the scenario and those added, in the API's field names and order.

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::dataset::added;
use crate::dataset::selection::Filter;
use crate::operations::reviews::Response;
use crate::operations::spec::json;
use crate::scenario::added_record::{self, AddTarget};
use crate::server::admin::listing::Page;
use crate::server::admin::stored;
use crate::world::World;

/// `GET …/reviews`: published and parked ones, newest first.
///
/// # Errors
/// The answer, where the query is not as it must be.
pub fn all(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let page = Page::of(call)?;
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let locations = stored::locations(dataset, call)?;
    let beside = world.added.beside(dataset);
    let added = beside.as_deref().map(|beside| &beside.facts);
    let filter = Filter { locations: Some(&locations), ..Filter::default() };
    let of = |location: &u32| {
        let facts = [Some(dataset), added];
        facts.into_iter().flatten().map(|facts| facts.reviews.of(*location).len()).sum::<usize>()
    };
    let total = locations.iter().map(of).sum();
    let rows = added::reviews(dataset, added, |facts| facts.reviews.select(&filter));
    let shown = rows.skip(page.offset).take(page.limit).filter_map(|(facts, row)| facts.show(row));
    let listed: Vec<_> = shown.map(|shown| Response::of(&shown)).collect();
    Ok(Page::written(total, json(&listed)))
}

/// `POST …/reviews`: one more.
///
/// # Errors
/// The answer to what is no review, or has an id that is not free.
pub fn added(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let to = AddTarget { dataset, now: world.clock.now() };
    let (place, review) =
        added_record::parse_review(stored::text(call)?, to).map_err(|problems| stored::refused(&problems))?;
    let (id, beside) = world.added.review(dataset, place, review).map_err(|taken| stored::taken(&taken))?;
    let facts = &beside.facts;
    let mut shown = facts.reviews.of(place).iter().filter_map(|row| facts.show(*row));
    let shown = shown.find(|shown| shown.id.to_string() == id);
    Ok(Reply::json(201, json(&shown.as_ref().map(Response::of))))
}

//! The questions of a world, those of the scenario and those added, in the API's field names and order.

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::dataset::added;
use crate::operations::qna::Question;
use crate::operations::spec::json;
use crate::scenario::added_record::{self, AddTarget};
use crate::server::admin::listing::Page;
use crate::server::admin::stored;
use crate::world::World;

/// `GET …/questions`: answered by the owner or not, newest first.
///
/// # Errors
/// The answer, where the query is not as it must be.
pub fn all(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let page = Page::of(call)?;
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let mut asked = vec![false; dataset.location_count()];
    for location in stored::locations(dataset, call)? {
        asked[location as usize] = true;
    }
    let beside = world.added.beside(dataset);
    let added = beside.as_deref().map(|beside| &beside.facts);
    let rows = || {
        added::questions(dataset, added, |facts| {
            facts.questions.rows.iter().filter(|row| asked[row.location as usize])
        })
    };
    let shown = rows().skip(page.offset).take(page.limit);
    let listed: Vec<Question<'_>> =
        shown.filter_map(|(facts, row)| facts.show_question(row)).map(Question::of).collect();
    Ok(Page::written(rows().count(), json(&listed)))
}

/// `POST …/questions`: one more.
///
/// # Errors
/// The answer to what is no question, or has an id that is not free.
pub fn added(world: &World, call: &Call<'_>) -> Result<Reply, Reply> {
    let snapshot = world.snapshot();
    let dataset = snapshot.dataset();
    let to = AddTarget { dataset, now: world.clock.now() };
    let (place, question) = added_record::parse_question(stored::text(call)?, to)
        .map_err(|problems| stored::refused(&problems))?;
    let (id, beside) =
        world.added.question(dataset, place, question).map_err(|taken| stored::taken(&taken))?;
    let rows = &beside.facts.questions.rows;
    let row = rows.iter().find(|row| row.id == id && row.location == place);
    let shown = row.and_then(|row| beside.facts.show_question(row));
    Ok(Reply::json(201, json(&shown.map(Question::of))))
}

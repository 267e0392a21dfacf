//! What the data of the API links to: pictures of people, and a page for each review and business. They are the same in every world, so
//! their addresses begin at the root of the server.

use std::fmt::Display;

use actix_web::http::header;
use actix_web::middleware::from_fn;
use actix_web::{HttpResponse, web};

use crate::api::dates::Day;
use crate::dataset::added;
use crate::dataset::facts::BusinessRef;
use crate::dataset::review_view::ReviewView;
use crate::dataset::selection::Filter;
use crate::dataset::text::Text;
use crate::server::admin::error::AdminError;
use crate::server::long;
use crate::server::middleware::surround;
use crate::server::page::escaped;
use crate::server::state::State;
use crate::world::World;

/// The routes of pictures and pages.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    let get_only = |path: &str, route| web::resource(path).route(route).wrap(from_fn(surround));
    config.service(
        web::scope("/__assets")
            .service(get_only("/avatar/{name}.svg", web::get().to(get_avatar)))
            .service(get_only("/review/{business}/{id}", web::get().to(get_review)))
            .service(get_only("/business/{business}", web::get().to(get_business))),
    );
}

/// The longest text of a picture, in letters.
const MOST_INITIALS: usize = 3;

/// The picture of a person: initials on a colour, or a question mark if none can be shown. The name is `INITIALS-NUMBER`.
async fn get_avatar(name: web::Path<String>) -> Result<HttpResponse, AdminError> {
    let parts =
        name.rsplit_once('-').and_then(|(initials, number)| Some((initials, number.parse::<u64>().ok()?)));
    let Some((initials, number)) = parts.filter(|(initials, _)| initials.chars().count() <= MOST_INITIALS)
    else {
        return Err(AdminError::not_found("there is no such picture"));
    };
    let hue = number % 36 * 10;
    let is_blank = initials.chars().all(|letter| letter.is_whitespace() || letter.is_control());
    let initials = if is_blank { "?".to_owned() } else { escaped(initials) };
    let picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\" width=\"96\" height=\"96\">\
         <rect width=\"96\" height=\"96\" fill=\"hsl({hue} 42% 44%)\"/>\
         <text x=\"48\" y=\"50\" fill=\"#fff\" font-family=\"system-ui,sans-serif\" font-size=\"38\" \
         text-anchor=\"middle\" dominant-baseline=\"central\">{initials}</text></svg>"
    );
    Ok(HttpResponse::Ok()
        .content_type("image/svg+xml")
        .insert_header((header::CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((header::CONTENT_SECURITY_POLICY, "default-src 'none'"))
        .body(picture))
}

/// A plain page that shows a review.
async fn get_review(
    state: web::Data<State>,
    path: web::Path<(u64, String)>,
) -> Result<HttpResponse, AdminError> {
    let (business, id) = path.into_inner();
    shown(state, "review", move |world| review_in(world, business, &id)).await
}

/// A plain page of a location or an account, with its newest published reviews.
async fn get_business(state: web::Data<State>, number: web::Path<u64>) -> Result<HttpResponse, AdminError> {
    let number = number.into_inner();
    shown(state, "business", move |world| business_in(world, number)).await
}

/// The page of the default world, or else of the first world that has it.
async fn shown(
    state: web::Data<State>,
    what: &str,
    page: impl Fn(&World) -> Option<String> + Send + 'static,
) -> Result<HttpResponse, AdminError> {
    let page = long::run(move || {
        let worlds = std::iter::once(state.registry.default_world()).chain(state.registry.standing());
        let worlds = worlds.chain(state.registry.page(0, usize::MAX).0);
        worlds.into_iter().find_map(|world| page(&world))
    });
    let page = page.await?.ok_or_else(|| AdminError::not_found(format!("no world has such a {what}")))?;
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'",
        ))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .body(page))
}

fn review_in(world: &World, business: u64, id: &str) -> Option<String> {
    let run = world.run();
    let snapshot = run.snapshot();
    let dataset = snapshot.ready()?;
    let location = dataset.location_at(business)?;
    let shows = |review: &ReviewView<'_>| review.id.to_string() == id;
    let added = run.added.read(dataset);
    let locations = [location];
    let filter = Filter { locations: Some(&locations), ..Filter::default() };
    let mut reviews = added::reviews(dataset, added.as_deref(), &filter, None);
    reviews.find_map(|review| dataset.listed_review(review).filter(shows)).map(|review| page_of(&review))
}

/// Most reviews on the page of a business.
const LISTED: usize = 25;

fn business_in(world: &World, number: u64) -> Option<String> {
    let run = world.run();
    let snapshot = run.snapshot();
    let dataset = snapshot.ready()?;
    let place = dataset.find(i64::try_from(number).ok()?)?;
    let (name, city, state) = match place {
        BusinessRef::Account(account) => {
            let account = dataset.account(account);
            (&account.name, &account.city, &account.state)
        }
        BusinessRef::Location(location) => {
            let location = dataset.location(location);
            (&location.name, &location.city, &location.state)
        }
    };
    let added = run.added.read(dataset);
    let locations = dataset.locations_of(place);
    let filter = Filter { locations: Some(&locations), published: Some(true), ..Filter::default() };
    let reviews = added::reviews(dataset, added.as_deref(), &filter, None);
    let reviews = reviews.filter_map(|review| dataset.listed_review(review));
    let reviews: String =
        reviews.take(LISTED).map(|review| body_of(&review)).collect::<Vec<_>>().join("<hr>");
    let where_it_is: Vec<String> = [city, state].into_iter().flatten().map(|part| escaped(part)).collect();
    let body = format!("<p>{}</p>{reviews}", where_it_is.join(", "));
    Some(page(&escaped(name), &escaped(name), &body))
}

/// A page. All texts are escaped already.
fn page(title: &str, heading: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title>\
         <style>body{{font:17px/1.55 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem;color:#222}}\
         p{{white-space:pre-line}}blockquote{{margin:1.5rem 0;padding:.1rem 1rem;border-left:3px solid #bbb;background:#f6f6f6}}</style>\
         <h1>{heading}</h1>{body}</html>"
    )
}

fn page_of(review: &ReviewView<'_>) -> String {
    let location = escaped(&review.location.name);
    page(&format!("Review of {location}"), &location, &body_of(review))
}

fn body_of(review: &ReviewView<'_>) -> String {
    let said = |text: &dyn Display| escaped(&text.to_string());
    let text = |text: Option<Text<'_>>| text.map(|text| said(&text)).unwrap_or_default();
    let reviewer = &review.reviewer;
    let name = [text(reviewer.first_name), text(reviewer.last_name)].join(" ");
    let title = review.title.map(|title| format!("<h2>{}</h2>", said(&title))).unwrap_or_default();
    let response = review.response.map_or_else(String::new, |response| {
        let day = review.response_day.map(Day::iso).unwrap_or_default();
        format!(
            "<blockquote><p>{}</p><p><small>{}, {day}</small></p></blockquote>",
            said(&response),
            escaped(&review.location.name)
        )
    });
    let rating = match review.source.recommendation {
        true if review.rating > 0 => "recommends".to_owned(),
        true => "does not recommend".to_owned(),
        false => "★".repeat(review.rating.into()) + &"☆".repeat(5 - usize::from(review.rating.min(5))),
    };
    format!(
        "<p><b>{name}</b> {rating} on {source}, {day}</p>{title}<p>{comments}</p>{response}",
        source = escaped(&review.source.name),
        day = review.day.iso(),
        comments = said(&review.comments),
    )
}

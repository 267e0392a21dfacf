//! The admin side under `/__admin`: a file of handlers for each kind of resource.

/// Errors.
pub(crate) mod error;
/// What handlers take from a request.
pub(crate) mod extract;
/// Pages of lists.
pub(crate) mod list;
pub(crate) mod health;
pub(crate) mod scenarios;
pub(crate) mod worlds;
pub(crate) mod faults;
pub(crate) mod clock;
pub(crate) mod requests;
pub(crate) mod stream;
pub(crate) mod events;
pub(crate) mod deliveries;
pub(crate) mod contacts;
pub(crate) mod subscriptions;
pub(crate) mod reviews;
pub(crate) mod questions;
/// What reviews and questions have in common.
pub(crate) mod records;
pub(crate) mod record;
pub(crate) mod report;
/// One call of the journal.
pub(crate) mod calls;
pub(crate) mod businesses;
/// What falls due, and rate limits.
pub(crate) mod agenda;
pub(crate) mod conversations;
/// Buttons of a demonstration.
pub(crate) mod demo;
/// A key and a call.
pub(crate) mod example;
pub(crate) mod bundle;
pub(crate) mod verify;
pub(crate) mod snapshot;

use actix_web::{HttpRequest, HttpResponse, web};

use crate::server::admin::error::AdminError;
use crate::server::mcp;
use crate::server::openapi::admin::get_document;

/// The routes below `/__admin`.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(web::resource("/health").get(health::get))
        .service(web::resource("/mcp").post(mcp::http::post))
        .service(web::resource("/openapi.json").get(get_document))
        .service(web::resource("/scenarios").get(scenarios::list))
        .service(web::resource("/scenarios/{name}").get(scenarios::get).put(scenarios::put))
        .service(web::resource("/worlds").get(worlds::list).post(worlds::create))
        .service(web::resource("/worlds/{world}").get(worlds::get).put(worlds::put).delete(worlds::delete))
        .service(
            web::scope("/worlds/{world}")
                .default_service(web::to(not_found))
                .service(web::resource("/reset").post(worlds::reset))
                .service(web::resource("/clock").get(clock::get).post(clock::advance))
                .service(web::resource("/clock/due").get(agenda::due))
                .service(web::resource("/rate-limits").get(agenda::rate_limits))
                .service(web::resource("/businesses").get(businesses::list))
                .service(web::resource("/scores").get(businesses::scores))
                .service(web::resource("/conversations").get(conversations::list))
                .service(web::resource("/demo").get(demo::list))
                .service(web::resource("/demo/{place}").post(demo::press))
                .service(web::resource("/example").get(example::get))
                .service(web::resource("/bundle").get(bundle::get))
                .service(web::resource("/faults").get(faults::list))
                .service(
                    web::resource("/faults/{name}")
                        .put(faults::put)
                        .patch(faults::patch)
                        .delete(faults::delete),
                )
                .service(web::resource("/requests").get(requests::list).delete(requests::clear))
                .service(web::resource("/requests/{seq}").get(calls::get))
                .service(web::resource("/requests/{seq}/resend").post(calls::resend))
                .service(web::resource("/verify").post(verify::verify))
                .service(web::resource("/requests.har").get(requests::get_har))
                .service(web::resource("/stream").get(stream::watch))
                .service(web::resource("/events").get(events::list).post(events::emit))
                .service(web::resource("/deliveries").get(deliveries::list))
                .service(web::resource("/deliveries/{id}/retry").post(deliveries::retry))
                .service(web::resource("/contacts").get(contacts::list))
                .service(web::resource("/subscriptions").get(subscriptions::list).post(subscriptions::create))
                .service(web::resource("/reviews").get(reviews::list).post(reviews::create))
                .service(web::resource("/reviews/{id:.+}").patch(reviews::patch).delete(reviews::delete))
                .service(web::resource("/snapshot").get(snapshot::get).put(snapshot::put))
                .service(web::resource("/report").get(report::get))
                .service(web::resource("/questions").get(questions::list).post(questions::create)),
        );
}

/// Answers a path of the admin side at which nothing is.
pub(crate) async fn not_found(request: HttpRequest) -> Result<HttpResponse, AdminError> {
    let path = request.path().strip_prefix("/__admin").unwrap_or_default();
    Err(AdminError::not_found(format!(
        "Nothing is at {path} of the admin side: see health, scenarios, worlds, and of a world faults, requests, requests.har, verify, stream, events, deliveries, contacts, subscriptions, reviews, questions, businesses, scores, conversations, report, bundle, demo, example, snapshot, reset, clock, rate-limits."
    )))
}

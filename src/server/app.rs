//! The actix-web application: the admin side, the metrics and the documents, and the simulated API for everything else.

use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{NormalizePath, from_fn};
use actix_web::{App, Error, guard, web};

use crate::operations::reviews;
use crate::server::guard::check;
use crate::server::middleware::surround;
use crate::server::state::State;
use crate::server::{admin, api, assets, console, docs, metrics, page, receivers};

/// The application of one worker thread.
pub(crate) fn app(
    state: web::Data<State>,
) -> App<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()>,
> {
    reviews::keep_rendered();
    // Of several `wrap` calls, the last one sees the request first.
    App::new()
        .app_data(state)
        .service(
            web::scope("/__admin")
                .configure(admin::routes)
                .default_service(web::to(admin::not_found))
                .wrap(from_fn(check))
                .wrap(NormalizePath::trim())
                .wrap(from_fn(surround)),
        )
        .service(web::resource("/metrics").get(metrics::get).wrap(from_fn(check)).wrap(from_fn(surround)))
        // Paths with parameters stand in scopes, so that calls of the simulated API are not matched against their patterns.
        .service(web::scope("/w").configure(receivers::routes).configure(docs::world_routes))
        .configure(docs::routes)
        .configure(console::routes)
        .configure(assets::routes)
        .service(
            web::resource("/")
                .guard(guard::Any(guard::Get()).or(guard::Head()))
                .get(page::get)
                .wrap(from_fn(surround)),
        )
        .default_service(web::to(api::answer))
}

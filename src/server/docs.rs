//! The OpenAPI document of the API and the page that draws it, for the default world and behind a world's name. The page's
//! files are part of the program.

mod examples;
pub(crate) mod requests;

use std::sync::Arc;

use actix_web::dev::HttpServiceFactory;
use actix_web::http::header;
use actix_web::middleware::from_fn;
use actix_web::{HttpRequest, HttpResponse, Route, web};

use serde_json::Value;

use crate::pipeline::route::data;
use crate::server::admin::extract::{PathWorld, WorldPath};
use crate::server::api::build_dataset;
use crate::server::guard::{check, is_trusted};
use crate::server::middleware::surround;
use crate::server::openapi::{self, View};
use crate::server::page::host;
use crate::server::state::State;
use crate::world::World;

const PAGE: &str = include_str!("docs/index.html");
const STYLE: &str = include_str!("docs/page.css");
const SCRIPT: &str = include_str!("docs/page.js");

/// The routes of the documents.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(get_only("/openapi.json", web::get().to(get_document)))
        .service(get_only("/docs", web::get().to(get_page)))
        .service(get_only("/docs/", web::get().to(get_page)))
        .service(get_only("/docs/page.css", web::get().to(get_style)))
        .service(get_only("/docs/page.js", web::get().to(get_script)))
        .service(guarded("/docs/requests.json", web::get().to(get_requests)));
}

/// The same of one world, under `/w`.
pub(crate) fn world_routes(config: &mut web::ServiceConfig) {
    config
        .service(get_only("/{world}/openapi.json", web::get().to(get_world_document)))
        .service(get_only("/{world}/docs", web::get().to(get_world_page)))
        .service(get_only("/{world}/docs/", web::get().to(get_world_page)))
        .service(get_only("/{world}/docs/page.css", web::get().to(get_style)))
        .service(get_only("/{world}/docs/page.js", web::get().to(get_script)))
        .service(guarded("/{world}/docs/requests.json", web::get().to(get_world_requests)));
}

fn get_only(path: &str, route: Route) -> impl HttpServiceFactory + use<> {
    web::resource(path).route(route).wrap(from_fn(surround))
}

/// The requests have a key in them, which no page of another site may read.
fn guarded(path: &str, route: Route) -> impl HttpServiceFactory + use<> {
    web::resource(path).route(route).wrap(from_fn(check)).wrap(from_fn(surround))
}

/// The OpenAPI document of the simulated API, as the default world serves it.
#[utoipa::path(get, path = "/openapi.json", responses((status = 200, description = "An OpenAPI 3.1 document", body = Object)))]
async fn get_document(state: web::Data<State>, request: HttpRequest) -> HttpResponse {
    let world = state.registry.default_world();
    document(&state, &request, &world, &format!("http://{}", host(&request))).await
}

/// The OpenAPI document of the simulated API, as a world serves it.
#[utoipa::path(get, path = "/w/{world}/openapi.json", params(WorldPath),
    responses((status = 200, description = "An OpenAPI 3.1 document", body = Object)))]
async fn get_world_document(
    state: web::Data<State>,
    PathWorld(world): PathWorld,
    request: HttpRequest,
) -> HttpResponse {
    document(&state, &request, &world, &format!("http://{}/w/{}", host(&request), world.name)).await
}

/// Pages of other origins may read the document, as they may the API. But they get no key in it.
async fn document(state: &State, request: &HttpRequest, world: &Arc<World>, server: &str) -> HttpResponse {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let mut document = openapi::document(View {
        dialect: &snapshot.dialect,
        events: &snapshot.events,
        routes: &snapshot.routes,
        server,
    });
    let requests = requests::requests(world);
    examples::fill(&mut document, &requests, is_trusted(state, request.headers()));
    // Answers from a large dataset would take long.
    if snapshot.is_large() {
        examples::remove_answers(&mut document);
    } else {
        examples::answer(&mut document, world, &requests);
    }
    examples::render(&mut document, &data(world, requests["key"].as_str().map(str::to_owned)));
    HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .body(format!("{document:#}\n"))
}

/// A page to read and try the API.
#[utoipa::path(get, path = "/docs",
    responses((status = 200, description = "An HTML page", body = String, content_type = "text/html")))]
async fn get_page(request: HttpRequest) -> HttpResponse {
    // The links of the page are relative to where it is.
    let page = if request.path().ends_with('/') { PAGE.replace("=\"docs/", "=\"") } else { PAGE.to_owned() };
    file("text/html; charset=utf-8", page)
}

async fn get_world_page(_: PathWorld, request: HttpRequest) -> HttpResponse {
    get_page(request).await
}

/// The requests with which the page's forms are filled.
async fn get_requests(state: web::Data<State>) -> web::Json<Value> {
    web::Json(requests::requests(&state.registry.default_world()))
}

async fn get_world_requests(PathWorld(world): PathWorld) -> web::Json<Value> {
    web::Json(requests::requests(&world))
}

async fn get_style() -> HttpResponse {
    file("text/css; charset=utf-8", STYLE)
}

async fn get_script() -> HttpResponse {
    file("text/javascript; charset=utf-8", SCRIPT)
}

fn file(media_type: &'static str, text: impl Into<String>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(media_type)
        .insert_header((header::CONTENT_SECURITY_POLICY, "default-src 'self'"))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .body(text.into())
}

//! The application without a socket: what a request must not set off.

use std::path::PathBuf;
use std::sync::Arc;

use actix_web::body::to_bytes;
use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::{App, HttpResponse, web};

use crate::clock::TimeSource;
use crate::draw::Seed;
use crate::reload::status::LoadStatus;
use crate::reload::{self, Setup};
use crate::scenario::files::Memory;
use crate::server::app::app;
use crate::server::middleware::surround;
use crate::server::state::State;
use crate::world::registry::Registry;
use crate::world::shared::Shared;

const SCENARIO: &str =
    "standin: 1\nname: s\nbusinesses: [{number: 1, name: One, locations: [{number: 11, name: L}]}]\n";

/// A server of one scenario, of which no dataset has been built.
fn state(admin_token: Option<&str>) -> web::Data<State> {
    let setup = Setup {
        files: Box::new(Memory::new(&[("/s.yaml", SCENARIO)])),
        paths: vec!["/s.yaml".into()],
        root: None,
        cwd: PathBuf::from("/"),
        random: Seed(1),
        time: TimeSource::default(),
        keeps: false,
    };
    let (board, mut snapshots) = (LoadStatus::default(), Vec::new());
    board.apply(&setup, reload::read(&setup), |snapshot| snapshots.push(snapshot));
    let registry = Registry::new("s", snapshots, Shared::default()).unwrap();
    let state = State::local(Arc::new(registry), Arc::new(board), Arc::new(setup));
    web::Data::new(State { admin_token: admin_token.map(str::to_owned), ..state })
}

#[actix_web::test]
async fn a_request_that_the_guard_refuses_builds_no_dataset() {
    let state = state(Some("secret"));
    let service = init_service(app(state.clone())).await;
    let is_built = || state.registry.default_world().snapshot().ready().is_some();
    for path in ["reviews", "questions", "contacts"] {
        let refused = TestRequest::get().uri(&format!("/__admin/worlds/s/{path}")).to_request();
        let error = try_call_service(&service, refused).await.unwrap_err();
        assert_eq!(error.as_response_error().status_code(), StatusCode::UNAUTHORIZED);
        assert!(!is_built(), "{path}");
    }
    let allowed = TestRequest::get()
        .uri("/__admin/worlds/s/reviews")
        .insert_header(("authorization", "Bearer secret"))
        .to_request();
    assert_eq!(try_call_service(&service, allowed).await.unwrap().status(), StatusCode::OK);
    assert!(is_built());
}

#[actix_web::test]
async fn a_panic_costs_one_request() {
    async fn fail() -> HttpResponse {
        panic!("for the test")
    }
    let application = App::new()
        .app_data(state(None))
        .service(web::resource("/fail").get(fail).wrap(from_fn(surround)))
        .service(web::resource("/go-on").get(HttpResponse::Ok));
    let service = init_service(application).await;
    let failed = try_call_service(&service, TestRequest::get().uri("/fail").to_request()).await.unwrap_err();
    let answer = failed.as_response_error().error_response();
    assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let body = to_bytes(answer.into_body()).await.unwrap();
    assert!(body.starts_with(b"{\"error\":"), "{body:?}");
    let next = try_call_service(&service, TestRequest::get().uri("/go-on").to_request()).await;
    assert_eq!(next.unwrap().status(), StatusCode::OK);
}

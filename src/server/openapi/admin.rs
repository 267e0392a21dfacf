//! The OpenAPI document of the admin side, from its handlers and their types.

use actix_web::{HttpRequest, web};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{self, Content, Ref, ResponseBuilder, Server};
use utoipa::{Modify, OpenApi};

use crate::server::admin::error::ErrorBody;
use crate::server::admin::{
    agenda, bundle, businesses, calls, clock, contacts, conversations, deliveries, demo, events, example,
    faults, health, questions, report, requests, reviews, scenarios, snapshot, stream, subscriptions, verify,
    worlds,
};
use crate::server::page::host;
use crate::server::{console, docs, metrics};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Standin, the admin side",
        description = "A list is a JSON array; the header `x-total-count` has the length of the whole list. An error is `{\"error\": what is wrong and what to do}`; where a scenario, a fault or a record has problems, `diagnostics` has all of them.",
    ),
    paths(
        health::get,
        get_document,
        scenarios::list,
        scenarios::get,
        scenarios::put,
        worlds::list,
        worlds::create,
        worlds::get,
        worlds::put,
        worlds::delete,
        worlds::reset,
        snapshot::get,
        snapshot::put,
        clock::get,
        clock::advance,
        agenda::due,
        agenda::rate_limits,
        faults::list,
        faults::put,
        faults::patch,
        faults::delete,
        requests::list,
        requests::clear,
        requests::get_har,
        calls::get,
        calls::resend,
        verify::verify,
        stream::watch,
        events::list,
        events::emit,
        conversations::list,
        deliveries::list,
        deliveries::retry,
        contacts::list,
        subscriptions::list,
        subscriptions::create,
        businesses::list,
        businesses::scores,
        reviews::list,
        reviews::create,
        reviews::patch,
        reviews::delete,
        questions::list,
        questions::create,
        report::get,
        bundle::get,
        demo::list,
        demo::press,
        example::get,
        metrics::get,
        docs::get_document,
        docs::get_world_document,
        docs::get_page,
        console::get,
    ),
    components(schemas(ErrorBody)),
    security((), ("token" = [])),
    modifiers(&Common),
)]
struct AdminApi;

/// What all operations have in common: the admin token, the shape of an error, and unique ids (`worlds.list`).
struct Common;

impl Modify for Common {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
        let error = ResponseBuilder::new()
            .description("What is wrong, and what to do")
            .content("application/json", Content::new(Some(Ref::from_schema_name("Error"))))
            .build();
        for item in document.paths.paths.values_mut() {
            let methods = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
            for operation in methods.into_iter().flatten() {
                let tag = operation.tags.iter().flatten().next();
                let id = tag.zip(operation.operation_id.as_ref()).map(|(tag, name)| format!("{tag}.{name}"));
                operation.operation_id = id.or(operation.operation_id.take());
                operation.responses.responses.insert("default".to_owned(), error.clone().into());
            }
        }
    }
}

/// The document of the admin side at that base URL.
pub(crate) fn document(server: &str) -> openapi::OpenApi {
    let mut document = AdminApi::openapi();
    document.servers = Some(vec![Server::new(server)]);
    document
}

/// The OpenAPI document of the admin side.
#[utoipa::path(get, path = "/__admin/openapi.json",
    responses((status = 200, description = "This document", body = Object)))]
pub(crate) async fn get_document(request: HttpRequest) -> web::Json<openapi::OpenApi> {
    web::Json(document(&format!("http://{}", host(&request))))
}

//! The page that a browser gets at `/`: links to the worlds, the documents and the admin side.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::operations;
use crate::server::console::is_browser;
use crate::server::state::State;

/// Sends a browser to the console, or where that is off to a short page of links. Anything else gets the same as JSON.
pub(crate) async fn get(state: web::Data<State>, request: HttpRequest) -> HttpResponse {
    if state.admin && is_browser(&request) {
        return HttpResponse::Found().insert_header((header::LOCATION, "/console")).finish();
    }
    let snapshot = state.registry.default_world().snapshot();
    let scenario = snapshot.scenario.clone();
    let accept = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if !accept.unwrap_or_default().contains("text/html") {
        let paths = operations::ALL.map(|spec| spec.path);
        return HttpResponse::Ok().json(serde_json::json!({
            "standin": env!("CARGO_PKG_VERSION"),
            "scenario": scenario,
            "operations": paths,
            "routes": snapshot.routes.routes.len(),
        }));
    }
    let rows = operations::ALL.map(|spec| format!("<li><code>POST {}</code></li>", spec.path)).concat();
    let worlds: Vec<String> = state
        .registry
        .standing()
        .iter()
        .map(|world| format!("<li><code>/w/{0}</code></li>", escaped(&world.name)))
        .collect();
    let worlds = worlds.concat();
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Standin</title>\
         <style>body{{font:16px/1.5 system-ui;max-width:46rem;margin:3rem auto;padding:0 1rem}}</style>\
         <h1>Standin {}</h1><p>A fake business-reputation backend, serving the scenario <b>{}</b>.</p>\
         <h2>Operations</h2><ul>{rows}</ul><h2>Worlds</h2><ul>{worlds}</ul>\
         <h2>Documents</h2><ul><li><a href=\"/docs\">read and try the API</a></li>\
         <li><a href=\"/openapi.json\">openapi.json</a></li><li><a href=\"/metrics\">metrics</a></li></ul>\
         <h2>Admin</h2><ul><li><a href=\"/__admin/health\">health</a></li>\
         <li><a href=\"/__admin/scenarios\">scenarios</a></li></ul></html>",
        env!("CARGO_PKG_VERSION"),
        escaped(&scenario),
    );
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html)
}

/// A text as it is written in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The value of the Host header: what the client takes for our address.
pub(crate) fn host(request: &HttpRequest) -> &str {
    request.headers().get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

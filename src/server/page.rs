//! The page that a browser gets at `/`: what this is, and where to look next.

use crate::api::call::Call;
use crate::api::reply::Reply;
use crate::operations;
use crate::server::state::State;

/// A short page of links; to anything but a browser, the same as JSON.
#[must_use]
pub fn links(state: &State, call: &Call<'_>) -> Reply {
    let world = state.registry.default_world();
    let scenario = world.snapshot().scenario.clone();
    if !call.header("accept").unwrap_or_default().contains("text/html") {
        let paths = operations::ALL.map(|spec| spec.path);
        let body = serde_json::json!({ "standin": env!("CARGO_PKG_VERSION"), "scenario": scenario, "operations": paths });
        return Reply::json(200, body.to_string().into_bytes());
    }
    let rows = operations::ALL.map(|spec| format!("<li><code>POST {}</code></li>", spec.path)).concat();
    let worlds: Vec<String> = state
        .registry
        .all()
        .iter()
        .filter(|world| world.is_standing())
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
    Reply::typed(200, "text/html; charset=utf-8", html.into_bytes())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

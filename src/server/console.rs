//! The console: a page that watches and changes worlds by means of the admin API. Its files are part of the program and have no
//! data in them, so they are served without the admin token.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::LazyLock;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode, header};
use actix_web::middleware::{Next, from_fn};
use actix_web::{Error, HttpRequest, HttpResponse, web};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::server::admin::error::AdminError;
use crate::server::guard::check_page;
use crate::server::middleware::surround;
use crate::server::state::State;

/// Nothing is fetched from elsewhere, nothing inline runs, and no other page frames the console.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// A file of the page.
struct File {
    /// Its path below `/console/`.
    path: &'static str,
    text: &'static str,
}

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        [$(File { path: $path, text: include_str!(concat!("console/", $path)) }),*]
    };
}

const FILES: [File; 28] = files![
    "index.html",
    "console.css",
    "icon.svg",
    "theme.js",
    "main.js",
    "api.js",
    "calls.js",
    "lib.js",
    "state.js",
    "stream.js",
    "templates.js",
    "ui.js",
    "yaml.js",
    "views/call.js",
    "views/data.js",
    "views/faults.js",
    "views/live.js",
    "views/present.js",
    "views/report.js",
    "views/scenario.js",
    "views/time.js",
    "views/webhooks.js",
    "views/worlds.js",
    "vendor/htm.js",
    "vendor/preact.js",
    "vendor/preact-hooks.js",
    "vendor/signals.js",
    "vendor/signals-core.js",
];

/// What is sent of a file.
struct Sent {
    plain: Bytes,
    gzip: Bytes,
    tag: String,
}

/// What is sent of each of the files, in their order.
static SENT: LazyLock<Vec<Sent>> = LazyLock::new(|| FILES.iter().map(sent).collect());

fn sent(file: &File) -> Sent {
    let text = if file.path == PAGE { page() } else { file.text.to_owned() };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector does not fail; if it did, nothing would be sent compressed.
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    Sent { plain: text.into(), gzip: written.unwrap_or_default().into(), tag }
}

const PAGE: &str = "index.html";

/// The page itself, with links by which a browser fetches all modules at once.
fn page() -> String {
    let modules = FILES.iter().filter(|file| ending(file.path) == "js" && file.path != "theme.js");
    let links: Vec<String> = modules
        .map(|file| format!("<link rel=\"modulepreload\" href=\"/console/{}\">\n", file.path))
        .collect();
    FILES[0].text.replace("<!-- preload -->\n", &links.concat())
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The routes of the console.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    let page = |path: &str| {
        web::resource(path).route(web::get().to(get)).wrap(from_fn(check)).wrap(from_fn(surround))
    };
    config.service(web::scope("/console").service(page("")).service(page("/{path:.*}")));
}

/// Lets a link in a chat open the page. Otherwise the rules of the admin side apply.
async fn check(
    state: web::Data<State>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    check_page(&state, request.headers())?;
    next.call(request).await
}

/// A file of the console. Each view has a path of its own, at which the page itself is.
#[utoipa::path(get, path = "/console",
    responses((status = 200, description = "An HTML page", body = String, content_type = "text/html")))]
pub(crate) async fn get(request: HttpRequest) -> Result<HttpResponse, AdminError> {
    let path = request.match_info().get("path").unwrap_or_default();
    let at = match FILES.iter().position(|file| file.path == path) {
        Some(at) => at,
        // The page itself finds out that it has no such view.
        None if !path.contains('.') => 0,
        None => return Err(AdminError::not_found(format!("The console has no file {path}."))),
    };
    let media_type = match ending(FILES[at].path) {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    };
    let Sent { plain, gzip, tag } = &SENT[at];
    let header = |name| {
        let value = request.headers().get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
        value.unwrap_or_default().split(',').map(str::trim)
    };
    let is_known = header(header::IF_NONE_MATCH).any(|known| known.trim_start_matches("W/") == tag.as_str());
    let is_gzip =
        !gzip.is_empty() && header(header::ACCEPT_ENCODING).any(|coding| coding.starts_with("gzip"));
    let status = if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut response = HttpResponse::build(status);
    response
        .content_type(media_type)
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::VARY, "accept-encoding"))
        .insert_header((header::ETAG, tag.as_str()));
    if is_known {
        return Ok(response.finish());
    }
    if is_gzip {
        response.insert_header((header::CONTENT_ENCODING, "gzip"));
    }
    Ok(response.body(if is_gzip { gzip.clone() } else { plain.clone() }))
}

/// Whether a request is a browser's that opens a page, which `/` sends to the console.
pub(crate) fn is_browser(request: &HttpRequest) -> bool {
    let accept = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    request.method() == Method::GET && accept.unwrap_or_default().contains("text/html")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn vendored_modules_are_those_whose_name_version_and_licence_stand_beside_them() {
        let listed: serde_json::Value =
            serde_json::from_str(include_str!("console/vendor/vendored.json")).unwrap();
        let modules = listed["modules"].as_array().unwrap();
        let vendored = FILES.iter().filter(|file| file.path.starts_with("vendor/"));
        assert_eq!(vendored.count(), modules.len());
        for module in modules {
            let name = module["file"].as_str().unwrap();
            let file = FILES.iter().find(|file| file.path == format!("vendor/{name}")).unwrap();
            let sum = Sha256::digest(file.text.as_bytes());
            let sum: Vec<String> = sum.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(module["sha256"], sum.concat(), "{name}");
            for member in ["name", "version", "license", "from"] {
                assert!(module[member].as_str().is_some_and(|text| !text.is_empty()), "{name} {member}");
            }
        }
    }

    #[test]
    fn the_whole_page_is_under_150_kb_on_the_wire_and_under_250_kb_in_the_program() {
        let sent: usize = SENT.iter().map(|sent| sent.gzip.len()).sum();
        let held: usize = FILES.iter().map(|file| file.text.len()).sum();
        assert!(sent < 150_000 && held < 250_000, "{sent} {held}");
    }
}

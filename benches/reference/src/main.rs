//! The least that an actix-web server does for the calls of `benches/load.sh`: it requires a key, parses the body into its fields, and answers bytes
//! that were ready before. `reference SCORE-FILE REVIEWS-FILE` serves the two answers with one worker on a free port of the loopback, and prints the port.

use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde::Deserialize;

/// The body of both calls.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    business_numbers: Vec<u64>,
    start_date: String,
    end_date: String,
}

/// The two answers.
struct Ready {
    score: Bytes,
    reviews: Bytes,
}

fn answer(request: &HttpRequest, body: &[u8], ready: &Bytes) -> HttpResponse {
    if request.headers().get("x-api-key").is_none() {
        return HttpResponse::Unauthorized().finish();
    }
    let Ok(body) = serde_json::from_slice::<Body>(body) else { return HttpResponse::BadRequest().finish() };
    // So that the compiler does not remove the parsing.
    std::hint::black_box((body.business_numbers, body.start_date, body.end_date));
    HttpResponse::Ok().content_type("application/json").body(ready.clone())
}

async fn score(request: HttpRequest, body: Bytes, ready: Data<Ready>) -> HttpResponse {
    answer(&request, &body, &ready.score)
}

async fn reviews(request: HttpRequest, id: web::Path<u64>, body: Bytes, ready: Data<Ready>) -> HttpResponse {
    std::hint::black_box(id.into_inner());
    answer(&request, &body, &ready.reviews)
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let mut files = std::env::args().skip(1).map(std::fs::read);
    let mut file = || files.next().expect("usage: reference SCORE-FILE REVIEWS-FILE");
    let ready = Data::new(Ready { score: file()?.into(), reviews: file()?.into() });
    let server = HttpServer::new(move || {
        App::new()
            .app_data(ready.clone())
            .route("/v1/insight/sentiment/scoreBenchmark", web::post().to(score))
            .route("/v1/review/businessId/{id}", web::post().to(reviews))
    });
    let server = server.workers(1).bind(("127.0.0.1", 0))?;
    println!("{}", server.addrs()[0].port());
    server.run().await
}

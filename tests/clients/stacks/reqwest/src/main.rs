//! reqwest with reqwest-middleware and reqwest-retry: waits with a random part. It does not read Retry-After.

use std::process::ExitCode;
use std::time::Duration;

use futures_util::future::join_all;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::policies::ExponentialBackoff;
use reqwest_retry::{Jitter, RetryTransientMiddleware};
use serde_json::{Value, json};

fn variable(name: &str) -> String {
    std::env::var(format!("STANDIN_{name}")).expect("standin run sets it")
}

async fn send(client: &ClientWithMiddleware, path: &str, body: &Value) -> bool {
    let request = client.post(variable("BASE_URL") + path).json(body);
    let request = request
        .header("x-api-key", variable("API_KEY"))
        .header("x-business-number", variable("BUSINESS_NUMBER"));
    let answer = match request.send().await {
        Ok(answer) => answer.error_for_status().map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let read = match answer {
        Ok(answer) => answer.json::<Value>().await.map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    if let Err(error) = &read {
        eprintln!("{path}: {error}");
    }
    read.is_ok()
}

async fn work() -> bool {
    let retries = std::env::var("RETRIES").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let policy = ExponentialBackoff::builder()
        .retry_bounds(Duration::from_millis(600), Duration::from_secs(10))
        .jitter(Jitter::Bounded)
        .build_with_max_retries(retries);
    let plain = reqwest::Client::builder()
        .timeout(Duration::from_secs(5))
        .no_proxy()
        .build()
        .expect("no TLS is needed");
    let client = ClientBuilder::new(plain).with(RetryTransientMiddleware::new_with_policy(policy)).build();
    let business = variable("BUSINESS_NUMBER");
    let page = &|count: u32| format!("/v1/review/businessId/{business}?sindex=0&count={count}");
    let (client, nothing) = (&client, &json!({}));
    let mut done =
        join_all((1..=10).map(page).map(|path| async move { send(client, &path, nothing).await })).await;
    for count in 11..=20 {
        done.push(send(client, &page(count), nothing).await);
    }
    let contact = json!({"externalId": "s-1", "firstName": "Sam", "email": "sam@mail.test", "businessIds": [business.parse::<u64>().ok()]});
    done.push(send(client, "/v1/contact/external/preferences/saveCustomer", &contact).await);
    done.into_iter().all(|is_done| is_done)
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
    if runtime.block_on(work()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

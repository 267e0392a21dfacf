//! `GET /metrics`: what the server did, in the text format of Prometheus (OpenMetrics 1.0).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::{HttpResponse, web};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use crate::api::operation::Operation;
use crate::operations;
use crate::operations::spec::Spec;
use crate::pipeline::record::Handled;
use crate::server::admin::error::AdminError;
use crate::server::log::Log;
use crate::server::state::State;

/// What is counted of calls.
#[derive(Debug)]
pub struct Metrics {
    calls: Family<Call, Counter>,
    durations: Family<Of, Histogram>,
    /// Of each operation, looked up once: its histogram, and the counter of its good answers, where most calls end.
    /// The last is for calls that are none.
    usual: Vec<(Histogram, Counter)>,
}

/// What calls are told apart by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    operation: &'static str,
    /// None where the client got no answer.
    status: Option<u32>,
    code: Option<u32>,
    fault: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Of {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Loaded {
    scenario: String,
}

/// From a tenth of a millisecond to six seconds and a half, doubling.
const BUCKETS: u16 = 17;

impl Default for Metrics {
    fn default() -> Self {
        let durations: Family<Of, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.000_1, 2.0, BUCKETS)));
        let calls: Family<Call, Counter> = Family::default();
        let usual = operations::ALL
            .into_iter()
            .map(|spec| Some(spec.operation))
            .chain([None])
            .map(|operation| {
                let operation = name(operation);
                let good = Call { operation, status: Some(200), code: None, fault: None };
                (durations.get_or_create_owned(&Of { operation }), calls.get_or_create_owned(&good))
            })
            .collect();
        Self { calls, durations, usual }
    }
}

fn name(operation: Option<Operation>) -> &'static str {
    operation.map_or("", Operation::name)
}

impl Metrics {
    /// A call was answered with a status, or not at all, after so long.
    pub fn count(&self, call: &Handled, status: Option<u16>, took: Duration) {
        let is_own = |spec: &&Spec| Some(spec.operation) == call.operation;
        let place = operations::ALL.iter().position(is_own).unwrap_or(operations::ALL.len());
        let Some((durations, good)) = self.usual.get(place) else { return };
        durations.observe(took.as_secs_f64());
        let fault = call.fault();
        if status == Some(200) && call.code.is_none() && fault.is_none() {
            good.inc();
            return;
        }
        let call = Call {
            operation: name(call.operation),
            status: status.map(u32::from),
            code: call.code,
            fault: fault.map(str::to_owned),
        };
        self.calls.get_or_create(&call).inc();
    }
}

/// Metrics in the text format of Prometheus.
#[utoipa::path(get, path = "/metrics",
    responses((status = 200, description = "Metrics", body = String, content_type = "application/openmetrics-text")))]
pub(crate) async fn get(state: web::Data<State>) -> Result<HttpResponse, AdminError> {
    let mut shown = Registry::with_prefix("standin");
    let Metrics { calls, durations, .. } = &state.metrics;
    shown.register("requests", "Calls of the API, by how they were answered", calls.clone());
    let help = "Time from a call's last byte until its answer is handed over to be sent";
    shown.register_with_unit("request_duration", help, Unit::Seconds, durations.clone());
    shown.register("worlds", "Worlds there are", gauge(state.registry.count()));
    let bytes = gauge(state.registry.shared.budget.held());
    shown.register_with_unit("journal", "What the journals of all worlds hold", Unit::Bytes, bytes);
    let engine = state.registry.shared.engine.counts();
    let told = |count: &AtomicU64| {
        let counter: Counter = Counter::default();
        counter.inc_by(count.load(Ordering::Relaxed));
        counter
    };
    shown.register("delivery_attempts", "Attempts to deliver an event", told(&engine.attempts));
    let failed = told(&engine.failed_attempts);
    shown.register("delivery_attempts_failed", "Those of them that were not answered 2xx", failed);
    shown.register("deliveries", "Deliveries that were answered 2xx", told(&engine.delivered));
    shown.register("deliveries_dead", "Deliveries that are not tried any more", told(&engine.dead));
    let (loads, failures) = (Family::<Loaded, Counter>::default(), Family::<Loaded, Counter>::default());
    for entry in state.board.entries().iter() {
        let loaded = Loaded { scenario: entry.name.clone() };
        loads.get_or_create(&loaded).inc_by(entry.generation);
        failures.get_or_create(&loaded).inc_by(entry.failures);
    }
    shown.register("scenario_loads", "Good loads of a scenario, the first included", loads);
    shown.register(
        "scenario_load_failures",
        "Loads of a scenario that had errors and changed nothing",
        failures,
    );
    let dropped: Counter = Counter::default();
    dropped.inc_by(state.log.as_ref().map_or(0, Log::dropped));
    shown.register(
        "log_lines_dropped",
        "Lines of the log that were dropped because nobody read them",
        dropped,
    );
    let mut text = String::new();
    match text::encode(&mut text, &shown) {
        Ok(()) => Ok(HttpResponse::Ok().content_type(TYPE).body(text)),
        Err(_) => Err(AdminError::internal()),
    }
}

const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

fn gauge(value: usize) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
    gauge
}

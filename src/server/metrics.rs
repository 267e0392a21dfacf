//! `GET /metrics`: metrics in the text format of Prometheus (OpenMetrics 1.0).

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
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

/// Counts and durations of requests of the simulated API.
#[derive(Debug)]
pub(crate) struct Metrics {
    calls: Family<Call, Counter>,
    durations: Family<OperationLabel, Histogram>,
    /// For each operation its histogram and the counter of its status 200 without a fault, which most requests need. The
    /// last element is for requests without an operation.
    usual: Vec<(Histogram, Counter)>,
    /// The labels of requests to which a fault applied, and of the others.
    labels: [Mutex<Labels>; 2],
    /// The routes that have labels of their own.
    routes: Mutex<HashSet<&'static str>>,
}

/// The labels that have counters. Faults can be put at runtime under new names and codes without end.
#[derive(Debug, Default)]
struct Labels {
    known: HashSet<Call>,
    /// About how many bytes they take in the metrics.
    bytes: usize,
}

/// Most bytes of the labels of requests to which a fault applied, and of the others.
const LABELS: usize = 256 << 10;
/// Most characters of a name.
const NAME: usize = 100;
/// Most scenarios of which loads are counted.
const SCENARIOS: usize = 500;
/// Most routes that are counted by their names.
const ROUTES: usize = 300;
/// The name of all other routes.
const OTHER_ROUTES: &str = "route:(others)";
/// The name of all others.
const OTHERS: &str = "(others)";

impl Labels {
    /// The labels under which a request is counted.
    fn labels(&mut self, call: Call) -> Call {
        if self.known.contains(&call) {
            return call;
        }
        // A character that is escaped takes two bytes.
        let bytes = 120 + 2 * call.fault.as_ref().map_or(0, String::len);
        if self.bytes + bytes > LABELS {
            return Call { status: None, code: None, fault: Some(OTHERS.to_owned()), ..call };
        }
        self.bytes += bytes;
        self.known.insert(call.clone());
        call
    }
}

/// A name, cut if it is long.
fn label(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Labels of the request counter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    operation: &'static str,
    /// None if the client got no answer.
    status: Option<u32>,
    code: Option<u32>,
    fault: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Loaded {
    scenario: String,
}

/// Number of histogram buckets, from 0.1 ms to 6.5 s, each twice the one before.
const BUCKETS: u16 = 17;

impl Default for Metrics {
    fn default() -> Self {
        let durations: Family<OperationLabel, Histogram> =
            Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.000_1, 2.0, BUCKETS)));
        let calls: Family<Call, Counter> = Family::default();
        let usual = operations::ALL
            .into_iter()
            .map(|spec| Some(spec.operation))
            .chain([None])
            .map(|operation| {
                let operation = name(operation);
                let good = Call { operation, status: Some(200), code: None, fault: None };
                (
                    durations.get_or_create_owned(&OperationLabel { operation }),
                    calls.get_or_create_owned(&good),
                )
            })
            .collect();
        Self { calls, durations, usual, labels: Default::default(), routes: Mutex::default() }
    }
}

fn name(operation: Option<Operation>) -> &'static str {
    operation.map_or("", Operation::name)
}

impl Metrics {
    /// Counts a request; its status is none if the client got no answer.
    pub(crate) fn count(&self, call: &Handled, status: Option<u16>, took: Duration) {
        let is_own = |spec: &&Spec| Some(spec.operation) == call.operation;
        let own = operations::ALL.iter().position(is_own);
        let is_route = own.is_none() && call.operation.is_some();
        let place = own.unwrap_or(operations::ALL.len());
        let Some((durations, good)) = self.usual.get(place) else { return };
        if is_route {
            let operation = self.route_label(call.operation);
            self.durations.get_or_create(&OperationLabel { operation }).observe(took.as_secs_f64());
        } else {
            durations.observe(took.as_secs_f64());
        }
        let fault = call.fault();
        if !is_route && status == Some(200) && call.code.is_none() && fault.is_none() {
            good.inc();
            return;
        }
        let call = Call {
            operation: if is_route { self.route_label(call.operation) } else { name(call.operation) },
            status: status.map(u32::from),
            code: call.code,
            fault: fault.map(label),
        };
        let labels = &self.labels[usize::from(fault.is_none())];
        let call = labels.lock().unwrap_or_else(PoisonError::into_inner).labels(call);
        self.calls.get_or_create(&call).inc();
    }

    /// The name under which a route is counted. There are histograms for so many routes only.
    fn route_label(&self, operation: Option<Operation>) -> &'static str {
        let name = name(operation);
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if routes.contains(name) {
            return name;
        }
        if routes.len() >= ROUTES {
            return OTHER_ROUTES;
        }
        routes.insert(name);
        name
    }

    /// Whether a request was counted.
    pub(crate) fn has_any(&self) -> bool {
        let has_others =
            |labels: &Mutex<Labels>| !labels.lock().unwrap_or_else(PoisonError::into_inner).known.is_empty();
        self.usual.iter().any(|(_, good)| good.get() > 0) || self.labels.iter().any(has_others)
    }
}

/// Metrics in the text format of Prometheus.
#[utoipa::path(get, path = "/metrics",
    responses((status = 200, description = "Metrics", body = String, content_type = "application/openmetrics-text")))]
pub(crate) async fn get(state: web::Data<State>) -> Result<HttpResponse, AdminError> {
    let mut registry = Registry::with_prefix("standin");
    let Metrics { calls, durations, .. } = &state.metrics;
    registry.register("requests", "Requests of the API, by how they were answered", calls.clone());
    let help = "Time from the last byte of a request until its answer is handed over to be sent";
    registry.register_with_unit("request_duration", help, Unit::Seconds, durations.clone());
    registry.register("worlds", "Number of worlds", gauge(state.registry.count()));
    let bytes = gauge(state.registry.shared.budget.held());
    registry.register_with_unit("journal", "Size of the journals of all worlds", Unit::Bytes, bytes);
    let engine = state.registry.shared.engine.counts();
    let load = |count: &AtomicU64| counter(count.load(Ordering::Relaxed));
    registry.register("delivery_attempts", "Attempts to deliver an event", load(&engine.attempts));
    let failed = load(&engine.failed_attempts);
    registry.register("delivery_attempts_failed", "Attempts that were not answered 2xx", failed);
    registry.register("deliveries", "Deliveries that were answered 2xx", load(&engine.delivered));
    registry.register("deliveries_dead", "Deliveries that are not tried any more", load(&engine.dead));
    let (loads, failures) = (Family::<Loaded, Counter>::default(), Family::<Loaded, Counter>::default());
    for (place, entry) in state.board.entries().iter().enumerate() {
        let scenario = if place < SCENARIOS { label(&entry.name) } else { OTHERS.to_owned() };
        let loaded = Loaded { scenario };
        loads.get_or_create(&loaded).inc_by(entry.generation);
        failures.get_or_create(&loaded).inc_by(entry.failures);
    }
    registry.register("scenario_loads", "Loads of a scenario that succeeded, the first included", loads);
    let help = "Loads of a scenario that had errors and changed nothing";
    registry.register("scenario_load_failures", help, failures);
    let dropped = counter(state.log.as_ref().map_or(0, Log::dropped));
    let help = "Lines of the log that were dropped because nobody read them";
    registry.register("log_lines_dropped", help, dropped);
    let mut text = String::new();
    text::encode(&mut text, &registry).map_err(|_| AdminError::internal())?;
    Ok(HttpResponse::Ok().content_type(TYPE).body(text))
}

const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

fn gauge(value: usize) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
    gauge
}

fn counter(value: u64) -> Counter {
    let counter = Counter::default();
    counter.inc_by(value);
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_under_new_names_and_codes_without_end_share_one_label() {
        let mut labels = Labels::default();
        let call = |code: u32, fault: &str| Call {
            operation: "reviews",
            status: Some(200 + code % 300),
            code: Some(code),
            fault: Some(label(fault)),
        };
        let long = |number: u32| format!("{number:04}{}", "ü".repeat(1_000));
        for number in 0..20_000 {
            labels.labels(call(number, &long(number)));
        }
        assert_eq!(labels.labels(call(5, &long(5))), call(5, &long(5)));
        assert_eq!(label(&long(5)).chars().count(), NAME + 1);
        let other = labels.labels(call(19_999, &long(19_999)));
        assert_eq!((other.status, other.code, other.fault.as_deref()), (None, None, Some(OTHERS)));
        assert!(labels.bytes <= LABELS && labels.known.len() > 500);
    }
}

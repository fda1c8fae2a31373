//! Traces: spans of requests, runs and deliveries, sent to the operator's collector by OTLP over HTTP where the
//! standard variables of OpenTelemetry name one; nothing is made and nothing leaves where none is named. Like
//! everything that leaves this program it goes through the door, as a contact of the operator's own choice. Nothing
//! waits for it: what a collector does not take in time is dropped.

use crate::config::Settings;
use crate::engine_config;
use crate::failure::{Failure, Result};
use crate::output::plain;
use ambit_net::guard::OperatorOnly;
use ambit_net::http::{HttpRequest, Url};
use ambit_net::live::LiveWire;
use ambit_net::{Grant, Grants, Net, NetOptions, Pace, PaceLimits, Session};
use ambit_server::SpanFns;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{self, LevelFilter};
use tracing_subscriber::registry::LookupSpan;

/// The target of all spans, in every crate. It is none of the log's, which shows no spans as text.
pub(crate) const TARGET: &str = "traces";
/// What the contact is for.
const PURPOSE: &str = "collector of traces";
/// Bytes of an answer that are read: it says little.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Time for the last spans when the program ends: less than is left of the time that it has to end in.
const END_WITHIN: Duration = Duration::from_secs(2);
/// Time for one try where the environment says nothing else.
const USUAL_TIMEOUT_MS: u64 = 10_000;

/// What sends spans, until the program ends.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Begins to send where the environment names a collector; `None` where it names none or switches it off. Fails on
    /// a variable that is none, or a protocol that is not spoken.
    pub(crate) fn begin(
        environment: &BTreeMap<String, String>,
        settings: &Settings,
        runtime: &Handle,
    ) -> Result<Option<Self>> {
        let Some(endpoint) = endpoint(environment)? else { return Ok(None) };
        let _inside = runtime.enter();
        let options = engine_config::live(settings, &[], None)?;
        let wire = LiveWire::new(&options).map_err(|error| engine_config::unusable(&error))?;
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(Arc::new(wire), Arc::new(OperatorOnly), pace, NetOptions::default());
        let sender = Sender {
            session: Arc::new(net.session(Grants::operator(PURPOSE))),
            runtime: runtime.clone(),
            place: place(&endpoint),
            timeout: timeout(environment)?,
            failing: Arc::default(),
        };
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_http_client(sender)
            .with_protocol(opentelemetry_otlp::Protocol::HttpBinary)
            .build()
            .map_err(|error| Failure::usage(format!("traces: {}", plain(&error.to_string()))))?;
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource(environment));
        Ok(Some(Self { provider: provider.build() }))
    }

    /// Makes spans of what carries the target of traces; events stay in the log.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: tracing::Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let layer = tracing_opentelemetry::layer().with_tracer(self.provider.tracer("ambit"));
        let layer = layer.with_location(false).with_threads(false).with_target(false).with_tracked_inactivity(false);
        let ours = filter::filter_fn(|metadata| metadata.is_span() && metadata.target() == TARGET);
        layer.with_filter(ours.with_max_level_hint(LevelFilter::INFO))
    }

    /// Sends what is left, as far as the collector takes it at once.
    pub(crate) fn end(self) {
        // Failures were logged when they happened.
        self.provider.shutdown_with_timeout(END_WITHIN).ok();
    }
}

/// Makes a span part of the trace that a request says it belongs to (W3C Trace Context). One that is none is left out.
fn adopt(span: &Span, head: &http::HeaderMap) {
    struct Head<'a>(&'a http::HeaderMap);
    impl Extractor for Head<'_> {
        fn get(&self, name: &str) -> Option<&str> {
            self.0.get(name)?.to_str().ok()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(http::HeaderName::as_str).collect()
        }
    }
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &Head(head));
    span.set_parent(context).ok();
}

/// What the server has done to the spans of its requests.
pub(crate) const SPANS: SpanFns = SpanFns { adopt, rename };

/// A span that has begun takes a new name by its context alone.
fn rename(span: &Span, name: String) {
    span.context().span().update_name(name);
}

/// Returns the `traceparent` of the current span, for messages to other programs.
pub(crate) fn parent() -> Option<String> {
    let mut members = HashMap::new();
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut members);
    members.remove("traceparent")
}

/// The URL that spans are sent to, or below which they are.
fn endpoint(environment: &BTreeMap<String, String>) -> Result<Option<String>> {
    let word = |name: &str| environment.get(name).map(|word| word.trim()).unwrap_or_default();
    if word("OTEL_SDK_DISABLED").eq_ignore_ascii_case("true") || word("OTEL_TRACES_EXPORTER") == "none" {
        return Ok(None);
    }
    let Some((name, text)) = of_exporter(environment, "ENDPOINT") else { return Ok(None) };
    let wrong = |name: &str, word: &str, expected: &str| {
        Err(Failure::usage(format!("variable {name} {:?}: expected {expected}", plain(word))))
    };
    match word("OTEL_TRACES_EXPORTER") {
        "" | "otlp" => {}
        other => return wrong("OTEL_TRACES_EXPORTER", other, "otlp or none"),
    }
    for (part, expected) in [("PROTOCOL", "http/protobuf"), ("COMPRESSION", "none")] {
        if let Some((name, word)) = of_exporter(environment, part).filter(|(_, word)| *word != expected) {
            return wrong(&name, word, &format!("{expected}, the only supported one"));
        }
    }
    // The value may hold a password, so it is not repeated.
    let expected = || Failure::usage(format!("variable {name}: expected a URL such as http://127.0.0.1:4318"));
    Url::parse(text).map_err(|_| expected())?;
    Ok(Some(text.to_owned()))
}

/// What the environment says of a part of the exporter, for traces or for all that is exported, with the variable.
fn of_exporter<'a>(environment: &'a BTreeMap<String, String>, part: &str) -> Option<(String, &'a str)> {
    let names = [format!("OTEL_EXPORTER_OTLP_TRACES_{part}"), format!("OTEL_EXPORTER_OTLP_{part}")];
    names.into_iter().find_map(|name| {
        let word = environment.get(&name).map(|word| word.trim()).filter(|word| !word.is_empty())?;
        Some((name, word))
    })
}

fn timeout(environment: &BTreeMap<String, String>) -> Result<Duration> {
    let Some((name, word)) = of_exporter(environment, "TIMEOUT") else {
        return Ok(Duration::from_millis(USUAL_TIMEOUT_MS));
    };
    let time = word.parse().ok().filter(|time| *time > 0).map(Duration::from_millis);
    time.ok_or_else(|| {
        Failure::usage(format!("variable {name} {:?}: expected milliseconds, such as {USUAL_TIMEOUT_MS}", plain(word)))
    })
}

/// Host and port of a URL: what else stands in it may be a secret.
fn place(url: &str) -> String {
    Url::parse(url).map(|url| format!("{}:{}", url.host, url.port)).unwrap_or_default()
}

/// Who sends: `ambit` in its version, where the environment says nothing else.
fn resource(environment: &BTreeMap<String, String>) -> Resource {
    let named = environment.get("OTEL_SERVICE_NAME").is_some_and(|name| !name.is_empty())
        || environment.get("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|all| all.contains("service.name="));
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_attribute(version);
    if named { resource.build() } else { resource.with_service_name("ambit").build() }
}

/// The way of spans to the collector.
struct Sender {
    session: Arc<Session>,
    runtime: Handle,
    /// As it is said in the log.
    place: String,
    /// Time for one try.
    timeout: Duration,
    /// The last try failed, which was said.
    failing: Arc<AtomicBool>,
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sender").field("place", &self.place).finish_non_exhaustive()
    }
}

impl HttpClient for Sender {
    fn send_bytes<'a, 'b>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        // Whoever calls is a thread of its own, without the runtime that the door needs.
        let (session, limit) = (self.session.clone(), self.timeout);
        let sent = self.runtime.spawn(async move { send(&session, request, limit).await });
        Box::pin(async move {
            let answer = sent.await.unwrap_or_else(|_| Err("the program ends".to_owned()));
            let why = match &answer {
                Ok(answer) if answer.status().is_success() => None,
                Ok(answer) => Some(format!("it answers HTTP {}", answer.status().as_u16())),
                Err(why) => Some(why.clone()),
            };
            self.tell(why);
            answer.map_err(Into::into)
        })
    }
}

impl Sender {
    /// Says once that nothing gets through, and once that it does again.
    fn tell(&self, why: Option<String>) {
        match (self.failing.swap(why.is_some(), Ordering::Relaxed), why) {
            (false, Some(why)) => {
                let why = plain(&why);
                tracing::warn!(
                    collector = self.place,
                    why,
                    "traces cannot be sent; spans that are not accepted are dropped"
                );
            }
            (true, None) => tracing::warn!(collector = self.place, "traces are sent again"),
            _ => {}
        }
    }
}

async fn send(session: &Session, request: Request<Bytes>, limit: Duration) -> Result<Response<Bytes>, String> {
    let (head, body) = request.into_parts();
    let url = Url::parse(&head.uri.to_string()).map_err(|error| error.to_string())?;
    let mut asked = HttpRequest::get(url, concat!("ambit/", env!("CARGO_PKG_VERSION")))
        .with_method("POST")
        .on(Grant::Operator(PURPOSE));
    (asked.body_kept, asked.body_read) = (ANSWER_BYTES_MAX, ANSWER_BYTES_MAX);
    asked.timeout = limit;
    let mut content_type = "application/x-protobuf".to_owned();
    for (name, value) in &head.headers {
        let Ok(value) = value.to_str() else { continue };
        if *name == http::header::CONTENT_TYPE {
            content_type = value.to_owned();
        } else if *name != http::header::USER_AGENT {
            asked = asked.with_header(name.as_str(), value);
        }
    }
    let asked = asked.with_body(&content_type, body.to_vec());
    // Spans and the token beside them follow nobody elsewhere: no redirect is followed.
    let exchange = session.http(&asked).await.map_err(|error| format!("it cannot be reached: {error}"))?;
    let mut answer = Response::builder().status(exchange.status);
    if let Some(pause) = exchange.header("retry-after") {
        answer = answer.header("retry-after", pause.raw());
    }
    answer.body(Bytes::from(exchange.body)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        endpoint(&environment).map_err(|failure| failure.to_string())
    }

    #[test]
    fn nothing_is_sent_where_no_collector_is_named() {
        let here = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        for variables in [
            &[][..],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[("OTEL_SERVICE_NAME", "asm"), ("OTEL_TRACES_EXPORTER", "otlp")],
            &[here, ("OTEL_SDK_DISABLED", "True")],
            &[here, ("OTEL_TRACES_EXPORTER", "none")],
            &[("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://127.0.0.1:4318")],
        ] {
            assert_eq!(asked(variables), Ok(None), "{variables:?}");
        }
    }

    #[test]
    fn a_collector_is_named_for_traces_or_for_all() {
        let all = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://192.0.2.1:4318");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t.acme.test/x");
        for (variables, expected) in [
            (&[all][..], all.1),
            (&[own], own.1),
            (&[all, own], own.1),
            (&[all, ("OTEL_TRACES_EXPORTER", "otlp")], all.1),
            (&[all, ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")], all.1),
        ] {
            assert_eq!(asked(variables), Ok(Some(expected.to_owned())), "{variables:?}");
        }
    }

    #[test]
    fn what_is_not_spoken_is_refused_by_name() {
        let all = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://192.0.2.1:4318");
        for (variables, name) in [
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector")][..], "OTEL_EXPORTER_OTLP_ENDPOINT"),
            (&[all, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")], "OTEL_EXPORTER_OTLP_PROTOCOL"),
            (&[all, ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json")], "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"),
            (&[all, ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")], "OTEL_EXPORTER_OTLP_COMPRESSION"),
            (&[all, ("OTEL_TRACES_EXPORTER", "zipkin")], "OTEL_TRACES_EXPORTER"),
        ] {
            let said = asked(variables).expect_err("it is refused");
            assert!(said.contains(&format!("variable {name}")), "{said}");
        }
        let secret = asked(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://a:secret@b.test")]).expect_err("no such scheme");
        assert!(!secret.contains("secret"), "{secret}");
    }
}

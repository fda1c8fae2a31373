//! Spans as a collector gets them: the real binary, a receiver on loopback that reads OTLP.

use crate::program::{Folder, Server, command, succeed};
use ambit_testkit::{Ask, ask};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// What is waited for comes within this time, or the test fails.
const PATIENCE: Duration = Duration::from_secs(60);
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A request as it came: its head in lower case, and its body.
#[derive(Clone)]
struct Got {
    head: String,
    body: Vec<u8>,
}

/// Answers every request with one status, and keeps them.
struct Receiver {
    address: String,
    got: Arc<(Mutex<Vec<Got>>, Condvar)>,
}

impl Receiver {
    fn start(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        let got: Arc<(Mutex<Vec<Got>>, Condvar)> = Arc::default();
        let kept = got.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = kept.clone();
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream);
                    while let Some(one) = read(&mut stream) {
                        kept.0.lock().expect("nobody panics while holding it").push(one);
                        kept.1.notify_all();
                        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
                        if stream.get_mut().write_all(answer.as_bytes()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { address, got }
    }

    /// What came, once `enough` of it is there.
    fn wait(&self, what: &str, enough: impl Fn(&[Got]) -> bool) -> Vec<Got> {
        let (got, came) = &*self.got;
        let got = got.lock().expect("nobody panics while holding it");
        let (got, waited) = came.wait_timeout_while(got, PATIENCE, |got| !enough(got)).expect("nobody panics");
        assert!(!waited.timed_out(), "{what} did not come; {} requests did", got.len());
        got.clone()
    }

    /// The spans of a name, once there is one.
    fn spans(&self, name: &str) -> Vec<Span> {
        let of = |got: &[Got]| -> Vec<Span> {
            let all = got.iter().flat_map(|one| decoded(&one.body).1);
            all.filter(|span| span.name == name).collect()
        };
        of(&self.wait(name, |got| !of(got).is_empty()))
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<Got> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some(Got { head, body })
}

/// The attributes of the resource, and the spans.
fn decoded(body: &[u8]) -> (BTreeMap<String, String>, Vec<Span>) {
    let request = ExportTraceServiceRequest::decode(body).expect("it is a request of OTLP");
    let (mut resource, mut spans) = (BTreeMap::new(), Vec::new());
    for of_resource in request.resource_spans {
        let attributes = of_resource.resource.map(|resource| resource.attributes).unwrap_or_default();
        resource.extend(attributes.into_iter().map(|one| (one.key, shown(one.value.and_then(|value| value.value)))));
        spans.extend(of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
    }
    (resource, spans)
}

fn shown(value: Option<Value>) -> String {
    match value {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn attribute(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|one| one.key == key).and_then(|one| one.value.clone());
    shown(found.and_then(|value| value.value))
}

fn get(server: &Server, target: &str, headers: &[(&str, &str)]) -> ambit_testkit::Reply {
    let address = server.url.strip_prefix("http://").expect("a URL");
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let request = Ask { method: "GET".to_owned(), target: target.to_owned(), headers, body: None };
    let runtime = tokio::runtime::Runtime::new().expect("threads can be made");
    runtime.block_on(ask(address, &request)).expect("the server answers")
}

fn path(folder: &Folder) -> String {
    folder.join("data").to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_collector_gets_the_spans_of_requests_and_deliveries() {
    let folder = Folder::new("traces");
    let data = path(&folder);
    let key = succeed(&["init", "--email", "owner@acme.test", "--data", &data]).trim().to_owned();
    let (collector, webhook) = (Receiver::start(200), Receiver::start(200));
    let url = format!("http://{}/hook", webhook.address);
    let endpoint = format!("http://{}/otlp", collector.address);
    let settings = [
        ("AMBIT_NOTIFY_RANGES", "127.0.0.0/8"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20secret"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
        ("OTEL_BSP_SCHEDULE_DELAY", "50"),
    ];
    let server = Server::start(&["serve", "--no-engine", "--data", &data, "--listen", "127.0.0.1:0"], &settings);
    let secret = format!("/api/v3/users/{key}");
    let reply = get(&server, &secret, &[("x-apikey", &key), ("traceparent", PARENT), ("x-request-id", "mine-1")]);
    assert_eq!((reply.status, reply.header("x-request-id")), (200, Some("mine-1")));
    let spans = collector.spans("GET /api/v3/users/{id}");
    let span = &spans[0];
    assert_eq!(hex::encode(&span.trace_id), &PARENT[3..35]);
    assert_eq!(hex::encode(&span.parent_span_id), &PARENT[36..52]);
    for (key, expected) in [
        ("http.request.method", "GET"),
        ("http.route", "/api/v3/users/{id}"),
        ("http.response.status_code", "200"),
        ("request.id", "mine-1"),
        ("url.path", "/api/v3/users/***"),
    ] {
        assert_eq!(attribute(span, key), expected, "{key}");
    }
    assert!(span.kind == 2 && span.end_time_unix_nano > span.start_time_unix_nano, "it is a server's: {span:?}");

    let added = command(&["notify", "add", "webhook", &url, "--data", &data])
        .env("AMBIT_NOTIFY_RANGES", "127.0.0.0/8")
        .output();
    assert!(added.expect("it starts").status.success());
    succeed(&["notify", "test", "webhook", "--data", &data]);
    let told = webhook.wait("a message", |got| !got.is_empty());
    let spans = collector.spans("deliver to webhook");
    let (trace, own) = (hex::encode(&spans[0].trace_id), hex::encode(&spans[0].span_id));
    assert!(told[0].head.contains(&format!("traceparent: 00-{trace}-{own}-01")), "{}", told[0].head);
    assert_eq!(attribute(&spans[0], "delivery.answer"), "HTTP 200");

    let got = collector.wait("spans", |got| !got.is_empty());
    assert!(got[0].head.starts_with("post /otlp/v1/traces ") && got[0].head.contains("authorization: bearer secret"));
    let (resource, _) = decoded(&got[0].body);
    assert_eq!(resource.get("service.name").map(String::as_str), Some("ambit"));
    assert_eq!(resource.get("deployment.environment.name").map(String::as_str), Some("test"));
    let whole: Vec<u8> = got.iter().flat_map(|one| one.body.clone()).collect();
    assert!(!whole.windows(key.len()).any(|part| part == key.as_bytes()), "no key is sent on");
}

#[test]
fn a_run_is_a_span_with_its_stages_and_the_last_ones_come_at_its_end() {
    let folder = Folder::new("traces-run");
    let data = path(&folder);
    let collector = Receiver::start(200);
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/small.world");
    let mut scan = command(&["scan", "-y", "--silent", "--world", world, "--data", &data]);
    scan.env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", format!("http://{}/v1/traces", collector.address));
    scan.env("OTEL_SERVICE_NAME", "asm");
    assert!(scan.output().expect("it starts").status.success());
    let run = &collector.spans("run")[0];
    assert_eq!(attribute(run, "run.end"), "Over(Finished)");
    for stage in ["commit", "reconcile", "lease"] {
        let spans = collector.spans(stage);
        assert!(spans.iter().all(|span| span.trace_id == run.trace_id), "{stage} is of the run");
    }
    let got = collector.wait("spans", |got| !got.is_empty());
    assert_eq!(decoded(&got[0].body).0.get("service.name").map(String::as_str), Some("asm"));
}

#[test]
fn a_collector_that_takes_nothing_is_said_once_and_holds_nothing_up() {
    let folder = Folder::new("traces-away");
    let data = path(&folder);
    let key = succeed(&["init", "--email", "owner@acme.test", "--data", &data]).trim().to_owned();
    // Nobody listens there any more, or nobody answers.
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr().expect("it is bound");
    let hanging = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let places = [closed, hanging.local_addr().expect("it is bound")];
    for place in places {
        let mut serve = command(&["serve", "--no-engine", "--data", &data, "--listen", "127.0.0.1:0", "--silent"]);
        serve.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://someone:secret@{place}"));
        serve.env("OTEL_EXPORTER_OTLP_TIMEOUT", "200").env("OTEL_BSP_SCHEDULE_DELAY", "20");
        serve.stderr(std::process::Stdio::piped());
        let mut child = serve.spawn().expect("it starts");
        let mut said = BufReader::new(child.stderr.take().expect("is piped")).lines().map_while(Result::ok);
        let url = said.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned)).expect("it listens");
        let server = Server { child, url, log: Arc::default() };
        let ask = || assert_eq!(get(&server, "/api/v3/asm/projects", &[("x-apikey", &key)]).status, 200);
        ask();
        let line = said.by_ref().find(|line| line.contains("traces cannot be sent")).expect("it is said");
        assert!(line.contains(&place.to_string()) && !line.contains("secret"), "{line}");
        (0..20).for_each(|_| ask());
        let begun = Instant::now();
        let mut server = server;
        let ended = std::process::Command::new("kill").arg(server.child.id().to_string()).status();
        assert!(ended.is_ok_and(|status| status.success()));
        assert!(server.child.wait().expect("it ends").success());
        assert!(begun.elapsed() < Duration::from_secs(10), "it ends in time");
        assert_eq!(said.filter(|line| line.contains("traces")).count(), 0, "it is said once");
    }
}

#[test]
fn a_variable_that_is_none_is_refused_before_anything_is_made() {
    let folder = Folder::new("traces-wrong");
    let data = path(&folder);
    let mut serve = command(&["serve", "--listen", "127.0.0.1:0", "--data", &data]);
    serve.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317").env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    let output = serve.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("OTEL_EXPORTER_OTLP_PROTOCOL"), "{said}");
    assert!(!folder.join("data").exists());
}

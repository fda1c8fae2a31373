//! Figures for monitors: what they count, in a form that monitors read, without a name of anybody.

use ambit_testkit::{TestServer, inventory};
use serde_json::json;

const METRICS: &str = "/api/ambit/v1/metrics";

/// The value of a sample by its name and labels.
fn value(text: &str, sample: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' ')?.parse().ok())
}

/// Fails where a line is none of the format: a comment, or a sample whose family was told before it.
fn check_format(text: &str) {
    let mut families = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(!families.contains(&name), "{line}: a family is told once");
            families.push(name);
            continue;
        }
        if line.starts_with("# HELP ") {
            continue;
        }
        let (sample, number) = line.rsplit_once(' ').unwrap();
        assert!(number.parse::<f64>().is_ok(), "{line}");
        let name = sample.split('{').next().unwrap();
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        assert!(families.contains(&family) || families.contains(&name), "{line}");
        let labels = sample[name.len()..].trim_start_matches('{').trim_end_matches('}');
        let pairs = labels.split("\",").filter(|pair| !pair.is_empty());
        pairs.for_each(|pair| assert!(pair.contains("=\""), "{line}"));
    }
    assert!(families.len() > 10 && text.ends_with('\n'));
}

#[tokio::test]
async fn answers_are_counted_by_template_and_status_and_nobody_is_named() {
    let mut server = TestServer::new().await.unwrap();
    inventory::fill(&server, "Welcome").await.unwrap();
    let body = json!({"read_only": true});
    let made = server.call("owner", "POST", "/api/ambit/v1/keys", Some(&body)).await.unwrap().json();
    server.keys.insert("monitor".to_owned(), made["result"]["key"].as_str().unwrap().to_owned());
    let collection = format!("/api/v3/asm/user_collections/{}", server.collection);
    for (caller, target, status) in [
        ("viewer", &*collection, 200),
        ("viewer", &collection, 200),
        ("stranger", &collection, 404),
        ("nobody", &collection, 401),
        ("viewer", "/api/v3/asm/nothing/here", 404),
        ("viewer", METRICS, 403),
        ("nobody", METRICS, 401),
    ] {
        assert_eq!(server.get(caller, target).await.status, status, "{caller} {target}");
    }
    let reply = server.get("monitor", METRICS).await;
    assert_eq!(reply.status, 200, "a key that only reads is enough");
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = reply.text();
    check_format(&text);
    let read = r#"method="GET",endpoint="/api/v3/asm/user_collections/{uuid}""#;
    let requests = |labels: &str| value(&text, &format!("ambit_http_requests_total{{{labels}}}"));
    assert_eq!(requests(&format!("{read},status=\"200\"")), Some(2.0), "{text}");
    assert_eq!(requests(&format!("{read},status=\"404\"")), Some(1.0));
    assert_eq!(requests(&format!("{read},status=\"401\"")), Some(1.0));
    assert_eq!(requests(r#"method="",endpoint="none",status="404""#), Some(1.0));
    assert_eq!(value(&text, &format!("ambit_http_request_duration_seconds_count{{{read}}}")), Some(4.0));
    assert_eq!(value(&text, &format!("ambit_http_request_duration_seconds_bucket{{{read},le=\"+Inf\"}}")), Some(4.0));
    assert_eq!(value(&text, "ambit_store_up"), Some(1.0));
    assert_eq!(value(&text, "ambit_store_revision"), Some(server.store.last_revision().await.unwrap() as f64));
    assert!(value(&text, "ambit_index_lag_revisions").is_some() && value(&text, "ambit_work_waiting").is_some());
    assert!(value(&text, "process_resident_memory_bytes").is_some_and(|bytes| bytes > 1e6));
    for name in ["acme", "Acme", "Outside", "viewer", &server.collection.to_string(), &server.project_uuid.to_string()]
    {
        assert!(!text.contains(name), "{name} is named: {text}");
    }
}

//! Lines of syslog: RFC 5424, framed by their length as RFC 6587 says for streams. What they hold is CEF, JSON or OCSF.

use super::To;
use super::webhook::event as shown;
use ambit_model::entity::host_of;
use ambit_model::issue::severity_name;
use ambit_model::notification::{Event, EventKind, Message};
use serde_json::{Value, json};
use std::net::IpAddr;

/// Facility 13, log audit, in the place that RFC 5424 gives it.
const FACILITY: i64 = 13 * 8;
/// Severities of syslog, from our 1 (critical) to 5 (informational).
const SEVERITIES: [i64; 5] = [2, 3, 4, 5, 6];
/// Of what has no severity: informational.
const INFORMATIONAL: i64 = 6;

/// All frames of a message, one after the other.
pub(crate) fn lines(message: &Message, to: &To<'_>) -> Vec<u8> {
    let mut frames = Vec::new();
    for event in &message.events {
        let line = line(event, to.secret("format"), to.secret("host_name"));
        frames.extend_from_slice(format!("{} {line}", line.len()).as_bytes());
    }
    frames
}

fn line(event: &Event, format: &str, host: &str) -> String {
    let index = event.severity.and_then(|number| usize::try_from(number - 1).ok());
    let severity = index.and_then(|index| SEVERITIES.get(index)).unwrap_or(&INFORMATIONAL);
    let host = if host.is_empty() { "-" } else { host };
    let said = match format {
        "cef" => cef(event),
        "ocsf" => ocsf(event).to_string(),
        _ => shown(event).to_string(),
    };
    format!("<{}>1 {} {host} ambit - {} - {said}", FACILITY + severity, event.at, event.kind.name())
}

/// The common event format, version 0.
fn cef(event: &Event) -> String {
    let head = |text: &str| text.replace('\\', "\\\\").replace('|', "\\|");
    // From 0 to 10, ten is the worst.
    let severity = event.severity.map_or(1, |number| (12 - 2 * number).clamp(0, 10));
    format!(
        "CEF:0|Ambit|Ambit|{}|{}|{}|{severity}|externalId={} rt={} {} msg={} cs1Label=subject cs1={}",
        env!("CARGO_PKG_VERSION"),
        head(event.kind.name()),
        head(&event.title),
        value(&event.id),
        event.at.0,
        place(&event.name),
        value(&event.title),
        value(&event.subject),
    )
}

/// The value of an extension of CEF.
fn value(text: &str) -> String {
    text.replace('\\', "\\\\").replace('=', "\\=")
}

/// Where something is in the fields of CEF: the address and port of a service, the host and port of a URL with the URL
/// beside them, else the name as that of a host.
fn place(name: &str) -> String {
    let is_url = name.contains("://");
    let service = name.rsplit_once('/').filter(|(_, protocol)| !is_url && matches!(*protocol, "tcp" | "udp"));
    if !is_url && service.is_none() && name.parse::<IpAddr>().is_err() {
        return format!("dhost={}", value(name));
    }
    let host = host_of(name);
    let mut fields = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => format!("dst={address}"),
        Ok(IpAddr::V6(address)) => format!("c6a3Label=Destination IPv6 Address c6a3={address}"),
        Err(_) => format!("dhost={}", value(host)),
    };
    let authority = name.split_once("://").map_or(name, |(_, rest)| rest).split(['/', '?', '#']).next();
    let port = authority.filter(|authority| *authority != host).and_then(|authority| authority.rsplit_once(':'));
    if let Some(port) = port.and_then(|(_, port)| port.parse::<u16>().ok()) {
        fields.push_str(&format!(" dpt={port}"));
    }
    if let Some((_, protocol)) = service {
        fields.push_str(&format!(" proto={}", protocol.to_ascii_uppercase()));
    }
    if is_url {
        fields.push_str(&format!(" request={}", value(name)));
    }
    fields
}

/// OCSF 1.3: an issue is a vulnerability finding (class 2002), everything else a base event (class 0).
fn ocsf(event: &Event) -> Value {
    const FINDING: i64 = 2_002;
    // OCSF counts upwards: 5 is critical.
    let severity = event.severity.map_or(1, |number| 6 - number);
    let activity = match event.kind {
        EventKind::IssueOpened | EventKind::IssueBack => 1,
        EventKind::IssueConfirmed => 2,
        EventKind::IssueClosed => 3,
        _ => 0,
    };
    let is_finding = activity != 0;
    let class = if is_finding { FINDING } else { 0 };
    let mut object = json!({
        "class_uid": class,
        "category_uid": class / 1_000,
        "activity_id": activity,
        "type_uid": class * 100 + activity,
        "severity_id": severity,
        "time": event.at.0,
        "message": event.title,
        "metadata": {
            "version": "1.3.0",
            "uid": event.id,
            "product": {"name": "Ambit", "vendor_name": "Ambit", "version": env!("CARGO_PKG_VERSION")},
        },
    });
    if is_finding {
        object["finding_info"] = json!({"uid": event.subject, "title": event.title, "types": [event.what]});
        object["vulnerabilities"] = json!([{"title": event.title, "severity": event.severity.map(severity_name)}]);
        object["resources"] = json!([{"name": event.name}]);
    } else {
        object["unmapped"] = shown(event);
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::tests::event;

    #[test]
    fn a_line_says_its_length_its_severity_and_escapes_what_others_wrote() {
        let mut hostile = event(EventKind::IssueOpened, "i");
        hostile.title = "a|b=c\\d".to_owned();
        let secrets = json!({"format": "cef", "host_name": "scanner"}).as_object().cloned().expect("an object");
        let to = To { secrets: &secrets, root: None, now: ambit_model::Timestamp(0) };
        let frames = String::from_utf8(lines(&Message::of(uuid::Uuid::nil(), hostile), &to)).expect("text");
        let (length, line) = frames.split_once(' ').expect("a length");
        assert_eq!(length.parse::<usize>(), Ok(line.len()));
        assert!(line.starts_with("<107>1 2026-11-18T11:06:40.000Z scanner ambit - issue.opened - CEF:0|"), "{line}");
        assert!(line.contains("|a\\|b=c\\\\d|8|") && line.contains("msg=a|b\\=c\\\\d"), "{line}");
    }

    #[test]
    fn a_place_stands_in_the_fields_of_its_parts() {
        for (name, fields) in [
            ("203.0.113.18:23/tcp", "dst=203.0.113.18 dpt=23 proto=TCP"),
            ("[2001:db8::1]:53/udp", "c6a3Label=Destination IPv6 Address c6a3=2001:db8::1 dpt=53 proto=UDP"),
            ("203.0.113.18", "dst=203.0.113.18"),
            ("2001:db8::1", "c6a3Label=Destination IPv6 Address c6a3=2001:db8::1"),
            ("www.acme.test", "dhost=www.acme.test"),
            (
                "https://www.acme.test:443/a?b=c",
                "dhost=www.acme.test dpt=443 request=https://www.acme.test:443/a?b\\=c",
            ),
            (
                "https://[2001:db8::1]:8443",
                "c6a3Label=Destination IPv6 Address c6a3=2001:db8::1 dpt=8443 \
                                            request=https://[2001:db8::1]:8443",
            ),
            ("Acme=1", "dhost=Acme\\=1"),
        ] {
            assert_eq!(place(name), fields, "{name}");
        }
    }

    #[test]
    fn an_issue_is_a_vulnerability_finding_of_the_other_scale() {
        let mut critical = event(EventKind::IssueOpened, "i");
        critical.severity = Some(1);
        let object = ocsf(&critical);
        assert_eq!((&object["class_uid"], &object["type_uid"]), (&json!(2_002), &json!(200_201)));
        assert_eq!((&object["severity_id"], &object["category_uid"]), (&json!(5), &json!(2)));
        assert_eq!(ocsf(&event(EventKind::EntityNew, "e"))["class_uid"], 0);
    }
}

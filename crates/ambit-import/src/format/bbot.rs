//! Output of bbot (`output.json`): an event a line.

use crate::error::Result;
use crate::gathered::Gathered;
use crate::json::{Object, each_object, moment, required, text};
use ambit_model::Kind;
use serde_json::Value;

const TOOL: &str = "bbot";

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    each_object(file, TOOL, |object| {
        let kind = required(object, "type", TOOL)?;
        let at = moment(object.get("timestamp"));
        let data = data(object);
        match kind {
            "DNS_NAME" => gathered.host(data, at, &[]),
            "IP_ADDRESS" => gathered.add(Kind::IpAddress, data, at, &[]),
            "IP_RANGE" => gathered.add(Kind::NetBlock, data, at, &[]),
            "ASN" => gathered.add(Kind::AutonomousSystem, &format!("AS{}", data.trim_start_matches("AS")), at, &[]),
            "EMAIL_ADDRESS" => gathered.add(Kind::EmailAddress, data, at, &[]),
            "URL" | "URL_UNVERIFIED" => gathered.site(data, at, &[]),
            "OPEN_TCP_PORT" | "OPEN_UDP_PORT" => {
                let protocol = if kind == "OPEN_TCP_PORT" { "tcp" } else { "udp" };
                match data.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?))) {
                    Some((host, port)) => gathered.service(host, (port, protocol), at, &[("state", "open")]),
                    None => gathered.leave_out(),
                }
            }
            // The scan itself says no more than its name.
            "SCAN" => {}
            _ => gathered.leave_out(),
        }
        Ok(())
    })
}

/// The text of an event, which may be a member of its data.
fn data(object: &Object) -> &str {
    match object.get("data") {
        Some(Value::String(data)) => data,
        Some(Value::Object(data)) => ["url", "host", "email"]
            .iter()
            .map(|member| text(data, member))
            .find(|data| !data.is_empty())
            .unwrap_or_default(),
        _ => "",
    }
}

//! Output of Amass: a JSON object a line (`-json`), lines of its graph, or a name a line. None of them has a date. A
//! line of the graph: `www.acme.test (FQDN) --> a_record --> 192.0.2.7 (IPAddress)`.

use crate::error::{ImportError, Result};
use crate::gathered::Gathered;
use crate::json::{each_object, required, text};
use ambit_model::Kind;
use serde_json::Value;

const TOOL: &str = "amass";

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    if file.trim_start().starts_with(['{', '[']) {
        return each_object(file, TOOL, |object| {
            gathered.host(required(object, "name", TOOL)?, None, &[]);
            for address in object.get("addresses").and_then(Value::as_array).into_iter().flatten() {
                if let Some(address) = address.as_object() {
                    gathered.add(Kind::IpAddress, text(address, "ip"), None, &[]);
                }
            }
            Ok(())
        });
    }
    for (index, line) in file.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if line.contains(" --> ") {
            line.split(" --> ").for_each(|part| take(part.trim(), gathered));
        } else if Kind::of_host(line).is_ok() {
            gathered.host(line, None, &[]);
        } else {
            return Err(ImportError::line(index + 1, format!("not output of {TOOL}: expected a name")));
        }
    }
    Ok(())
}

/// `www.acme.test (FQDN)`; the words between two of these have no brackets.
fn take(part: &str, gathered: &mut Gathered) {
    let Some((name, kind)) = part.strip_suffix(')').and_then(|part| part.rsplit_once(" (")) else { return };
    match kind {
        "FQDN" => gathered.host(name, None, &[]),
        "IPAddress" => gathered.add(Kind::IpAddress, name, None, &[]),
        "Netblock" => gathered.add(Kind::NetBlock, name, None, &[]),
        "ASN" => gathered.add(Kind::AutonomousSystem, &format!("AS{name}"), None, &[]),
        _ => gathered.leave_out(),
    }
}

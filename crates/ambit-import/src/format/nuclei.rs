//! Output of nuclei (`-jsonl`): where a template matched, with its name and severity. It is what somebody else judged
//! and makes no issue here.

use crate::error::Result;
use crate::gathered::Gathered;
use crate::json::{Object, each_object, moment, required, text};
use serde_json::Value;

const TOOL: &str = "nuclei";

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    each_object(file, TOOL, |object| {
        // With -matcher-status it writes what did not match as well.
        if object.get("matcher-status") == Some(&Value::Bool(false)) {
            gathered.pass_over("results left out because their template did not match");
            return Ok(());
        }
        let template = required(object, "template-id", TOOL).or_else(|_| required(object, "templateID", TOOL))?;
        let place = ["matched-at", "matched", "host"].iter().map(|member| text(object, member));
        let place = place.into_iter().find(|place| !place.is_empty());
        let place = place.ok_or_else(|| format!("not output of {TOOL}: there is no matched-at"))?;
        let says = said(object);
        take(place, template, &says, moment(object.get("timestamp")), gathered);
        Ok(())
    })
}

/// `high: Exposed configuration`.
fn said(object: &Object) -> String {
    let Some(info) = object.get("info").and_then(Value::as_object) else { return "matched".to_owned() };
    format!("{}: {}", text(info, "severity"), text(info, "name"))
}

fn take(place: &str, template: &str, says: &str, at: Option<ambit_model::Timestamp>, gathered: &mut Gathered) {
    let says = [(template, says)];
    if place.contains("://") {
        return gathered.site(place, at, &says);
    }
    match place.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?))) {
        Some((host, port)) if !host.contains(':') || host.starts_with('[') => {
            gathered.service(host, (port, "tcp"), at, &says);
        }
        _ => gathered.host(place, at, &says),
    }
}

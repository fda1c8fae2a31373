//! Output of masscan: XML in the form of Nmap's (`-oX`), JSON (`-oJ`), an object a line (`-oD`), or a list (`-oL`).

use super::nmap;
use crate::error::{ImportError, Result};
use crate::gathered::Gathered;
use crate::json::{Object, each_object, moment, of_seconds, port, required, text};
use serde_json::Value;

const TOOL: &str = "masscan";

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    match file.trim_start().chars().next() {
        Some('<') => nmap::read(file, gathered),
        Some('[' | '{') => each_object(file, TOOL, |object| take(object, gathered)),
        _ => file
            .lines()
            .enumerate()
            .try_for_each(|(index, line)| take_line(line, gathered).map_err(|why| ImportError::line(index + 1, why))),
    }
}

fn take(object: &Object, gathered: &mut Gathered) -> Result<(), String> {
    if object.contains_key("finished") {
        return Ok(());
    }
    let ip = required(object, "ip", TOOL)?;
    let at = moment(object.get("timestamp"));
    match object.get("ports").and_then(Value::as_array) {
        Some(ports) => ports.iter().filter_map(Value::as_object).for_each(|one| say(ip, at, one, one, gathered)),
        None => {
            let data = object.get("data").and_then(Value::as_object);
            say(
                ip,
                at,
                object,
                data.ok_or_else(|| format!("not output of {TOOL}: there is no member ports"))?,
                gathered,
            );
        }
    }
    Ok(())
}

/// A port, with its state or banner in an object that may be another one.
fn say(ip: &str, at: Option<ambit_model::Timestamp>, of: &Object, data: &Object, gathered: &mut Gathered) {
    let (Some(number), state) = (port(of.get("port")), text(data, "status")) else { return gathered.leave_out() };
    if !state.is_empty() && state != "open" {
        return;
    }
    let service = data.get("service").and_then(Value::as_object);
    let name = service.map_or_else(|| text(data, "service_name"), |service| text(service, "name"));
    let banner = service.map_or_else(|| text(data, "banner"), |service| text(service, "banner"));
    let says = [("state", "open"), ("service", name), ("banner", banner)];
    gathered.service(ip, (number, text(of, "proto")), at, &says);
}

/// `open tcp 80 192.0.2.7 1700000000`, or `banner` with a name and a text behind that.
fn take_line(line: &str, gathered: &mut Gathered) -> Result<(), String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(());
    }
    let wrong = || format!("not output of {TOOL}: expected a line such as open tcp 80 192.0.2.7 1700000000");
    let mut words = line.splitn(7, ' ');
    let mut next = || words.next().ok_or_else(wrong);
    let (what, protocol, number, ip, time) = (next()?, next()?, next()?, next()?, next()?);
    if !["open", "closed", "banner"].contains(&what) {
        return Err(wrong());
    }
    let number = number.parse().map_err(|_| wrong())?;
    let at = time.parse().ok().and_then(of_seconds);
    if what != "closed" {
        let says = [("state", "open"), ("service", words.next().unwrap_or("")), ("banner", words.next().unwrap_or(""))];
        gathered.service(ip, (number, protocol), at, &says);
    }
    Ok(())
}

//! Output of naabu (`-json`): a port of a host a line.

use crate::error::Result;
use crate::gathered::Gathered;
use crate::json::{each_object, moment, port, text};

const TOOL: &str = "naabu";

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    each_object(file, TOOL, |object| {
        let number = port(object.get("port")).ok_or_else(|| format!("not output of {TOOL}: there is no port"))?;
        let (host, ip) = (text(object, "host"), text(object, "ip"));
        if host.is_empty() && ip.is_empty() {
            return Err(format!("not output of {TOOL}: there is neither host nor ip"));
        }
        let at = moment(object.get("timestamp"));
        let protocol = if text(object, "protocol") == "udp" { "udp" } else { "tcp" };
        for host in [host, ip].into_iter().filter(|host| !host.is_empty()) {
            gathered.service(host, (number, protocol), at, &[("state", "open")]);
        }
        Ok(())
    })
}

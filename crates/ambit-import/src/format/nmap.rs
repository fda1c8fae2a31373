//! XML of Nmap (`-oX`), which masscan writes as well: hosts that answered, the names that a person gave for them, and
//! their open ports. Names that an address has by reverse look-up are left out: anybody may write those.

use crate::error::Result;
use crate::gathered::Gathered;
use crate::json::of_seconds;
use crate::xml::{Element, each_element};
use ambit_model::{Kind, Timestamp};
use std::collections::BTreeMap;

type Attributes = BTreeMap<String, String>;

/// What the scan says of a host before its ports.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Shown {
    /// Nothing, as masscan writes it, or that a person took it for up (`-Pn`) or only listed it (`-sL`): an open port
    /// shows that it is there.
    #[default]
    ByPorts,
    /// It answered.
    Up,
    Down,
}

/// A host while it is read.
#[derive(Default)]
struct Host {
    at: Option<Timestamp>,
    shown: Shown,
    addresses: Vec<String>,
    names: Vec<String>,
    ports: Vec<Port>,
}

#[derive(Default)]
struct Port {
    number: u16,
    protocol: String,
    is_open: bool,
    service: Attributes,
}

pub(crate) fn read(text: &str, gathered: &mut Gathered) -> Result<()> {
    let mut host = Host::default();
    let breaks_off = each_element(text, "nmaprun", |element| match element {
        Element::Begins { name, attributes } if name == "host" => host = begin(&attributes),
        Element::Begins { name, attributes } => host.take(&name, attributes),
        Element::Ends { name } if name == "host" => std::mem::take(&mut host).say(gathered),
        Element::Ends { .. } => {}
    })?;
    if breaks_off {
        gathered.note("the file is truncated: whatever followed its last complete host is missing".to_owned());
    }
    Ok(())
}

fn begin(attributes: &Attributes) -> Host {
    let time = ["endtime", "starttime"].iter().find_map(|member| attributes.get(*member));
    Host { at: time.and_then(|time| time.parse().ok()).and_then(of_seconds), ..Host::default() }
}

fn get(attributes: &Attributes, name: &str) -> String {
    attributes.get(name).cloned().unwrap_or_default()
}

impl Host {
    fn take(&mut self, name: &str, attributes: Attributes) {
        let of = |member: &str| get(&attributes, member);
        match name {
            "status" => {
                self.shown = match (of("state").as_str(), of("reason").as_str()) {
                    ("up", "user-set") | ("unknown", _) => Shown::ByPorts,
                    ("up", _) => Shown::Up,
                    _ => Shown::Down,
                }
            }
            "address" if of("addrtype") != "mac" => self.addresses.push(of("addr")),
            "hostname" if of("type") == "user" => self.names.push(of("name")),
            "port" => {
                let number = of("portid").parse().unwrap_or_default();
                self.ports.push(Port { number, protocol: of("protocol"), ..Port::default() });
            }
            "state" => {
                if let Some(port) = self.ports.last_mut() {
                    port.is_open = of("state") == "open";
                }
            }
            "service" => {
                if let Some(port) = self.ports.last_mut() {
                    port.service = attributes;
                }
            }
            _ => {}
        }
    }

    fn say(self, gathered: &mut Gathered) {
        match self.shown {
            Shown::Down => return,
            Shown::ByPorts if !self.ports.iter().any(|port| port.is_open) => {
                return gathered.pass_over("hosts left out because nothing shows that they are there");
            }
            Shown::Up | Shown::ByPorts => {}
        }
        for name in &self.names {
            gathered.host(name, self.at, &[]);
        }
        for address in &self.addresses {
            gathered.add(Kind::IpAddress, address, self.at, &[]);
            for port in self.ports.iter().filter(|port| port.is_open) {
                let of = |member: &str| get(&port.service, member);
                let product = format!("{} {}", of("product"), of("version"));
                let (service, extra, banner) = (of("name"), of("extrainfo"), of("banner"));
                let says = [
                    ("state", "open"),
                    ("service", service.as_str()),
                    ("product", product.as_str()),
                    ("extra", extra.as_str()),
                    ("banner", banner.as_str()),
                ];
                gathered.service(address, (port.number, &port.protocol), self.at, &says);
            }
        }
    }
}

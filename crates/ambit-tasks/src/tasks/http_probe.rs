//! Finds which (address, server name, host, port) answers HTTP. Each that does is a site.

use crate::ask::bindings::{self, announced_ports, server_name};
use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::domain::SiteSeen;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::entity::{domain, ip_address};
use ambit_model::ports::BROWSER;
use ambit_model::{EdgeKind, Facts, Kind, TaskName};
use ambit_net::http::{HttpExchange, Url};
use ambit_net::tls::TlsOptions;
use ambit_net::{Grant, NetError};
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: TaskName::HttpProbe,
    pretty_name: "HTTP probe",
    description: "Asks every address of a name, by the name, and every service, by its address, for a web page.",
    workflows: OF_SITES,
    watches: &[Kind::DnsRecord, Kind::Domain, Kind::NetworkService],
    produces: &[Kind::Uri],
    cost: 2,
    gain: 10,
    plan: |facts, _| match facts.kind {
        Kind::NetworkService => {
            let socket = bindings::socket(facts.kind, &facts.name, "");
            // A service that identified itself as HTTP counts, whatever its port.
            let speaks_it = network_service::SERVICE.of(&facts.details) == Some(Service::Http);
            Plan::once_if(socket.is_some_and(|socket| speaks_it || is_web_port(socket.port())))
        }
        _ => {
            let named = named_sites(facts).map(|url| url.port);
            let usual: Vec<u16> = BROWSER.iter().copied().chain(named).collect();
            let of_name = bindings::of_name(facts, &usual, is_web_port);
            bindings::plan(facts, of_name.into_iter().chain(announced(facts)))
        }
    },
    left_out: bindings::left_out,
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Ports of protocols that are no HTTP and that a request would only disturb.
const OTHER_PORTS: &[u16] = &[
    21, 22, 23, 25, 26, 53, 79, 88, 110, 111, 113, 135, 139, 143, 179, 222, 389, 445, 465, 502, 512, 513, 514, 515,
    548, 554, 587, 636, 873, 990, 992, 993, 995, 1099, 1194, 1433, 1434, 1521, 1723, 1883, 2049, 2121, 2181, 2222,
    2323, 2525, 3260, 3268, 3306, 3307, 3389, 3690, 4369, 5060, 5061, 5222, 5269, 5432, 5433, 5671, 5672, 5900, 5901,
    6000, 6379, 6380, 6667, 8883, 9042, 9100, 9160, 9300, 9418, 11211, 11214, 22222, 25565, 26379, 27017, 27018, 44818,
    47808, 61613, 61616,
];

/// Ports on which TLS is asked for first.
const TLS_PORTS: &[u16] = &[
    443, 444, 2083, 2087, 2096, 2376, 4443, 5001, 5986, 6443, 7443, 8333, 8443, 8444, 9043, 9443, 10000, 10250, 10443,
];

/// Bytes of the body that are kept: enough to see that a TLS port was asked in plain text.
const BODY_KEPT: usize = 2_048;

fn is_web_port(port: u16) -> bool {
    !OTHER_PORTS.contains(&port)
}

/// Returns the sites on the name that are seeds.
fn named_sites(facts: &Facts) -> impl Iterator<Item = Url> + '_ {
    let sites = server_name(&facts.name).into_iter().flat_map(|host| facts.seeds.sites_on(host));
    sites.filter_map(|name| Url::parse(name).ok())
}

/// Returns where the name's HTTPS records say that it is served on other ports, of the addresses that are theirs alone:
/// of all others only a browser's own ports are asked.
fn announced(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let own = facts.to(EdgeKind::ResolvesTo).filter(|end| end.scoped && !ip_address::SHARED.is_true(&end.details));
    let own: Vec<IpAddr> = own.filter_map(|end| end.name.parse().ok()).collect();
    let ports = announced_ports(&facts.name, &facts.details).into_iter().filter(|port| is_web_port(*port));
    ports.flat_map(move |port| own.clone().into_iter().map(move |address| SocketAddr::new(address, port).to_string()))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let socket = bindings::socket(cx.facts.kind, &cx.facts.name, cx.argument)
        .ok_or_else(|| TaskError::Failed(format!("not a binding: {:?}", cx.argument)))?;
    let Some(exchange) = probe(cx, socket).await? else {
        return Ok(Answer::Absent);
    };
    let uri = exchange.url.to_string();
    cx.found(Kind::Uri, &uri, EdgeKind::Site);
    for named in
        named_sites(cx.facts).filter(|named| (named.https, named.port) == (exchange.url.https, exchange.url.port))
    {
        cx.found(Kind::Uri, &named.to_string(), EdgeKind::Site);
    }
    let canonical = Kind::Uri.canonical(&uri).unwrap_or(uri);
    cx.observe(
        domain::SITES,
        vec![SiteSeen { uri: canonical, address: socket.to_string(), code: exchange.status.to_string() }],
    );
    Ok(Answer::Found)
}

/// Returns the first scheme that answers; `None` if connections are refused, or the service does not speak HTTP.
async fn probe(cx: &Context<'_>, socket: SocketAddr) -> Result<Option<HttpExchange>> {
    let tls_first = TLS_PORTS.contains(&socket.port());
    let mut failure = None;
    for https in [tls_first, !tls_first] {
        match ask(cx, socket, https).await {
            Ok(exchange) if !https && wants_tls(&exchange) => {}
            Ok(exchange) => return Ok(Some(exchange)),
            // Not even a connection: asking in the other scheme would be no different.
            Err(error) if bindings::is_closed(&error) => return Ok(None),
            // It speaks TLS, and no HTTP inside: whatever became of the request in plain text.
            Err(NetError::NoHttp) => return Ok(None),
            Err(error) if speaks_otherwise(&error) => {}
            Err(error) => failure = failure.or(Some(error)),
        }
        if socket.port() == 80 {
            break;
        }
    }
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(None),
    }
}

async fn ask(cx: &Context<'_>, socket: SocketAddr, https: bool) -> Result<HttpExchange, NetError> {
    let address = socket.ip().to_string();
    let host = match cx.facts.kind {
        Kind::NetworkService => &address,
        _ => server_name(&cx.facts.name).unwrap_or(&address),
    };
    let url = Url::site(https, host, socket.port())?;
    let mut request = cx.net.get(&url.to_string())?;
    request.address = Some(socket);
    request.grant = Grant::Target;
    request.body_kept = BODY_KEPT;
    match cx.net.http(&request).await {
        Err(NetError::OtherHttp) if https => {
            let sni = if cx.facts.kind == Kind::NetworkService { None } else { server_name(&cx.facts.name) };
            Err(instead(cx, socket, sni).await)
        }
        answer => answer,
    }
}

/// What keeps a server inside TLS from answering that does not take HTTP/1.1: it speaks HTTP/2, or no HTTP at all.
async fn instead(cx: &Context<'_>, socket: SocketAddr, sni: Option<&str>) -> NetError {
    match cx.net.tls(socket, sni, &TlsOptions::browser()).await {
        Err(NetError::NoHttp) => NetError::NoHttp,
        _ => NetError::OtherHttp,
    }
}

/// True for the answer that a TLS port gives to a plain request.
fn wants_tls(exchange: &HttpExchange) -> bool {
    let body = String::from_utf8_lossy(&exchange.body).to_ascii_lowercase();
    exchange.status == 400
        && ["https port", "speaking plain http to an ssl", "http request to an https server"]
            .iter()
            .any(|text| body.contains(text))
}

/// True where the peer answered in another protocol: it was looked at, and is no web server.
fn speaks_otherwise(error: &NetError) -> bool {
    matches!(error, NetError::Protocol(_) | NetError::Tls(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_ports_ascend_and_do_not_contradict() {
        for list in [OTHER_PORTS, TLS_PORTS] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
        }
        assert!(TLS_PORTS.iter().chain(&BROWSER).all(|port| is_web_port(*port)));
    }
}

//! The port of a server, and what settings say of it: taken before anything else is done, answering `/livez` from then
//! on.

use crate::config::Settings;
use crate::engine_config::{self, Given};
use crate::failure::{Failure, Result};
use crate::interface::{self, interface};
use crate::oidc;
use crate::output::hint;
use crate::signals::Stop;
use ambit_api::projects::Plan;
use ambit_model::reserved::{IpNet, Reserved};
use ambit_server::{Door, Hosts, Limits, Listener, Outside, Phase, Provider, ServerState, Tls};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long open requests may go on after the word to end: the rest of the time is for giving work back.
const DRAIN: Duration = Duration::from_secs(5);
/// Files that store, index and engine open; the rest is for connections.
const FILES_OF_OTHERS: u64 = 512;
/// Open connections at least, where the system grants few files.
const CONNECTIONS_MIN: u64 = 64;

/// A server that listens and lets nobody in yet.
pub(crate) struct Front {
    /// Where it listens.
    pub(crate) address: String,
    /// Where a browser on this machine finds it.
    pub(crate) root: String,
    /// The same as a socket address.
    pub(crate) bound: SocketAddr,
    /// Where monitors are answered, and the port that is taken for them.
    pub(crate) monitors: Option<(SocketAddr, Listener)>,
    /// `None`: it answers requests and carries no runs.
    pub(crate) given: Option<Given>,
    pub(crate) silent: bool,
    limits: Limits,
    /// What people may use of the store.
    pub(crate) of_store: ambit_store::Limits,
    pub(crate) retention: ambit_store::Retention,
    plan: Plan,
    open_accounts: bool,
    private_uploads: bool,
    due_days: ambit_model::DueDays,
    provider: Option<Arc<Provider>>,
    /// Reserved ranges that seeds may lie in.
    opened: Vec<IpNet>,
    contact: Option<String>,
    phase: watch::Sender<Phase>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Front {
    /// Reads the settings, takes the port and says there that the process is alive: what is wrong with either is better
    /// known now than later.
    pub(crate) async fn prepare(settings: &Settings, engine: bool, silent: bool, stop: &Stop) -> Result<Self> {
        let wanted = address(settings.get("listen").unwrap_or_default())?;
        let given = engine.then(|| Given::read(settings)).transpose()?;
        let limits = limits(settings)?;
        let (tls, outside, plan) = (tls(settings)?, outside(settings, wanted)?, settings.plan()?);
        let listener = bind(wanted).await?;
        let bound =
            listener.address().map_err(|error| Failure::run_time(format!("the listener has no address: {error}")))?;
        reload_on_hangup(tls.clone())?;
        let monitors = match settings.get("metrics_listen") {
            Some(text) => Some(monitors(text).await?),
            None => None,
        };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let root = interface::root(settings, tls.is_some(), bound)?;
        let (door, phase) = Door::new(limits, outside, tls);
        let waiting = stop.clone();
        Ok(Self {
            address: format!("{scheme}://{bound}"),
            root,
            bound,
            monitors,
            given,
            silent,
            limits,
            of_store: settings.limits()?,
            retention: settings.retention()?,
            plan,
            open_accounts: settings.open_accounts()?,
            private_uploads: settings.private_uploads()?,
            due_days: settings.due_days()?,
            provider: oidc::provider(settings)?.map(Arc::new),
            opened: engine_config::reserved_ranges(settings)?,
            contact: engine_config::contact(settings)?,
            phase,
            serving: tokio::spawn(ambit_server::serve(listener, door, async move { waiting.wait().await })),
        })
    }

    /// Says what is being done before requests are answered.
    pub(crate) fn say(&self, doing: &str) {
        self.phase.send_replace(Phase::Starting(doing.to_owned()));
    }

    /// Where it listens, for the guard of runs.
    pub(crate) fn listens(&self) -> Vec<(IpNet, u16)> {
        let monitors = self.monitors.as_ref().map(|(address, _)| *address);
        [Some(self.bound), monitors].into_iter().flatten().flat_map(engine_config::listens).collect()
    }

    /// Answers requests from now on, and monitors until the program is asked to stop.
    pub(crate) fn let_in(&mut self, mut state: ServerState, stop: &Stop) {
        state.set_limits(self.limits);
        state.plan = self.plan.clone();
        state.open_accounts = self.open_accounts;
        state.private_uploads = self.private_uploads;
        state.due_days = self.due_days;
        state.oidc = self.provider.clone();
        state.interface = interface();
        state.contact = self.contact.clone();
        state.reserved = Reserved::internal(self.opened.clone());
        let state = Arc::new(state);
        if let Some((address, listener)) = self.monitors.take() {
            let (state, waiting) = (state.clone(), stop.clone());
            tokio::spawn(ambit_server::serve_metrics(listener, state, async move { waiting.wait().await }));
            hint(&format!("metrics are served at http://{address}/metrics"));
        }
        self.phase.send_replace(Phase::Ready(state));
    }

    /// Waits until it has ended, once the program was asked to.
    pub(crate) async fn end(self, stop: &Stop) -> Result<()> {
        stop.wait().await;
        let served = self.serving.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        served.map_err(|error| Failure::run_time(format!("the server ended: {error}")))
    }
}

/// The address of `--listen`: one and a port, `localhost`, or a port alone for all addresses.
pub(crate) fn address(text: &str) -> Result<SocketAddr> {
    let port = |host: &str| text.strip_prefix(host)?.parse::<u16>().ok();
    let all = || port(":").map(|port| SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)));
    let local = || port("localhost:").map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    text.parse().ok().or_else(all).or_else(local).ok_or_else(|| {
        Failure::usage(format!(
            "--listen {text:?}: expected an address and a port such as 127.0.0.1:8080, localhost:8080 or :8080 (all \
             addresses)"
        ))
    })
}

/// Takes the port.
async fn bind(address: SocketAddr) -> Result<Listener> {
    Listener::bind(address).await.map_err(|error| {
        let remedy = if error.kind() == std::io::ErrorKind::AddrInUse {
            "; choose another with --listen, port 0 picks a free one"
        } else {
            ""
        };
        Failure::run_time(format!("cannot listen on {address}: {error}{remedy}"))
    })
}

/// Takes the port for monitors.
async fn monitors(text: &str) -> Result<(SocketAddr, Listener)> {
    let wanted = address(text).map_err(|_| {
        Failure::usage(format!(
            "setting metrics_listen {text:?}: expected an address and a port such as 127.0.0.1:9090"
        ))
    })?;
    let listener = bind(wanted).await?;
    let bound =
        listener.address().map_err(|error| Failure::run_time(format!("the listener has no address: {error}")))?;
    Ok((bound, listener))
}

/// The limits of this machine: as many connections as files may be open, after the process has asked for as many as it
/// may have.
fn limits(settings: &Settings) -> Result<Limits> {
    let usual = Limits::default();
    let connections = match files_max() {
        Some(files) => {
            usize::try_from(files.saturating_sub(FILES_OF_OTHERS).max(CONNECTIONS_MIN)).unwrap_or(usize::MAX)
        }
        None => usual.connections,
    };
    Ok(Limits {
        requests_per_minute: settings.key_rate()?,
        drain_time: DRAIN,
        connections: connections.min(usual.connections),
        ..usual
    })
}

/// Raises the limit of open files to what the system grants; gives it, `None` where it cannot be known.
fn files_max() -> Option<u64> {
    rlimit::increase_nofile_limit(u64::MAX).ok()
}

/// Certificate and key, where both are set.
fn tls(settings: &Settings) -> Result<Option<Tls>> {
    match (settings.get("tls_certificate"), settings.get("tls_key")) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            Tls::load(Path::new(certificate), Path::new(key)).map(Some).map_err(Failure::usage)
        }
        (Some(_), None) => Err(Failure::usage("setting tls_certificate: its key is missing; set tls_key, too")),
        (None, Some(_)) => Err(Failure::usage("setting tls_key: its certificate is missing; set tls_certificate, too")),
    }
}

/// How the server is reached. On loopback it is called by names of loopback, unless a proxy in front of it calls it by
/// others.
fn outside(settings: &Settings, listen: SocketAddr) -> Result<Outside> {
    let public_url = interface::public_url(settings)?;
    let blocks =
        settings.get("trusted_proxies").unwrap_or_default().split([',', ' ']).filter(|block| !block.is_empty());
    let trusted_proxies = blocks
        .map(|text| {
            let block = text.parse::<ipnet::IpNet>().ok();
            let alone = || text.parse::<std::net::IpAddr>().ok().map(ipnet::IpNet::from);
            block.or_else(alone).ok_or_else(|| {
                Failure::usage(format!(
                    "setting trusted_proxies {text:?}: expected addresses or blocks such as 127.0.0.1, 10.0.0.0/8"
                ))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let hosts = settings.hosts();
    let hosts = match (hosts.is_empty(), listen.ip().is_loopback() && trusted_proxies.is_empty()) {
        (false, _) => Hosts::Listed(hosts),
        (true, true) => Hosts::Loopback,
        (true, false) => Hosts::All,
    };
    Ok(Outside { public_url, trusted_proxies, hosts })
}

/// SIGHUP reads the certificate again. Without one it does nothing: by itself the signal would end the process, and who
/// sends it to all servers, as scripts that rotate logs do, wants none of them to end.
#[cfg(unix)]
fn reload_on_hangup(tls: Option<Tls>) -> Result<()> {
    let hangup = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup());
    let mut hangup = hangup.map_err(|error| Failure::run_time(format!("cannot listen for signals: {error}")))?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            match tls.as_ref().map(Tls::reload) {
                Some(Ok(())) => tracing::warn!("the certificate was reloaded"),
                Some(Err(why)) => tracing::error!(why, "the certificate cannot be used; the old one stays"),
                None => tracing::warn!("SIGHUP changes nothing: there is no certificate to reload"),
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn reload_on_hangup(_tls: Option<Tls>) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_may_stand_alone_or_behind_localhost() {
        let of = |text: &str| address(text).map(|address| address.to_string());
        assert_eq!(of("192.0.2.1:80").as_deref(), Ok("192.0.2.1:80"));
        assert_eq!(of("[::1]:0").as_deref(), Ok("[::1]:0"));
        assert_eq!(of(":8080").as_deref(), Ok("[::]:8080"));
        assert_eq!(of("localhost:8080").as_deref(), Ok("127.0.0.1:8080"));
        for wrong in ["8080", "localhost", "example.org:80", ":", ":99999", ""] {
            let failure = address(wrong).expect_err(wrong);
            assert!(failure.to_string().contains("--listen"), "{failure}");
        }
    }

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        let environment = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::load(None, &environment).expect("loads")
    }

    #[test]
    fn loopback_is_called_by_its_own_names_unless_a_proxy_is_trusted() {
        let of = |pairs: &[(&str, &str)], listen: &str| {
            outside(&settings(pairs), listen.parse().expect("an address")).expect("is fine").hosts
        };
        assert!(matches!(of(&[], "127.0.0.1:80"), Hosts::Loopback));
        assert!(matches!(of(&[("AMBIT_TRUSTED_PROXIES", "127.0.0.1")], "127.0.0.1:80"), Hosts::All));
        assert!(matches!(of(&[], "192.0.2.1:80"), Hosts::All));
        assert!(matches!(of(&[("AMBIT_HOSTS", "a.test")], "127.0.0.1:80"), Hosts::Listed(_)));
    }

    #[test]
    fn what_is_no_proxy_address_or_certificate_is_named() {
        let proxies = outside(
            &settings(&[("AMBIT_TRUSTED_PROXIES", "10.0.0.0/8, nginx")]),
            SocketAddr::from(([127, 0, 0, 1], 1)),
        );
        assert!(proxies.expect_err("is refused").to_string().contains("nginx"));
        let public = outside(&settings(&[("AMBIT_PUBLIC_URL", "asm.test")]), SocketAddr::from(([127, 0, 0, 1], 1)));
        assert!(public.expect_err("is refused").to_string().contains("asm.test"));
        let alone = tls(&settings(&[("AMBIT_TLS_KEY", "/nowhere")])).err().expect("is refused");
        assert!(alone.to_string().contains("tls_certificate"));
        let missing = tls(&settings(&[("AMBIT_TLS_KEY", "/nowhere"), ("AMBIT_TLS_CERTIFICATE", "/nowhere/c")])).err();
        assert!(missing.expect("is refused").to_string().contains("/nowhere/c"));
    }
}

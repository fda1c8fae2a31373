//! No call opens a socket without a grant, and none contacts a reserved address by itself.

use super::wire::{TestGuard, TestWire, net, run};
use crate::dns::RecordType;
use crate::net::{Net, NetOptions, Session};
use crate::tcp::BannerOptions;
use crate::tls::{TlsOptions, TlsVersion};
use crate::{Grant, Grants, NetError, Pace, PaceLimits};
use ambit_model::Clearance;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Calls everything that a session offers and gives the errors by name of the call.
async fn call_everything(session: &Session, address: SocketAddr) -> Vec<(&'static str, NetError)> {
    let request = session.get(&format!("https://{address}/")).unwrap();
    let resolver = crate::http::HttpRequest { grant: Grant::Operator("webhook"), ..request.clone() };
    let options = TlsOptions::default();
    vec![
        ("lookup", session.lookup("www.example.test", RecordType::A).await.err()),
        ("lookup_uncached", session.lookup_uncached("www.example.test", RecordType::A).await.err()),
        ("addresses", session.addresses("www.example.test").await.err()),
        ("ask", session.ask(address, "example.test", RecordType::NS).await.err()),
        ("transfer", session.transfer(address, "example.test").await.err()),
        ("wildcard", session.wildcard("example.test", RecordType::A).await.err()),
        ("connect", session.connect(address, None).await.err()),
        ("sweep_ports", session.sweep_ports(address.ip(), &[80]).await.err()),
        ("read_banner", session.read_banner(address, None, &BannerOptions::default()).await.err()),
        ("read_banner_inside", session.read_banner_inside(address, None, &BannerOptions::default()).await.err()),
        ("ask_port", session.ask_port(address, b"x", crate::AnswerFrom::ThatPort, Duration::from_secs(1)).await.err()),
        ("ask_ports", ask_ports(session, address).await),
        ("datagram", session.datagram(address, b"x", Duration::from_secs(1)).await.err()),
        ("tls", session.tls(address, None, &options).await.err()),
        ("tls_hello", session.tls_hello(address, None, TlsVersion::Tls10).await.err()),
        ("http", session.http(&request).await.err()),
        ("http as operator", session.http(&resolver).await.err()),
        ("fetch", session.fetch(&request).await.err()),
        ("source", session.source("plain", &format!("https://{address}/")).await.err()),
        ("source_list", session.source_list("plain", &format!("https://{address}/")).await.err()),
        ("source_line", session.source_line("rdap", &address.ip().to_string(), 43, "x").await.err()),
    ]
    .into_iter()
    .map(|(call, error)| (call, error.unwrap_or_else(|| panic!("{call} succeeded"))))
    .collect()
}

async fn ask_ports(session: &Session, address: SocketAddr) -> Option<NetError> {
    let answers = crate::AnswerFrom::ThatPort;
    let question = crate::PortQuestion { port: address.port(), payload: b"x".to_vec(), answers };
    let read: crate::ReadAnswer<()> = Box::new(|_, _| Some(()));
    let asked = session.ask_ports(address.ip(), vec![question], read, Duration::from_secs(1)).await;
    asked.end().await.pop().and_then(Result::err)
}

fn untouched(wire: &TestWire) -> bool {
    wire.connections.lock().unwrap().is_empty() && wire.datagrams.load(Ordering::Relaxed) == 0
}

#[test]
fn nothing_is_contacted_without_a_grant() {
    run(|wire| async move {
        let session = net(&wire, PaceLimits::default()).session(Grants::none());
        for (call, error) in call_everything(&session, "192.0.2.1:443".parse().unwrap()).await {
            assert!(matches!(error, NetError::NoGrant(_)), "{call}: {error}");
            assert_eq!(error.meaning(), crate::Meaning::NotAsked);
        }
        assert!(untouched(&wire));
    });
}

#[test]
fn nothing_is_contacted_that_the_guard_refuses() {
    for (address, why) in
        [("203.0.113.1:443", "not in scope"), ("127.0.0.1:443", "reserved"), ("[::ffff:10.0.0.1]:443", "reserved")]
    {
        run(move |wire| async move {
            let session = net(&wire, PaceLimits::default()).session(Grants {
                target: Some(Clearance::L4),
                sources: vec!["rdap", "plain"],
                operator: vec!["webhook"],
                ..Grants::none()
            });
            for (call, error) in call_everything(&session, address.parse().unwrap()).await {
                let by_resolver = matches!(call, "lookup" | "lookup_uncached" | "addresses" | "wildcard");
                match error {
                    NetError::NoGrant("resolver") if by_resolver => {}
                    NetError::OutOfScope(refused) => assert!(refused.why.contains(why), "{call}: {refused}"),
                    other => panic!("{call}: {other}"),
                }
            }
            assert!(untouched(&wire));
        });
    }
}

#[test]
fn a_reserved_address_that_the_administrator_opened_is_contacted() {
    run(|wire| async move {
        wire.script("10.0.0.5:22", "send \"SSH-2.0-test\\r\\n\"");
        let guard = Arc::new(TestGuard { named: vec!["10.0.0.5".parse().unwrap()], ..TestGuard::default() });
        let net =
            Net::new(wire.clone(), guard.clone(), Arc::new(Pace::new(PaceLimits::default())), NetOptions::default());
        let session = net.session(Grants::task(Clearance::L3, &[]));
        let banner =
            session.read_banner("10.0.0.5:22".parse().unwrap(), None, &BannerOptions::default()).await.unwrap();
        assert_eq!(banner.bytes, b"SSH-2.0-test\r\n");
        assert!(!guard.tcp().is_empty(), "the guard is asked all the same");
        assert!(session.connect("10.0.0.6:22".parse().unwrap(), None).await.is_err());
        assert_eq!(net.counters().connections, 1);
        assert_eq!(net.counters().refused, 1);
    });
}

#[test]
fn an_excluded_name_is_not_even_looked_up_in_order_to_be_contacted() {
    run(|wire| async move {
        let guard = Arc::new(TestGuard {
            excluded: vec!["rdap.org", "whois.evil.test", "www.evil.test"],
            ..TestGuard::default()
        });
        let net = Net::new(wire.clone(), guard, Arc::new(Pace::new(PaceLimits::default())), NetOptions::default());
        let session = net.session(Grants::task(Clearance::L3, &["rdap"]));
        let errors = [
            session.source("rdap", "https://rdap.org/domain/a.test").await.err(),
            session.source_line("rdap", "whois.evil.test", 43, "a.test").await.err(),
            session.http(&session.get("https://www.evil.test/").unwrap()).await.err(),
        ];
        for error in errors {
            assert!(matches!(&error, Some(NetError::NotAllowed(why)) if why.contains("excluded")), "{error:?}");
        }
        assert!(untouched(&wire));
        assert_eq!(net.counters().refused, 3);
    });
}

#[test]
fn a_provider_s_redirect_away_from_it_is_not_followed() {
    run(|wire| async move {
        let session = net(&wire, PaceLimits::default()).session(Grants::task(Clearance::L1, &["rdap"]));
        for url in ["http://rdap.org/", "https://rdap.org:8443/", "https://evil.test/rdap", "https://192.0.2.1/"] {
            let error = session.source("rdap", url).await.err();
            assert!(matches!(error, Some(NetError::NotAllowed(_))), "{url}: {error:?}");
        }
        assert!(session.source_line("rdap", "192.0.2.1", 80, "x").await.is_err());
        assert!(untouched(&wire));
    });
}

#[test]
fn the_grant_for_look_ups_leads_to_resolvers_only() {
    run(|wire| async move {
        let session = net(&wire, PaceLimits::default()).session(Grants::task(Clearance::L1, &[]));
        for url in ["http://127.0.0.1/", "http://192.0.2.1/", "http://198.51.100.53/"] {
            let request = session.get(url).unwrap().on(Grant::Operator(crate::guard::RESOLVER));
            assert!(matches!(session.http(&request).await, Err(NetError::OutOfScope(_))), "{url}");
        }
        assert!(untouched(&wire));
    });
}

#[test]
fn futures_of_a_session_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    run(|wire| async move {
        let session = net(&wire, PaceLimits::default()).session(Grants::none());
        let address = "192.0.2.1:443".parse().unwrap();
        is_send(&session.lookup("x.test", RecordType::A));
        is_send(&session.wildcard("x.test", RecordType::A));
        is_send(&session.sweep_ports("192.0.2.1".parse().unwrap(), &[1]));
        is_send(&session.tls(address, None, &TlsOptions::default()));
        is_send(&session.fetch(&session.get("http://x.test/").unwrap()));
        is_send(&session.source("rdap", "https://x.test/"));
    });
}

//! A test server with receivers of its own, a sender whose clock the test drives, and a receiver of webhooks on
//! loopback that answers as it is told.

use ambit_model::Timestamp;
use ambit_model::notification::hours::Hours;
use ambit_model::notification::{Channel, Digest, Rule};
use ambit_net::guard::ReceiversOnly;
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_notify::{Finder, Service};
use ambit_store::{Caller, Delivery, NewReceiver, Principal, ReceiverView, Store};
use ambit_testkit::TestServer;
use ambit_testkit::inventory::{self, Inventory};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What signs in all these tests.
pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// Time for one try: long enough for loopback, short for what hangs.
const TRY: Duration = Duration::from_millis(400);
/// What never comes would be waited for without end.
const GIVE_UP: Duration = Duration::from_secs(60);

pub(crate) fn rule() -> Rule {
    Rule {
        events: Vec::new(),
        query: None,
        collection: None,
        digest: Digest::AtOnce,
        quiet: None,
        zone: Hours::utc(),
        heartbeat: false,
    }
}

/// A server, its owner, and the clock of the sender.
pub(crate) struct Lab {
    pub(crate) server: TestServer,
    pub(crate) me: Principal,
    clock: Arc<AtomicI64>,
}

impl Lab {
    pub(crate) async fn new() -> Self {
        let server = TestServer::new().await.unwrap();
        let me = server.store.local_operator().await.unwrap();
        let clock = Arc::new(AtomicI64::new(server.now().0));
        Self { server, me, clock }
    }

    /// The first run of the collection, which is over for a while.
    pub(crate) async fn fill(&self) -> Inventory {
        let filled = inventory::fill(&self.server, "Welcome").await.unwrap();
        self.server.advance(60_000);
        filled
    }

    pub(crate) fn store(&self) -> &Store {
        &self.server.store
    }

    /// The operator as of now.
    pub(crate) fn caller(&self) -> Caller {
        self.me.at(self.now())
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp(self.clock.load(Ordering::SeqCst))
    }

    pub(crate) fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
    }

    pub(crate) fn set_clock(&self, now: Timestamp) {
        self.clock.store(now.0, Ordering::SeqCst);
    }

    /// A sender to loopback, or to nothing private where `opened` is empty.
    pub(crate) fn service_to(&self, opened: &[&str]) -> Service {
        self.service_with(opened, Arc::new(|asked| Box::pin(async move { Ok(asked.uids.into_iter().collect()) })))
    }

    /// A sender whose rules are asked by `find`.
    pub(crate) fn service_with(&self, opened: &[&str], find: Finder) -> Service {
        let wire = Arc::new(LiveWire::new(&LiveOptions::default()).unwrap());
        let guard = ReceiversOnly { opened: opened.iter().map(|range| range.parse().unwrap()).collect() };
        let clock = Arc::clone(&self.clock);
        let now = Arc::new(move || Timestamp(clock.load(Ordering::SeqCst)));
        Service::new(self.store(), wire, guard, find, now).at_root("https://ambit.example").within(TRY)
    }

    pub(crate) fn service(&self) -> Service {
        self.service_to(&["127.0.0.1/32"])
    }

    pub(crate) async fn add(&self, channel: Channel, secrets: Value, rule: Rule) -> ReceiverView {
        let Value::Object(secrets) = secrets else { unreachable!() };
        let new = NewReceiver { name: channel.name().to_owned(), channel, shown: "x".to_owned(), secrets, rule };
        self.store().create_receiver(&self.caller(), self.server.project, &new).await.unwrap()
    }

    pub(crate) async fn add_webhook(&self, receiver: &Receiver) -> ReceiverView {
        self.add(Channel::Webhook, json!({"url": receiver.url(), "secrets": [SECRET]}), rule()).await
    }

    /// The log of a receiver, oldest first.
    pub(crate) async fn log(&self, receiver: &ReceiverView) -> Vec<Delivery> {
        let mut log = self.store().list_deliveries(&self.me, receiver.uuid, 1_000).await.unwrap();
        log.reverse();
        log
    }

    /// State, tries and last answer of each delivery, oldest first.
    pub(crate) async fn states(&self, receiver: &ReceiverView) -> Vec<String> {
        let log = self.log(receiver).await;
        let line =
            |row: &Delivery| format!("{} {} {}", row.state.name(), row.attempts, row.answer.as_deref().unwrap_or("-"));
        log.iter().map(line).collect()
    }
}

/// How the receiver answers one request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Says {
    Status(u16),
    /// A status with a header line.
    With(u16, &'static str),
    /// Nothing, for as long as anybody listens.
    Hangs,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }
}

/// A receiver of webhooks on loopback.
pub(crate) struct Receiver {
    port: u16,
    says: Arc<Mutex<Says>>,
    got: Arc<watch::Sender<Vec<Got>>>,
}

impl Receiver {
    pub(crate) async fn new(says: Says) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (says, got) = (Arc::new(Mutex::new(says)), Arc::new(watch::Sender::new(Vec::new())));
        let (answers, seen) = (Arc::clone(&says), Arc::clone(&got));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&answers), Arc::clone(&seen)));
            }
        });
        Self { port, says, got }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook?key=1", self.port)
    }

    /// Answers like this from now on.
    pub(crate) fn says(&self, says: Says) {
        *self.says.lock().unwrap() = says;
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.borrow().clone()
    }

    /// Waits until so many requests have come.
    pub(crate) async fn until(&self, count: usize) {
        let mut got = self.got.subscribe();
        let come = got.wait_for(|got| got.len() >= count);
        let come = tokio::time::timeout(GIVE_UP, come).await.map(|come| come.unwrap().len());
        assert!(come.is_ok(), "{} of {count} have come", self.got().len());
    }

    /// The sorts of messages, in the order in which they came.
    pub(crate) fn types(&self) -> Vec<String> {
        self.got().iter().map(|got| got.json()["type"].as_str().unwrap().to_owned()).collect()
    }
}

async fn answer(mut stream: TcpStream, says: Arc<Mutex<Says>>, got: Arc<watch::Sender<Vec<Got>>>) -> Option<()> {
    let mut bytes = Vec::new();
    let (head, mut body) = loop {
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&part[..count]);
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break (String::from_utf8(bytes[..at].to_vec()).ok()?, bytes[at + 4..].to_vec());
        }
    };
    let headers: BTreeMap<String, String> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length")?.parse().ok()?;
    while body.len() < length {
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&part[..count]);
    }
    let body = String::from_utf8(body).ok()?;
    got.send_modify(|got| got.push(Got { headers, body }));
    let says = *says.lock().ok()?;
    let said = match says {
        Says::Status(status) => format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n"),
        Says::With(status, header) => format!("HTTP/1.1 {status} X\r\n{header}\r\nContent-Length: 0\r\n\r\n"),
        Says::Hangs => {
            // Until the other side has had enough.
            let _ = stream.read(&mut [0]).await;
            return None;
        }
    };
    stream.write_all(said.as_bytes()).await.ok()
}

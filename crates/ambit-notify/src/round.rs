//! The loop: what happened becomes notices, notices become deliveries, deliveries are tried. Each step is durable
//! before the next begins, so that a process that dies loses nothing and repeats at most what was not acknowledged.

use crate::answer::{Answer, outcome};
use crate::digest::gather;
use crate::events::{counts, events, is_wanted, of_quota};
use crate::mail::Mail;
use crate::order::Queue;
use crate::send::{Sender, TraceFn};
use ambit_model::feed::Noun;
use ambit_model::notification::{Channel, Event, EventKind};
use ambit_model::{Timestamp, Uid};
use ambit_net::guard::ReceiversOnly;
use ambit_net::{Grants, Net, NetOptions, Pace, PaceLimits, Session, Wire};
use ambit_store::{Happened, Notice, Outbox, Outcome, Receiving, Result, Resumption, Store, StoreError, Told, Waiting};
use futures::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore, watch};
use tokio::task::JoinSet;
use tracing::{Instrument as _, Span, field};
use uuid::Uuid;

/// Between two looks at the outbox.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Time for the answer to one try, as Standard Webhooks recommends at least, and for each step up to a letter.
const TRY_LIMIT: Duration = Duration::from_secs(15);
/// How long the search of one rule may fail while what happened waits for it: as a rebuilt index takes. After that its
/// receiver is told without the search, since a rule that fails for good must not keep others from being told.
const SEARCH_PATIENCE_MS: i64 = 300_000;
/// Between two looks at the quotas of those who made receivers.
const QUOTAS_EVERY_MS: i64 = 60_000;
/// Receivers that are sent to at once: those of mail, whose server may take minutes over each letter, and all others.
const AT_ONCE_MAX: usize = 32;

/// Which records a search string finds, of these, once the index has reached a revision.
pub struct Asked {
    pub project: i64,
    pub noun: Noun,
    pub query: String,
    pub uids: Vec<Uid>,
    pub revision: i64,
}

/// Runs a search for the rules of receivers. Fails where the index cannot answer now: it is asked again.
pub type Finder = Arc<dyn Fn(Asked) -> BoxFuture<'static, Result<BTreeSet<Uid>, String>> + Send + Sync>;

/// What sends notifications.
#[derive(Clone)]
pub struct Service {
    outbox: Outbox,
    session: Session,
    mail: Option<Arc<Mail>>,
    find: Finder,
    root: Option<String>,
    limit: Duration,
    trace: Option<TraceFn>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Since when the search of a rule fails, by the id of its receiver.
    failing_searches: Arc<Mutex<BTreeMap<i64, Timestamp>>>,
    /// When quotas were looked at last.
    quotas_looked: Arc<Mutex<Option<Timestamp>>>,
}

impl Service {
    /// Sends over a wire, at addresses that are nobody's private ones but those that the guard opens. `clock` is wall
    /// time.
    pub fn new(
        store: &Store,
        wire: Arc<dyn Wire>,
        guard: ReceiversOnly,
        find: Finder,
        clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Self {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(wire, Arc::new(guard), pace, NetOptions::default());
        let session = net.session(Grants::receivers());
        let outbox = store.outbox();
        Self {
            outbox,
            session,
            mail: None,
            find,
            root: None,
            limit: TRY_LIMIT,
            trace: None,
            clock,
            failing_searches: Arc::default(),
            quotas_looked: Arc::default(),
        }
    }

    /// Sends letters by this server.
    pub fn with_mail(mut self, mail: Mail) -> Self {
        self.mail = Some(Arc::new(mail));
        self
    }

    /// Names the root under which people find this installation, for links.
    pub fn at_root(mut self, root: &str) -> Self {
        self.root = Some(root.trim_end_matches('/').to_owned());
        self
    }

    /// Says to webhooks of which trace a try is part.
    pub fn with_trace(mut self, trace: TraceFn) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Gives a receiver this long for its answer, and each step of the dialogue up to a letter.
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Finds the stored position again; where it was lost, receivers are told so.
    pub async fn begin(&self) -> Result<()> {
        if self.outbox.begin().await? != Resumption::Lost {
            return Ok(());
        }
        tracing::warn!("the position in the change feed was lost: notifications continue from now");
        let now = self.now();
        let told = self.outbox.receivers().await?.into_iter().map(|receiver| {
            let event = Event {
                id: format!("resumed-{}", now.0),
                kind: EventKind::Resumed,
                at: now,
                collection: None,
                subject: receiver.uuid.to_string(),
                what: String::new(),
                name: receiver.name,
                title: "Notifications continue from now: what happened shortly before is not reported".to_owned(),
                severity: None,
                issue: None,
            };
            Told { receiver: receiver.id, collection: None, first_run: false, event }
        });
        self.outbox.write_beside(told.collect(), now).await
    }

    /// One look: everything that happened is written, what is due is gathered, and every receiver is sent to. Returns
    /// when all tries have ended. What fails on the way to a receiver is in its log; an error is one of the store.
    pub async fn round(&self) -> Result<()> {
        let receivers = self.look().await?;
        for sent in futures::future::join_all(receivers.into_iter().map(|receiver| self.deliver(receiver))).await {
            sent?;
        }
        Ok(())
    }

    /// Reads the feed to its end and gathers what is due; returns those to whom something may be sent. Where the feed
    /// cannot be read to its end nothing is gathered, since a heartbeat would say that nothing happened; what already
    /// waits is sent all the same.
    async fn look(&self) -> Result<Vec<Receiving>> {
        let receivers = self.outbox.receivers().await?;
        if receivers.is_empty() {
            return Ok(receivers);
        }
        // Read before the feed is: of a run that is over by then, the feed has everything.
        let Ok(open) = self.outbox.open_runs().await.inspect_err(log) else { return Ok(receivers) };
        if self.read_feed(&receivers).await.inspect_err(log).is_err() {
            return Ok(receivers);
        }
        self.look_at_quotas(&receivers).await.inspect_err(log).ok();
        for receiver in &receivers {
            self.gather(receiver, &open).await.inspect_err(log).ok();
        }
        Ok(receivers)
    }

    /// Writes which quotas near their end, once a minute.
    async fn look_at_quotas(&self, receivers: &[Receiving]) -> Result<()> {
        let now = self.now();
        let mut looked = self.quotas_looked.lock().await;
        if looked.is_some_and(|at| now < at.plus_ms(QUOTAS_EVERY_MS)) {
            return Ok(());
        }
        let mut told = Vec::new();
        for near in self.outbox.near_quotas(now).await? {
            let event = of_quota(&near, now);
            let of_it = receivers.iter().filter(|receiver| near.receivers.contains(&receiver.id));
            // A rule for one collection asks for nothing else.
            let wanted = of_it.filter(|one| one.rule.collection.is_none() && one.rule.names(event.kind));
            told.extend(wanted.map(|receiver| Told {
                receiver: receiver.id,
                collection: None,
                first_run: false,
                event: event.clone(),
            }));
        }
        self.outbox.write_beside(told, now).await?;
        *looked = Some(now);
        Ok(())
    }

    /// Reads the feed to its end and writes what each receiver is to be told.
    async fn read_feed(&self, receivers: &[Receiving]) -> Result<()> {
        loop {
            let (from, to, happened) = self.outbox.happened().await?;
            if from == to {
                return Ok(());
            }
            let told = self.told(receivers, &happened, to).await?;
            if !self.outbox.write(from, to, told, self.now()).await? {
                return Ok(());
            }
        }
    }

    /// Who is to be told of what happened. All rules are asked at once, so that none waits for the search of another.
    async fn told(&self, receivers: &[Receiving], happened: &[Happened], revision: i64) -> Result<Vec<Told>> {
        let all: Vec<(&Happened, Event)> =
            happened.iter().flat_map(|one| events(one).into_iter().map(move |event| (one, event))).collect();
        let asked = receivers.iter().map(|receiver| self.told_to(receiver, &all, revision));
        let told: Result<Vec<Vec<Told>>, _> = futures::future::join_all(asked).await.into_iter().collect();
        Ok(told?.concat())
    }

    async fn told_to(&self, receiver: &Receiving, all: &[(&Happened, Event)], revision: i64) -> Result<Vec<Told>> {
        let mut wanted: Vec<&(&Happened, Event)> =
            all.iter().filter(|(one, event)| is_wanted(receiver, one, event)).collect();
        if let Some(query) = receiver.rule.query.as_ref().filter(|_| !wanted.is_empty()) {
            match self.found_in_time(receiver, query, &wanted, revision).await? {
                Some(found) => wanted.retain(|(_, event)| event.uid().is_none_or(|uid| found.contains(&uid))),
                None => wanted.retain(|(one, _)| counts(one)),
            }
        }
        let told = wanted.into_iter().map(|(one, event)| Told {
            receiver: receiver.id,
            collection: Some(one.collection),
            first_run: one.first_run,
            event: event.clone(),
        });
        Ok(told.collect())
    }

    /// What the search of a rule finds; `None` where it has failed for longer than others can wait. Fails before that.
    async fn found_in_time(
        &self,
        receiver: &Receiving,
        query: &str,
        wanted: &[&(&Happened, Event)],
        revision: i64,
    ) -> Result<Option<BTreeSet<Uid>>> {
        let found = self.found(receiver.project, query, wanted, revision).await;
        let mut failing = self.failing_searches.lock().await;
        let error = match found {
            Ok(found) => {
                failing.remove(&receiver.id);
                return Ok(Some(found));
            }
            Err(error) => error,
        };
        let now = self.now();
        if now < failing.entry(receiver.id).or_insert(now).plus_ms(SEARCH_PATIENCE_MS) {
            return Err(error);
        }
        tracing::warn!(receiver = %receiver.uuid, %error, "the search of a receiver fails, so it is notified as if \
                                                           its rule had no search");
        Ok(None)
    }

    async fn found(
        &self,
        project: i64,
        query: &str,
        wanted: &[&(&Happened, Event)],
        revision: i64,
    ) -> Result<BTreeSet<Uid>> {
        let mut uids: BTreeMap<bool, Vec<Uid>> = BTreeMap::new();
        for (_, event) in wanted {
            if let Some(uid) = event.uid() {
                uids.entry(event.kind.name().starts_with("issue.")).or_default().push(uid);
            }
        }
        let mut found = BTreeSet::new();
        for (of_issues, uids) in uids {
            let noun = if of_issues { Noun::Issue } else { Noun::Entity };
            let asked = Asked { project, noun, query: query.to_owned(), uids, revision };
            found.extend((self.find)(asked).await.map_err(StoreError::Unavailable)?);
        }
        Ok(found)
    }

    async fn gather(&self, receiver: &Receiving, open: &BTreeMap<Uuid, Timestamp>) -> Result<()> {
        let mut notices: Vec<Notice> = Vec::new();
        loop {
            let page = self.outbox.notices(receiver.id, notices.last().map_or(0, |notice| notice.id)).await?;
            if page.is_empty() {
                break;
            }
            notices.extend(page);
        }
        let mut make_id = || self.random_id();
        match gather(receiver, notices, open, self.now(), &mut make_id) {
            Some(posted) => self.outbox.post(receiver.id, posted, self.now()).await,
            None => Ok(()),
        }
    }

    fn random_id(&self) -> Uuid {
        let mut bytes = [0; 16];
        self.session.random(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// Tries what is due for one receiver, one after the other, until nothing is left or it has to rest.
    async fn deliver(&self, mut receiver: Receiving) -> Result<()> {
        if self.rests(&receiver) {
            return Ok(());
        }
        loop {
            let mut queue = Queue::new(self.outbox.waiting(receiver.id).await?);
            let mut sent = false;
            while let Some(one) = queue.next(self.now()) {
                if !self.outbox.claim(one.id, self.now()).await? {
                    queue.hold(&one);
                    continue;
                }
                let span = span_of(&receiver, &one);
                let answer = self.sender().send(&receiver, &one.message).instrument(span.clone()).await;
                let taken = matches!(answer, Answer::Taken(_));
                span.record("delivery.answer", answer.said());
                if !taken {
                    span.record("otel.status_code", "ERROR");
                }
                let outcome = outcome(answer, &one, receiver.failing_since, self.jitter(), self.now());
                if matches!(outcome, Outcome::Again { .. }) {
                    queue.hold(&one);
                }
                let rests = matches!(outcome, Outcome::Again { rests_until: Some(_), .. } | Outcome::Ended { .. });
                self.outbox.finish(receiver.id, one.id, outcome, self.now()).await?;
                receiver.failing_since = if taken { None } else { receiver.failing_since.or(Some(self.now())) };
                if rests {
                    return Ok(());
                }
                sent |= taken;
            }
            if !sent {
                return Ok(());
            }
        }
    }

    /// Returns true where nothing is sent to a receiver yet: it is busy or could not be reached.
    fn rests(&self, receiver: &Receiving) -> bool {
        receiver.rests_until.is_some_and(|until| until > self.now())
    }

    fn sender(&self) -> Sender<'_> {
        Sender {
            session: &self.session,
            mail: self.mail.as_deref(),
            root: self.root.as_deref(),
            limit: self.limit,
            trace: self.trace,
            now: self.now(),
        }
    }

    /// From 0 to 1.
    fn jitter(&self) -> f64 {
        let mut byte = [0];
        self.session.random(&mut byte);
        f64::from(byte[0]) / f64::from(u8::MAX)
    }
}

/// Looks at the outbox every second and sends, until `stop` turns true (or its sender is gone). A receiver that hangs
/// holds nobody else up. Failures are logged and tried again.
pub async fn serve(service: Service, mut stop: watch::Receiver<bool>) {
    let mut senders: JoinSet<i64> = JoinSet::new();
    let mut busy: BTreeSet<i64> = BTreeSet::new();
    // Fair: who came first is sent to first, so that everybody's turn comes, however many there are.
    let (letters, others) = (Arc::new(Semaphore::new(AT_ONCE_MAX)), Arc::new(Semaphore::new(AT_ONCE_MAX)));
    let mut begun = false;
    while !*stop.borrow() {
        if !begun {
            begun = service.begin().await.inspect_err(log).is_ok();
        }
        // After a panic nobody knows whose it was: all are free, and claims keep two senders from one delivery.
        while let Some(ended) = senders.try_join_next() {
            busy.retain(|id| ended.as_ref().is_ok_and(|one| one != id));
        }
        let receivers = if begun { service.look().await.inspect_err(log).unwrap_or_default() } else { Vec::new() };
        for receiver in receivers {
            if !service.rests(&receiver) && busy.insert(receiver.id) {
                let (service, id) = (service.clone(), receiver.id);
                let places = Arc::clone(if receiver.channel == Channel::Email { &letters } else { &others });
                senders.spawn(async move {
                    let _place = places.acquire_owned().await;
                    service.deliver(receiver).await.inspect_err(log).ok();
                    id
                });
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            changed = stop.changed() => if changed.is_err() { return },
        }
    }
    // What is under way is tried again: it was not acknowledged.
    senders.shutdown().await;
}

/// The span of a try.
fn span_of(receiver: &Receiving, one: &Waiting) -> Span {
    tracing::info_span!(
        target: "traces",
        "delivery",
        otel.kind = "producer",
        otel.name = format!("deliver to {}", receiver.channel.name()),
        otel.status_code = field::Empty,
        receiver.uuid = %receiver.uuid,
        receiver.channel = receiver.channel.name(),
        message.id = %one.message.id,
        message.events = one.message.events.len(),
        delivery.attempt = one.attempts + 1,
        delivery.answer = field::Empty,
    )
}

fn log(error: &StoreError) {
    tracing::warn!(%error, "notifications could not be processed and are tried again");
}

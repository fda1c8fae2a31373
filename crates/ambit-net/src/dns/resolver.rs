//! The engine: questions through the resolvers with their windows and retries, or to one server; TCP where an answer is
//! cut.

use super::cache::Cache;
use super::lanes::{Lanes, Reply};
use super::message::{self, Decoded, Question, Style, decode, question_name, read_answer};
use super::window::Window;
use super::{DnsAnswer, Rcode, RecordType, WildcardProfile};
use crate::door::{Door, Pass, Waited};
use crate::error::{NetError, Phase, Result};
use crate::guard::{Grant, RESOLVER};
use crate::limits::{DNS_CHAIN_MAX, DNS_TCP_TIMEOUT, DNS_TRIES};
use crate::pace::{Bucket, Signal};
use crate::wire::WireTime;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What all doors of a run share for DNS.
pub(crate) struct Engine {
    lanes: Lanes,
    upstreams: Vec<Upstream>,
    pub(super) answers: Cache<(String, RecordType), DnsAnswer>,
    pub(super) wildcards: Cache<(String, RecordType), WildcardProfile>,
    /// Makes the labels of wildcard sampling: the same for one run, different for the next.
    pub(super) salt: [u8; 16],
    pub(crate) questions: AtomicU64,
    /// How long resolvers were left alone that refuse, the times of several counted once.
    pub(crate) paused: Waited,
}

struct Upstream {
    address: SocketAddr,
    window: Window,
}

/// Tries of a question that a resolver answers with a failure: the other resolver may do better, a third will not.
const FAILURE_TRIES: usize = 2;

impl Engine {
    pub(crate) fn new(door: &Door) -> Self {
        let mut salt = [0; 16];
        door.random(&mut salt);
        let upstreams =
            door.resolvers().into_iter().map(|address| Upstream { address, window: Window::new() }).collect();
        Self {
            lanes: Lanes::default(),
            upstreams,
            answers: Cache::new(),
            wildcards: Cache::new(),
            salt,
            questions: AtomicU64::new(0),
            paused: Waited::default(),
        }
    }

    /// Looks up by the run's cache. Aliases at which the resolvers fail are followed one by one.
    pub(crate) async fn lookup(&self, door: &Door, name: &str, rtype: RecordType) -> Result<Arc<DnsAnswer>> {
        door.check_grant(Grant::Operator(RESOLVER))?;
        let name = question_name(name)?;
        let key = (name, rtype);
        let now = || door.now();
        self.answers
            .get(&key, now, || async {
                let answer = match Box::pin(self.resolve(door, &key.0, rtype, &DNS_TRIES)).await {
                    Err(failure @ NetError::Dns(Rcode::SERVFAIL)) if rtype != RecordType::CNAME => {
                        Box::pin(self.by_steps(door, &key.0, rtype, failure)).await?
                    }
                    answer => answer?,
                };
                let until = door.now() + Duration::from_secs(u64::from(answer.ttl));
                Ok((answer, until))
            })
            .await
    }

    /// Looks up past the cache, with a try for each of the limits.
    pub(crate) async fn lookup_uncached(
        &self,
        door: &Door,
        name: &str,
        rtype: RecordType,
        limits: &[Duration],
    ) -> Result<DnsAnswer> {
        door.check_grant(Grant::Operator(RESOLVER))?;
        self.resolve(door, &question_name(name)?, rtype, limits).await
    }

    /// Asks for addresses of a name and for the proof where there are none. A resolver that does not speak EDNS gives
    /// an answer without proof.
    pub(crate) async fn lookup_denial(&self, door: &Door, name: &str) -> Result<DnsAnswer> {
        door.check_grant(Grant::Operator(RESOLVER))?;
        let style = Style { recursion: true, edns: true, dnssec: true };
        self.ask_resolvers(door, &question_name(name)?, RecordType::A, style, &DNS_TRIES).await
    }

    /// Asks, and goes on where a resolver gave only the beginning of a chain.
    pub(super) async fn resolve(
        &self,
        door: &Door,
        name: &str,
        rtype: RecordType,
        limits: &[Duration],
    ) -> Result<DnsAnswer> {
        let style = Style { recursion: true, edns: true, dnssec: false };
        let mut answer = self.ask_resolvers(door, name, rtype, style, limits).await?;
        while !answer.chain.is_empty()
            && !answer.endless
            && answer.records.is_empty()
            && answer.authority.is_none()
            && answer.rcode == Rcode::NOERROR
        {
            let end = answer.canonical_name().to_owned();
            let Ok(end) = question_name(&end) else { return Ok(answer) };
            let more = self.ask_resolvers(door, &end, rtype, style, limits).await?;
            let nothing_new = more.chain.is_empty();
            append(&mut answer, more);
            if nothing_new {
                break;
            }
        }
        Ok(answer)
    }

    async fn ask_resolvers(
        &self,
        door: &Door,
        name: &str,
        rtype: RecordType,
        mut style: Style,
        limits: &[Duration],
    ) -> Result<DnsAnswer> {
        if self.upstreams.is_empty() {
            return Err(NetError::Unreachable("no resolver is set up".into()));
        }
        // By name, so that a name meets the same resolvers in the same order each time, and names are spread over all.
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let first = hasher.finish() as usize % self.upstreams.len();
        let (mut index, mut tries) = (first, 0);
        let (mut failures, mut refusals, mut refused_by) = (0, 0, None::<&Window>);
        let mut error = NetError::Timeout(Phase::Resolving);
        while let Some(limit) = limits.get(tries) {
            let upstream;
            (index, upstream) = self.upstream(index, door.now());
            (index, tries) = (index + 1, tries + 1);
            match self.ask_upstream(door, upstream, name, rtype, style, *limit).await {
                Ok(decoded) => match decoded.rcode {
                    Rcode::NOERROR | Rcode::NXDOMAIN => {
                        if let Some(window) = refused_by {
                            window.answered_later();
                        }
                        return Ok(read_answer(decoded, name, rtype, upstream.address));
                    }
                    Rcode::FORMERR | Rcode::NOTIMP if style.edns => style.edns = false,
                    // It was asked too much. That is not about this question, and costs it no try.
                    Rcode::REFUSED if upstream.window.refused(door.now(), refusals + 1) => {
                        error = NetError::Dns(Rcode::REFUSED);
                        (refusals, tries, refused_by) = (refusals + 1, tries - 1, Some(&upstream.window));
                        if let Some(until) = upstream.window.paused_until(door.now()) {
                            self.paused.note(door.now(), until);
                        }
                    }
                    rcode => {
                        error = NetError::Dns(rcode);
                        failures += 1;
                    }
                },
                Err(refused @ (NetError::OutOfScope(_) | NetError::NoGrant(_))) => return Err(refused),
                // A failure that a server named says more than the silence after it.
                Err(silence) if failures == 0 => error = silence,
                Err(_) => {}
            }
            if failures == FAILURE_TRIES {
                break;
            }
        }
        Err(error)
    }

    /// The resolver whose turn it is, or the next one that is not left alone just now, with its place.
    fn upstream(&self, index: usize, now: WireTime) -> (usize, &Upstream) {
        let places = (0..self.upstreams.len()).map(|step| index.wrapping_add(step) % self.upstreams.len());
        let mut places = places.map(|place| (place, &self.upstreams[place]));
        let free = places.clone().find(|(_, upstream)| upstream.window.paused_until(now).is_none());
        free.or_else(|| places.next()).expect("there is a resolver")
    }

    async fn ask_upstream(
        &self,
        door: &Door,
        upstream: &Upstream,
        name: &str,
        rtype: RecordType,
        style: Style,
        limit: Duration,
    ) -> Result<Decoded> {
        let server = upstream.address;
        let grant = Grant::Operator(RESOLVER);
        let mut place = upstream.window.enter().await;
        while let Some(until) = upstream.window.paused_until(door.now()) {
            // The window has become smaller: after the pause as many come as it has places then.
            drop(place);
            door.sleep_until(until).await;
            place = upstream.window.enter().await;
        }
        let pass = door.admit_datagram(grant, server, Some(name), &[Bucket::Resolver(server.ip())]).await?;
        let result = self.ask_datagram(door, pass, name, rtype, style, limit).await;
        match &result {
            Ok(Some(decoded)) if decoded.rcode == Rcode::REFUSED => drop(place),
            Ok(_) => place.end(true),
            Err(NetError::Timeout(_)) => place.end(false),
            Err(_) => drop(place),
        }
        match result? {
            Some(decoded) => Ok(decoded),
            // Kept apart: thousands of questions wait for a datagram, and few need a stream.
            None => {
                let asked = Box::pin(self.ask_stream(door, grant, server, name, rtype, style));
                asked.await.map_err(NetError::of_helper)
            }
        }
    }

    /// Asks one server directly.
    pub(crate) async fn ask(
        &self,
        door: &Door,
        server: SocketAddr,
        name: &str,
        rtype: RecordType,
    ) -> Result<DnsAnswer> {
        door.check_grant(Grant::Target)?;
        let name = question_name(name)?;
        let bucket = Bucket::Server(server.ip());
        let mut style = Style { recursion: false, edns: true, dnssec: false };
        let mut error = NetError::Timeout(Phase::Resolving);
        for limit in DNS_TRIES {
            let pass = door.admit_datagram(Grant::Target, server, Some(&name), std::slice::from_ref(&bucket)).await?;
            let result = match self.ask_datagram(door, pass, &name, rtype, style, limit).await {
                Ok(Some(decoded)) => Ok(decoded),
                // Over UDP it did answer: that its TCP port is shut says nothing of the records.
                Ok(None) => {
                    self.ask_stream(door, Grant::Target, server, &name, rtype, style).await.map_err(NetError::of_helper)
                }
                Err(error) => Err(error),
            };
            door.report(&bucket, if result.is_ok() { Signal::Fine } else { Signal::Failed });
            match result {
                Ok(decoded) => match decoded.rcode {
                    Rcode::NOERROR | Rcode::NXDOMAIN => return Ok(read_answer(decoded, &name, rtype, server)),
                    Rcode::FORMERR | Rcode::NOTIMP if style.edns => style.edns = false,
                    rcode => return Err(NetError::Dns(rcode)),
                },
                Err(refused @ (NetError::OutOfScope(_) | NetError::NoGrant(_))) => return Err(refused),
                Err(other) => error = other,
            }
        }
        Err(error)
    }

    /// One datagram and its answer; `None`: ask again over TCP (cut, or not in our spelling).
    async fn ask_datagram(
        &self,
        door: &Door,
        pass: Pass,
        name: &str,
        rtype: RecordType,
        style: Style,
        limit: Duration,
    ) -> Result<Option<Decoded>> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        let question = || new_question(door, name, rtype, style);
        match self.lanes.exchange(door, pass, question, limit).await? {
            Reply::OtherCase => Ok(None),
            Reply::Answer(bytes) => decode(&bytes).map(|decoded| (!decoded.truncated).then_some(decoded)),
        }
    }

    async fn ask_stream(
        &self,
        door: &Door,
        grant: Grant,
        server: SocketAddr,
        name: &str,
        rtype: RecordType,
        style: Style,
    ) -> Result<Decoded> {
        let mut stream = door.open(grant, server, Some(name), DNS_TCP_TIMEOUT).await?;
        let question = new_question(door, name, rtype, style);
        let until = door.now() + DNS_TCP_TIMEOUT;
        let exchange = async {
            send_framed(&mut stream, &question.bytes).await?;
            loop {
                let bytes = read_framed(&mut stream).await?;
                if message::id_of(&bytes) == Some(question.id)
                    && message::matches(question.section(), &bytes) != message::Match::No
                {
                    return decode(&bytes);
                }
            }
        };
        let decoded = door.until(until, "DNS answer over TCP", exchange).await??;
        if decoded.truncated {
            Err(NetError::Protocol("a DNS answer over TCP is marked as cut".into()))
        } else {
            Ok(decoded)
        }
    }
}

pub(super) fn new_question(door: &Door, name: &str, rtype: RecordType, style: Style) -> Question {
    let mut chance = [0; 34];
    door.random(&mut chance);
    Question::new(name, rtype, style, chance)
}

/// Writes a message with its length (RFC 1035 §4.2.2).
pub(super) async fn send_framed(stream: &mut (impl AsyncWriteExt + Unpin), bytes: &[u8]) -> Result<()> {
    let length = u16::try_from(bytes.len()).expect("questions are short");
    let framed = [&length.to_be_bytes(), bytes].concat();
    stream.write_all(&framed).await.map_err(|error| NetError::from_io(&error, "DNS over TCP"))?;
    stream.flush().await.map_err(|error| NetError::from_io(&error, "DNS over TCP"))
}

/// Reads a message with its length: at most 64 KiB by the format itself.
pub(super) async fn read_framed(stream: &mut (impl AsyncReadExt + Unpin)) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| NetError::from_io(&error, "DNS over TCP");
    let length = stream.read_u16().await.map_err(failed)?;
    let mut bytes = vec![0; usize::from(length)];
    stream.read_exact(&mut bytes).await.map_err(failed)?;
    Ok(bytes)
}

/// Appends the answer for the end of a CNAME chain to the chain.
pub(super) fn append(answer: &mut DnsAnswer, more: DnsAnswer) {
    answer.endless = !more.chain.into_iter().all(|alias| answer.follow(alias)) || more.endless;
    answer.renamings.extend(more.renamings);
    answer.renamings.truncate(DNS_CHAIN_MAX);
    answer.rcode = more.rcode;
    answer.records = more.records;
    answer.cut = more.cut;
    answer.authority = more.authority;
    answer.referral = more.referral;
    answer.referral_cut = more.referral_cut;
    answer.ttl = answer.ttl.max(1).min(more.ttl);
}

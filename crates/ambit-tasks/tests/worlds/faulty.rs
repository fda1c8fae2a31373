//! One look of one task at one entity, on a world whose connections fail as a test says. Everything may be contacted.

use super::explorer::empty_facts;
use ambit_model::observation::Found;
use ambit_model::{Clearance, Details, Facts, Kind, Timestamp};
use ambit_net::net::NetOptions;
use ambit_net::wire::{Datagrams, Hold, Stream, TrustAnchor, WireTime};
use ambit_net::{Contact, Grants, Guard, Net, Pace, PaceLimits, Refused, Wire};
use ambit_tasks::{Answer, Context, Settings, TaskError};
use ambit_world::{SimulatedWire, World};
use futures::future::{self, BoxFuture, Either};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How a connection fails at this moment, or a socket for datagrams (port 0); `None`: it does not. `UnexpectedEof`: it
/// stands, and ends after [`CUT_AFTER`].
pub(crate) type Fault = fn(SocketAddr, WireTime) -> Option<io::ErrorKind>;

/// Bytes after which a connection ends that is cut.
const CUT_AFTER: usize = 6_000;
/// Bytes that come as 0xFF over a connection that is cut: a name that no file of a world can state.
pub(crate) const NO_TEXT: &str = "qqqqqqqqqqqqqqqq";

/// Wire time within which a look ends, as in a run.
const DEADLINE: Duration = Duration::from_secs(20 * 60);

/// What a look said, and how long it took on the wire's clock.
pub(crate) struct Looked {
    pub(crate) answer: Result<Answer, TaskError>,
    pub(crate) found: Found,
    pub(crate) took: Duration,
}

/// Looks once.
pub(crate) fn look(world: &World, epoch: Timestamp, task: &str, entity: (Kind, &str, &str), fault: Fault) -> Looked {
    look_with(Settings::default(), world, epoch, task, entity, fault)
}

/// Looks once, with these settings.
pub(crate) fn look_with(
    settings: Settings,
    world: &World,
    epoch: Timestamp,
    task: &str,
    entity: (Kind, &str, &str),
    fault: Fault,
) -> Looked {
    look_at(settings, (world, epoch), task, entity, (Details::new(), fault))
}

/// Looks once at an entity of which these details are known.
pub(crate) fn look_of(
    settings: Settings,
    world: &World,
    epoch: Timestamp,
    task: &str,
    entity: (Kind, &str, &str),
    details: impl IntoIterator<Item = (String, serde_json::Value)>,
) -> Looked {
    look_at(settings, (world, epoch), task, entity, (Details::from_iter(details), |_, _| None))
}

fn look_at(
    settings: Settings,
    (world, epoch): (&World, Timestamp),
    task: &str,
    (kind, name, argument): (Kind, &str, &str),
    (details, fault): (Details, Fault),
) -> Looked {
    look_by(settings, (world, epoch), task, (Facts { details, ..empty_facts(kind, name) }, argument), fault)
}

/// Looks once, by all that is known of an entity.
pub(crate) fn look_by(
    settings: Settings,
    (world, epoch): (&World, Timestamp),
    task: &str,
    (facts, argument): (Facts, &str),
    fault: Fault,
) -> Looked {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let wire = Arc::new(Faulty { wire: world.wire(epoch, 1), fault });
    let task = ambit_tasks::find(task).unwrap();
    let argument = argument.to_owned();
    let (send, receive) = std::sync::mpsc::channel();
    let tracked: Arc<dyn Wire> = wire.clone();
    runtime.block_on(wire.track(Box::pin(async move {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(tracked, Arc::new(Anything), pace, NetOptions::default());
        let sources: Vec<&'static str> = task.provider(&argument).into_iter().collect();
        let session = net.session(Grants::task(Clearance::L3, &sources));
        let context = Context::new(&session, &facts, &argument, &settings).within(DEADLINE);
        // As in a run, somebody waits for the end of the look, so that a clock that nobody holds jumps there.
        let answer = match future::select((task.run)(&context), Box::pin(session.sleep(DEADLINE))).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(TaskError::Failed("out of time".to_owned())),
        };
        let (found, took) = (context.into_found(), session.now());
        send.send(Looked { answer, found, took }).unwrap();
    })));
    receive.recv().unwrap()
}

pub(crate) struct Anything;

impl Guard for Anything {
    fn allow(&self, _: &Contact) -> Result<(), Refused> {
        Ok(())
    }

    fn named(&self, _: IpAddr) -> bool {
        true
    }
}

pub(crate) struct Faulty {
    pub(crate) wire: Arc<SimulatedWire>,
    pub(crate) fault: Fault,
}

impl Wire for Faulty {
    fn connect(&self, to: SocketAddr) -> BoxFuture<'static, io::Result<Box<dyn Stream>>> {
        match (self.fault)(to, self.now()) {
            Some(io::ErrorKind::UnexpectedEof) => {
                let whole = self.wire.connect(to);
                Box::pin(async move { Ok(Box::new(Cut { whole: whole.await?, left: CUT_AFTER }) as Box<dyn Stream>) })
            }
            Some(kind) => Box::pin(async move { Err(kind.into()) }),
            None => self.wire.connect(to),
        }
    }

    fn datagrams(&self, peer: IpAddr) -> io::Result<Box<dyn Datagrams>> {
        match (self.fault)(SocketAddr::new(peer, 0), self.now()) {
            Some(kind) => Err(kind.into()),
            None => self.wire.datagrams(peer),
        }
    }

    fn now(&self) -> WireTime {
        self.wire.now()
    }

    fn date(&self) -> Timestamp {
        self.wire.date()
    }

    fn sleep_until(&self, at: WireTime) -> BoxFuture<'static, ()> {
        self.wire.sleep_until(at)
    }

    fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        self.wire.track(task)
    }

    fn hold(&self) -> Box<dyn Hold> {
        self.wire.hold()
    }

    fn random(&self, buffer: &mut [u8]) {
        self.wire.random(buffer);
    }

    fn resolvers(&self) -> Vec<SocketAddr> {
        self.wire.resolvers()
    }

    fn trust_roots(&self) -> Arc<Vec<TrustAnchor<'static>>> {
        self.wire.trust_roots()
    }

    fn reserved(&self) -> &[ipnet::IpNet] {
        self.wire.reserved()
    }
}

/// A stream that ends after some bytes.
struct Cut {
    whole: Box<dyn Stream>,
    left: usize,
}

impl AsyncRead for Cut {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut bytes = [0; 512];
        let most = into.remaining().min(self.left).min(bytes.len());
        let mut part = ReadBuf::new(&mut bytes[..most]);
        if most > 0 {
            ready!(Pin::new(&mut self.whole).poll_read(cx, &mut part))?;
        }
        let found = part.filled().windows(NO_TEXT.len()).position(|window| window == NO_TEXT.as_bytes());
        if let Some(at) = found {
            part.filled_mut()[at..at + NO_TEXT.len()].fill(0xFF);
        }
        into.put_slice(part.filled());
        self.left -= part.filled().len();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Cut {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.whole).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.whole).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.whole).poll_shutdown(cx)
    }
}

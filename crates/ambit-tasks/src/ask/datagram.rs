//! What a UDP port says to the questions of its protocol.

use crate::read::datagram::{Chance, Proof, QUESTIONS, Question};
use crate::{Context, TaskError};
use ambit_model::entity::network_service::Service;
use ambit_net::{Asking, PortAnswer, PortQuestion};
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// How long an answer may take: a slow host's round trip, and SSDP's delay of up to a second.
const WAIT: Duration = Duration::from_secs(3);

/// What came of the questions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It spoke its protocol.
    Spoke(Service, Proof),
    /// The host says that nothing listens there.
    Closed,
    /// Nothing that proves anything.
    Nothing,
}

/// Asks a port every question of its protocol at the same time, each once. What one answer proves holds; a refusal
/// counts where nothing is proven.
pub(crate) async fn ask(cx: &Context<'_>, socket: SocketAddr) -> Result<Heard, TaskError> {
    let questions = QUESTIONS.iter().filter(|question| question.port == socket.port());
    let mut result = Heard::Nothing;
    // In the order of the list: of two proofs the first holds, whichever came first.
    for heard in join_all(questions.map(|question| ask_one(cx, socket, question))).await {
        match heard? {
            spoke @ Heard::Spoke(..) if !matches!(result, Heard::Spoke(..)) => result = spoke,
            Heard::Closed if result == Heard::Nothing => result = Heard::Closed,
            _ => {}
        }
    }
    Ok(result)
}

/// What each of some ports came to: whether it spoke its protocol.
pub(crate) type Spoke = BTreeMap<u16, Result<bool, TaskError>>;

/// Questions that were sent to ports of an address.
pub(crate) struct Asked {
    address: IpAddr,
    ports: Vec<u16>,
    asking: Asking<Vec<u8>>,
}

/// The ports that have questions.
pub(crate) fn ports() -> BTreeSet<u16> {
    QUESTIONS.iter().map(|question| question.port).collect()
}

/// Sends every question of some ports of an address, each once, and returns when they are sent: silence is waited for
/// in [`Asked::end`].
pub(crate) async fn send(cx: &Context<'_>, address: IpAddr, ports: &BTreeSet<u16>) -> Asked {
    let asks = |question: &'static Question| {
        let mut chance = Chance::default();
        cx.net.random(&mut chance);
        (question, chance)
    };
    let asked: Vec<(&Question, Chance)> =
        QUESTIONS.iter().filter(|question| ports.contains(&question.port)).map(asks).collect();
    let ports = asked.iter().map(|(question, _)| question.port).collect();
    let datagram = |(question, chance): &(&Question, Chance)| {
        let payload = (question.asks)(chance);
        PortQuestion { port: question.port, payload, answers: question.answers }
    };
    let datagrams = asked.iter().map(datagram).collect();
    let read = move |number: usize, bytes: &[u8]| {
        let (question, chance) = asked.get(number)?;
        (question.proof)(chance, bytes).map(|_| bytes.to_vec())
    };
    Asked { address, ports, asking: cx.net.ask_ports(address, datagrams, Box::new(read), WAIT).await }
}

impl Asked {
    /// Waits for the answers. What one of them proves holds, whatever became of the other questions of its port.
    pub(crate) async fn end(self, cx: &Context<'_>) -> (IpAddr, Spoke) {
        let mut spoke = Spoke::new();
        for (port, answer) in self.ports.into_iter().zip(self.asking.end().await) {
            let heard = match answer {
                Ok(Some(bytes)) => {
                    cx.evidence("answer", &bytes);
                    Ok(true)
                }
                Ok(None) => Ok(false),
                Err(error) => Err(error.into()),
            };
            match spoke.get(&port) {
                None | Some(Ok(false)) => drop(spoke.insert(port, heard)),
                Some(Err(_)) if matches!(heard, Ok(true)) => drop(spoke.insert(port, heard)),
                Some(_) => {}
            }
        }
        (self.address, spoke)
    }
}

async fn ask_one(cx: &Context<'_>, socket: SocketAddr, question: &Question) -> Result<Heard, TaskError> {
    let mut chance = Chance::default();
    cx.net.random(&mut chance);
    match cx.net.ask_port(socket, &(question.asks)(&chance), question.answers, WAIT).await? {
        PortAnswer::Said(bytes) => Ok(match (question.proof)(&chance, &bytes) {
            Some(proof) => {
                cx.evidence("answer", &bytes);
                Heard::Spoke(question.service, proof)
            }
            None => Heard::Nothing,
        }),
        PortAnswer::Closed => Ok(Heard::Closed),
        PortAnswer::Silent => Ok(Heard::Nothing),
    }
}

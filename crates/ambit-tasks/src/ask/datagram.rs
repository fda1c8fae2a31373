//! What a UDP port says to the questions of its protocol.

use crate::read::datagram::{Chance, Proof, QUESTIONS};
use crate::{Context, TaskError};
use ambit_model::entity::network_service::Service;
use ambit_net::PortAnswer;
use std::net::SocketAddr;
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

/// Asks a port each question of its protocol, once, until one is answered.
pub(crate) async fn ask(cx: &Context<'_>, socket: SocketAddr) -> Result<Heard, TaskError> {
    for question in QUESTIONS.iter().filter(|question| question.port == socket.port()) {
        let mut chance = Chance::default();
        cx.net.random(&mut chance);
        match cx.net.ask_port(socket, &(question.asks)(&chance), question.answers, WAIT).await? {
            PortAnswer::Said(bytes) => {
                if let Some(proof) = (question.proof)(&chance, &bytes) {
                    cx.evidence("answer", &bytes);
                    return Ok(Heard::Spoke(question.service, proof));
                }
            }
            PortAnswer::Closed => return Ok(Heard::Closed),
            PortAnswer::Silent => {}
        }
    }
    Ok(Heard::Nothing)
}

//! DNS over TCP: queries and answers behind their lengths, and zone transfers.

use super::message::{self, Answer, Rcode};
use super::{Asked, authoritative, recursive, transfer};
use crate::plan::RESOLVERS;
use crate::serve::connection::{Connection, Peer, idle};
use ambit_net::dns::RecordType;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Queries on one connection.
const QUERIES_MAX: usize = 1_000;
/// Records of one message of a transfer.
const TRANSFER_RECORDS: usize = 100;
/// A server closes a connection without queries after this long.
const IDLE: Duration = Duration::from_secs(10);

/// Answers queries until the client goes.
pub(crate) async fn serve(connection: &Connection, stream: &mut impl Peer) {
    for _ in 0..QUERIES_MAX {
        let Some(Some(query)) = connection.within(IDLE, read(stream)).await else {
            return;
        };
        let Some(question) = message::read(&query) else { return };
        let asked = Asked {
            draft: &connection.internet.draft,
            state: connection.internet.state,
            now: connection.clock.now(),
            question: &question,
            inside: !RESOLVERS.contains(&connection.to.ip()),
        };
        let server = connection.to.ip();
        if !RESOLVERS.contains(&server) {
            connection.visit.asked(Some(&question.name), &format!("dns {}", question.rtype));
        }
        let limits = connection.internet.hosts.get(&server).map(|host| host.limits.as_slice()).unwrap_or_default();
        let answers = if let Some(refusal) = connection.turns.refusal(server, limits, asked.now, true) {
            vec![refusal]
        } else if question.rtype == RecordType::AXFR {
            transfer_answers(transfer(&asked, server))
        } else if RESOLVERS.contains(&server) {
            vec![recursive(&asked)]
        } else {
            vec![authoritative(&asked, server, true)]
        };
        for answer in answers {
            connection.tell(Some(&question.name), &format!("dns {}", question.rtype), || answer.words());
            if answer.silent {
                idle(connection, stream).await;
                return;
            }
            connection.clock.sleep(answer.delay).await;
            let bytes = message::write(&question, &answer, false);
            let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes();
            if stream.write_all(&[&length, bytes.as_slice()].concat()).await.is_err() {
                return;
            }
        }
    }
}

fn transfer_answers(records: Option<Vec<(String, u32, crate::draft::Data)>>) -> Vec<Answer> {
    let Some(records) = records else {
        return vec![Answer::new(Rcode::Refused)];
    };
    let message = |records: &[(String, u32, crate::draft::Data)]| Answer {
        authoritative: true,
        answers: records.to_vec(),
        ..Answer::new(Rcode::NoError)
    };
    records.chunks(TRANSFER_RECORDS).map(message).collect()
}

async fn read(stream: &mut impl Peer) -> Option<Vec<u8>> {
    let length = stream.read_u16().await.ok()?;
    let mut query = vec![0; usize::from(length)];
    stream.read_exact(&mut query).await.ok()?;
    Some(query)
}

//! Zone transfers (AXFR, RFC 5936) over TCP.

use super::message::{Style, decode, id_of, question_name};
use super::resolver::{new_question, read_framed, send_framed};
use super::{Rcode, RecordData, RecordType, Transfer, Unfinished};
use crate::door::{Connection, Door};
use crate::error::{NetError, Result};
use crate::guard::Grant;
use crate::limits::{CONNECT_TIMEOUT, TRANSFER_BYTES_MAX, TRANSFER_RECORDS_MAX, TRANSFER_TIMEOUT};
use std::net::SocketAddr;

/// Asks for a zone.
pub(crate) async fn transfer(door: &Door, server: SocketAddr, zone: &str) -> Result<Transfer> {
    door.check_grant(Grant::Target)?;
    let zone = question_name(zone)?;
    let mut stream = door.open(Grant::Target, server, Some(&zone), CONNECT_TIMEOUT).await?;
    let question = new_question(door, &zone, RecordType::AXFR, Style { recursion: false, edns: false, dnssec: false });
    let mut given = Given { zone, records: Vec::new(), bytes: 0, closed: false, limit: None };
    let reading = async {
        send_framed(&mut stream, &question.bytes).await?;
        read_zone(&mut stream, question.id, &mut given).await
    };
    let until = door.now() + TRANSFER_TIMEOUT;
    let result = door.until(until, "zone transfer", reading).await;
    let unfinished = match result {
        Ok(Ok(Some(rcode))) => return Ok(Transfer::Denied(rcode)),
        Ok(Ok(None)) => given.limit.map(Unfinished::Limit),
        // What came before the failure is a transfer all the same: the server gave it.
        Ok(Err(_)) if !given.records.is_empty() => Some(Unfinished::BrokeOff),
        Err(_) if !given.records.is_empty() => Some(Unfinished::Limit(format!("{} s", TRANSFER_TIMEOUT.as_secs()))),
        Ok(Err(error)) | Err(error) => return Err(error),
    };
    Ok(Transfer::Given { records: given.records, unfinished })
}

struct Given {
    zone: String,
    records: Vec<super::Record>,
    bytes: usize,
    closed: bool,
    /// The limit that was reached before it was closed.
    limit: Option<String>,
}

/// Reads messages until the closing start of authority, a limit, or a refusal.
async fn read_zone(stream: &mut Connection, id: u16, given: &mut Given) -> Result<Option<Rcode>> {
    while !given.closed && given.limit.is_none() {
        let bytes = read_framed(stream).await?;
        given.bytes += bytes.len();
        if id_of(&bytes) != Some(id) {
            return Err(NetError::Protocol("a zone transfer with a foreign id".into()));
        }
        let message = decode(&bytes)?;
        if message.rcode != Rcode::NOERROR {
            return if given.records.is_empty() { Ok(Some(message.rcode)) } else { Err(NetError::Dns(message.rcode)) };
        }
        if message.answers.is_empty() && given.records.is_empty() {
            // Some servers refuse by an empty answer.
            return Ok(Some(Rcode::REFUSED));
        }
        given.take(message.answers)?;
    }
    Ok(None)
}

impl Given {
    fn take(&mut self, records: Vec<super::Record>) -> Result<()> {
        for record in records {
            let apex_soa = matches!(record.data, RecordData::Soa { .. }) && record.name == self.zone;
            if self.records.is_empty() && !apex_soa {
                return Err(NetError::Protocol(
                    "a zone transfer that does not begin with the start of authority".into(),
                ));
            }
            if apex_soa && !self.records.is_empty() {
                self.closed = true;
                return Ok(());
            }
            if self.records.len() >= TRANSFER_RECORDS_MAX {
                self.limit = Some(format!("{TRANSFER_RECORDS_MAX} records"));
                return Ok(());
            }
            self.records.push(record);
        }
        if self.bytes >= TRANSFER_BYTES_MAX {
            self.limit = Some(format!("{} MiB", TRANSFER_BYTES_MAX / (1024 * 1024)));
        }
        Ok(())
    }
}

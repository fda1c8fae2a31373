//! The dialogues that lead from plain text to TLS. Each reads exactly what it needs, byte by byte near the end, so that
//! nothing of the handshake is lost.

use super::{Banner, StartTls};
use crate::door::{Connection, Door};
use crate::error::{NetError, Result};
use crate::limits::{BANNER_TIMEOUT, LINE_BYTES_MAX, REPLY_LINES_MAX};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Leads a connection to the point where TLS begins.
pub(crate) async fn lead(
    door: &Door,
    connection: Connection,
    protocol: StartTls,
    name: &str,
) -> Result<(Connection, Banner)> {
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':'))
    {
        return Err(NetError::invalid("host name", name));
    }
    let limit = door.now() + BANNER_TIMEOUT;
    let mut dialogue = Dialogue { connection, said: Vec::new() };
    door.until(limit, "STARTTLS dialogue", dialogue.lead(protocol, name)).await??;
    Ok((dialogue.connection, Banner { bytes: dialogue.said, truncated: false, closed: false }))
}

struct Dialogue {
    connection: Connection,
    /// Everything that the server said, in order.
    said: Vec<u8>,
}

/// SSLRequest of PostgreSQL: length 8, code 80877103.
const POSTGRES_SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// LDAPMessage 1, ExtendedRequest 1.3.6.1.4.1.1466.20037 (RFC 4511 §4.14.1).
const LDAP_START_TLS: &[u8] = b"\x30\x1d\x02\x01\x01\x77\x18\x80\x161.3.6.1.4.1.1466.20037";

impl Dialogue {
    async fn lead(&mut self, protocol: StartTls, name: &str) -> Result<()> {
        match protocol {
            StartTls::Smtp => {
                self.expect_code("220").await?;
                self.send(b"EHLO scanner.invalid\r\n").await?;
                self.expect_code("250").await?;
                self.send(b"STARTTLS\r\n").await?;
                self.expect_code("220").await
            }
            StartTls::Ftp => {
                self.expect_code("220").await?;
                self.send(b"AUTH TLS\r\n").await?;
                self.expect_code("234").await
            }
            StartTls::Imap => {
                self.expect_line("* ").await?;
                self.send(b"a1 STARTTLS\r\n").await?;
                self.expect_tagged("a1 ").await
            }
            StartTls::Pop3 => {
                self.expect_line("+OK").await?;
                self.send(b"STLS\r\n").await?;
                self.expect_line("+OK").await
            }
            StartTls::Postgres => {
                self.send(&POSTGRES_SSL_REQUEST).await?;
                match self.byte().await? {
                    b'S' => Ok(()),
                    b'N' => Err(NetError::Tls("the server offers no TLS".into())),
                    _ => Err(NetError::Protocol("no answer to SSLRequest".into())),
                }
            }
            StartTls::Ldap => self.lead_ldap().await,
            StartTls::Xmpp => self.lead_xmpp(name).await,
        }
    }

    async fn lead_ldap(&mut self) -> Result<()> {
        self.send(LDAP_START_TLS).await?;
        if self.byte().await? != 0x30 {
            return Err(NetError::Protocol("no LDAP message".into()));
        }
        let length = self.ber_length().await?;
        let mut message = Vec::with_capacity(length);
        for _ in 0..length {
            message.push(self.byte().await?);
        }
        // messageID, then ExtendedResponse [APPLICATION 24] whose first element is the result code.
        let code = message
            .iter()
            .position(|byte| *byte == 0x78)
            .and_then(|at| message[at..].windows(3).find(|window| window[..2] == [0x0a, 1]));
        match code {
            Some([_, _, 0]) => Ok(()),
            Some([_, _, refused]) => Err(NetError::Tls(format!("the server refused StartTLS with result {refused}"))),
            _ => Err(NetError::Protocol("no extended response".into())),
        }
    }

    async fn ber_length(&mut self) -> Result<usize> {
        let first = self.byte().await?;
        let mut length = usize::from(first & 0x7f);
        if first & 0x80 != 0 {
            let digits = length;
            length = 0;
            for _ in 0..digits.min(3) {
                length = length << 8 | usize::from(self.byte().await?);
            }
        }
        if length > LINE_BYTES_MAX { Err(NetError::TooLarge("LDAP message")) } else { Ok(length) }
    }

    async fn lead_xmpp(&mut self, name: &str) -> Result<()> {
        let opening = format!(
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='{name}' \
             version='1.0'>"
        );
        self.send(opening.as_bytes()).await?;
        self.read_until("</stream:features>").await?;
        self.send(b"<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>").await?;
        let answer = self.read_until(">").await?;
        if answer.contains("<proceed") { Ok(()) } else { Err(NetError::Tls("the server refused starttls".into())) }
    }

    /// Reads a reply of several lines (`220-…`, `220 …`) and compares its code.
    async fn expect_code(&mut self, code: &str) -> Result<()> {
        for _ in 0..REPLY_LINES_MAX {
            let line = self.line().await?;
            let more = line.get(3..4) == Some("-")
                || !line.get(..3).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
            if !more {
                return if line.starts_with(code) { Ok(()) } else { Err(refused(&line)) };
            }
        }
        Err(NetError::TooLarge("lines of a reply"))
    }

    async fn expect_line(&mut self, start: &str) -> Result<()> {
        let line = self.line().await?;
        if line.starts_with(start) { Ok(()) } else { Err(refused(&line)) }
    }

    /// Reads lines up to the one with our tag.
    async fn expect_tagged(&mut self, tag: &str) -> Result<()> {
        for _ in 0..REPLY_LINES_MAX {
            let line = self.line().await?;
            if let Some(result) = line.strip_prefix(tag) {
                return if result.to_ascii_uppercase().starts_with("OK") { Ok(()) } else { Err(refused(&line)) };
            }
        }
        Err(NetError::TooLarge("lines of a reply"))
    }

    async fn line(&mut self) -> Result<String> {
        let line = self.read_until("\n").await?;
        Ok(line.trim_end().to_owned())
    }

    async fn read_until(&mut self, end: &str) -> Result<String> {
        let mut read = Vec::new();
        while !read.ends_with(end.as_bytes()) {
            if read.len() == LINE_BYTES_MAX {
                return Err(NetError::TooLarge("line of a reply"));
            }
            read.push(self.byte().await?);
        }
        Ok(String::from_utf8_lossy(&read).into_owned())
    }

    async fn byte(&mut self) -> Result<u8> {
        let byte = self.connection.read_u8().await.map_err(|error| NetError::from_io(&error, "STARTTLS dialogue"))?;
        self.said.push(byte);
        Ok(byte)
    }

    async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        let failed = |error: std::io::Error| NetError::from_io(&error, "STARTTLS dialogue");
        self.connection.write_all(bytes).await.map_err(failed)?;
        self.connection.flush().await.map_err(failed)
    }
}

fn refused(line: &str) -> NetError {
    NetError::Tls(format!(
        "the server refused TLS: {}",
        crate::untrusted::escape(&line[..line.floor_char_boundary(200)])
    ))
}

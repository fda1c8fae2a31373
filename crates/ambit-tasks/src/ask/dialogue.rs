//! A conversation with a service, line by line, every wait within a limit of wire time.

use crate::Context;
use crate::ask::identify::Layer;
use ambit_net::NetError;
use ambit_net::tls::TlsOptions;
use ambit_net::wire::Stream;
use futures::future::{Either, select};
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// How long the other side may take for one answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);
/// Bytes of one answer.
const ANSWER_BYTES_MAX: usize = 16 * 1_024;

pub(crate) struct Dialogue<'a> {
    cx: &'a Context<'a>,
    stream: Box<dyn Stream>,
}

impl<'a> Dialogue<'a> {
    pub(crate) async fn open(cx: &'a Context<'a>, socket: SocketAddr, layer: Layer) -> Result<Self, NetError> {
        let stream: Box<dyn Stream> = match layer {
            Layer::Plain => Box::new(cx.net.connect(socket, None).await?),
            Layer::Tls => Box::new(cx.net.tls(socket, None, &TlsOptions::plain()).await?.into_stream()?.0),
        };
        Ok(Self { cx, stream })
    }

    /// Sends (nothing, to only listen), then reads until the answer is whole, the other side closes, or its time is
    /// over.
    pub(crate) async fn say(&mut self, line: &str, whole: fn(&[u8]) -> bool) -> Result<String, NetError> {
        let waiting = pin!(self.cx.net.sleep(ANSWER_TIMEOUT));
        let stream = &mut self.stream;
        let talk = pin!(async move {
            if !line.is_empty() {
                stream.write_all(line.as_bytes()).await.map_err(|_| NetError::Reset("while asking"))?;
                stream.flush().await.map_err(|_| NetError::Reset("while asking"))?;
            }
            let mut heard = Vec::new();
            let mut buffer = [0_u8; 1_024];
            while heard.len() < ANSWER_BYTES_MAX && !whole(&heard) {
                let read = stream.read(&mut buffer).await.map_err(|_| NetError::Reset("while answering"))?;
                if read == 0 {
                    break;
                }
                heard.extend_from_slice(&buffer[..read]);
            }
            Ok(String::from_utf8_lossy(&heard).into_owned())
        });
        match select(talk, waiting).await {
            Either::Left((heard, _)) => heard,
            Either::Right(_) => Err(NetError::Timeout("answer".into())),
        }
    }
}

/// True when the last line of an FTP or SMTP reply has come: three digits and a blank.
pub(crate) fn is_whole_reply(heard: &[u8]) -> bool {
    let text = String::from_utf8_lossy(heard);
    let last = text.strip_suffix('\n').and_then(|text| text.lines().next_back());
    last.is_some_and(|line| {
        line.len() >= 3 && line.as_bytes()[..3].iter().all(u8::is_ascii_digit) && line.as_bytes().get(3) != Some(&b'-')
    })
}

/// True when a tagged IMAP line or a POP3 end has come.
pub(crate) fn is_whole_listing(heard: &[u8]) -> bool {
    let text = String::from_utf8_lossy(heard);
    text.ends_with('\n')
        && text
            .lines()
            .next_back()
            .is_some_and(|line| line == "." || line.starts_with("a1 ") || line.starts_with("-ERR"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_whole_with_its_last_line() {
        assert!(is_whole_reply(b"220 ready\r\n"));
        assert!(is_whole_reply(b"220-Welcome\r\n220 ready\r\n"));
        assert!(!is_whole_reply(b"220-Welcome\r\n"));
        assert!(!is_whole_reply(b"220 rea"));
        assert!(!is_whole_reply(b""));
        assert!(is_whole_listing(b"* CAPABILITY IMAP4rev1\r\na1 OK done\r\n"));
        assert!(is_whole_listing(b"+OK\r\nSTLS\r\n.\r\n"));
        assert!(!is_whole_listing(b"+OK\r\n"));
    }
}

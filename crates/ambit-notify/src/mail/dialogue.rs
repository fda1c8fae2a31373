//! The dialogue with a mail server that is slow, refuses and puts off: over a wire whose clock that server moves.

use super::*;
use ambit_net::wire::{Datagrams, Hold, Stream, TrustAnchor, WireTime};
use futures::future::BoxFuture;
use ipnet::IpNet;
use std::net::IpAddr;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::watch;

/// How long a step of the dialogue may take in these tests.
const STEP: Duration = Duration::from_secs(15);

/// What the server says to which word (`.`: to the letter), and how long it thinks before it does.
type Says = (&'static str, &'static str, Duration);

/// The internet of one mail server.
#[derive(Clone)]
struct OneServer {
    clock: Arc<watch::Sender<Duration>>,
    says: Vec<Says>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl OneServer {
    fn new(says: &[Says]) -> Self {
        Self { clock: Arc::new(watch::Sender::new(Duration::ZERO)), says: says.to_vec(), heard: Arc::default() }
    }

    async fn answer(self, stream: DuplexStream) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        stream.write_all(b"220 mail.example\r\n").await?;
        let mut is_letter = false;
        let mut line = String::new();
        while stream.read_line(&mut line).await? > 0 {
            let said = std::mem::take(&mut line).trim_end().to_owned();
            if is_letter && said != "." {
                continue;
            }
            is_letter = said == "DATA";
            let usual = if is_letter { "354 go on" } else { "250 ok" };
            let known = self.says.iter().find(|(word, ..)| said.starts_with(word));
            let (_, reply, thinks) = known.copied().unwrap_or(("", usual, Duration::ZERO));
            self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(said);
            if !thinks.is_zero() {
                self.clock.send_modify(|now| *now += thinks);
                // Whoever has waited long enough by then goes away now.
                for _ in 0..16 {
                    tokio::task::yield_now().await;
                }
            }
            stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
        }
        Ok(())
    }
}

impl Wire for OneServer {
    fn connect(&self, _to: SocketAddr) -> BoxFuture<'static, io::Result<Box<dyn Stream>>> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(self.clone().answer(theirs));
        Box::pin(async move { Ok(Box::new(ours) as Box<dyn Stream>) })
    }

    fn datagrams(&self, _peer: IpAddr) -> io::Result<Box<dyn Datagrams>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn now(&self) -> WireTime {
        *self.clock.borrow()
    }

    fn date(&self) -> Timestamp {
        Timestamp(0)
    }

    fn sleep_until(&self, at: WireTime) -> BoxFuture<'static, ()> {
        let mut clock = self.clock.subscribe();
        Box::pin(async move {
            if clock.wait_for(|now| *now >= at).await.is_err() {
                std::future::pending().await
            }
        })
    }

    fn track(&self, task: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        task
    }

    fn hold(&self) -> Box<dyn Hold> {
        struct Nothing;
        impl Hold for Nothing {}
        Box::new(Nothing)
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }

    fn resolvers(&self) -> Vec<SocketAddr> {
        Vec::new()
    }

    fn trust_roots(&self) -> Arc<Vec<TrustAnchor<'static>>> {
        Arc::default()
    }

    fn reserved(&self) -> &[IpNet] {
        &[]
    }
}

/// How the server answers a letter to this address, and what it heard.
async fn sent(to: &str, says: &[Says]) -> (Answer, Vec<String>) {
    let server = OneServer::new(says);
    let settings = MailSettings::parse("smtp+clear://192.0.2.25", "Ambit <ambit@b\u{fc}cher.example>", &[]);
    let mail = Mail::new(settings.expect("settings"), Arc::new(server.clone()));
    let letter = Letter { to: to.to_owned(), subject: "s".to_owned(), text: "t".to_owned(), html: "h".to_owned() };
    let answer = mail.send(letter, Uuid::nil(), Timestamp(0), STEP).await;
    let heard = server.heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
    (answer, heard)
}

const TO: &str = "team@example.org";
const AT_ONCE: Duration = Duration::ZERO;

#[tokio::test]
async fn a_server_that_thinks_over_a_letter_is_waited_for() {
    let seconds = Duration::from_secs;
    for (word, thinks, wanted) in [
        (".", seconds(20), None),
        (".", seconds(299), None),
        (".", seconds(301), Some("over the letter")),
        ("RCPT", seconds(14), None),
        ("RCPT", seconds(16), Some("over RCPT")),
        ("QUIT", seconds(3_600), None),
    ] {
        let (answer, _) = sent(TO, &[(word, "250 ok", thinks)]).await;
        match wanted {
            None => assert_eq!(answer, Answer::Taken("SMTP 250".to_owned()), "{word} {thinks:?}"),
            Some(why) => assert!(answer.said().ends_with(why), "{word} {thinks:?}: {answer:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_refused_for_good_of_a_recipient_is_not_tried_again() {
    for (word, reply, is_final) in [
        ("RCPT", "550 5.1.1 no such user", true),
        (".", "552 5.2.2 mailbox full", true),
        ("RCPT", "450 4.2.0 later", false),
        (".", "452 4.3.1 no room", false),
        // What the operator can mend.
        ("MAIL", "530 5.7.0 sign in first", false),
    ] {
        let (answer, _) = sent(TO, &[(word, reply, AT_ONCE)]).await;
        assert_eq!(matches!(answer, Answer::Never(_)), is_final, "{word} {reply}: {answer:?}");
        assert!(answer.said().contains(&reply[..3]) && answer.said().ends_with(&reply[4..]), "{answer:?}");
    }
}

#[tokio::test]
async fn domains_are_said_in_ascii_and_a_name_beyond_it_only_where_the_server_takes_it() {
    let (answer, heard) = sent("user@ex\u{e4}mple.org", &[]).await;
    assert_eq!(answer, Answer::Taken("SMTP 250".to_owned()));
    assert!(heard.contains(&"RCPT TO:<user@xn--exmple-cua.org>".to_owned()), "{heard:?}");
    assert!(heard.contains(&"MAIL FROM:<ambit@xn--bcher-kva.example>".to_owned()), "{heard:?}");
    let beyond = "\u{fc}ser@example.org";
    let (answer, _) = sent(beyond, &[]).await;
    assert!(matches!(&answer, Answer::Never(why) if why.contains("SMTPUTF8")), "{answer:?}");
    let knows: Says = ("EHLO", "250-mail.example\r\n250-8BITMIME\r\n250 SMTPUTF8", AT_ONCE);
    let (answer, heard) = sent(beyond, &[knows]).await;
    assert_eq!(answer, Answer::Taken("SMTP 250".to_owned()), "{heard:?}");
}

//! Mail: the operator's server, and the dialogue with it over a connection that the door opened.

use crate::answer::Answer;
use crate::channel::Letter;
use ambit_model::Timestamp;
use ambit_model::notification::target::domain_in_ascii;
use ambit_model::percent::unescaped;
use ambit_net::guard::OperatorOnly;
use ambit_net::tls::TlsOptions;
use ambit_net::{Grant, Grants, Net, NetOptions, Pace, PaceLimits, Session, Wire};
use lettre::Address;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream, Certificate, TlsParameters};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::{Error, commands};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, UNIX_EPOCH};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use uuid::Uuid;

/// The purpose under which the operator's server is contacted.
const MAIL: &str = "mail";
/// Ports where none is said: with TLS from the first byte, with STARTTLS, and in clear.
const PORT_TLS: u16 = 465;
const PORT_SUBMISSION: u16 = 587;
const PORT_CLEAR: u16 = 25;

/// Time for the answer to the dot that ends a letter. A server looks the letter through before it answers; one that is
/// given up meanwhile delivers it all the same, and it would be sent again. RFC 5321 §4.5.3.2.6 asks for ten minutes.
const TAKING_LIMIT: Duration = Duration::from_secs(300);
/// Time for the farewell, on which nothing depends.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// How the connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protection {
    /// TLS from the first byte.
    Tls,
    /// `STARTTLS`, without which nothing is sent.
    StartTls,
    Clear,
}

/// The operator's mail server, as the settings say it.
#[derive(Clone)]
pub struct MailSettings {
    host: String,
    port: u16,
    protection: Protection,
    credentials: Option<(String, String)>,
    from: Mailbox,
    authorities: Vec<Certificate>,
}

impl std::fmt::Debug for MailSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailSettings").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

impl MailSettings {
    /// Reads `smtps://USER:PASSWORD@HOST:PORT` (TLS from the first byte), `smtp://…` (STARTTLS) or `smtp+clear://…`,
    /// the sender's address, and authorities as PEM that are trusted beside those of browsers. Fails with what was
    /// expected.
    pub fn parse(url: &str, from: &str, authorities: &[Vec<u8>]) -> Result<Self, String> {
        let wanted = || "expected a URL such as smtps://user:password@mail.example.org".to_owned();
        let (scheme, rest) = url.split_once("://").ok_or_else(wanted)?;
        let (protection, usual) = match scheme {
            "smtps" => (Protection::Tls, PORT_TLS),
            "smtp" => (Protection::StartTls, PORT_SUBMISSION),
            "smtp+clear" => (Protection::Clear, PORT_CLEAR),
            _ => return Err(wanted()),
        };
        let (user, place) = rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user), place));
        let place = place.trim_end_matches('/');
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && !host.ends_with(':') => {
                (host, port.parse().map_err(|_| wanted())?)
            }
            _ => (place, usual),
        };
        let credentials = user.map(|user| {
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            (decode(name), decode(password))
        });
        let wrong = |error| format!("{from:?} is no address: {error}");
        let mut sender: Mailbox = from.parse().map_err(wrong)?;
        if let Some(address) = domain_in_ascii(sender.email.as_ref()) {
            sender.email = address.parse().map_err(wrong)?;
        }
        let read = |pem: &Vec<u8>| Certificate::from_pem(pem).map_err(|error| format!("an authority: {error}"));
        let authorities = authorities.iter().map(read).collect::<Result<_, _>>()?;
        if host.is_empty() {
            return Err(wanted());
        }
        let host = host.trim_matches(['[', ']']).to_owned();
        Ok(Self { host, port, protection, credentials, from: sender, authorities })
    }
}

/// A part of a URL without its escapes.
fn decode(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(text)).into_owned()
}

/// A way to send letters: the operator's server and the door to it.
pub struct Mail {
    settings: MailSettings,
    session: Session,
}

impl Mail {
    /// Opens nothing yet.
    pub fn new(settings: MailSettings, wire: Arc<dyn Wire>) -> Self {
        let pace = Arc::new(Pace::new(PaceLimits::default()));
        let net = Net::new(wire, Arc::new(OperatorOnly), pace, NetOptions::default());
        Self { settings, session: net.session(Grants::operator(MAIL)) }
    }

    /// Sends a letter. Each step of the dialogue takes at most `limit`, but for the answer to the letter itself. The id
    /// is that of the message, the same at every try.
    pub(crate) async fn send(&self, letter: Letter, id: Uuid, now: Timestamp, limit: Duration) -> Answer {
        match self.message(&letter, id, now) {
            Ok(message) => self.deliver(&message, limit).await.unwrap_or_else(|failed| failed),
            Err(why) => Answer::Never(why),
        }
    }

    fn message(&self, letter: &Letter, id: Uuid, now: Timestamp) -> Result<lettre::Message, String> {
        // Addresses that were added before this was done at once have their domain as a person wrote it.
        let to = domain_in_ascii(&letter.to).unwrap_or_else(|| letter.to.clone());
        let to: Mailbox = to.parse().map_err(|error| format!("{:?} is no address: {error}", letter.to))?;
        let date = UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).unwrap_or(0));
        let body = MultiPart::alternative_plain_html(letter.text.clone(), letter.html.clone());
        let message = lettre::Message::builder()
            .from(self.settings.from.clone())
            .to(to)
            .subject(letter.subject.clone())
            .message_id(Some(format!("<{id}@{}>", self.settings.from.email.domain())))
            .date(date)
            .multipart(body);
        let mut message = message.map_err(|error| error.to_string())?;
        // Whoever is away does not answer a program.
        let name = HeaderName::new_from_ascii_str("Auto-Submitted");
        message.headers_mut().insert_raw(HeaderValue::new(name, "auto-generated".to_owned()));
        Ok(message)
    }

    async fn deliver(&self, message: &lettre::Message, limit: Duration) -> Result<Answer, Answer> {
        let mut server = self.sign_in(limit).await?;
        let handed = self.hand_over(&mut server, message, limit).await;
        // What becomes of the connection does not matter: the letter is taken, or it is not.
        tokio::select! {
            _ = server.quit() => {}
            () = self.session.sleep(QUIT_LIMIT) => {}
        }
        handed
    }

    /// Up to where letters may be handed over.
    async fn sign_in(&self, limit: Duration) -> Result<AsyncSmtpConnection, Answer> {
        let settings = &self.settings;
        let hello = ClientId::Domain(settings.from.email.domain().to_owned());
        let stream = self.step(limit, "the connection", self.open()).await?;
        let greeting = AsyncSmtpConnection::connect_with_transport(stream, &hello);
        let mut server = self.command(limit, "its greeting", greeting).await?;
        if settings.protection == Protection::StartTls {
            let mut tls = TlsParameters::builder(settings.host.clone());
            for authority in &settings.authorities {
                tls = tls.add_root_certificate(authority.clone());
            }
            let tls = tls.build_rustls().map_err(|error| answer(&error))?;
            self.command(limit, "STARTTLS", server.starttls(tls, &hello)).await?;
        }
        if let Some((user, password)) = &settings.credentials {
            let credentials = Credentials::new(user.clone(), password.clone());
            let signing = async {
                let signed_in = server.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await;
                signed_in.map_err(|error| away(&format!("the mail server refuses the login: {error}")))
            };
            self.step(limit, "AUTH", signing).await?;
        }
        Ok(server)
    }

    /// Hands a letter over. What the server says of its recipient, and of the letter, is final where it says so.
    async fn hand_over(
        &self,
        server: &mut AsyncSmtpConnection,
        message: &lettre::Message,
        limit: Duration,
    ) -> Result<Answer, Answer> {
        let (envelope, letter) = (message.envelope(), message.formatted());
        let mut parameters = Vec::new();
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        if !envelope.from().into_iter().chain(envelope.to()).all(is_ascii) {
            if !server.server_info().supports_feature(Extension::SmtpUtfEight) {
                let why =
                    "the mail server does not accept addresses with letters beyond ASCII (SMTPUTF8): give another one";
                return Err(Answer::Never(why.to_owned()));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !letter.is_ascii() {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let begun = server.command(commands::Mail::new(envelope.from().cloned(), parameters));
        self.command(limit, "MAIL", begun).await?;
        for address in envelope.to() {
            let asked = async {
                let rcpt = commands::Rcpt::new(address.clone(), Vec::new());
                server.command(rcpt).await.map_err(|error| final_answer(&error))
            };
            self.step(limit, "RCPT", asked).await?;
        }
        self.command(limit, "DATA", server.command(commands::Data)).await?;
        let taking = async { server.message(&letter).await.map_err(|error| final_answer(&error)) };
        let said = self.step(TAKING_LIMIT, "the letter", taking).await?;
        Ok(Answer::Taken(format!("SMTP {}", said.code())))
    }

    /// What a command is answered, in at most `limit`.
    async fn command<T>(
        &self,
        limit: Duration,
        name: &str,
        command: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Answer> {
        self.step(limit, name, async { command.await.map_err(|error| answer(&error)) }).await
    }

    /// What comes of a step of the dialogue, in at most `limit`.
    async fn step<T>(
        &self,
        limit: Duration,
        name: &str,
        step: impl Future<Output = Result<T, Answer>>,
    ) -> Result<T, Answer> {
        tokio::select! {
            // What came just in time counts.
            biased;
            done = step => done,
            () = self.session.sleep(limit) => Err(away(&format!("the mail server took too long over {name}"))),
        }
    }

    /// A connection to the server, under TLS where that comes first.
    async fn open(&self) -> Result<Box<dyn AsyncTokioStream>, Answer> {
        let MailSettings { host, port, protection, .. } = &self.settings;
        let failed = |error: ambit_net::NetError| away(&format!("the mail server cannot be reached: {error}"));
        let opened = self.session.connect_to(Grant::Operator(MAIL), host, *port).await.map_err(failed)?;
        let address = opened.address();
        if *protection != Protection::Tls {
            return Ok(Box::new(Line { stream: Mutex::new(opened), address }));
        }
        let options = TlsOptions::plain();
        let shaken = self.session.tls_over(opened, Some(host), &options).await.map_err(failed)?;
        let (stream, facts) = shaken.into_stream().map_err(failed)?;
        if !facts.verification.is_trusted() {
            let problems: Vec<&str> = facts.verification.problems.iter().map(|problem| problem.name()).collect();
            return Err(away(&format!("the mail server is not trusted: {}", problems.join(", "))));
        }
        Ok(Box::new(Line { stream: Mutex::new(stream), address }))
    }
}

fn away(said: &str) -> Answer {
    Answer::Away { said: crate::text::plain(said), pause_ms: None }
}

/// What the server refuses for good is refused; everything else is tried again.
fn answer(error: &Error) -> Answer {
    let said = crate::text::plain(&error.to_string());
    if error.is_permanent() { Answer::Refused(said) } else { Answer::Away { said, pause_ms: None } }
}

/// The same of what is said of a recipient, or of the letter: what is refused for good will be refused again.
fn final_answer(error: &Error) -> Answer {
    if error.is_permanent() { Answer::Never(crate::text::plain(&error.to_string())) } else { answer(error) }
}

/// A stream of the door in the form that the dialogue needs: shared between threads, though only one ever holds it.
struct Line<S> {
    stream: Mutex<S>,
    address: SocketAddr,
}

impl<S: Unpin> Line<S> {
    fn stream(&mut self) -> Pin<&mut S> {
        Pin::new(self.stream.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S> std::fmt::Debug for Line<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line to {}", self.address)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Line<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream().poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Line<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().stream().poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream().poll_shutdown(cx)
    }
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> AsyncTokioStream for Line<S> {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

#[cfg(test)]
mod dialogue;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_where_and_how() {
        let read = |url: &str| MailSettings::parse(url, "Ambit <ambit@example.org>", &[]);
        let rows = [
            ("smtps://mail.example.org", "mail.example.org", 465, Protection::Tls, None),
            ("smtp://mail.example.org:2525/", "mail.example.org", 2525, Protection::StartTls, None),
            ("smtp+clear://127.0.0.1", "127.0.0.1", 25, Protection::Clear, None),
            ("smtp://a%40b:p%3Aw@[::1]:25", "::1", 25, Protection::StartTls, Some(("a@b", "p:w"))),
        ];
        for (url, host, port, protection, credentials) in rows {
            let settings = read(url).expect(url);
            assert_eq!((settings.host.as_str(), settings.port, settings.protection), (host, port, protection), "{url}");
            let wanted = credentials.map(|(name, password)| (name.to_owned(), password.to_owned()));
            assert_eq!(settings.credentials, wanted, "{url}");
            assert!(!format!("{settings:?}").contains("p:w"));
        }
        for url in ["", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://host:port"] {
            assert!(read(url).is_err(), "{url}");
        }
        assert!(MailSettings::parse("smtp://mail.example.org", "nobody", &[]).is_err());
    }
}

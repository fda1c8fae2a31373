//! Many ports of one address asked with a datagram each. A run waits for thousands of answers that never come, so that
//! a question is a row here: all of an address share a socket. No other address is asked from that socket, so that who
//! answers for this one without having been asked has to guess its port.

use super::AnswerFrom;
use crate::door::{DatagramSocket, Door, Pass, rates_of_target};
use crate::error::NetError;
use crate::guard::{Grant, Transport};
use crate::limits::SWEPT_ANSWER_BYTES_MAX;
use crate::wire::WireTime;
use futures::{StreamExt, stream};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// Questions of an address that wait for their turns at once. Thousands of addresses are asked beside each other, and
/// each turn that is waited for takes more than a kilobyte.
const TURNS_MAX: usize = 4;

/// One datagram to a port of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortQuestion {
    pub port: u16,
    pub payload: Vec<u8>,
    pub answers: AnswerFrom,
}

/// Reads what came from where the answer to a question may come from: `None` where it does not answer the question of
/// that number.
pub type ReadAnswer<T> = Box<dyn FnMut(usize, &[u8]) -> Option<T> + Send>;

/// Questions that were sent to an address, and the answers that came so far.
pub struct Asking<T> {
    door: Door,
    address: IpAddr,
    rows: Vec<Row<T>>,
    read: ReadAnswer<T>,
    line: Option<Line>,
    /// The place of its socket among all. It is kept where the socket fails: while another place is waited for, turns
    /// would pass, and all of them would go out at once.
    socket: Option<OwnedSemaphorePermit>,
    _place: OwnedSemaphorePermit,
    wait: Duration,
    /// When the wait for answers is over.
    until: WireTime,
}

/// What became of a question.
struct Row<T> {
    port: u16,
    answers: AnswerFrom,
    state: State<T>,
}

enum State<T> {
    /// It waits for its turn.
    Waits,
    Sent,
    Answered(T),
    /// It was not sent, and why.
    Failed(NetError),
    /// The system says that the address cannot be reached, which is as good as silence.
    Unreachable,
}

/// The socket of an address.
struct Line {
    socket: DatagramSocket,
    buffer: Vec<u8>,
    /// Refusals that may still be heard: a system that tells of them tells one for each question.
    refusals: usize,
}

/// Sends the questions, each when the rates let it out.
pub(crate) async fn ask_ports<T: Send>(
    door: &Door,
    address: IpAddr,
    questions: Vec<PortQuestion>,
    read: ReadAnswer<T>,
    wait: Duration,
) -> Asking<T> {
    let row = |question: &PortQuestion| Row { port: question.port, answers: question.answers, state: State::Waits };
    let rows = questions.iter().map(row).collect();
    // As long as it waits for its place, it takes no turn from others.
    let place = door.swept_place().await;
    let until = door.now();
    let (line, socket) = (None, None);
    let mut asking = Asking { door: door.clone(), address, rows, read, line, socket, _place: place, wait, until };
    let rates = &rates_of_target(address);
    let admit = |(number, question): (usize, PortQuestion)| async move {
        let to = SocketAddr::new(address, question.port);
        (number, question.payload, door.admit_datagram(Grant::Target, to, None, rates).await)
    };
    let mut turns = questions.into_iter().enumerate().map(admit);
    // The others take their turns once there is a socket: while it is waited for, their turns would pass, and all of
    // them would go out at once.
    for turn in turns.by_ref() {
        asking.ask(turn.await).await;
        if asking.line.is_some() {
            break;
        }
    }
    let mut turns = stream::iter(turns).buffer_unordered(TURNS_MAX);
    loop {
        tokio::select! {
            biased;
            turn = turns.next() => match turn {
                Some(turn) => asking.ask(turn).await,
                None => return asking,
            },
            heard = receive(&mut asking.line) => asking.take(heard),
        }
    }
}

/// The next datagram; never where there is no socket yet.
async fn receive(line: &mut Option<Line>) -> io::Result<(Vec<u8>, SocketAddr)> {
    match line {
        Some(line) => {
            let (length, from) = line.socket.receive(&mut line.buffer).await?;
            Ok((line.buffer[..length].to_vec(), from))
        }
        None => std::future::pending().await,
    }
}

impl<T> Asking<T> {
    /// Waits for the answers that have not come yet, and returns what each question came to, in their order: `None` is
    /// silence, which says nothing, and an error says that the datagram did not go out, or that the address refused it.
    pub async fn end(mut self) -> Vec<Result<Option<T>, NetError>> {
        let door = self.door.clone();
        // Thousands wait beside each other for answers that mostly never come, and none does anything meanwhile.
        let _waits = door.waits();
        while self.rows.iter().any(|row| matches!(row.state, State::Sent)) && door.now() < self.until {
            match door.until(self.until, "datagram", receive(&mut self.line)).await {
                Ok(heard) => self.take(heard),
                Err(_) => break,
            }
        }
        let come_to = |row: Row<T>| match row.state {
            State::Answered(answer) => Ok(Some(answer)),
            State::Failed(error) => Err(error),
            State::Waits | State::Sent | State::Unreachable => Ok(None),
        };
        self.rows.into_iter().map(come_to).collect()
    }

    /// Sends the datagram of a question, if it was admitted.
    async fn ask(&mut self, (number, payload, pass): (usize, Vec<u8>, Result<Pass, NetError>)) {
        let sent = match pass {
            Ok(pass) => self.send(pass, &payload).await,
            Err(refused) => Err(refused),
        };
        self.rows[number].state = match sent {
            Ok(()) => State::Sent,
            Err(NetError::Unreachable(_)) if self.line.is_some() => State::Unreachable,
            Err(error) => State::Failed(error),
        };
    }

    /// Sends a datagram that was admitted.
    async fn send(&mut self, pass: Pass, payload: &[u8]) -> Result<(), NetError> {
        let line = match &mut self.line {
            Some(line) => line,
            none => {
                if self.socket.is_none() {
                    let place = self.door.socket().await;
                    // Scope may have changed while it waited for a socket.
                    self.door.check(Grant::Target, pass.to(), Transport::Udp, None)?;
                    self.socket = Some(place);
                }
                let socket = self.door.datagram_socket(self.address, "datagram")?;
                let buffer = vec![0; SWEPT_ANSWER_BYTES_MAX];
                none.insert(Line { socket, buffer, refusals: self.rows.len() })
            }
        };
        line.socket.send(pass, payload).await.map_err(|error| NetError::from_io(&error, "datagram"))?;
        self.until = self.door.now() + self.wait;
        Ok(())
    }

    /// Takes what was heard: the answer to the first question that it answers, of those that were sent and are open.
    /// Those of the port that it came from go first.
    fn take(&mut self, heard: io::Result<(Vec<u8>, SocketAddr)>) {
        match heard {
            Ok((bytes, from)) if from.ip() == self.address => {
                for of_that_port in [true, false] {
                    let read = &mut self.read;
                    let mut open =
                        self.rows.iter_mut().enumerate().filter(|(_, row)| row.may_say(from.port(), of_that_port));
                    let answered = open.find_map(|(number, row)| Some((row, read(number, &bytes)?)));
                    if let Some((row, answer)) = answered {
                        row.state = State::Answered(answer);
                        return;
                    }
                }
            }
            // From elsewhere.
            Ok(_) => {}
            Err(error) => self.fail(&error),
        }
    }

    /// Takes an error of the socket: one that may be a refusal of one port says nothing of the others.
    fn fail(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionRefused, ConnectionReset};
        let Some(line) = &mut self.line else { return };
        if matches!(error.kind(), ConnectionRefused | ConnectionReset) && line.refusals > 0 {
            line.refusals -= 1;
            return;
        }
        for row in self.rows.iter_mut().filter(|row| matches!(row.state, State::Sent)) {
            row.state = State::Failed(NetError::from_io(error, "datagram"));
        }
        self.line = None;
    }
}

impl<T> Row<T> {
    /// Whether its answer may come from a port: from the one that was asked, or from another where the protocol has it
    /// so.
    fn may_say(&self, from: u16, that_port: bool) -> bool {
        let may = if that_port { from == self.port } else { from != self.port && self.answers == AnswerFrom::AnyPort };
        may && matches!(self.state, State::Sent)
    }
}

//! Walks over the words of a line, and says what was expected where.

use crate::draft::Moment;
use crate::problem::Fault;
use crate::text::{Line, Word};
use ambit_model::Timestamp;
use ambit_model::moment::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS};
use std::net::IpAddr;
use std::time::Duration;

/// Longest span, in days: dates stay within four digits of year.
const DAYS_MAX: i64 = 36_500;

/// A place in a line.
pub(crate) struct Cursor<'a> {
    pub line: usize,
    words: &'a [Word],
    at: usize,
}

/// The lines below a statement, and what is wrong in them.
pub(crate) struct Below<'a> {
    pub lines: &'a [Line],
    pub faults: &'a mut Vec<Fault>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a Line) -> Self {
        Self { line: line.number, words: &line.words, at: 0 }
    }

    /// Reads the rest of the line and each line below it into a thing. A fault in a line below is noted, and the lines
    /// behind it are read.
    pub(crate) fn read_into<T>(
        &mut self,
        thing: &mut T,
        below: &mut Below<'_>,
        words: fn(&mut T, &mut Cursor<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        words(thing, self)?;
        below.faults.extend(below.lines.iter().filter_map(|line| words(thing, &mut Cursor::new(line)).err()));
        Ok(())
    }

    /// A fault at the word before the cursor.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        let word = self.words.get(self.at.saturating_sub(1)).map_or("", |word| word.text.as_str());
        Fault::new(self.line, word, message)
    }

    /// The next word if there is one.
    pub(crate) fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word.text.as_str())
    }

    pub(crate) fn next_if_unquoted(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|next| !next.quoted && next.text == word);
        self.at += usize::from(found);
        found
    }

    /// The next word if it is quoted.
    pub(crate) fn next_quoted(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).filter(|word| word.quoted)?;
        self.at += 1;
        Some(word.text.as_str())
    }

    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|word| word.text.as_str())
    }

    /// The next word if it is there and not quoted.
    pub(crate) fn peek_unquoted(&self) -> Option<&'a str> {
        self.words.get(self.at).filter(|word| !word.quoted).map(|word| word.text.as_str())
    }

    /// The next word, which must be there.
    pub(crate) fn word(&mut self, expected: &str) -> Result<&'a str, Fault> {
        self.next()
            .ok_or_else(|| Fault::new(self.line, self.last(), format!("the line ends here; expected {expected}")))
    }

    fn last(&self) -> &'a str {
        self.words.last().map_or("", |word| word.text.as_str())
    }

    /// The rest of the words, at least one.
    pub(crate) fn rest(&mut self, expected: &str) -> Result<Vec<String>, Fault> {
        let mut rest = vec![self.word(expected)?.to_owned()];
        rest.extend(std::iter::from_fn(|| self.next().map(str::to_owned)));
        Ok(rest)
    }

    /// Nothing may follow.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        match self.next() {
            None => Ok(()),
            Some(_) => Err(self.fault("nothing more was expected on this line")),
        }
    }

    pub(crate) fn unknown(&self, expected: &str) -> Fault {
        self.fault(format!("unknown word; expected {expected}"))
    }

    /// The name of a header or a cookie.
    pub(crate) fn header_name(&mut self) -> Result<String, Fault> {
        let name = self.word("a name")?;
        let good = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        good.then(|| name.to_owned())
            .ok_or_else(|| self.fault("a header's or cookie's name has letters, digits, `-`, `_` and `.`"))
    }

    /// One of a list of words.
    pub(crate) fn choice<T: Copy>(&mut self, choices: &[(&str, T)]) -> Result<T, Fault> {
        let expected = choices.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        let word = self.word(&expected)?;
        choices.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or_else(|| self.unknown(&expected))
    }

    /// A host name in canonical form; a leading `*.` is kept where it is allowed.
    pub(crate) fn host_name(&mut self, wildcard: bool) -> Result<String, Fault> {
        let word = self.word("a name")?;
        let (star, rest) = match word.strip_prefix("*.") {
            Some(rest) if wildcard => ("*.", rest),
            _ => ("", word),
        };
        match ambit_model::Kind::DnsRecord.canonical(rest) {
            Ok(name) => Ok(format!("{star}{name}")),
            Err(invalid) => Err(self.fault(format!("no host name: {}", invalid.why))),
        }
    }

    pub(crate) fn address(&mut self) -> Result<IpAddr, Fault> {
        let word = self.word("an IP address")?;
        word.parse().map_err(|_| self.fault("no IP address such as 192.0.2.1 or 2001:db8::1"))
    }

    /// The next word if it is an address.
    pub(crate) fn next_address(&mut self) -> Option<IpAddr> {
        let address = self.peek()?.parse().ok()?;
        self.at += 1;
        Some(address)
    }

    pub(crate) fn number<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T, Fault> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| self.fault(format!("no number here; expected {expected}")))
    }

    pub(crate) fn port(&mut self) -> Result<u16, Fault> {
        match self.number("a port from 1 to 65535")? {
            0 => Err(self.fault("a port is a number from 1 to 65535")),
            port => Ok(port),
        }
    }

    pub(crate) fn status(&mut self) -> Result<u16, Fault> {
        match self.number("a status from 200 to 599")? {
            status @ 200..=599 => Ok(status),
            _ => Err(self.fault("a status is a number from 200 to 599")),
        }
    }

    /// `5d`, `36h`, `90s`, `250ms`.
    pub(crate) fn span_ms(&mut self) -> Result<i64, Fault> {
        let word = self.word("a span such as 5d, 36h, 90s or 250ms")?;
        span_ms(word).ok_or_else(|| self.fault("no span such as 5d, 36h, 90s or 250ms"))
    }

    pub(crate) fn duration(&mut self) -> Result<Duration, Fault> {
        let ms = self.span_ms()?;
        Ok(Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
    }

    /// `+90d`, `-30d` from the epoch, or a date.
    pub(crate) fn moment(&mut self) -> Result<Moment, Fault> {
        let word = self.word("a moment such as +90d, -5d or 2019-03-01")?;
        let relative = |sign: i64, span: &str| span_ms(span).map(|ms| Moment::FromEpoch(sign * ms));
        let found = match word.split_at_checked(1) {
            Some(("+", span)) => relative(1, span),
            Some(("-", span)) => relative(-1, span),
            _ => Timestamp::parse(word).map(Moment::At),
        };
        found.ok_or_else(|| self.fault("no moment such as +90d, -5d or 2019-03-01"))
    }
}

fn span_ms(word: &str) -> Option<i64> {
    let digits = word.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = word.split_at(digits);
    let unit_ms = match unit {
        "ms" => 1,
        "s" => SECOND_MS,
        "m" => MINUTE_MS,
        "h" => HOUR_MS,
        "d" => DAY_MS,
        _ => return None,
    };
    let ms = number.parse::<i64>().ok()?.checked_mul(unit_ms)?;
    (ms <= DAYS_MAX * DAY_MS).then_some(ms)
}

//! Reading the ledger: what was sent to an address, and whether the chain is whole.

use super::FOLDER;
use super::page::{Beginning, Entry, LOCK, chained, pages, split};
use ambit_model::Timestamp;
use ipnet::IpNet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// The ledger of a data folder, to be read.
pub(crate) struct Ledger(PathBuf);

/// What the chain has from its first line that is kept to its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) lines: u64,
    /// The hash of the newest line.
    pub(crate) chain: String,
    /// True where a hash that was asked for is in it.
    pub(crate) has_asked: bool,
}

/// The times that are asked for, the ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
}

impl Ledger {
    /// The ledger of a data folder, whether anything was written there or not.
    pub(crate) fn of(data: &Path) -> Self {
        Self(data.join(FOLDER))
    }

    /// Waits until nobody writes, and keeps it so until the answer is dropped. `None`: nothing was ever written.
    fn rest(&self) -> io::Result<Option<File>> {
        match File::open(self.0.join(LOCK)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => {
                let turn = opened?;
                turn.lock_shared()?;
                Ok(Some(turn))
            }
        }
    }

    /// Hands over each entry, the oldest first. A line that is none is left out.
    fn each(&self, mut take: impl FnMut(Entry)) -> io::Result<()> {
        let _rest = self.rest()?;
        for (_, path) in pages(&self.0)? {
            for line in BufReader::new(File::open(path)?).lines() {
                let entry = split(&line?).and_then(|(text, _)| serde_json::from_str(&text).ok());
                entry.into_iter().for_each(&mut take);
            }
        }
        Ok(())
    }

    /// Returns what was sent to addresses of a network, and since when the ledger knows.
    pub(crate) fn find(&self, network: IpNet, range: Range) -> io::Result<(Vec<Entry>, Option<Timestamp>)> {
        let (mut found, mut since) = (Vec::new(), None);
        self.each(|entry| {
            since = since.or(Some(entry.from));
            if network.contains(&entry.address) && entry.from <= range.to && entry.to >= range.from {
                found.push(entry);
            }
        })?;
        Ok((found, since))
    }

    /// Follows the whole chain. The inner error says where it is broken, and how.
    pub(crate) fn verify(&self, asked: Option<&str>) -> io::Result<Result<Head, String>> {
        let _rest = self.rest()?;
        let mut head = Head { lines: 0, chain: super::GENESIS.to_owned(), has_asked: false };
        let mut expected: Option<u64> = None;
        for (number, path) in pages(&self.0)? {
            let broken = |line: usize, what: &str| Ok(Err(format!("{} line {line}: {what}", path.display())));
            let mut lines = BufReader::new(File::open(&path)?).lines();
            let first = lines.next().transpose()?.unwrap_or_default();
            let Ok(beginning) = serde_json::from_str::<Beginning>(&first) else {
                return broken(1, "it does not say where it begins");
            };
            if beginning.page != number || expected.is_some_and(|expected| expected != number) {
                return broken(1, "a page is missing before it");
            }
            // The pages before the oldest one were removed when there was no room; what they ended with is said here.
            if (expected.is_some() || number == 1) && beginning.before != head.chain {
                return broken(1, "it does not continue the page before it");
            }
            expected = Some(number + 1);
            head.chain = beginning.before;
            head.has_asked |= asked == Some(&head.chain);
            for (index, line) in lines.enumerate() {
                let line = line?;
                let Some((text, chain)) = split(&line) else { return broken(index + 2, "it is no line of a ledger") };
                if chained(&head.chain, &text) != chain {
                    return broken(index + 2, "it was changed, or a line before it is missing");
                }
                head.chain = chain.to_owned();
                head.lines += 1;
                head.has_asked |= asked == Some(&head.chain);
            }
        }
        Ok(Ok(head))
    }
}

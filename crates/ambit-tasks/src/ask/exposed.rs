//! Asks a site for the files of a repository that it hands out, one by one: what lies beside the objects first, then
//! packs, then the objects that the others name. What a site says is believed as far as hashes bear it out, and what it
//! does not say is counted, never taken for nothing there.

use crate::ask::together::together;
use crate::ask::web;
use crate::history;
use crate::{Context, Result, TaskError};
use ambit_git::served::{self, Config, Index, Target, Wanted};
use ambit_git::{Gathering, GitError, HashKind, Kept, ObjectId};
use ambit_model::entity::repository::Served;
use ambit_net::NetError;
use ambit_net::http::{BodyEnd, BodySink, HttpExchange, Url};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufWriter, Seek};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Requests for one repository: at the usual pace some seven minutes.
const REQUESTS_MAX: usize = 4_000;
/// Bytes of one repository, unless the operator wants fewer of any.
const BYTES_MAX: u64 = 128 * 1_024 * 1_024;
/// Bytes of a file beside the objects that are read; an index of fifty thousand files has fewer.
const FILE_BYTES: usize = 8 * 1_024 * 1_024;
/// Bytes of an object as it is handed out alone.
const OBJECT_BYTES: usize = 4 * 1_024 * 1_024;
/// Objects that are asked for at once at one site, and those that are held in memory until they are kept.
const IN_FLIGHT: usize = 4;
const HELD: usize = 16;
/// Branches and tags whose own files are asked for.
const REFS_MAX: usize = 50;
/// How often one branch may name another.
const HOPS_MAX: usize = 5;
/// Consecutive missing objects after which the site counts as having no more.
const MISSES_MAX: usize = 200;
/// Responses that do not match the requested object after which the site counts as answering anything.
const UNLIKE_MAX: u64 = 20;
/// Questions that may fail before the look does.
const FAILURES_MAX: usize = 12;
/// Objects of which one shows that there is a repository.
const PROOFS_MAX: usize = 8;
/// Texts about what is wrong that are kept.
const NOTES_MAX: usize = 20;
const TOO_LARGE: &str = "an object is larger than is unpacked";

/// Asks for the files below one folder of a site.
pub(crate) struct Reader<'a, 'c> {
    cx: &'a Context<'c>,
    folder: Url,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    requests: usize,
    bytes: u64,
    failed: Vec<TaskError>,
    notes: BTreeSet<String>,
    /// Something was not asked for that is named: a limit was reached, or answers failed.
    cut: bool,
}

/// The content of the files beside the objects.
#[derive(Default)]
pub(crate) struct Named {
    /// By what its objects are named, and whether anything tells that.
    hash: HashKind,
    is_told: bool,
    /// What branches, tags, HEAD and its log point to.
    pub(crate) tips: BTreeSet<ObjectId>,
    pub(crate) head: Option<ObjectId>,
    pub(crate) index: Index,
    pub(crate) config: Option<(Config, HttpExchange)>,
    packs: BTreeSet<String>,
}

impl Named {
    /// Returns what tells whether anything but the tips changed.
    pub(crate) fn beside(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.head.map(|id| id.to_string()).unwrap_or_default());
        for file in &self.index.files {
            hash.update(format!("{} {}\n", file.id, file.path));
        }
        hash.update(self.config.as_ref().map_or(&[][..], |(_, exchange)| &exchange.body));
        hex::encode(hash.finalize())
    }

    /// Leaves what one hash names: that of the settings where they are known, else that which names HEAD, or any tip.
    /// Returns whether another hash named something, which it does in no repository.
    fn keep_one_hash(&mut self, said: Option<HashKind>) -> bool {
        let first = self.head.or(self.tips.first().copied());
        let told = said.or(first.map(|id| id.kind()));
        (self.hash, self.is_told) = (told.unwrap_or_default(), told.is_some());
        let (hash, before) = (self.hash, self.tips.len());
        self.tips.retain(|id| id.kind() == hash);
        self.head = self.head.filter(|id| id.kind() == hash);
        self.tips.len() < before
    }

    /// Reads an index. Where nothing else tells by what objects are named, it does: it is right by one hash alone.
    fn read_index(&mut self, bytes: &[u8]) {
        if !self.is_told
            && let Some(index) = served::index(bytes, HashKind::Sha256).filter(|index| index.is_proven)
        {
            (self.hash, self.is_told, self.index) = (HashKind::Sha256, true, index);
            return;
        }
        self.index = served::index(bytes, self.hash).unwrap_or_default();
        self.is_told |= self.index.is_proven;
    }

    /// Reads a list of packs. Where nothing else tells by what objects are named, the length of their names does.
    fn read_packs(&mut self, text: &str) {
        let longer = if self.is_told { BTreeSet::new() } else { served::packs(text, HashKind::Sha256) };
        if longer.is_empty() {
            self.packs = served::packs(text, self.hash);
        } else {
            (self.hash, self.is_told, self.packs) = (HashKind::Sha256, true, longer);
        }
    }

    fn wanted(&self) -> Vec<Wanted> {
        let tips = self.tips.iter().map(|id| Wanted { id: *id, is_file: false });
        tips.chain(self.index.files.iter().map(|file| Wanted { id: file.id, is_file: true })).collect()
    }
}

/// The objects that a site handed out, and how many those are.
pub(crate) struct Gathered {
    pub(crate) objects: Arc<Gathering>,
    pub(crate) served: Served,
    /// More may be there than was asked for: what an earlier look found holds.
    pub(crate) is_cut: bool,
}

impl<'a, 'c> Reader<'a, 'c> {
    /// Reads below a folder of the site of the context, such as `https://www.example.org:443/.git`.
    pub(crate) fn new(cx: &'a Context<'c>, folder: Url) -> Self {
        Self { cx, folder, tally: Mutex::default() }
    }

    /// Fetches the files beside the objects.
    pub(crate) async fn named(&self) -> Result<Named> {
        let mut named = Named::default();
        let mut branches = BTreeSet::from(["refs/heads/main", "refs/heads/master", "refs/stash"].map(str::to_owned));
        let config = self.file("config").await?;
        if let Some(form) = config.as_ref().and_then(|exchange| served::foreign_form(&web::text(exchange))) {
            self.tally().note(form);
        }
        named.config = config.and_then(|exchange| Some((served::config(&web::text(&exchange))?, exchange)));
        branches.extend(named.config.iter().flat_map(|(config, _)| config.branches.iter().cloned()));
        for list in ["packed-refs", "info/refs"] {
            for found in served::listed(&self.text(list).await?) {
                named.tips.insert(found.id);
                branches.extend(Some(found.name).filter(|name| served::is_ref(name)));
            }
        }
        // What was put aside and thrown away, or put aside before the last, stands in a log alone.
        for log in ["logs/HEAD", "logs/refs/stash"] {
            named.tips.extend(served::logged(&self.text(log).await?));
        }
        for start in ["HEAD", "ORIG_HEAD"].into_iter().chain(branches.iter().map(String::as_str).take(REFS_MAX)) {
            let found = self.followed(start).await?;
            named.tips.extend(found);
            named.head = named.head.or(found.filter(|_| start == "HEAD"));
        }
        let said = named.config.as_ref().map(|(_, exchange)| served::hash_of(&web::text(exchange)));
        if named.keep_one_hash(said) {
            self.tally().note("names of another hash than that of the repository are left out".to_owned());
        }
        if let Some(exchange) = self.file("index").await? {
            named.read_index(&exchange.body);
        }
        // A list of packs is there where somebody made one; some servers list the folder.
        for list in ["objects/info/packs", "objects/pack/"] {
            if named.packs.is_empty() {
                named.read_packs(&self.text(list).await?);
            }
        }
        Ok(named)
    }

    /// Returns the object to which HEAD or a branch leads.
    async fn followed(&self, start: &str) -> Result<Option<ObjectId>> {
        let mut name = start.to_owned();
        for _ in 0..HOPS_MAX {
            match served::target(&self.text(&name).await?) {
                Some(Target::Id(id)) => return Ok(Some(id)),
                Some(Target::Name(next)) => name = next,
                None => return Ok(None),
            }
        }
        self.tally().note(format!("{start} is a chain of references that ends at no commit"));
        Ok(None)
    }

    /// Returns whether anything shows that a repository is there: an index or an object whose hash is right.
    pub(crate) async fn is_proven(&self, named: &Named) -> Result<bool> {
        if named.index.is_proven {
            return Ok(true);
        }
        let objects = gathering(named.hash)?;
        for wanted in named.wanted().iter().take(PROOFS_MAX) {
            let bytes = self.object(&wanted.id).await?;
            if self.is_kept(&objects, wanted.id, bytes, &mut Served::default())? {
                return Ok(true);
            }
        }
        if let Some(name) = named.packs.first() {
            let packs: Vec<_> = self.pack(name).await?.into_iter().collect();
            if self.add_packs(&objects, packs).await? > 0 {
                return Ok(true);
            }
        }
        self.unless_failed(false)
    }

    /// Brings the objects that the files name, and those that they lead to.
    pub(crate) async fn gathered(&self, named: &Named) -> Result<Gathered> {
        let mut packs = Vec::new();
        for name in &named.packs {
            packs.extend(self.pack(name).await?);
        }
        let objects = gathering(named.hash)?;
        let mut served = Served {
            packs: self.add_packs(&objects, packs).await?,
            tracked: named.index.files.len() as u64,
            beside: named.beside(),
            ..Served::default()
        };
        let (mut from, mut seen, mut asked) = (named.wanted(), HashSet::new(), HashSet::new());
        let mut in_vain = 0;
        while !from.is_empty() {
            let missing;
            (seen, missing) = self.missing(&objects, from, seen).await?;
            let wanted: Vec<Wanted> = missing.into_iter().filter(|wanted| asked.insert(wanted.id)).collect();
            from = Vec::new();
            for some in wanted.chunks(HELD) {
                let answers_anything = served.unlike >= UNLIKE_MAX && served.objects == 0;
                if in_vain >= MISSES_MAX || answers_anything {
                    served.missing += some.len() as u64;
                    continue;
                }
                for (wanted, bytes) in self.objects(some).await? {
                    if self.is_kept(&objects, wanted.id, bytes, &mut served)? {
                        from.push(wanted);
                        in_vain = 0;
                    } else {
                        in_vain += 1;
                    }
                }
            }
        }
        if in_vain >= MISSES_MAX {
            self.tally().note(format!("stopped after {MISSES_MAX} objects that the site does not have"));
        }
        Ok(self.told(objects, served))
    }

    /// Keeps an object that came, where it is what was asked for.
    fn is_kept(&self, objects: &Gathering, id: ObjectId, bytes: Option<Vec<u8>>, served: &mut Served) -> Result<bool> {
        let kept = bytes.map(|bytes| objects.add(&id, &bytes)).transpose().map_err(|error| failed(&error))?;
        match kept {
            Some(Kept::Yes) => {
                served.objects += 1;
                return Ok(true);
            }
            Some(Kept::Unlike) => {
                served.unlike += 1;
                self.tally().note("the content of an object does not match its id".to_owned());
            }
            Some(Kept::TooLarge) => self.tally().note(TOO_LARGE.to_owned()),
            None => {}
        }
        served.missing += 1;
        Ok(false)
    }

    fn told(&self, objects: Arc<Gathering>, mut served: Served) -> Gathered {
        let tally = self.tally();
        served.notes = tally.notes.iter().cloned().collect();
        if let Some(error) = tally.failed.first() {
            served.notes.push(format!("some files could not be asked for: {error}"));
        }
        Gathered { objects, served, is_cut: tally.cut }
    }

    /// Adds packs, which are indexed first, and says how many of them are whole.
    async fn add_packs(&self, objects: &Arc<Gathering>, mut packs: Vec<File>) -> Result<u64> {
        let (objects, count) = (objects.clone(), packs.len());
        let broken = history::aside(self.cx, move |stop| objects.add_packs(&mut packs, stop)).await?;
        for error in &broken {
            self.tally().note(format!("a pack is left out: {error}"));
        }
        Ok((count - broken.len()) as u64)
    }

    /// Walks the objects that are there, and returns the missing ones.
    async fn missing(
        &self,
        objects: &Arc<Gathering>,
        from: Vec<Wanted>,
        mut seen: HashSet<ObjectId>,
    ) -> Result<(HashSet<ObjectId>, Vec<Wanted>)> {
        let objects = objects.clone();
        history::aside(self.cx, move |stop| {
            let missing = served::missing(&objects.open()?, from, &mut seen, stop)?;
            Ok((seen, missing))
        })
        .await
    }

    /// Asks for some objects, as compressed as git keeps them, in the order in which they are wanted.
    async fn objects(&self, wanted: &[Wanted]) -> Result<Vec<(Wanted, Option<Vec<u8>>)>> {
        let questions = (0..wanted.len()).map(|at| async move { (at, self.object(&wanted[at].id).await) });
        let mut answers = together(questions, IN_FLIGHT).await;
        answers.sort_by_key(|(at, _)| *at);
        answers.into_iter().map(|(at, bytes)| Ok((wanted[at], bytes?))).collect()
    }

    async fn object(&self, id: &ObjectId) -> Result<Option<Vec<u8>>> {
        let name = id.to_string();
        let (start, rest) = name.split_at(2);
        let exchange = self.ask(&format!("objects/{start}/{rest}"), OBJECT_BYTES).await?;
        if exchange.as_ref().is_some_and(|exchange| exchange.truncated) {
            self.tally().note(TOO_LARGE.to_owned());
        }
        Ok(exchange.filter(|exchange| !exchange.truncated).map(|exchange| exchange.body))
    }

    async fn text(&self, path: &str) -> Result<String> {
        Ok(self.file(path).await?.map(|exchange| web::text(&exchange)).unwrap_or_default())
    }

    async fn file(&self, path: &str) -> Result<Option<HttpExchange>> {
        let exchange = self.ask(path, FILE_BYTES).await?;
        if exchange.as_ref().is_some_and(|exchange| exchange.truncated) {
            self.tally().note(format!("{path} is longer than is read"));
        }
        Ok(exchange)
    }

    /// Asks for a file; `None` where the site does not give it out, or it may not be asked for.
    async fn ask(&self, path: &str, bytes: usize) -> Result<Option<HttpExchange>> {
        if !self.tally().may_ask(self.bytes_max()) {
            return Ok(None);
        }
        let answer = web::get(self.cx, &self.url(path), bytes).await;
        self.answered(answer)
    }

    fn answered(&self, answer: Result<HttpExchange, NetError>) -> Result<Option<HttpExchange>> {
        let mut tally = self.tally();
        let error = match answer {
            Ok(exchange) if exchange.status == 429 || exchange.status >= 500 => {
                TaskError::Failed(format!("the site answers with status {}", exchange.status))
            }
            Ok(exchange) => {
                tally.bytes += exchange.body.len() as u64;
                return Ok((exchange.status == 200).then_some(exchange));
            }
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            Err(error) => error.into(),
        };
        tally.cut = true;
        tally.failed.push(error);
        if tally.failed.len() > FAILURES_MAX { Err(tally.failed[0].clone()) } else { Ok(None) }
    }

    /// Asks for a pack, which goes to a file.
    async fn pack(&self, name: &str) -> Result<Option<File>> {
        let unwritable = |error: std::io::Error| TaskError::Failed(format!("no file for a pack: {error}"));
        if !self.tally().may_ask(self.bytes_max()) {
            return Ok(None);
        }
        let left = self.bytes_max().saturating_sub(self.tally().bytes);
        let writer = Arc::new(Mutex::new(BufWriter::new(tempfile::tempfile().map_err(unwritable)?)));
        let sink = BodySink::new(writer.clone(), usize::try_from(left).unwrap_or(usize::MAX));
        let request = web::request(self.cx, &self.url(&format!("objects/pack/{name}.pack")))?.into_sink(sink);
        let answer = self.cx.net.http(&request).await;
        drop(request);
        let Some(exchange) = self.answered(answer)? else { return Ok(None) };
        let writer = Arc::into_inner(writer).expect("the request that shared it is gone");
        let mut file = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        let length = file.stream_position().map_err(unwritable)?;
        let mut tally = self.tally();
        tally.bytes += length;
        if exchange.end != BodyEnd::Complete {
            tally.cut = true;
            tally.note(match exchange.end {
                BodyEnd::TooLarge => format!("a pack is left out: more than {} MiB", self.bytes_max() >> 20),
                _ => "a pack is left out: it was truncated".to_owned(),
            });
            return Ok(None);
        }
        drop(tally);
        let mut file = file.into_inner().map_err(|error| unwritable(error.into_error()))?;
        file.rewind().map_err(unwritable)?;
        Ok(Some(file))
    }

    /// "Could not look" is not "nothing there", and neither is what cannot be put together.
    pub(crate) fn unless_failed<T>(&self, nothing: T) -> Result<T> {
        let tally = self.tally();
        if let Some(error) = tally.failed.first() {
            return Err(error.clone());
        }
        if tally.notes.is_empty() {
            return Ok(nothing);
        }
        let notes: Vec<&str> = tally.notes.iter().map(String::as_str).collect();
        Err(TaskError::Failed(format!("the repository cannot be put together: {}", notes.join("; "))))
    }

    fn url(&self, path: &str) -> Url {
        self.folder.with_path(&format!("{}/{path}", self.folder.path_only()))
    }

    fn bytes_max(&self) -> u64 {
        self.cx.settings.repository_bytes.min(BYTES_MAX)
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tally {
    /// Counts a request, where there may be one more.
    fn may_ask(&mut self, bytes_max: u64) -> bool {
        let limit = match (self.requests < REQUESTS_MAX, self.bytes < bytes_max) {
            (true, true) => {
                self.requests += 1;
                return true;
            }
            (false, _) => format!("stopped after requesting {REQUESTS_MAX} files"),
            (_, false) => format!("stopped after fetching {} MiB", bytes_max >> 20),
        };
        self.cut = true;
        self.note(limit);
        false
    }

    fn note(&mut self, what: String) {
        if self.notes.len() < NOTES_MAX {
            self.notes.insert(what);
        }
    }
}

fn gathering(hash: HashKind) -> Result<Arc<Gathering>> {
    Gathering::new(hash).map(Arc::new).map_err(|error| failed(&error))
}

fn failed(error: &GitError) -> TaskError {
    TaskError::Failed(error.to_string())
}

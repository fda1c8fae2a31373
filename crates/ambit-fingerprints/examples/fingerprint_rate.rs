//! Measures what it costs to tell products: `fingerprint_rate [FOLDER] [--pages FILE]`, our rules alone and with the
//! files of packs in the folder. 1,000 pages of 20 KB with 40 scripts each, and as many greetings, are searched once to
//! warm up and then again; reading HTML is not part of it. Prints the mean of a page and of a greeting, pages for each
//! second of CPU on one thread, and memory. The file has pages of real servers, each a JSON object on a line: url,
//! status, headers and body, and what a reader of HTML takes from it (`bench/lab_pages` writes it); they are searched
//! in the same way.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_fingerprints::{Pack, Place, Set, Subject, detect, load, with_packs};
use ambit_model::entity::network_service::Service;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

const PAGES: u64 = 1_000;
const PAGE_BYTES: usize = 20 * 1_024;
const SCRIPTS: u64 = 40;
const WORDS: &[&str] = &[
    "harbour",
    "falcon",
    "orchid",
    "granite",
    "amber",
    "lantern",
    "session",
    "template",
    "component",
    "module",
    "checkout",
    "customer",
    "invoice",
    "theme",
    "assets",
    "widget",
    "player",
    "header",
    "footer",
    "content",
];
const LIBRARIES: &[&str] = &["jquery-3.7.1.min.js", "bootstrap@5.3.2/dist/x.js", "app.js", "vendor.js", "main.4f1a.js"];
const SERVERS: &[&str] = &["nginx/1.24.0", "Apache/2.4.57 (Debian)", "cloudflare", "harbour", "Microsoft-IIS/10.0"];

fn mix(number: u64) -> usize {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((x ^ (x >> 31)) >> 8).unwrap()
}

fn pick(list: &'static [&'static str], seed: u64) -> &'static str {
    list[mix(seed) % list.len()]
}

/// A page, with the texts that a reader of HTML takes from it.
struct Sample {
    body: String,
    inline: String,
    text: String,
    scripts: Vec<String>,
    title: String,
    server: &'static str,
    greeting: String,
}

fn sample(number: u64) -> Sample {
    let seed = number * 10_000;
    let (mut body, mut inline, mut text) = (String::from("<html><head>"), String::new(), String::new());
    let scripts: Vec<String> =
        (0..SCRIPTS).map(|at| format!("https://www.acme.test/assets/{at}/{}", pick(LIBRARIES, seed + at))).collect();
    for source in &scripts {
        body.push_str(&format!("<script src=\"{source}\"></script>\n"));
    }
    let mut at = 100;
    while body.len() < PAGE_BYTES {
        at += 1;
        let (class, word) = (pick(WORDS, seed + at), pick(WORDS, seed + at + 1));
        body.push_str(&format!("<div class=\"{class}-{at}\"><a href=\"/{word}/{at}\">{word}</a></div>\n"));
        text.push_str(word);
        text.push('\n');
        if at % 10 == 0 {
            let line = format!("window.{class} = {{ \"{word}\": {at} }};\n");
            body.push_str(&format!("<script>{line}</script>"));
            inline.push_str(&line);
        }
    }
    let greeting = format!("SSH-2.0-OpenSSH_9.{}p1 Debian-{}\r\n", mix(seed) % 10, mix(seed) % 7);
    let title = format!("{} {number}", pick(WORDS, seed));
    Sample { body, inline, text, scripts, title, server: pick(SERVERS, seed), greeting }
}

impl Sample {
    fn page(&self) -> Subject<'_> {
        let mut subject = Subject::default();
        for (name, value) in
            [("server", self.server), ("content-type", "text/html; charset=utf-8"), ("x-powered-by", "PHP/8.2.1")]
        {
            subject.add_header(name, value);
        }
        subject.add_cookie("PHPSESSID", "0a1b2c3d4e5f");
        subject.add_meta("generator", "WordPress 6.4.1");
        subject.add_meta("viewport", "width=device-width");
        subject.add(Place::Url, "https://www.acme.test/");
        subject.add(Place::Title, &self.title);
        subject.add(Place::Body, &self.body);
        subject.add(Place::Inline, &self.inline);
        subject.add(Place::Text, &self.text);
        for source in &self.scripts {
            subject.add(Place::Script, source);
        }
        subject
    }

    fn greeting(&self) -> Subject<'_> {
        let mut subject = Subject::default();
        subject.add(Place::Banner(Service::Ssh), &self.greeting);
        subject.add(Place::Said("ssh.banner".into()), self.greeting["SSH-2.0-".len()..].trim_end());
        subject
    }
}

/// A page of a real server.
#[derive(Deserialize)]
struct Served {
    url: String,
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
    title: String,
    metas: Vec<(String, String)>,
    scripts: Vec<String>,
    inline: String,
    text: String,
}

impl Served {
    fn page(&self) -> Subject<'_> {
        let mut subject = Subject::default();
        subject.add_head(self.status, &self.headers);
        for (name, value) in &self.headers {
            subject.add_header(name, value);
            if let (true, Some((cookie, rest))) = (name == "set-cookie", value.split_once('=')) {
                subject.add_cookie(cookie, rest.split(';').next().unwrap_or(rest));
            }
        }
        for (name, content) in &self.metas {
            subject.add_meta(name, content);
        }
        subject.add(Place::Url, &self.url);
        subject.add(Place::Title, &self.title);
        subject.add(Place::Body, &self.body);
        subject.add(Place::Inline, &self.inline);
        subject.add(Place::Text, &self.text);
        for source in &self.scripts {
            subject.add(Place::Script, source);
        }
        subject
    }
}

/// Milliseconds that one of the subjects takes, after all were searched once.
fn mean_ms<'a>(set: &Set, subjects: impl Fn() -> Vec<Subject<'a>>) -> f64 {
    let subjects = subjects();
    let found: usize = subjects.iter().map(|subject| set.products(subject).len()).sum();
    assert!(found > 0, "the samples show products");
    let begun = Instant::now();
    for subject in &subjects {
        std::hint::black_box(set.products(subject));
    }
    begun.elapsed().as_secs_f64() * 1_000.0 / subjects.len() as f64
}

/// Megabytes that the process holds, where the system says it.
fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1_024
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
}

fn packs(folder: &Path) -> Vec<Pack> {
    let mut files = Vec::new();
    files_below(folder, &mut files);
    files.sort();
    let read = files.iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap()));
    read.filter(|(_, bytes)| detect(bytes).is_some()).map(|(name, bytes)| load(&name, &bytes).unwrap()).collect()
}

fn measure(what: &str, set: &Set, samples: &[Sample], served: &[Served]) {
    let page = mean_ms(set, || samples.iter().map(Sample::page).collect());
    let greeting = mean_ms(set, || samples.iter().map(Sample::greeting).collect());
    println!("{what}  a page of 20 KB {page:.3} ms");
    println!("{what}  a greeting {:.1} us", greeting * 1_000.0);
    println!("{what}  pages for each second of CPU {:.0}", 1_000.0 / page);
    if !served.is_empty() {
        let mean = mean_ms(set, || served.iter().map(Served::page).collect());
        println!("{what}  served pages for each second of CPU {:.0}, of {}", 1_000.0 / mean, served.len());
    }
    println!("{what}  memory {} MB, {} rules", resident_mb(), set.len());
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let at = arguments.iter().position(|argument| argument == "--pages");
    let file = at.map(|at| arguments.drain(at..).nth(1).expect("--pages names a file"));
    let lines = file.map(|file| std::fs::read_to_string(file).unwrap()).unwrap_or_default();
    let served: Vec<Served> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let samples: Vec<Sample> = (0..PAGES).map(sample).collect();
    measure("our rules", &with_packs(Vec::new()), &samples, &served);
    if let Some(folder) = arguments.first() {
        let begun = Instant::now();
        let set = with_packs(packs(Path::new(folder)));
        println!("with packs  read in {:.1} s", begun.elapsed().as_secs_f64());
        measure("with packs", &set, &samples, &served);
    }
}

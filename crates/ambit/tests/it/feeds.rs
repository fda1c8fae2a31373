//! `ambit packs update`: what a mirror has is loaded, what it cuts goes on where it ended, what did not change is left.

use crate::program::{Folder, command, succeed};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

/// Bytes after which the first answer of each file ends, whatever it promised.
const CUT: usize = 1_000;

/// Names of files, and what they hold.
type Files = Vec<(&'static str, Vec<u8>)>;

/// A server of files that gives ranges and editions, and keeps the heads of what it was asked.
struct Mirror {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    files: Arc<Mutex<Files>>,
}

impl Mirror {
    fn new(files: Files) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/feeds", listener.local_addr().expect("has an address"));
        let (asked, files) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(files)));
        let mirror = Self { url, asked: asked.clone(), files: files.clone() };
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                answer(stream, &asked, &files.lock().expect("nobody panics"));
            }
        });
        mirror
    }

    /// What was asked since the last time.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("nobody panics"))
    }

    fn replace(&self, name: &str, content: Vec<u8>) {
        let mut files = self.files.lock().expect("nobody panics");
        let file = files.iter_mut().find(|(known, _)| *known == name).expect("it is there");
        file.1 = content;
    }

    fn update(&self, folder: &Path, names: &[&str]) -> Output {
        let mut command = command(&["packs", "update", "--data"]);
        command.arg(folder).args(names).env("AMBIT_PACKS_MIRROR", &self.url);
        command.output().expect("the program starts")
    }
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<String>>, files: &[(&'static str, Vec<u8>)]) {
    let lines = BufReader::new(stream.try_clone().expect("is open")).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let name = head[0].split(' ').nth(1).and_then(|path| path.rsplit('/').next()).unwrap_or_default().to_owned();
    let value =
        |wanted: &str| head.iter().find_map(|line| line.strip_prefix(wanted)).map(str::trim).unwrap_or_default();
    let (range, known) = (value("Range: bytes="), value("If-None-Match:"));
    let mut asked = asked.lock().expect("nobody panics");
    let is_first = !asked.iter().any(|line| line.starts_with(&format!("{name} ")));
    asked.push(format!("{name} {range} {known}").trim_end().to_owned());
    let Some((_, content)) = files.iter().find(|(known, _)| *known == name) else {
        stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").ok();
        return;
    };
    let edition = format!("\"{}-{}\"", content.len(), content.iter().map(|byte| u64::from(*byte)).sum::<u64>());
    if known == edition {
        stream.write_all(b"HTTP/1.1 304 Not Modified\r\n\r\n").ok();
        return;
    }
    let begin: usize = range.split('-').next().and_then(|begin| begin.parse().ok()).unwrap_or(0);
    let (body, total) = (&content[begin.min(content.len())..], content.len());
    let head = format!(
        "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {begin}-{}/{total}\r\nETag: \
         {edition}\r\n\r\n",
        body.len(),
        total - 1
    );
    stream.write_all(head.as_bytes()).ok();
    let sent = if is_first { &body[..body.len().min(CUT)] } else { body };
    stream.write_all(sent).ok();
}

fn kev(ids: &[&str]) -> Vec<u8> {
    let entry = |id: &&str| {
        json!({"cveID": id, "dateAdded": "2026-01-02", "dueDate": "2026-01-23",
        "shortDescription": "x".repeat(2 * CUT)})
    };
    json!({"title": "catalogue", "vulnerabilities": ids.iter().map(entry).collect::<Vec<_>>()}).to_string().into_bytes()
}

/// An archive of records as OSV publishes them.
fn archive(records: &[(&str, String)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, record) in records {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a new file");
        archive.write_all(record.as_bytes()).expect("is written");
    }
    archive.finish().expect("ends").into_inner()
}

#[test]
fn archives_of_records_are_brought_up_to_date_and_a_broken_member_changes_nothing() {
    let folder = Folder::new("archives");
    let data = folder.join("data");
    succeed(&["init", "--email", "a@acme.test", "--data", data.to_str().expect("UTF-8")]);
    let osv = |fixed: &str| {
        json!({"id": "GHSA-1", "modified": "2026-01-01T00:00:00Z", "aliases": ["CVE-2026-1003"],
            "affected": [{"package": {"ecosystem": "npm", "name": "jquery"}, "ranges": [{"type": "SEMVER",
                "events": [{"introduced": "0"}, {"fixed": fixed}]}]}], "details": "x".repeat(2 * CUT)})
        .to_string()
    };
    let cve5 = json!({"cveMetadata": {"cveId": "CVE-2026-1004", "state": "PUBLISHED"}, "containers": {"cna": {
        "affected": [{"vendor": "jquery", "product": "jquery",
            "versions": [{"version": "1.0", "lessThan": "3.0", "status": "affected", "versionType": "semver"}]}],
        "descriptions": [{"lang": "en", "value": "y".repeat(2 * CUT)}]}}})
    .to_string();
    let mirror = Mirror::new(vec![
        ("osv-npm.zip", archive(&[("GHSA-1.json", osv("3.5.0")), ("readme.txt", "no record".to_owned())])),
        (
            "cve5.zip",
            archive(&[("cves/2026/CVE-2026-1004.json", cve5), ("cves/delta.json", "{\"new\": []}".to_owned())]),
        ),
        (
            "jsrepository.json",
            json!({"jquery": {"vulnerabilities": [{"below": "1.9.0", "severity": "medium",
            "identifiers": {"CVE": ["CVE-2012-6708"], "summary": "Selectors are HTML"}, "info": ["https://acme.test"]}],
            "extractors": {}}, "padding": {"vulnerabilities": [], "extractors": {"uri": ["z".repeat(2 * CUT)]}}})
            .to_string()
            .into_bytes(),
        ),
    ]);
    let alone = command(&["packs", "update", "cve5", "--data"]).arg(&data).output().expect("the program starts");
    assert_eq!(alone.status.code(), Some(2), "it is not asked for without a mirror");
    let first = mirror.update(&data, &["osv-npm", "cve5", "retire"]);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let said = String::from_utf8_lossy(&first.stdout).into_owned();
    for line in ["osv-npm  1 records of OSV", "cve5  1 records of CVE 5", " records of retire.js"] {
        assert!(said.contains(line), "{said}");
    }
    let data = data.to_str().expect("UTF-8");
    assert_eq!(succeed(&["affected", "CVE-2026-1003", "--data", data]), "", "it is known");
    let before = succeed(&["packs", "list", "--data", data]);

    let cut = osv("3.6.0").replace("\"affected\"", "affected");
    mirror.replace("osv-npm.zip", archive(&[("a.json", osv("3.6.0")), ("b.json", cut)]));
    let broken = mirror.update(Path::new(data), &["osv-npm"]);
    assert_eq!(broken.status.code(), Some(5), "{}", String::from_utf8_lossy(&broken.stderr));
    let said = String::from_utf8_lossy(&broken.stderr).into_owned();
    assert!(said.contains("b.json: ") && said.contains("what was loaded before stays in use"), "{said}");
    assert_eq!(succeed(&["packs", "list", "--data", data]), before);
}

#[test]
fn feeds_are_brought_up_to_date_from_a_mirror() {
    let folder = Folder::new("feeds");
    let data = folder.join("data");
    succeed(&["init", "--email", "a@acme.test", "--data", data.to_str().expect("UTF-8")]);
    let scores = b"#model_version:v1\ncve,epss,percentile\nCVE-2026-1001,0.5,0.9\n".to_vec();
    let name = "known_exploited_vulnerabilities.json";
    let mirror = Mirror::new(vec![(name, kev(&["CVE-2026-1001"])), ("epss_scores-current.csv.gz", scores)]);
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();

    let first = mirror.update(&data, &["kev", "epss"]);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(said(&first), "kev  1 records of KEV\nepss  1 records of EPSS\n");
    let asked = mirror.asked();
    assert!(asked.contains(&format!("{name} 0-4194303")), "{asked:?}");
    assert!(asked.contains(&format!("{name} {CUT}-{}", CUT + 4_194_303)), "it goes on behind what came: {asked:?}");

    let second = mirror.update(&data, &["kev", "epss"]);
    assert_eq!(said(&second), "kev  unchanged\nepss  unchanged\n");
    mirror.replace(name, kev(&["CVE-2026-1001", "CVE-2026-1002"]));
    let third = mirror.update(&data, &["kev"]);
    assert_eq!(said(&third), "kev  2 records of KEV\n");

    mirror.replace(name, b"{\"vulnerabilities\": [{\"cveID\": ".to_vec());
    let broken = mirror.update(&data, &["kev", "endoflife"]);
    let told = String::from_utf8_lossy(&broken.stderr).into_owned();
    assert!(!broken.status.success() && told.contains("not updated: kev, endoflife"), "{told}");
    assert!(told.contains("full: the answer has status 404"), "{told}");
    let listed = succeed(&["packs", "list", "--data", data.to_str().expect("UTF-8")]);
    assert!(listed.contains("kev  2 records of KEV") && listed.contains("epss  1 records"), "{listed}");

    let (bundle, elsewhere) = (folder.join("packs.bundle"), folder.join("elsewhere"));
    let (bundle, elsewhere) = (bundle.to_str().expect("UTF-8"), elsewhere.to_str().expect("UTF-8"));
    succeed(&["packs", "bundle", bundle, "--data", data.to_str().expect("UTF-8")]);
    succeed(&["init", "--email", "a@acme.test", "--data", elsewhere]);
    succeed(&["packs", "add", bundle, "--data", elsewhere]);
    assert_eq!(succeed(&["packs", "list", "--data", elsewhere]), listed);
    let unknown = mirror.update(&data, &["nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_file_that_is_not_what_its_publisher_says_is_refused() {
    let folder = Folder::new("feeds-checksum");
    let data = folder.join("data");
    succeed(&["init", "--email", "a@acme.test", "--data", data.to_str().expect("UTF-8")]);
    let page = json!({"format": "NVD_CVE", "vulnerabilities": [{"cve": {"id": "CVE-2026-1001", "descriptions": []}}]});
    let meta = |hash: &str| format!("lastModifiedDate:2026-01-01\r\nsize:1\r\nsha256:{hash}\r\n").into_bytes();
    let (file, sum) = ("nvdcve-2.0-2002.json.gz", "nvdcve-2.0-2002.meta");
    let mirror = Mirror::new(vec![(file, page.to_string().into_bytes()), (sum, meta(&"0".repeat(64)))]);
    let refused = mirror.update(&data, &["nvd-2002"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    let hash =
        told.split("has the SHA-256 ").nth(1).and_then(|rest| rest.get(..64)).unwrap_or_else(|| panic!("{told}"));
    assert!(!refused.status.success());
    mirror.replace(sum, meta(&hash.to_uppercase()));
    let loaded = mirror.update(&data, &["nvd-2002"]);
    assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
    assert_eq!(String::from_utf8_lossy(&loaded.stdout), "nvd-2002  1 records of NVD\n");
}

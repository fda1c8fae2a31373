//! Programs that others wrote read what is sent: the library of Standard Webhooks verifies, and a mail server takes
//! letters.

use crate::lab::{Lab, Receiver, SECRET, Says, rule};
use ambit_model::Timestamp;
use ambit_model::notification::Channel;
use ambit_net::live::{LiveOptions, LiveWire};
use ambit_notify::{Mail, MailSettings, Service};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// A program that never answers would be waited for without end.
const GIVE_UP: Duration = Duration::from_secs(60);

/// Time for a try that is to fail: a server that waits for a handshake which we broke off says nothing.
const REFUSED_WITHIN: Duration = Duration::from_secs(2);

/// A program in the private Python.
struct Program {
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Program {
    fn start(name: &str, arguments: &[&Path]) -> Self {
        let programs = std::env::var_os("AMBIT_TEST_PYTHON").map(PathBuf::from);
        let programs = programs
            .expect("AMBIT_TEST_PYTHON is not set: run the tests with `make test`, or below `cargo xtask with-python`");
        let mut program = Command::new(programs.join("python"));
        program.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/python").join(name)).args(arguments);
        program.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(std::env::temp_dir());
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = program.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { input: child.stdin.take().unwrap(), lines, _child: child }
    }

    async fn line(&mut self) -> String {
        let line = tokio::time::timeout(GIVE_UP, self.lines.next_line()).await.expect("the program answers");
        line.unwrap().expect("the program goes on")
    }

    async fn ask(&mut self, question: &Value) -> String {
        self.input.write_all(format!("{question}\n").as_bytes()).await.unwrap();
        self.line().await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_library_of_the_specification_verifies_what_is_sent_and_refuses_everything_else() {
    let lab = Lab::new().await;
    // The library compares with the clock of the machine.
    let now = UNIX_EPOCH.elapsed().unwrap();
    lab.set_clock(Timestamp(i64::try_from(now.as_millis()).unwrap()));
    let receiver = Receiver::new(Says::Status(200)).await;
    let view = lab.add_webhook(&receiver).await;
    let service = lab.service();
    service.begin().await.unwrap();
    lab.fill().await;
    lab.store().test_receiver(&lab.caller(), view.uuid).await.unwrap();
    service.round().await.unwrap();
    let mut library = Program::start("verify.py", &[]);
    let got = receiver.got();
    let question = |index: usize| json!({"secret": SECRET, "headers": got[index].headers, "body": got[index].body});
    assert_eq!(library.ask(&question(0)).await, "verified test");
    assert_eq!(library.ask(&question(1)).await, "verified digest");
    let seconds: i64 = got[0].headers["webhook-timestamp"].parse().unwrap();
    let changes: [(&str, Value); 7] = [
        ("/body", json!("{}")),
        ("/headers/webhook-id", json!("another")),
        ("/headers/webhook-timestamp", json!((seconds - 600).to_string())),
        ("/headers/webhook-timestamp", json!((seconds + 600).to_string())),
        ("/secret", json!("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
        ("/headers/webhook-signature", json!("v1,AAAA")),
        ("/headers/webhook-id", Value::Null),
    ];
    for (pointer, value) in changes {
        let mut changed = question(0);
        match value {
            Value::Null => drop(changed["headers"].as_object_mut().unwrap().remove("webhook-id")),
            value => *changed.pointer_mut(pointer).unwrap() = value,
        }
        assert_eq!(library.ask(&changed).await, "refused", "{pointer}");
    }
    let mut second = question(0);
    let signature = format!("v1,AAAA {}", got[0].headers["webhook-signature"]);
    second["headers"]["webhook-signature"] = json!(signature);
    assert_eq!(library.ask(&second).await, "verified test");
}

/// A certificate of an authority of its own for a name, and the files that hold it and its key.
struct Certificate {
    folder: PathBuf,
    authority: Vec<u8>,
}

impl Certificate {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("ambit-mail-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&folder).unwrap();
        let authority_key = rcgen::KeyPair::generate().unwrap();
        let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let pem = authority.self_signed(&authority_key).unwrap().pem();
        let issuer = rcgen::Issuer::new(authority, authority_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let own = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let own = own.signed_by(&key, &issuer).unwrap();
        std::fs::write(folder.join("certificate.pem"), own.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
        std::fs::write(folder.join("authority.pem"), &pem).unwrap();
        Self { folder, authority: pem.into_bytes() }
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_server_takes_letters_on_each_way() {
    let certificate = Certificate::new();
    let files = [certificate.folder.join("certificate.pem"), certificate.folder.join("key.pem")];
    let mut server = Program::start("mail.py", &[&files[0], &files[1]]);
    let ports: Vec<u16> = serde_json::from_str(&server.line().await).unwrap();
    let lab = Lab::new().await;
    let view = lab.add(Channel::Email, json!({"address": "team@example.org"}), rule()).await;
    let via = |url: String, trusted: bool| -> Service {
        let authorities = if trusted { vec![certificate.authority.clone()] } else { Vec::new() };
        let settings = MailSettings::parse(&url, "Ambit <ambit@example.org>", &authorities).unwrap();
        let options = LiveOptions {
            authorities: if trusted {
                ambit_net::live::read_authorities(&certificate.folder.join("authority.pem")).unwrap()
            } else {
                Vec::new()
            },
            ..LiveOptions::default()
        };
        let wire = Arc::new(LiveWire::new(&options).unwrap());
        lab.service().with_mail(Mail::new(settings, wire)).within(GIVE_UP)
    };
    lab.fill().await;
    let urls = [
        (format!("smtp+clear://127.0.0.1:{}", ports[0]), false, false),
        (format!("smtp://ambit%40x:s%3Acret@localhost:{}", ports[1]), true, true),
        (format!("smtps://ambit%40x:s%3Acret@localhost:{}", ports[2]), true, true),
    ];
    let mut ids = Vec::new();
    for (url, tls, signed_in) in urls {
        lab.store().test_receiver(&lab.caller(), view.uuid).await.unwrap();
        via(url.clone(), true).round().await.unwrap();
        let states = lab.states(&view).await;
        assert_eq!(states.last().map(String::as_str), Some("delivered 1 SMTP 250"), "{url}: {states:?}");
        let letter: Value = loop {
            let letter: Value = serde_json::from_str(&server.line().await).unwrap();
            if letter["subject"].as_str().unwrap().starts_with("test") {
                break letter;
            }
            assert_eq!(letter["subject"].as_str().map(|subject| &subject[..6]), Some("Ambit:"), "{letter}");
            assert!(letter["html"].as_str().unwrap().contains("<li>high: new issue: Server beyond its end of life"));
        };
        assert_eq!((&letter["tls"], &letter["signed_in"]), (&json!(tls), &json!(signed_in)), "{url}");
        assert_eq!((&letter["to"], &letter["automatic"]), (&json!(["team@example.org"]), &json!("auto-generated")));
        assert!(letter["plain"].as_str().unwrap().contains("https://ambit.example/"), "{letter}");
        ids.push(letter["id"].clone());
    }
    let known: Vec<Value> =
        lab.log(&view).await.iter().map(|row| json!(format!("<{}@example.org>", row.uuid))).collect();
    assert!(ids.iter().all(|id| known.contains(id)), "{ids:?} {known:?}");
    refusals(&lab, &via, &ports).await;
}

/// What the server refuses, what it puts off, who it is not, and who may not come in.
async fn refusals(lab: &Lab, via: &dyn Fn(String, bool) -> Service, ports: &[u16]) {
    let clear = || via(format!("smtp+clear://127.0.0.1:{}", ports[0]), true);
    for (address, wanted) in [("nobody@example.org", "failed 1"), ("later@example.org", "waiting 1")] {
        let view = lab.add(Channel::Email, json!({"address": address}), rule()).await;
        lab.store().test_receiver(&lab.caller(), view.uuid).await.unwrap();
        clear().round().await.unwrap();
        assert!(lab.states(&view).await[0].starts_with(wanted), "{address}: {:?}", lab.states(&view).await);
        if address.starts_with("later") {
            lab.pass(600_000);
            clear().round().await.unwrap();
            assert_eq!(lab.states(&view).await, ["delivered 2 SMTP 250"]);
        }
        lab.store().delete_receiver(&lab.caller(), view.uuid).await.unwrap();
    }
    for (url, trusted) in [
        (format!("smtp://ambit%40x:s%3Acret@localhost:{}", ports[1]), false),
        (format!("smtps://ambit%40x:s%3Acret@localhost:{}", ports[2]), false),
        (format!("smtps://ambit%40x:wrong@localhost:{}", ports[2]), true),
        (format!("smtp://localhost:{}", ports[0]), true),
    ] {
        let view = lab.add(Channel::Email, json!({"address": "team@example.org"}), rule()).await;
        lab.store().test_receiver(&lab.caller(), view.uuid).await.unwrap();
        via(url.clone(), trusted).within(REFUSED_WITHIN).round().await.unwrap();
        let states = lab.states(&view).await;
        assert!(states[0].starts_with("waiting 1 "), "{url}: {states:?}");
        lab.store().delete_receiver(&lab.caller(), view.uuid).await.unwrap();
    }
}

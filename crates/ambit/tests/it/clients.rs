//! Programs that others wrote for this API do their main use behind TLS, with no word of where the server is: those of
//! the registry unmodified, the requests of others as they were recorded. What they do is in `tests/clients/`.

use crate::program::{Folder, Server, succeed};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The host that stands in the source of the clients.
const SERVICE: &str = "www.virustotal.com";
/// Where the clients' programs are.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");
/// The quotas of calls, which are out of the way here.
const CALLS: [&str; 3] = ["api_requests_hourly", "api_requests_daily", "api_requests_monthly"];
/// A pack by which one file is malicious.
const PACK: &str = r#"rule bad_file : trojan { strings: $a = "a file that rules call bad" condition: $a }"#;

/// An installation with an inventory, and a certificate of a private authority for the service.
struct Installation {
    folder: Folder,
    key: String,
}

impl Installation {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        let data = text(&folder.join("data")).to_owned();
        let told = |arguments: &[&str]| succeed(&[arguments, &["--data", &data]].concat());
        told(&["scan", "-y", "--silent", "--world", &format!("{PROGRAMS}/clients.world")]);
        let key = told(&["key", "create"]).trim().to_owned();
        for privilege in ["premium-api", "intelligence"] {
            told(&["user", "grant", "owner", privilege]);
        }
        for quota in CALLS {
            told(&["quota", "set", "owner", quota, "1000000000"]);
        }
        std::fs::write(folder.join("clients.yar"), PACK).expect("can be written");
        told(&["packs", "add", text(&folder.join("clients.yar"))]);
        write_certificates(&folder);
        Self { folder, key }
    }

    /// A server on it with these settings.
    fn serve(&self, settings: &[(&str, &str)]) -> Server {
        let data = self.folder.join("data");
        Server::start(&["serve", "--data", text(&data), "--listen", "127.0.0.1:0"], settings)
    }

    fn certificate(&self) -> PathBuf {
        self.folder.join("certificate.pem")
    }

    fn certificate_key(&self) -> PathBuf {
        self.folder.join("key.pem")
    }

    /// Lets a client's program ask a port of loopback, as if that were the service; it must end well.
    fn run(&self, port: u16, program: &str) {
        let authority = self.folder.join("authority.pem");
        let mut client = python(&format!("{program}.py"));
        client.env("FRONT_PORT", port.to_string()).env("KEY", &self.key).env("PYTHONPATH", PROGRAMS);
        client.env("SSL_CERT_FILE", &authority).env("REQUESTS_CA_BUNDLE", &authority);
        client.env("NO_PROXY", "*").env("no_proxy", "*");
        client.current_dir(self.folder.path()).stdin(Stdio::null());
        let output = client.output().expect("Python starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{program}:\n{said}");
        assert!(said.contains(" steps done"), "{program} did nothing: {said}");
    }
}

/// An authority, and a certificate of its for the service, as PEM files.
fn write_certificates(folder: &Folder) {
    let mut params = CertificateParams::new(Vec::<String>::new()).expect("no names are fine");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "An authority of one test");
    let authority_key = KeyPair::generate().expect("a key can be made");
    let authority = params.self_signed(&authority_key).expect("can be signed");
    let issuer = Issuer::new(params, authority_key);
    let key = KeyPair::generate().expect("a key can be made");
    let names = CertificateParams::new(vec![SERVICE.to_owned()]).expect("the name is fine");
    let certificate = names.signed_by(&key, &issuer).expect("can be signed");
    for (name, pem) in
        [("authority.pem", authority.pem()), ("certificate.pem", certificate.pem()), ("key.pem", key.serialize_pem())]
    {
        std::fs::write(folder.join(name), pem).expect("can be written");
    }
}

/// A proxy that ends TLS before a server, until it is dropped.
struct Front {
    child: Child,
    port: u16,
}

impl Front {
    /// `manner` is `forward` where the proxy says how it was asked.
    fn before(server: &Server, installation: &Installation, manner: &str) -> Self {
        let mut front = python("front.py");
        front.args([installation.certificate(), installation.certificate_key()]);
        front.args([&server.port().to_string(), manner]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = front.spawn().expect("Python starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the front says where it listens");
        let port = line.trim().parse().expect("a port");
        Self { child, port }
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A program of the clients in the private Python.
pub(crate) fn python(program: &str) -> Command {
    let mut python = Command::new(python_programs().join("python"));
    python.arg(Path::new(PROGRAMS).join(program)).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

/// Where the programs of the private Python are.
pub(crate) fn python_programs() -> PathBuf {
    let programs = std::env::var_os("AMBIT_TEST_PYTHON").map(PathBuf::from);
    programs.expect("AMBIT_TEST_PYTHON is not set: run the tests with `make test`, or below `cargo xtask with-python`")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary path is UTF-8")
}

#[test]
fn clients_do_their_main_use_over_the_servers_own_tls() {
    let installation = Installation::new("clients-tls");
    let (certificate, key) = (installation.certificate(), installation.certificate_key());
    let server = installation.serve(&[
        ("AMBIT_TLS_CERTIFICATE", text(&certificate)),
        ("AMBIT_TLS_KEY", text(&key)),
        ("AMBIT_HOSTS", SERVICE),
    ]);
    for program in ["vt_py_uses", "vt_graph_uses", "gti_mcp_tools"] {
        installation.run(server.port(), program);
    }
}

#[test]
fn clients_do_their_main_use_behind_a_proxy_that_says_how_it_was_asked() {
    let installation = Installation::new("clients-proxy");
    let server = installation.serve(&[("AMBIT_TRUSTED_PROXIES", "127.0.0.1")]);
    let front = Front::before(&server, &installation, "forward");
    for program in ["misp", "virustotal_python_uses"] {
        installation.run(front.port, program);
    }
}

#[test]
fn clients_do_their_main_use_behind_a_proxy_that_says_nothing() {
    let installation = Installation::new("clients-public");
    let public = format!("https://{SERVICE}");
    let server = installation.serve(&[("AMBIT_PUBLIC_URL", public.as_str())]);
    let front = Front::before(&server, &installation, "");
    installation.run(front.port, "recorded");
}

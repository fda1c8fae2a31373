//! The file by which `kubectl` knows a cluster: where it is, whose word on it is taken, and what opens it. Only the
//! current context is read, and only what stands in the file itself; nothing of it is run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Bytes of a file at most: contexts of hundreds of clusters are smaller.
const FILE_BYTES_MAX: usize = 1024 * 1024;
/// Certificates of one chain at most.
const CERTIFICATES_MAX: usize = 20;
/// What embeds all that a context needs.
const EMBED: &str = "write it by `kubectl config view --raw --flatten --minify`";

/// A cluster and what opens it. Certificates and keys are DER.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Kubeconfig {
    /// URL of its interface.
    pub server: String,
    /// The name that its certificate is for, where that is not the host of the URL.
    pub server_name: Option<String>,
    /// Whose word on it is taken; empty: that of everybody's authorities.
    pub authorities: Vec<Vec<u8>>,
    pub token: Option<String>,
    /// Our certificate with what vouches for it, and its private key.
    pub certificate: Option<(Vec<Vec<u8>>, Vec<u8>)>,
}

/// Reads the current context of a file. Fails if it is none, names nothing to open the cluster by, or would have
/// another program or file read.
pub fn read(text: &str) -> Result<Kubeconfig, String> {
    if text.len() > FILE_BYTES_MAX {
        return Err("the kubeconfig has more than 1 MiB".to_owned());
    }
    let options = serde_saphyr::options! { with_snippet: false };
    let file: Value =
        serde_saphyr::from_str_with_options(text, options).map_err(|_| "the kubeconfig is no YAML".to_owned())?;
    let current = said(&file, "current-context").ok_or("the kubeconfig has no current-context")?;
    let context = named(&file, "contexts", "context", &current)?;
    let part = |kind: &str, list: &str| -> Result<&Value, String> {
        let name = said(context, kind).ok_or_else(|| format!("its context {current} names no {kind}"))?;
        named(&file, list, kind, &name)
    };
    let (cluster, user) = (part("cluster", "clusters")?, part("user", "users")?);
    refuse(cluster, user)?;
    let server = said(cluster, "server").ok_or("its cluster has no server")?;
    if !server.starts_with("https://") && !server.starts_with("http://") {
        return Err("the server of its cluster is no URL".to_owned());
    }
    let authorities = match data(cluster, "certificate-authority-data")? {
        Some(text) => blocks(&text, "CERTIFICATE").ok_or("certificate-authority-data holds no certificate")?,
        None => Vec::new(),
    };
    let certificate = match (data(user, "client-certificate-data")?, data(user, "client-key-data")?) {
        (None, None) => None,
        (Some(chain), Some(key)) => {
            let chain = blocks(&chain, "CERTIFICATE").ok_or("client-certificate-data holds no certificate")?;
            let key = blocks(&key, "PRIVATE KEY").and_then(|mut keys| keys.pop());
            Some((chain, key.ok_or("client-key-data holds no private key")?))
        }
        _ => return Err("its user has a client certificate without its key, or the reverse".to_owned()),
    };
    let token = said(user, "token");
    if token.is_none() && certificate.is_none() {
        return Err("its user has neither a token nor a client certificate".to_owned());
    }
    if certificate.is_some() && !server.starts_with("https://") {
        return Err("its user has a client certificate, and the server of its cluster is not asked over TLS".to_owned());
    }
    let server_name = said(cluster, "tls-server-name");
    Ok(Kubeconfig { server, server_name, authorities, token, certificate })
}

/// Refuses what runs programs, reads other files, trusts anybody, or acts as somebody else: silently leaving it out
/// would ask another cluster, or as another user.
fn refuse(cluster: &Value, user: &Value) -> Result<(), String> {
    let is_there = |of: &Value, name: &str| of.get(name).is_some_and(|value| !value.is_null() && value != false);
    if let Some(plugin) = ["exec", "auth-provider"].into_iter().find(|name| is_there(user, name)) {
        return Err(format!(
            "its user gets a token by a program ({plugin}), which is not run: give the token of a service account"
        ));
    }
    let files =
        [(cluster, "certificate-authority"), (user, "client-certificate"), (user, "client-key"), (user, "tokenFile")];
    if let Some((_, name)) = files.into_iter().find(|(of, name)| is_there(of, name)) {
        return Err(format!("it names another file ({name}), which is not read: {EMBED}"));
    }
    let others = [
        (cluster, "insecure-skip-tls-verify", "whoever answers would be taken for the cluster"),
        (cluster, "proxy-url", "it is asked directly"),
        (user, "username", "clusters take passwords no more"),
        (user, "as", "it is asked as its own user"),
    ];
    match others.into_iter().find(|(of, name, _)| is_there(of, name)) {
        Some((_, name, why)) => Err(format!("it says {name}, which is not done: {why}")),
        None => Ok(()),
    }
}

/// The thing of a name in one of the lists.
fn named<'a>(file: &'a Value, list: &str, kind: &str, name: &str) -> Result<&'a Value, String> {
    let rows = file.get(list).and_then(Value::as_array).into_iter().flatten();
    let row = rows.into_iter().find(|row| row.get("name").and_then(Value::as_str) == Some(name));
    row.and_then(|row| row.get(kind)).ok_or_else(|| format!("the kubeconfig has no {kind} of the name that is current"))
}

/// A text, if it says something.
fn said(of: &Value, name: &str) -> Option<String> {
    of.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A text in base64.
fn data(of: &Value, name: &str) -> Result<Option<String>, String> {
    let Some(text) = said(of, name) else { return Ok(None) };
    let text: String = text.split_whitespace().collect();
    let text = STANDARD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Some).ok_or_else(|| format!("its {name} is no base64 of text"))
}

/// The blocks of PEM whose label ends so, as DER; `None` where there is none, one cannot be read, or there are too
/// many.
fn blocks(text: &str, label: &str) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines().map(str::trim) {
        if let Some(begun) = line.strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_suffix("-----")) {
            open = begun.ends_with(label).then(String::new);
        } else if line.starts_with("-----END ") {
            if let Some(body) = open.take() {
                found.push(STANDARD.decode(body).ok()?);
            }
        } else if let Some(body) = &mut open {
            body.push_str(line);
        }
    }
    (!found.is_empty() && found.len() <= CERTIFICATES_MAX).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with these lines in its cluster and its user.
    fn file(cluster: &str, user: &str) -> String {
        const HEAD: &str = concat!(
            "apiVersion: v1\nkind: Config\ncurrent-context: prod\ncontexts:\n",
            "- name: dev\n  context: {cluster: d, user: d}\n",
            "- name: prod\n  context:\n    cluster: acme\n    user: reader\n",
        );
        format!("{HEAD}clusters:\n- name: acme\n  cluster:\n{cluster}users:\n- name: reader\n  user:\n{user}")
    }

    const SERVER: &str = "    server: https://k8s.acme.test:6443\n";

    fn pem(label: &str, der: &[u8]) -> String {
        let text = format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der));
        STANDARD.encode(text)
    }

    #[test]
    fn the_current_context_is_read_with_what_stands_in_the_file() {
        let plain = read(&file(SERVER, "    token: t0ken\n")).unwrap();
        assert_eq!((plain.server.as_str(), plain.token.as_deref()), ("https://k8s.acme.test:6443", Some("t0ken")));
        assert!(plain.authorities.is_empty() && plain.certificate.is_none());
        let cluster = format!("{SERVER}    certificate-authority-data: {}\n", pem("CERTIFICATE", b"ca"));
        let user = format!(
            "    client-certificate-data: {}\n    client-key-data: {}\n",
            pem("CERTIFICATE", b"own"),
            pem("EC PRIVATE KEY", b"key")
        );
        let full = read(&file(&cluster, &user)).unwrap();
        assert_eq!(full.authorities, [b"ca".to_vec()]);
        assert_eq!(full.certificate, Some((vec![b"own".to_vec()], b"key".to_vec())));
        assert_eq!(full.token, None);
    }

    #[test]
    fn what_runs_a_program_or_reads_another_file_is_refused_with_the_remedy() {
        let token = "    token: t\n";
        let with = |line: &str| format!("{SERVER}    {line}\n");
        for (cluster, user, why) in [
            (SERVER.to_owned(), "    exec: {command: aws}\n", "by a program (exec), which is not run: give the token"),
            (SERVER.to_owned(), "    auth-provider: {name: gcp}\n", "by a program (auth-provider)"),
            (SERVER.to_owned(), "    client-certificate: /srv/a/c.pem\n", "another file (client-certificate)"),
            (with("certificate-authority: /etc/ca.pem"), token, "kubectl config view --raw --flatten"),
            (with("insecure-skip-tls-verify: true"), token, "it says insecure-skip-tls-verify"),
            (with("proxy-url: http://proxy:3128"), token, "it says proxy-url"),
            (SERVER.to_owned(), "    token: t\n    as: root\n", "it says as,"),
            (SERVER.to_owned(), "    username: a\n", "it says username"),
            (SERVER.to_owned(), "    other: a\n", "neither a token nor a client certificate"),
            (with("certificate-authority-data: bm90aGluZw=="), token, "holds no certificate"),
            ("    server: file:///etc/passwd\n".to_owned(), token, "is no URL"),
        ] {
            let said = read(&file(&cluster, user)).err().unwrap_or_default();
            assert!(said.contains(why) && said.lines().count() == 1, "{why}: {said}");
        }
        assert!(read(&file(&with("insecure-skip-tls-verify: false"), token)).is_ok());
        for (text, why) in [
            ("a: [", "is no YAML"),
            ("a: 1", "no current-context"),
            ("current-context: x", "no context of the name"),
            ("[]", "no current-context"),
        ] {
            let said = read(text).err().unwrap_or_default();
            assert!(said.contains(why), "{text}: {said}");
        }
        assert!(read(&"a".repeat(FILE_BYTES_MAX + 1)).is_err());
    }
}

//! What any text mentions: hosts and buckets in URLs, and mailboxes.

use super::buckets;
use super::git_url::{SignIn, is_host, who_signs_in};
use ambit_model::Kind;
use ambit_net::http::Url;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Different URLs of one text that are read.
const URLS_MAX: usize = 12_000;
/// Different mailboxes of one text.
const MAILBOXES_MAX: usize = 1_000;
/// Names of one sort in texts that are read together.
const TOGETHER_MAX: usize = 20_000;

const HOSTS: &str = "hosts";
const MAILBOXES: &str = "e-mail addresses";
const BUCKETS: &str = "buckets";

/// What texts mention.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    pub(crate) hosts: BTreeSet<String>,
    /// Names in quotes behind `//`: hosts, or what looks alike, as in a comment.
    pub(crate) maybe_hosts: BTreeSet<String>,
    pub(crate) mailboxes: BTreeSet<String>,
    pub(crate) buckets: BTreeSet<String>,
    /// Of what there is more than was read.
    pub(crate) cut: BTreeSet<&'static str>,
}

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b([a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9][a-z0-9.-]{1,200}\.[a-z]{2,24})\b").expect("constant")
});
/// An address in a text, with whoever signs in there; scripts write slashes behind backslashes.
pub(super) static URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\bhttps?:\\?/\\?/(?:[a-z0-9._~!$&*+;=:%{}-]{1,200}@)?[a-z0-9][a-z0-9.-]{1,252}(?::\d{1,5})?(?:/[^\s"'<>\\)]{0,300})?"#)
        .expect("constant")
});

/// An address of any scheme, with the part that may hold a user before the host.
static SIGNING_IN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i)\b[a-z][a-z0-9+.-]{0,30}:\\?/\\?/([^\s"'<>]{1,400})"#).expect("constant"));

/// An address of a socket of the web, or one in quotes whose scheme is that of the page.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)(?:\b(wss?):|["'`])\\?/\\?/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24})\b"#)
        .expect("constant")
});

/// Folders with code of others, which names nobody's hosts.
const OF_OTHERS: &[&str] = &["node_modules", "vendor", "third_party", "bower_components", "site-packages"];

/// True for a file in a folder with code of others.
pub(crate) fn is_in_folder_of_others(path: &str) -> bool {
    path.split('/').any(|part| OF_OTHERS.contains(&part))
}

impl Mentions {
    /// Adds what another text mentions.
    pub(crate) fn add(&mut self, other: Self) {
        self.cut.extend(other.cut);
        for (all, more, what) in [
            (&mut self.hosts, other.hosts, HOSTS),
            (&mut self.maybe_hosts, other.maybe_hosts, HOSTS),
            (&mut self.mailboxes, other.mailboxes, MAILBOXES),
            (&mut self.buckets, other.buckets, BUCKETS),
        ] {
            for name in more {
                if all.len() < TOGETHER_MAX {
                    all.insert(name);
                } else if !all.contains(&name) {
                    self.cut.insert(what);
                    break;
                }
            }
        }
    }

    /// Adds what a text mentions.
    pub(crate) fn read(&mut self, text: &str) {
        let (urls, is_cut) = different(URL.find_iter(text).map(|found| found.as_str()), URLS_MAX);
        self.cut.extend(is_cut.then_some(HOSTS));
        for found in urls {
            let Some(url) = url_of(&found.replace("\\/", "/")) else { continue };
            self.buckets.extend(buckets::of_url(&url));
            self.hosts.insert(url.host);
        }
        let others =
            OTHER.captures_iter(text).filter_map(|found| Some((found.get(1).is_some(), found.get(2)?.as_str())));
        let (others, is_cut) = different(others, URLS_MAX);
        self.cut.extend(is_cut.then_some(HOSTS));
        for (is_socket, host) in others {
            let Ok(host) = Kind::DnsRecord.canonical(host) else { continue };
            let hosts = if is_socket { &mut self.hosts } else { &mut self.maybe_hosts };
            hosts.insert(host);
        }
        // Who signs in at an address, and by which password, is no mailbox.
        let signing_in = SIGNING_IN.captures_iter(text).filter_map(|found| found.get(1)).filter_map(|behind| {
            let end = who_signs_in(behind.as_str()).end()?;
            Some(behind.start()..behind.start() + end + 1)
        });
        let signing_in: Vec<_> = signing_in.collect();
        let is_mailbox = |at: usize| {
            let before = signing_in.partition_point(|range| range.start <= at);
            before == 0 || signing_in[before - 1].end <= at
        };
        let mailboxes =
            ADDRESS.captures_iter(text).filter(|found| found.get(0).is_some_and(|all| is_mailbox(all.start())));
        let mailboxes = mailboxes.filter_map(|found| Kind::EmailAddress.canonical(&found[1]).ok());
        // File names such as logo@2x.png look like mailboxes, and so does where git signs in.
        let is_file = |mailbox: &String| {
            mailbox.starts_with("git@")
                || [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".css", ".js"]
                    .iter()
                    .any(|end| mailbox.ends_with(end))
        };
        let (mailboxes, is_cut) = different(mailboxes.filter(|mailbox| !is_file(mailbox)), MAILBOXES_MAX);
        self.cut.extend(is_cut.then_some(MAILBOXES));
        self.mailboxes.extend(mailboxes);
    }
}

/// The first different values, and whether there are more.
fn different<T: Ord>(values: impl Iterator<Item = T>, most: usize) -> (BTreeSet<T>, bool) {
    let mut kept = BTreeSet::new();
    for value in values {
        if kept.len() < most {
            kept.insert(value);
        } else if !kept.contains(&value) {
            return (kept, true);
        }
    }
    (kept, false)
}

/// The URL without who signs in there, which ends at the first slash (RFC 3986 §3.2). A password that is not written as
/// it should be may hold one; `None` where nobody can tell a part of it from a host.
fn url_of(plain: &str) -> Option<Url> {
    let (scheme, rest) = plain.split_once("://")?;
    // What follows the path holds no credentials.
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or_default();
    let (who, host) = authority.rsplit_once('@').map_or((None, authority), |(who, host)| (Some(who), host));
    // Behind a host and its port begins the path, and behind a name without a password its host.
    let begins = match who {
        None if is_host(host) => Some(0),
        Some(who) if is_host(host) && !who.contains(':') => Some(who.len() + 1),
        _ => match who_signs_in(rest) {
            SignIn::Until(at) if who.is_none_or(|who| at == who.len()) => Some(at + 1),
            _ => None,
        },
    };
    Url::parse(&format!("{scheme}://{}", &plain[scheme.len() + 3 + begins?..])).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_hosts_buckets_and_mailboxes() {
        let mut found = Mentions::default();
        found.read(
            r#"const api="https:\/\/api.acme.test\/v1"; fetch("https://acme-files.s3.amazonaws.com/x.png");
               mail="Help@acme.test"; img="logo@2x.png""#,
        );
        assert!(found.hosts.contains("api.acme.test"), "{found:?}");
        found.read(
            r#"new WebSocket("wss://push.acme.test/v1"); s.src='//static.acme.test:8443/a.js'; // see.acme.test"#,
        );
        assert_eq!(found.hosts.iter().filter(|host| host.contains("push")).count(), 1, "{found:?}");
        assert_eq!(found.maybe_hosts.iter().collect::<Vec<_>>(), ["static.acme.test"]);
        assert_eq!(found.buckets.iter().collect::<Vec<_>>(), ["https://acme-files.s3.amazonaws.com"]);
        assert_eq!(found.mailboxes.iter().collect::<Vec<_>>(), ["help@acme.test"]);
        let mut found = Mentions::default();
        found.read("git clone https://ann.lee:tr0ub4dor@git.acme.test/shop.git");
        assert_eq!(found.hosts.iter().collect::<Vec<_>>(), ["git.acme.test"], "who signs in is no host");
        for (text, host) in [
            ("https://host:8443/users/bob@corp/edit", Some("host")),
            ("https://desk.acme.test:8443/users/bob@corp/edit", Some("desk.acme.test")),
            ("https://desk.acme.test:8443/users/bob@corp.example/edit", Some("desk.acme.test")),
            ("https://desk.acme.test/users/bob@corp.example/edit", Some("desk.acme.test")),
            ("https://ann@desk.acme.test/users/bob@corp.example/edit", Some("desk.acme.test")),
            ("https://ann.lee:tr0ub4dor@desk.acme.test:8443/a", Some("desk.acme.test")),
            // A password may hold a slash all the same, and none of it is a host.
            ("url = https://bob:S3c@ret.pw/2@git.acme.test/y.git", None),
        ] {
            let mut found = Mentions::default();
            found.read(text);
            assert_eq!(found.hosts.iter().map(String::as_str).collect::<Vec<_>>(), Vec::from_iter(host), "{text}");
        }
        for text in [
            "DATABASE_URL=postgres://shop:Tr0ub4d0rZx9q@db1.corp.example/shop",
            "https://bot:ghp_0123456789@github.com/acme/shop.git",
            r"amqp:\/\/guest@mq.acme.test",
            "url = https://ann:12345/6789@git.acme.test/x.git",
            "url = https://bob:S3c@ret/pw@git.acme.test/y.git",
        ] {
            found.read(text);
        }
        assert_eq!(found.mailboxes, BTreeSet::new(), "nor a mailbox");
        found.read("see https://www.acme.test/contact or write to mailto:info@acme.test");
        assert_eq!(found.mailboxes.iter().collect::<Vec<_>>(), ["info@acme.test"]);
    }

    #[test]
    fn what_a_text_repeats_takes_no_room_and_more_than_is_read_is_told() {
        let read = |text: String| {
            let mut found = Mentions::default();
            found.read(&text);
            found
        };
        let again = "write to info@acme.test, see https://www.acme.test/ or '//cdn.acme.test/a' ".repeat(12_001);
        let found = read(again + "last@acme.test https://last.acme.test '//end.acme.test/a'");
        assert_eq!((found.hosts.len(), found.maybe_hosts.len(), found.mailboxes.len()), (2, 2, 2), "{found:?}");
        assert!(found.cut.is_empty(), "{found:?}");
        for (most, first, text, what) in [
            (MAILBOXES_MAX, 'm', "@acme.test ", MAILBOXES),
            (URLS_MAX, 'w', ".acme.test' ", HOSTS),
            (URLS_MAX, 'h', ".acme.test/ ", HOSTS),
        ] {
            let before = match first {
                'm' => "",
                'w' => "'//",
                _ => "https://",
            };
            let names = |count: usize| (0..count).map(|n| format!("{before}{first}{n}{text}")).collect::<String>();
            assert_eq!(read(names(most)).cut, BTreeSet::new(), "{what}");
            assert_eq!(read(names(most + 1)).cut, [what].into(), "{what}");
        }
    }

    #[test]
    fn texts_together_name_no_more_than_is_kept() {
        let names = |from: usize| (from..from + TOGETHER_MAX / 2).map(|n| format!("h{n}.acme.test"));
        let some = |from| Mentions { hosts: names(from).collect(), ..Mentions::default() };
        let mut all = some(0);
        all.add(some(TOGETHER_MAX / 2));
        all.add(some(0));
        assert_eq!((all.hosts.len(), all.cut.len()), (TOGETHER_MAX, 0));
        all.add(some(TOGETHER_MAX));
        assert_eq!((all.hosts.len(), all.cut), (TOGETHER_MAX, [HOSTS].into()));
    }
}

//! Where a receiver is: what a person writes is checked, and parted into what may be shown and what is secret.

use super::Channel;
use serde_json::{Map, Value, json};

/// Characters of a target or token.
const CHARS_MAX: usize = 2_000;
/// What lines of syslog may hold.
const FORMATS: [&str; 3] = ["json", "cef", "ocsf"];

/// A target in two parts.
#[derive(Clone, PartialEq)]
pub struct Target {
    /// What people may read of it.
    pub shown: String,
    /// What only the sender may read: `url`, `address`, `host`, `token`, `format`.
    pub secrets: Map<String, Value>,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// Reads a target of a channel. Fails with what was expected.
pub fn read(channel: Channel, target: &str, token: Option<&str>, format: Option<&str>) -> Result<Target, String> {
    let target = target.trim();
    let long = [Some(target), token].into_iter().flatten().any(|text| text.chars().count() > CHARS_MAX);
    if long || target.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(format!("a target is one word of at most {CHARS_MAX} characters"));
    }
    if token.is_some() && channel != Channel::Splunk {
        return Err(format!("{} takes no token", channel.name()));
    }
    if format.is_some() && channel != Channel::Syslog {
        return Err(format!("{} takes no format", channel.name()));
    }
    match channel {
        Channel::Webhook => {
            url(target).map(|(..)| parted(target.split(['?', '#']).next().unwrap_or(target), json!({"url": target})))
        }
        // What follows the host is what signs in.
        Channel::Slack | Channel::Teams | Channel::Discord | Channel::Mattermost => {
            url(target).map(|(scheme, host)| parted(&format!("{scheme}://{host}/…"), json!({"url": target})))
        }
        Channel::Splunk => {
            let (..) = url(target)?;
            let token = token.ok_or("splunk needs the token of its event collector")?;
            Ok(parted(target, json!({"url": target, "token": token})))
        }
        Channel::Email => address(target).map(|ascii| parted(target, json!({"address": ascii}))),
        Channel::PagerDuty => {
            let is_key = !target.is_empty() && target.chars().all(|c| c.is_ascii_alphanumeric());
            let wanted = "expected the integration key of a service, which has letters and digits only";
            if is_key { Ok(parted("events.pagerduty.com", json!({"token": target}))) } else { Err(wanted.to_owned()) }
        }
        Channel::Syslog => {
            let format = format.unwrap_or(FORMATS[0]);
            if !FORMATS.contains(&format) {
                return Err(format!("format must be one of {}", FORMATS.join(", ")));
            }
            let wanted = "expected a host and a port such as logs.example.org:6514";
            let (host, port) = target.rsplit_once(':').ok_or(wanted)?;
            if host.is_empty() || port.parse::<u16>().is_err() {
                return Err(wanted.to_owned());
            }
            Ok(parted(target, json!({"host": target, "format": format})))
        }
    }
}

fn parted(shown: &str, secrets: Value) -> Target {
    let Value::Object(secrets) = secrets else { unreachable!("secrets are an object") };
    Target { shown: shown.to_owned(), secrets }
}

/// Scheme and authority of a URL without a name or password in it.
fn url(text: &str) -> Result<(&str, &str), String> {
    let wanted = || "expected a URL such as https://hooks.example.org/ambit".to_owned();
    let (scheme, rest) = text.split_once("://").ok_or_else(wanted)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !matches!(scheme, "https" | "http") || authority.is_empty() || authority.contains('@') {
        return Err(wanted());
    }
    Ok((scheme, authority))
}

/// A mail address with its domain in ASCII.
fn address(text: &str) -> Result<String, String> {
    let good = |part: &str| !part.is_empty() && !part.contains(['@', ',', ';', '<', '>', '"']);
    let (name, _) = text
        .split_once('@')
        .filter(|(name, domain)| good(name) && good(domain))
        .ok_or("expected one address such as security@example.org")?;
    if !name.is_ascii() {
        return Err("few mail servers take letters beyond ASCII before the @: give an address without them".to_owned());
    }
    domain_in_ascii(text).ok_or_else(|| "what follows the @ is no domain".to_owned())
}

/// Returns a mail address with its domain in ASCII (`xn--…`), which every mail server takes; `None` where it has none.
pub fn domain_in_ascii(address: &str) -> Option<String> {
    let (name, domain) = address.rsplit_once('@')?;
    if domain.is_ascii() {
        return Some(address.to_owned());
    }
    Some(format!("{name}@{}", idna::domain_to_ascii(domain).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_of_an_address_is_kept_in_ascii_and_a_name_beyond_it_is_refused() {
        let read = |target| super::read(Channel::Email, target, None, None);
        let target = read("user@ex\u{e4}mple.org").expect("an address");
        assert_eq!(target.shown, "user@ex\u{e4}mple.org");
        assert_eq!(target.secrets["address"], "user@xn--exmple-cua.org");
        assert_eq!(read("user@[192.0.2.7]").expect("an address").secrets["address"], "user@[192.0.2.7]");
        for (address, why) in [("\u{fc}ser@example.org", "beyond ASCII"), ("user@\u{378}.org", "no domain")] {
            let refused = read(address).err().unwrap_or_default();
            assert!(refused.contains(why), "{address}: {refused}");
        }
    }

    #[test]
    fn what_signs_in_is_not_shown() {
        let rows = [
            (Channel::Webhook, "https://h.example/a?key=S", None, Some("https://h.example/a")),
            (Channel::Slack, "https://hooks.slack.com/services/T/B/S", None, Some("https://hooks.slack.com/…")),
            (Channel::PagerDuty, "abcS1", None, Some("events.pagerduty.com")),
            (
                Channel::Splunk,
                "https://splunk.example:8088/services/collector",
                Some("S"),
                Some("https://splunk.example:8088/services/collector"),
            ),
            (Channel::Email, "a@example.org", None, Some("a@example.org")),
            (Channel::Syslog, "logs.example:6514", None, Some("logs.example:6514")),
            (Channel::Splunk, "https://splunk.example", None, None),
            (Channel::Webhook, "https://user:S@h.example/", None, None),
            (Channel::Webhook, "ftp://h.example/", None, None),
            (Channel::Webhook, "https://h.example/a\r\nX: y", None, None),
            (Channel::Email, "a@example.org,b@example.org", None, None),
            (Channel::Email, "A <a@example.org>", None, None),
            (Channel::Syslog, "logs.example", None, None),
            (Channel::Slack, "https://hooks.slack.com/x", Some("S"), None),
        ];
        for (channel, target, token, shown) in rows {
            let read = read(channel, target, token, None);
            assert_eq!(read.as_ref().ok().map(|read| read.shown.as_str()), shown, "{channel:?} {target}");
            assert!(!format!("{read:?}").contains('S'), "{read:?}");
        }
        assert!(super::read(Channel::Syslog, "h:1", None, Some("xml")).is_err());
    }
}

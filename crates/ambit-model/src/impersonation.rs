//! How likely a domain that resembles one of theirs is meant to pass for it, with the reasons, and what it is ready to
//! do: take mail, ask for passwords. Pure: what was seen of both in, a score out.

use crate::entity::domain::{
    self, CAMPAIGNS, CONTACTS, FRONT_PAGE, MX_RECORDS, NAMESERVERS, REGISTRATION, RESEMBLANCES, RESOLUTIONS, SPF_RECORD,
};
use crate::entity::front_page::{FrontPage, Notice};
use crate::entity::host_of;
pub use crate::entity::impersonation::{Assessment, Campaign, Reason, Resembled, Shared, Standing};
use crate::lookalike::Resemblance;
use crate::moment::DAY_MS;
use crate::{Details, Timestamp};
use serde_json::Value;
use std::collections::BTreeSet;

/// One that is imitated: its name, and what is known of it. A word of theirs has no details.
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    pub name: &'a str,
    pub details: &'a Details,
}

/// From this score a domain is reported.
pub const SUSPICIOUS_FROM: i32 = 40;
/// From this score it is serious.
pub const SERIOUS_FROM: i32 = 70;
/// The most that a domain reaches which nobody uses.
const IDLE_MAX: i32 = 30;
/// Days within which a registration is fresh, and recent; days after which it is old.
const FRESH_DAYS: i64 = 30;
const RECENT_DAYS: i64 = 365;
const OLD_DAYS: i64 = 5 * 365;

/// Domains of the name servers of those who park domains or sell them.
const PARKING: &[&str] = &[
    "above.com",
    "afternic.com",
    "bodis.com",
    "cashparking.com",
    "dan.com",
    "dnsowl.com",
    "domainparkingserver.net",
    "fabulous.com",
    "fastpark.net",
    "hugedomains.com",
    "namebrightdns.com",
    "namedrive.com",
    "parkingcrew.net",
    "parklogic.com",
    "rookdns.com",
    "sedo.com",
    "sedoparking.com",
    "smartname.com",
    "sav.com",
    "trafficz.com",
    "undeveloped.com",
    "uniregistrymarket.link",
    "voodoo.com",
    "ztomy.com",
];
/// Domains of the name servers of those who take domains away from whoever misused them.
const SINKHOLES: &[&str] = &[
    "csof.net",
    "kryptoslogicsinkhole.com",
    "microsoftinternetsafety.net",
    "sinkhole.shadowserver.org",
    "sinkdns.org",
    "sinkhole.cert.pl",
    "torpig-sinkhole.org",
];

/// Members of a domain that the assessment reads. What else changes changes nothing of it.
pub const READ: &[&str] = &[
    CONTACTS.name(),
    FRONT_PAGE.name(),
    MX_RECORDS.name(),
    NAMESERVERS.name(),
    REGISTRATION.name(),
    RESEMBLANCES.name(),
    RESOLUTIONS.name(),
    SPF_RECORD.name(),
    CAMPAIGNS.name(),
];

/// Assesses a domain against those that it resembles, at a wire date: the worst of what is made of each, unless one of
/// them shows that they hold it themselves. `None` where nothing says which it resembles.
pub fn assess(name: &str, details: &Details, originals: &[Original<'_>], date: Timestamp) -> Option<Assessment> {
    let resembled: Vec<Resembled> = RESEMBLANCES.items(details).collect();
    let each = resembled.iter().filter_map(|resembled| {
        let original = originals.iter().find(|original| original.name == resembled.of)?;
        Some(Suspect { name, details, page: page(details), original: *original, date }.assess(resembled.by))
    });
    // The first of equals, so that the same comes out again.
    let rank = |assessment: &Assessment| (assessment.standing == Standing::Defensive, assessment.score);
    each.reduce(|best, other| if rank(&other) > rank(&best) { other } else { best })
}

fn page(details: &Details) -> FrontPage {
    FRONT_PAGE.of(details).unwrap_or_default()
}

struct Suspect<'a> {
    name: &'a str,
    details: &'a Details,
    page: FrontPage,
    original: Original<'a>,
    date: Timestamp,
}

/// Reasons while they are gathered.
#[derive(Default)]
struct Reasons(Vec<Reason>);

impl Reasons {
    fn add(&mut self, points: i32, text: impl Into<String>) {
        self.0.push(Reason { points, text: text.into() });
    }
}

/// What a front page has of another.
#[derive(Default)]
struct Likeness {
    /// Each with its points.
    signs: Vec<(i32, &'static str)>,
    reads_alike: bool,
    copies: bool,
}

impl Likeness {
    /// People could take it for the other.
    fn resembles(&self) -> bool {
        self.copies || self.reads_alike
    }
}

impl Suspect<'_> {
    fn assess(&self, by: Resemblance) -> Assessment {
        let (takes_mail, standing) = (self.mail_servers(), self.standing());
        let mut reasons = Reasons::default();
        reasons.add(weight(by), format!("resembles {}: {}", self.original.name, by.words()));
        self.add_age(&mut reasons);
        let sends_mail = self.sends_mail();
        if !takes_mail.is_empty() {
            reasons.add(15, "is ready to take mail");
            if sends_mail {
                reasons.add(5, "allows somebody to send mail in its name");
            }
        }
        let copies = standing == Standing::Active && self.add_page(&mut reasons);
        if standing != Standing::Defensive && self.has_their_registrant() {
            reasons.add(0, "is registered in their name, which anybody can write there");
        }
        self.add_campaigns(&mut reasons);
        let sum: i32 = reasons.0.iter().map(|reason| reason.points).sum();
        let score = match standing {
            Standing::Defensive | Standing::Sinkholed => 0,
            Standing::Led | Standing::ForSale | Standing::Parked | Standing::Unused => sum.clamp(0, IDLE_MAX),
            Standing::Active => sum.clamp(0, 100),
        };
        reasons.0.sort_by(|a, b| b.points.cmp(&a.points).then_with(|| a.text.cmp(&b.text)));
        Assessment {
            of: self.original.name.to_owned(),
            standing,
            score,
            reasons: reasons.0,
            copies,
            asks_password: self.page.login,
            posts_to: self.page.posts_to.clone(),
            takes_mail,
            sends_mail,
        }
    }

    /// Whoever has the domain writes its page, its records and, at most registrars, the registrant's name: none of
    /// that takes a page that passes for theirs, or asks for a password, out of the comparison.
    fn standing(&self) -> Standing {
        let servers = servers(self.details);
        let served_by = |domains: &[&str]| all_in(&servers, domains);
        let no_address = RESOLUTIONS.raw(self.details).is_none_or(|list| list.as_array().is_none_or(Vec::is_empty));
        let shows_nothing = !self.page.login && !self.likeness().resembles();
        let is_noticed = |notice: Notice| shows_nothing && self.page.notice == Some(notice);
        if self.is_theirs(&servers) {
            Standing::Defensive
        } else if shows_nothing && served_by(SINKHOLES) {
            Standing::Sinkholed
        } else if shows_nothing && self.leads_to_them() && self.mail_servers().is_empty() {
            Standing::Led
        } else if is_noticed(Notice::ForSale) {
            Standing::ForSale
        } else if (shows_nothing && served_by(PARKING)) || is_noticed(Notice::Parked) {
            Standing::Parked
        } else if no_address && self.mail_servers().is_empty() {
            Standing::Unused
        } else {
            Standing::Active
        }
    }

    /// Served by servers of theirs alone, or registered by the same registrant.
    fn is_theirs(&self, servers: &BTreeSet<String>) -> bool {
        // The servers that a domain itself names may be others than those that the registry hands it to.
        let by_registry = REGISTRATION.of(self.details).is_some_and(|said| !said.nameservers.is_empty());
        let served = all_in(servers, &[self.original.name]) && (by_registry || !self.page.login);
        served || (self.is_registered_by_them(servers) && self.password_to_strangers().is_none())
    }

    /// The registrant has their name, which anybody may write, and what is harder to come by: a mailbox of theirs, or
    /// the same registrar and the same name servers.
    fn is_registered_by_them(&self, servers: &BTreeSet<String>) -> bool {
        let registrar = |details: &Details| REGISTRATION.of(details)?.registrar.map(|name| key(&name));
        let contacts = CONTACTS.raw(self.details).and_then(Value::as_array).into_iter().flatten();
        let mut mailboxes = contacts.filter_map(|contact| contact.get("email")?.as_str()?.rsplit_once('@'));
        let same_registrar =
            || registrar(self.details).filter(|own| !own.is_empty()) == registrar(self.original.details);
        let same_servers = || !servers.is_empty() && *servers == self::servers(self.original.details);
        self.has_their_registrant()
            && (mailboxes.any(|(_, host)| is_in(host, self.original.name)) || (same_registrar() && same_servers()))
    }

    fn has_their_registrant(&self) -> bool {
        let registrant = |details: &Details| REGISTRATION.of(details)?.registrant.map(|name| key(&name));
        let theirs = registrant(self.original.details);
        registrant(self.details).is_some_and(|own| !own.is_empty() && theirs.is_some_and(|theirs| theirs == own))
    }

    /// It sends its visitors to them.
    fn leads_to_them(&self) -> bool {
        self.page.leads_to.as_deref().is_some_and(|host| is_in(host, self.original.name))
    }

    /// The host to which the page sends passwords, where that is neither its own nor theirs.
    fn password_to_strangers(&self) -> Option<&String> {
        let theirs = page(self.original.details).posts_to;
        let is_strange =
            |host: &&String| !is_in(host, self.name) && !is_in(host, self.original.name) && !theirs.contains(*host);
        self.page.posts_to.iter().find(is_strange).filter(|_| self.page.login)
    }

    fn mail_servers(&self) -> BTreeSet<String> {
        let hosts = MX_RECORDS.items(self.details).map(|server| server.host);
        hosts.filter(|host| host != "." && !host.is_empty()).collect()
    }

    /// Its policy allows more than nobody.
    fn sends_mail(&self) -> bool {
        SPF_RECORD.of(self.details).is_some_and(|policy| policy.split_whitespace().skip(1).any(|term| term != "-all"))
    }

    fn registered(&self) -> Option<Timestamp> {
        REGISTRATION.of(self.details)?.registered.as_deref().and_then(Timestamp::parse)
    }

    fn age_days(&self, registered: Timestamp) -> i64 {
        (self.date.0 - registered.0) / DAY_MS
    }

    fn add_age(&self, reasons: &mut Reasons) {
        let Some(registered) = self.registered() else { return };
        match self.age_days(registered) {
            age if age <= FRESH_DAYS => reasons.add(20, format!("was registered on {}", registered.date())),
            age if age <= RECENT_DAYS => reasons.add(10, format!("was registered on {}", registered.date())),
            age if age > OLD_DAYS => reasons.add(-10, format!("has been registered since {}", registered.date())),
            _ => {}
        }
    }

    /// What the front page has of theirs.
    fn likeness(&self) -> Likeness {
        let (own, theirs) = (&self.page, page(self.original.details));
        if own.url.is_empty() {
            return Likeness::default();
        }
        let compared = theirs.notice.is_none();
        let reads_alike = compared && own.reads_like(&theirs);
        let loads = own.loads_from.iter().any(|host| is_in(host, self.original.name));
        let signs = [
            (reads_alike, 25, "reads like theirs"),
            (compared && own.title.is_some() && own.title == theirs.title, 10, "has their title"),
            (own.icon.is_some() && own.icon == theirs.icon, 15, "shows their icon"),
            (loads, 15, "loads pictures, styles or scripts from them"),
            (own.trackers.intersection(&theirs.trackers).next().is_some(), 15, "carries their tracking identifier"),
        ];
        let signs: Vec<_> =
            signs.into_iter().filter(|(holds, ..)| *holds).map(|(_, points, text)| (points, text)).collect();
        // One sign may be chance: a title of one word, an icon of a product. That a page which asks for a password
        // takes pictures from them is none.
        Likeness { copies: signs.len() >= 2 || (loads && own.login), reads_alike, signs }
    }

    /// Compares both front pages; true where this one is a copy.
    fn add_page(&self, reasons: &mut Reasons) -> bool {
        let (own, likeness) = (&self.page, self.likeness());
        if own.url.is_empty() || (own.notice.is_some() && !own.login && !likeness.resembles()) {
            return false;
        }
        reasons.add(5, "shows a page");
        for (points, text) in &likeness.signs {
            reasons.add(*points, format!("its page {text}"));
        }
        if own.login {
            reasons.add(15, "its page asks for a password");
            if let Some(host) = self.password_to_strangers() {
                reasons.add(5, format!("the password is sent to {host}"));
            }
        }
        likeness.copies
    }

    /// Namesakes of old hold several names as well, and serve them alike.
    fn add_campaigns(&self, reasons: &mut Reasons) {
        if self.registered().is_some_and(|registered| self.age_days(registered) > OLD_DAYS) {
            return;
        }
        let campaigns: Vec<Campaign> = CAMPAIGNS.items(self.original.details).collect();
        let mine = campaigns.iter().filter(|campaign| campaign.domains.contains(self.name));
        if let Some(campaign) = mine.max_by_key(|campaign| campaign.domains.len()) {
            let others = campaign.domains.len() - 1;
            let more = if others == 1 { "another one".to_owned() } else { format!("{others} others") };
            reasons.add(10, format!("shares {} with {more} that resemble theirs", campaign.by.words()));
        }
    }
}

/// How far a resemblance deceives.
fn weight(by: Resemblance) -> i32 {
    match by {
        Resemblance::Plain
        | Resemblance::AsciiAlike
        | Resemblance::UnicodeAlike
        | Resemblance::OtherScript
        | Resemblance::WholeName => 25,
        Resemblance::BitFlip => 15,
        Resemblance::OtherSuffix | Resemblance::InnerDot | Resemblance::SharedSuffix => 10,
        _ => 20,
    }
}

/// True for a domain, and for a name below it.
fn is_in(host: &str, domain: &str) -> bool {
    host_of(host).strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// True where there are hosts, and every one lies in one of these domains.
fn all_in(hosts: &BTreeSet<String>, domains: &[&str]) -> bool {
    !hosts.is_empty() && hosts.iter().all(|host| domains.iter().any(|domain| is_in(host, domain)))
}

/// The name servers of a domain: those that it names, and those to which the registry hands it.
fn servers(details: &Details) -> BTreeSet<String> {
    let registered = REGISTRATION.of(details).map(|said| said.nameservers).unwrap_or_default();
    NAMESERVERS.texts(details).map(str::to_owned).chain(registered).collect()
}

/// A registrant's name as it is compared: letters and digits in lower case.
fn key(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What a domain has that others share who belong to it: each with its value.
pub fn traits_of(details: &Details) -> BTreeSet<(Shared, String)> {
    let page = page(details);
    let servers = NAMESERVERS.texts(details).map(|server| (Shared::NameServer, server.to_owned()));
    let addresses = domain::RESOLUTIONS.items(details).filter(|answer| answer.response_type != "CNAME");
    let addresses = addresses.map(|answer| (Shared::Address, answer.response_data));
    let certificate = page.https.and_then(|https| https.certificate);
    let certificate = certificate.map(|hash| (Shared::Certificate, hash));
    let trackers = page.trackers.into_iter().map(|tracker| (Shared::Tracker, tracker));
    servers.chain(addresses).chain(certificate).chain(trackers).collect()
}

#[cfg(test)]
#[path = "impersonation/tests.rs"]
mod tests;

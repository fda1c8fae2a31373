//! How likely a domain that resembles one of theirs is meant to pass for it, with the reasons, and what it is ready to
//! do: take mail, ask for passwords. Pure: what was seen of both in, a score out.

use crate::entity::domain::{
    self, CAMPAIGNS, FRONT_PAGE, MX_RECORDS, NAMESERVERS, REGISTRATION, RESEMBLANCES, RESOLUTIONS, SPF_RECORD,
};
use crate::entity::front_page::{FrontPage, Notice};
use crate::entity::host_of;
pub use crate::entity::impersonation::{Assessment, Campaign, Reason, Resembled, Shared, Standing};
use crate::lookalike::Resemblance;
use crate::moment::DAY_MS;
use crate::{Details, Timestamp};
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
        self.add_campaigns(&mut reasons);
        let sum: i32 = reasons.0.iter().map(|reason| reason.points).sum();
        let score = match standing {
            Standing::Defensive | Standing::Sinkholed => 0,
            Standing::ForSale | Standing::Parked | Standing::Unused => sum.clamp(0, IDLE_MAX),
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

    fn standing(&self) -> Standing {
        let servers: Vec<&str> = NAMESERVERS.texts(self.details).collect();
        let served_by = |domains: &[&str]| servers.iter().any(|server| domains.iter().any(|of| is_in(server, of)));
        let no_address = RESOLUTIONS.raw(self.details).is_none_or(|list| list.as_array().is_none_or(Vec::is_empty));
        if self.is_theirs(&servers) {
            Standing::Defensive
        } else if served_by(SINKHOLES) {
            Standing::Sinkholed
        } else if self.page.notice == Some(Notice::ForSale) {
            Standing::ForSale
        } else if served_by(PARKING) || self.page.notice == Some(Notice::Parked) {
            Standing::Parked
        } else if no_address && self.mail_servers().is_empty() {
            Standing::Unused
        } else {
            Standing::Active
        }
    }

    /// Registered by the same registrant, or served by their servers. That it sends its visitors to them says so only
    /// where no mail of theirs could be taken elsewhere: whoever collects stray mail does that as well.
    fn is_theirs(&self, servers: &[&str]) -> bool {
        let registrant = |details: &Details| REGISTRATION.of(details)?.registrant.map(|name| key(&name));
        let same_registrant = registrant(self.details).is_some_and(|own| {
            !own.is_empty() && registrant(self.original.details).is_some_and(|theirs| theirs == own)
        });
        let theirs = |host: &str| is_in(host, self.original.name);
        let mail = self.mail_servers();
        let led = self.page.leads_to.as_deref().is_some_and(theirs);
        same_registrant
            || servers.iter().any(|server| theirs(server))
            || (!mail.is_empty() && mail.iter().all(|server| theirs(server)))
            || (led && mail.is_empty())
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

    /// Compares both front pages; true where this one is a copy.
    fn add_page(&self, reasons: &mut Reasons) -> bool {
        let (own, theirs) = (&self.page, page(self.original.details));
        if own.url.is_empty() || own.notice.is_some() {
            return false;
        }
        reasons.add(5, "shows a page");
        let mut signs = 0;
        let mut sign = |holds: bool, points: i32, text: &str| {
            if holds {
                signs += 1;
                reasons.add(points, format!("its page {text}"));
            }
        };
        let compared = theirs.notice.is_none();
        sign(compared && own.reads_like(&theirs), 25, "reads like theirs");
        sign(compared && own.title.is_some() && own.title == theirs.title, 10, "has their title");
        sign(own.icon.is_some() && own.icon == theirs.icon, 15, "shows their icon");
        let loads = own.loads_from.iter().any(|host| is_in(host, self.original.name));
        sign(loads, 15, "loads pictures, styles or scripts from them");
        sign(own.trackers.intersection(&theirs.trackers).next().is_some(), 15, "carries their tracking identifier");
        if own.login {
            reasons.add(15, "its page asks for a password");
            let elsewhere = |host: &&String| !is_in(host, self.name) && !is_in(host, self.original.name);
            if let Some(host) = own.posts_to.iter().find(elsewhere) {
                reasons.add(5, format!("the password is sent to {host}"));
            }
        }
        // One sign may be chance: a title of one word, an icon of a product. That a page which asks for a password
        // takes pictures from them is none.
        signs >= 2 || (loads && own.login)
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
        Resemblance::AsciiAlike | Resemblance::UnicodeAlike | Resemblance::OtherScript | Resemblance::WholeName => 25,
        Resemblance::BitFlip => 15,
        Resemblance::OtherSuffix | Resemblance::InnerDot | Resemblance::SharedSuffix => 10,
        _ => 20,
    }
}

/// True for a domain, and for a name below it.
fn is_in(host: &str, domain: &str) -> bool {
    host_of(host).strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
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

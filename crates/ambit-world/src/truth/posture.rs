//! Issues of domains and names: mail policy, authorities, transfers, dangling records and takeovers, addresses inside.

use super::Derivation;
use crate::draft::{Answers, Data, Draft, Name, Signed, UnknownHost, Zone};
use crate::evidence;
use crate::internet::{Port, Source};
use crate::plan;
use ambit_model::Kind;
use ambit_model::moment::DAY_MS;
use ambit_model::platforms::claimable::{self, Claimable};
use ambit_net::dns::RecordType;
use std::net::IpAddr;

/// Look-ups that a mail policy may cause (RFC 7208 §4.6.4).
const SPF_LOOKUPS_MAX: usize = 10;
/// Depth to which includes are followed here.
const SPF_DEPTH_MAX: usize = 12;

/// A registration is about to end within so many days.
const REGISTRATION_ENDS_DAYS: i64 = 30;

impl Derivation<'_> {
    pub(super) fn posture(&mut self) {
        for domain in self.planted(Kind::Domain) {
            if let Some(zone) = self.draft.zones.get(&domain) {
                let soon = self.internet.start().plus_ms(REGISTRATION_ENDS_DAYS * DAY_MS);
                let issue = "domain_registration_expiring";
                if zone.expires.of(self.internet.epoch) < soon {
                    match evidence::has_registry(self.internet, &zone.registry) {
                        true => self.truth.plant_issue(issue, Kind::Domain, &domain),
                        false => self.truth.allow_issue(issue, Kind::Domain, &domain),
                    }
                }
                let is_told = self.zone_answers(&domain, zone);
                if is_told {
                    self.mail(&domain);
                }
                let authorised = texts_or(self.draft, &domain)
                    .iter()
                    .any(|data| matches!(data, Data::Caa(_, tag, _) if tag == "issue" || tag == "issuewild"));
                let asked =
                    plan::entry(self.draft, &domain).is_none_or(|entry| !entry.fails.contains(&RecordType::CAA));
                if !authorised && asked && is_told {
                    self.truth.plant_issue("dns_caa_policy_missing", Kind::Domain, &domain);
                }
            }
            let look_alike = self.draft.zones.values().any(|zone| zone.look_alike);
            if look_alike && self.seeds.first() == Some(&domain) {
                self.truth.plant_issue("lookalike_domain", Kind::Domain, &domain);
            }
        }
        self.delegations();
        let open = self.draft.zones.iter().filter(|(name, zone)| zone.transfer && self.in_scope(name));
        let open: Vec<String> = open.map(|(name, _)| name.clone()).collect();
        for zone in &open {
            if self.truth.entities.contains(&(Kind::Domain, zone.clone())) {
                self.truth.plant_issue("dns_zone_transfer", Kind::Domain, zone);
            } else {
                self.truth.allow_issue("dns_zone_transfer", Kind::DnsRecord, zone);
            }
        }
        let walked: Vec<String> = self
            .draft
            .zones
            .iter()
            .filter(|(name, zone)| zone.signed == Signed::Nsec && self.in_scope(name))
            .map(|(name, _)| name.clone())
            .collect();
        for zone in &walked {
            let kind = [Kind::Domain, Kind::DnsRecord]
                .into_iter()
                .find(|kind| self.truth.entities.contains(&(*kind, zone.clone())));
            self.truth.plant_issue("dns_zone_enumeration", kind.unwrap_or(Kind::DnsRecord), zone);
        }
        let names = self.planted(Kind::Domain).into_iter().map(|name| (Kind::Domain, name));
        let names: Vec<(Kind, String)> =
            names.chain(self.planted(Kind::DnsRecord).into_iter().map(|name| (Kind::DnsRecord, name))).collect();
        for (kind, name) in names {
            self.inside(kind, &name);
            self.told_inside(kind, &name);
            self.dangling(kind, &name);
            self.dangling_wildcard(kind, &name);
        }
    }

    /// Zones below ours whose servers are not there or do not answer. Whether anything tells of them the file does not
    /// say, so that finding them is allowed.
    fn delegations(&mut self) {
        let dead = |zone: &Zone| {
            let there = |server: &str| !plan::addresses(self.draft, server).is_empty();
            let answers = matches!(zone.answers, Answers::Normal | Answers::Slow(_) | Answers::Truncated);
            !answers || zone.servers.iter().any(|(server, given)| given.is_empty() && !there(server))
        };
        let circular = |name: &str| !plan::is_reachable(self.draft, name);
        let handed = |entry: &Name| {
            let gone = |data: &Data| matches!(data, Data::Ns(server) if plan::addresses(self.draft, server).is_empty());
            entry.records.iter().any(gone)
        };
        let zones = self.draft.zones.iter().filter(|(name, zone)| dead(zone) || circular(name)).map(|(name, _)| name);
        let records = self.draft.names.iter().filter(|(_, entry)| handed(entry)).map(|(name, _)| name);
        let names: Vec<String> = zones.chain(records).cloned().collect();
        for above in names.iter().flat_map(|name| plan::ancestors(name).skip(1)) {
            for kind in [Kind::Domain, Kind::DnsRecord] {
                self.truth.allow_issue("dangling_delegation", kind, above);
            }
        }
    }

    fn mail(&mut self, domain: &str) {
        let policies = spf_policies(self.draft, domain);
        match policies.first() {
            None => self.truth.plant_issue("spf_missing", Kind::Domain, domain),
            Some(policy) => {
                let rejects_nobody = !matches!(ends(self.draft, policy, SPF_DEPTH_MAX), Some('-' | '~'));
                let faults = self.faults(policy, &[domain]);
                let is_free = faults.iter().any(|fault| fault.free);
                if policies.len() > 1 || rejects_nobody || is_free || open(self.draft, policy, SPF_DEPTH_MAX) {
                    self.truth.plant_issue("spf_permissive", Kind::Domain, domain);
                }
                if policies.len() > 1 {
                    // None of them counts, and what each would do may be told.
                    ["spf_invalid", "spf_too_many_lookups"]
                        .into_iter()
                        .for_each(|issue| self.truth.allow_issue(issue, Kind::Domain, domain));
                } else {
                    if !faults.is_empty() {
                        self.truth.plant_issue("spf_invalid", Kind::Domain, domain);
                    }
                    if lookups(self.draft, policy, &[domain]) > SPF_LOOKUPS_MAX {
                        self.truth.plant_issue("spf_too_many_lookups", Kind::Domain, domain);
                    }
                }
            }
        }
        let at = self.end(&format!("_dmarc.{domain}"));
        let policies: Vec<String> = texts(self.draft, &at).into_iter().filter(|text| is_dmarc(text)).collect();
        match policies.first() {
            // The entity that has the policy does not answer for it.
            _ if !self.is_answered(&at) => {}
            None => self.truth.plant_issue("dmarc_missing", Kind::Domain, domain),
            Some(policy) => {
                let tag = |name: &str| {
                    let tags = policy.split(';').filter_map(|tag| tag.split_once('='));
                    let mut tags = tags.map(|(key, value)| (key.trim(), value.trim()));
                    tags.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_ascii_lowercase())
                };
                let part = tag("pct").is_some_and(|percent| percent.parse::<u32>().is_ok_and(|percent| percent < 100));
                let acts = tag("p").is_some_and(|policy| matches!(policy.as_str(), "quarantine" | "reject"));
                let spares = tag("sp").is_some_and(|policy| !matches!(policy.as_str(), "quarantine" | "reject"));
                if policies.len() > 1 || !acts || part || spares {
                    self.truth.plant_issue("dmarc_permissive", Kind::Domain, domain);
                }
            }
        }
    }

    /// What is wrong with a policy and all that it hands on to; what servers that fail would say is not known.
    fn faults(&self, policy: &str, path: &[&str]) -> Vec<Fault> {
        let terms = terms(policy);
        let ends_itself = terms.iter().any(|(_, body)| body == "all");
        let mut faults = Vec::new();
        for (sign, body) in &terms {
            let (name, target) = body.split_once([':', '=']).unwrap_or((body, ""));
            let name = name.split('/').next().unwrap_or(name);
            let is_modifier = body.find(['=', ':']).is_some_and(|at| body.as_bytes()[at] == b'=');
            match name {
                "include" => {}
                "redirect" if ends_itself => continue,
                "redirect" => {}
                "all" | "a" | "mx" | "ptr" | "exists" | "ip4" | "ip6" => continue,
                _ if is_modifier => continue,
                _ => {
                    faults.push(Fault { free: false });
                    continue;
                }
            }
            if target.contains('%') {
                continue;
            }
            if path.contains(&target) || path.len() > SPF_DEPTH_MAX {
                faults.push(Fault { free: false });
                continue;
            }
            match spf_policies(self.draft, target).first() {
                Some(policy) => faults.extend(self.faults(policy, &[path, &[target]].concat())),
                None if plan::zone_of(self.draft, target).is_none() => faults.push(Fault { free: *sign == '+' }),
                None => faults.push(Fault { free: false }),
            }
        }
        faults
    }

    /// Names that lead to private or loopback addresses.
    fn inside(&mut self, kind: Kind, name: &str) {
        for address in plan::addresses(self.draft, name) {
            let (loopback, private) = match ambit_model::entity::unmapped(address) {
                IpAddr::V4(v4) => {
                    let shared = v4.octets()[0] == 100 && v4.octets()[1] & 0xc0 == 64;
                    (v4.is_loopback(), v4.is_private() || v4.is_link_local() || shared)
                }
                IpAddr::V6(v6) => {
                    (v6.is_loopback(), v6.segments()[0] & 0xfe00 == 0xfc00 || v6.segments()[0] & 0xffc0 == 0xfe80)
                }
            };
            if loopback {
                self.truth.plant_issue("resolves_to_localhost", kind, name);
            } else if private {
                self.truth.plant_issue("internal_system_exposed_via_dns", kind, name);
            }
        }
    }

    /// Records that only the zone's own servers return may be reported.
    fn told_inside(&mut self, kind: Kind, name: &str) {
        if plan::entry(self.draft, name).is_some_and(|entry| !entry.inside.is_empty()) {
            for issue in ["internal_system_exposed_via_dns", "resolves_to_localhost"] {
                self.truth.allow_issue(issue, kind, name);
            }
        }
    }

    /// Aliases, mail servers and name servers that lead to nothing, or to what anyone may claim.
    fn dangling(&mut self, kind: Kind, name: &str) {
        let records = texts_or(self.draft, name);
        let zone = self.draft.zones.get(name).filter(|zone| self.zone_answers(name, zone));
        let servers = zone.into_iter().flat_map(|zone| &zone.servers);
        if servers.into_iter().any(|(server, _)| self.is_gone(&self.end(server))) {
            self.truth.plant_issue("dangling_record", kind, name);
        }
        let broken_mail = records
            .iter()
            .any(|data| matches!(data, Data::Mx(_, server) if !server.is_empty() && self.is_gone(&self.end(server))));
        if broken_mail {
            self.truth.plant_issue("dangling_record", kind, name);
        }
        let asked = plan::entry(self.draft, name).is_none_or(|entry| !entry.fails.contains(&RecordType::HTTPS));
        let gone_alias = |data: &Data| match data {
            Data::Binding(RecordType::HTTPS, binding) if binding.priority == 0 && !binding.target.is_empty() => {
                self.is_gone(&self.end(&binding.target))
            }
            _ => false,
        };
        if asked && records.iter().any(gone_alias) {
            self.truth.plant_issue("dangling_record", kind, name);
        }
        let Some(first) = plan::chain(self.draft, name).into_iter().next() else { return };
        let end = plan::end_of_chain(self.draft, name);
        let provider = claimable::of_target(&first).or_else(|| claimable::of_target(&end));
        if self.is_gone(&end) {
            let is_claimable = claimable::of_target(&end).is_some();
            let issue = if is_claimable { "subdomain_takeover" } else { "dangling_record" };
            self.truth.plant_issue(issue, kind, name);
        } else if provider.is_some_and(|provider| provider.says.is_some() && self.unclaimed(name, provider)) {
            self.truth.plant_issue("subdomain_takeover", kind, name);
        }
    }

    /// An alias of all names below one, which leads to nothing, or a DNAME record that does. Only where names are
    /// likely below is it asked for.
    fn dangling_wildcard(&mut self, kind: Kind, level: &str) {
        let wildcard = texts_or(self.draft, &format!("*.{level}"));
        let records = texts_or(self.draft, level);
        let is_gone =
            wildcard.iter().any(|data| matches!(data, Data::Cname(target) if self.is_gone(&self.end(target))))
                || records.iter().any(|data| matches!(data, Data::Dname(target) if self.is_gone(target)));
        if is_gone && kind == Kind::Domain {
            self.truth.plant_issue("dangling_wildcard", kind, level);
        } else if is_gone {
            self.truth.allow_issue("dangling_wildcard", kind, level);
        }
    }

    fn end(&self, name: &str) -> String {
        plan::end_of_chain(self.draft, name)
    }

    /// Returns whether the servers answer that a name does not exist.
    fn is_gone(&self, name: &str) -> bool {
        self.is_answered(name) && !self.exists_anywhere(name)
    }

    /// Whether whoever has a name, or would have it, answers for it.
    fn is_answered(&self, name: &str) -> bool {
        let says = |answers| matches!(answers, Answers::Normal | Answers::Slow(_) | Answers::Truncated);
        let zone = plan::zone_of(self.draft, name).and_then(|zone| self.draft.zones.get_key_value(zone));
        zone.is_none_or(|(top, zone)| says(zone.answers) && plan::is_reachable(self.draft, top))
            && plan::entry(self.draft, name).is_none_or(|entry| says(entry.answers))
    }

    fn exists_anywhere(&self, name: &str) -> bool {
        plan::zone_of(self.draft, name).is_some()
            && (plan::entry(self.draft, name).is_some() || plan::exists(self.draft, name))
    }

    /// Whether the provider's servers say to this name that they do not know it.
    fn unclaimed(&self, name: &str, provider: &Claimable) -> bool {
        plan::addresses(self.draft, name).iter().any(|address| {
            let Some(host) = self.internet.hosts.get(address) else { return false };
            host.ports.values().any(|port| match port {
                Port::Web(web) => match web.choose(Some(name)) {
                    Some(site) => {
                        let body = site.site.body.as_deref().unwrap_or_default();
                        provider.proof(site.site.status, body).is_some()
                    }
                    None => match &host.unknown {
                        UnknownHost::Page(status, text) => provider.proof(*status, text).is_some(),
                        UnknownHost::Site(_) | UnknownHost::Close => false,
                    },
                },
                Port::Source(Source::Storage, _) => !self.draft.buckets.values().any(|bucket| bucket.name == name),
                Port::Source(..) | Port::Service(..) | Port::Dns => false,
            })
        })
    }
}

/// Something wrong with a policy of who may send.
struct Fault {
    /// Whoever registers a domain may send.
    free: bool,
}

/// The records of a name.
fn texts_or(draft: &Draft, name: &str) -> Vec<Data> {
    draft.names.get(name).map(|entry| entry.records.clone()).unwrap_or_default()
}

/// The texts at a name, or at the end of its aliases.
fn texts(draft: &Draft, name: &str) -> Vec<String> {
    let text = |data: &Data| match data {
        Data::Txt(text) => Some(String::from_utf8_lossy(text).into_owned()),
        _ => None,
    };
    let entry = plan::entry(draft, &plan::end_of_chain(draft, name));
    entry.map(|entry| entry.records.iter().filter_map(text).collect()).unwrap_or_default()
}

fn spf_policies(draft: &Draft, name: &str) -> Vec<String> {
    let is_spf = |text: &String| text.split(' ').next().is_some_and(|word| word.eq_ignore_ascii_case("v=spf1"));
    texts(draft, name).into_iter().filter(is_spf).collect()
}

fn is_dmarc(text: &str) -> bool {
    let version = text.split(';').next().and_then(|tag| tag.split_once('='));
    version.is_some_and(|(tag, value)| tag.trim().eq_ignore_ascii_case("v") && value.trim() == "DMARC1")
}

/// The terms of a policy up to its `all`, each as sign and body.
fn terms(policy: &str) -> Vec<(char, String)> {
    let mut terms = Vec::new();
    for word in policy.split_whitespace().skip(1).map(str::to_ascii_lowercase) {
        let sign = word.chars().next().filter(|sign| "+-~?".contains(*sign));
        terms.push((sign.unwrap_or('+'), word.trim_start_matches(['+', '-', '~', '?']).to_owned()));
        if terms.last().is_some_and(|(_, body)| body == "all") {
            break;
        }
    }
    terms
}

/// The sign of the `all` in which a policy ends, also by a redirect; `None` where it has no end. A redirect to
/// nothing is an error (RFC 7208 §6.1), by which nobody passes.
fn ends(draft: &Draft, policy: &str, depth: usize) -> Option<char> {
    let terms = terms(policy);
    if let Some((sign, _)) = terms.last().filter(|(_, body)| body == "all") {
        return Some(*sign);
    }
    let target = terms.iter().find_map(|(_, body)| body.strip_prefix("redirect="))?;
    match spf_policies(draft, target).first().filter(|_| depth > 0) {
        Some(policy) => ends(draft, policy, depth - 1),
        None => Some('-'),
    }
}

/// Whether some part of a policy lets every address pass before its `all` is read.
fn open(draft: &Draft, policy: &str, depth: usize) -> bool {
    terms(policy).iter().filter(|(sign, _)| *sign == '+').any(|(_, body)| match body.split_once([':', '=']) {
        Some((family @ ("ip4" | "ip6"), range)) => {
            let bits = range.rsplit_once('/').and_then(|(_, bits)| bits.parse::<u8>().ok());
            bits.is_some_and(|bits| bits < if family == "ip4" { 8 } else { 12 })
        }
        Some((handed @ ("include" | "redirect"), target)) => {
            let policies = spf_policies(draft, target);
            let Some(policy) = policies.first().filter(|_| depth > 0) else { return false };
            let lets_all = handed == "include" && ends(draft, policy, depth - 1) == Some('+');
            lets_all || open(draft, policy, depth - 1)
        }
        _ => false,
    })
}

/// The look-ups that a policy costs. What leads back to one of the policies on the way is looked up, and not followed.
fn lookups(draft: &Draft, policy: &str, path: &[&str]) -> usize {
    let terms = terms(policy);
    let ends_itself = terms.iter().any(|(_, body)| body == "all");
    let mut count = 0;
    for (_, body) in &terms {
        let (mechanism, argument) = body.split_once([':', '=']).unwrap_or((body, ""));
        let hands_on = match mechanism.split('/').next().unwrap_or_default() {
            "include" => true,
            "redirect" if !ends_itself => true,
            "a" | "mx" | "ptr" | "exists" => false,
            _ => continue,
        };
        count += 1;
        if hands_on && !path.contains(&argument) && path.len() <= SPF_DEPTH_MAX {
            let handed = spf_policies(draft, argument).into_iter().next();
            count += handed.map_or(0, |policy| lookups(draft, &policy, &[path, &[argument]].concat()));
        }
    }
    count
}

//! What an iOS app says of itself: its property list, and what it is entitled to.

use crate::archive::Archive;
use crate::error::{AppError, Result};
use crate::piece::Piece;
use crate::plist;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where an IPA has its app.
const PAYLOAD: &str = "Payload/";
/// The number before entitlements in the signature of a program.
const ENTITLEMENTS: &[u8] = &[0xfa, 0xde, 0x71, 0x71];
/// What property lists begin with.
const LISTS: &[&[u8]] = &[b"<?xml", b"<plist", b"bplist"];
/// Places of one program that are taken for entitlements, and bytes of those; real programs have one for each
/// processor, of some thousand bytes.
const PLACES_MAX: usize = 64;
const ENTITLEMENT_BYTES_MAX: usize = 1_024 * 1_024;
/// Entries of one list that are kept.
const ENTRIES_MAX: usize = 500;

/// Members that override NSAllowsArbitraryLoads, whatever their values, and the iOS version since which they do.
const NARROWER: &[&str] =
    &["NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsLocalNetworking"];
const NARROWER_SINCE: u32 = 10;

/// What an iOS app says of itself. What it leaves out is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ios {
    /// Its name among all apps: `org.example.app`.
    pub bundle: String,
    /// What people see below its picture.
    pub label: Option<String>,
    /// The number of its build.
    pub build: Option<String>,
    /// Its version as people read it.
    pub version: Option<String>,
    /// The oldest version of iOS that it runs on.
    pub min_os: Option<String>,
    /// Transport security is off for all hosts.
    pub allows_arbitrary_loads: bool,
    /// Transport security is off in pages that it shows.
    pub allows_arbitrary_web_loads: bool,
    /// Hosts to which it talks in the clear.
    pub insecure_domains: Vec<String>,
    /// Hosts of which it takes a TLS older than 1.2.
    pub old_tls_domains: Vec<String>,
    /// Hosts without forward secrecy.
    pub no_forward_secrecy_domains: Vec<String>,
    /// Schemes of links that open it.
    pub schemes: Vec<String>,
    /// Its files are shared with a computer that it is connected to.
    pub shares_files: bool,
    /// What it asks leave for: names of its members that explain why.
    pub usages: Vec<String>,
    /// Hosts whose links open it, from `applinks:` and `webcredentials:`.
    pub associated_domains: Vec<String>,
    /// The number of its maker.
    pub team: Option<String>,
    /// A debugger may be attached to it.
    pub debuggable: bool,
    /// It may be installed on some devices only, or inside one company: it is not from the store.
    pub has_provisioning: bool,
    /// It is provisioned for every device of a company.
    pub for_all_devices: bool,
}

/// Returns the folder of the app in an IPA.
pub(crate) fn folder(archive: &Archive<'_>) -> Option<String> {
    archive.names().find_map(|name| {
        let app = name.strip_prefix(PAYLOAD)?.strip_suffix(".app/Info.plist")?;
        (!app.contains('/')).then(|| format!("{PAYLOAD}{app}.app/"))
    })
}

/// Reads an IPA.
pub(crate) fn of_ipa(archive: &mut Archive<'_>, folder: &str, look: &mut dyn FnMut(&Piece<'_>)) -> Result<Ios> {
    let path = format!("{folder}Info.plist");
    let info = plist::read(&archive.get(&path)?)?;
    let text = |name: &str| info[name].as_str().map(str::to_owned);
    let bundle = text("CFBundleIdentifier");
    let bundle = bundle.ok_or_else(|| AppError::NotAnApp("its property list names no bundle".into()))?;
    let mut ios = Ios {
        bundle,
        label: text("CFBundleDisplayName").or_else(|| text("CFBundleName")),
        build: text("CFBundleVersion"),
        version: text("CFBundleShortVersionString"),
        min_os: text("MinimumOSVersion"),
        shares_files: info["UIFileSharingEnabled"] == true,
        ..Ios::default()
    };
    ios.transport(&info["NSAppTransportSecurity"]);
    let types = info["CFBundleURLTypes"].as_array().into_iter().flatten();
    ios.schemes = types.flat_map(|kind| texts(&kind["CFBundleURLSchemes"])).take(ENTRIES_MAX).collect();
    let members = info.as_object().into_iter().flatten().map(|(name, _)| name);
    ios.usages = members.filter(|name| name.ends_with("UsageDescription")).take(ENTRIES_MAX).cloned().collect();
    ios.usages.sort();
    crate::strings::hand_out(&path, &info.to_string(), look);
    let mut is_entitled = false;
    if let Some(program) = text("CFBundleExecutable").map(|name| format!("{folder}{name}"))
        && archive.has(&program)
        && let Some(entitlements) = entitlements(&archive.get(&program)?)
    {
        is_entitled = true;
        ios.entitled(&entitlements);
        ios.debuggable = entitlements["get-task-allow"] == true;
    }
    let profile = format!("{folder}embedded.mobileprovision");
    if archive.has(&profile) {
        ios.has_provisioning = true;
        if let Some(profile) = list_inside(&archive.get(&profile)?) {
            ios.for_all_devices = profile["ProvisionsAllDevices"] == true;
            ios.entitled(&profile["Entitlements"]);
            // A profile says what may be signed; what the program is signed with decides.
            ios.debuggable |= !is_entitled && profile["Entitlements"]["get-task-allow"] == true;
        }
    }
    Ok(ios)
}

impl Ios {
    fn transport(&mut self, security: &Value) {
        let is_old = self.min_os.as_deref().and_then(major).is_some_and(|major| major < NARROWER_SINCE);
        let is_narrower = !is_old && NARROWER.iter().any(|name| !security[*name].is_null());
        self.allows_arbitrary_loads = security["NSAllowsArbitraryLoads"] == true && !is_narrower;
        self.allows_arbitrary_web_loads = security["NSAllowsArbitraryLoadsInWebContent"] == true;
        for (domain, said) in security["NSExceptionDomains"].as_object().into_iter().flatten().take(ENTRIES_MAX) {
            let either = |own: &str, other: &str| [&said[own], &said[other]].into_iter().find(|value| !value.is_null());
            let insecure = either("NSExceptionAllowsInsecureHTTPLoads", "NSThirdPartyExceptionAllowsInsecureHTTPLoads");
            if insecure.is_some_and(|value| *value == true) {
                self.insecure_domains.push(domain.clone());
            }
            let version = either("NSExceptionMinimumTLSVersion", "NSThirdPartyExceptionMinimumTLSVersion");
            if version.and_then(Value::as_str).is_some_and(|version| matches!(version, "TLSv1.0" | "TLSv1.1")) {
                self.old_tls_domains.push(domain.clone());
            }
            let secrecy = either("NSExceptionRequiresForwardSecrecy", "NSThirdPartyExceptionRequiresForwardSecrecy");
            if secrecy.is_some_and(|value| *value == false) {
                self.no_forward_secrecy_domains.push(domain.clone());
            }
        }
    }

    fn entitled(&mut self, entitlements: &Value) {
        if let Some(team) = entitlements["com.apple.developer.team-identifier"].as_str() {
            self.team = Some(team.to_owned());
        }
        for domain in texts(&entitlements["com.apple.developer.associated-domains"]) {
            let host = domain.split_once(':').map_or(domain.as_str(), |(_, host)| host);
            let host = host.split(['?', '/']).next().unwrap_or_default().to_ascii_lowercase();
            if !host.is_empty() && !self.associated_domains.contains(&host) {
                self.associated_domains.push(host);
            }
        }
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).take(ENTRIES_MAX).map(str::to_owned).collect()
}

/// Returns the entitlements in the signature of a program: of the places that look like them the first that is read.
fn entitlements(program: &[u8]) -> Option<Value> {
    let begins = |at: usize| LISTS.iter().any(|list| program[at..].get(8..).is_some_and(|said| said.starts_with(list)));
    let places = program.windows(ENTITLEMENTS.len()).enumerate().filter(|(_, window)| *window == ENTITLEMENTS);
    let mut places = places.filter(|(at, _)| begins(*at)).take(PLACES_MAX);
    places.find_map(|(at, _)| {
        let size = u32::from_be_bytes(program.get(at + 4..at + 8)?.try_into().ok()?) as usize;
        let size = Some(size).filter(|size| *size <= ENTITLEMENT_BYTES_MAX)?;
        plist::read(program.get(at + 8..at.checked_add(size)?)?).ok()
    })
}

/// Returns the first number of a version.
fn major(version: &str) -> Option<u32> {
    version.trim().split('.').next()?.parse().ok()
}

/// Returns the list that a signed profile carries.
fn list_inside(signed: &[u8]) -> Option<Value> {
    let start = signed.windows(6).position(|window| window == b"<plist")?;
    let end = signed.windows(8).rposition(|window| window == b"</plist>")? + 8;
    plist::read(signed.get(start..end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(list: &[u8]) -> Vec<u8> {
        [ENTITLEMENTS, &u32::try_from(list.len() + 8).unwrap().to_be_bytes(), list].concat()
    }

    const RIGHTS: &[u8] = b"<plist><dict><key>get-task-allow</key><true/></dict></plist>";

    #[test]
    fn transport_security_is_not_off_where_a_narrower_member_stands_beside_the_one_that_turns_it_off() {
        let is_off = |beside: Option<(&str, bool)>, min_os: Option<&str>| {
            let mut ios = Ios { min_os: min_os.map(str::to_owned), ..Ios::default() };
            let mut security = serde_json::json!({"NSAllowsArbitraryLoads": true});
            beside.into_iter().for_each(|(name, value)| security[name] = value.into());
            ios.transport(&security);
            ios.allows_arbitrary_loads
        };
        for name in NARROWER {
            for value in [true, false] {
                assert!(!is_off(Some((name, value)), None) && !is_off(Some((name, value)), Some("10.0")), "{name}");
                assert!(is_off(Some((name, value)), Some("9.3")), "{name}: older ones do not know it");
            }
        }
        assert!(is_off(None, None) && is_off(Some(("NSExceptionDomains", true)), Some("15.0")));
    }

    #[test]
    fn entitlements_are_sought_where_a_list_begins_and_at_so_many_places() {
        let broken = place(b"<plist><dict>");
        let after = |before: Vec<u8>| entitlements(&[before, place(RIGHTS)].concat());
        assert!(after(Vec::new()).is_some());
        assert!(after(place(b"\0nothing").repeat(1_000)).is_some(), "what is no list is passed over");
        assert!(after(broken.repeat(PLACES_MAX - 1)).is_some());
        assert!(after(broken.repeat(PLACES_MAX)).is_none());
        let padded = |length: usize| place(&[RIGHTS, &vec![b' '; length]].concat());
        assert!(entitlements(&padded(1_024)).is_some() && entitlements(&padded(ENTITLEMENT_BYTES_MAX)).is_none());
        let unit = [ENTITLEMENTS, &(4_u32 << 20).to_be_bytes()].concat();
        assert!(entitlements(&unit.repeat(1_024 * 1_024)).is_none(), "a million places are not read as lists");
    }
}

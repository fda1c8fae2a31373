//! Ranges and names of platforms, as others list them: the data of cdncheck, and the ranges that Amazon and Google
//! publish. They are the user's to load. What of a file cannot be used is named, and the rest is used.

use super::{Sharing, known_as};
use crate::Kind;
use crate::entity::is_too_wide;
use crate::networks::Networks;
use ipnet::IpNet;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

/// Bytes of one file: the data of cdncheck is a hundredth of it.
pub const PACK_BYTES_MAX: usize = 64 << 20;
/// Ranges and names of one file, with those that cannot be used.
const ENTRIES_MAX: usize = 1_000_000;
/// Characters of a platform's name, and of an entry that cannot be used.
const NAME_CHARS_MAX: usize = 100;

/// Categories of cdncheck. What is neither a cloud nor among the names is shared by many customers.
const CATEGORIES: [&str; 4] = ["cdn", "waf", CLOUD, NAMES];
/// Addresses that customers rent.
const CLOUD: &str = "cloud";
/// Names below which platforms serve their customers.
const NAMES: &str = "common";

/// Services of Amazon whose addresses many customers share; of all others each address is one customer's, for a time.
const SHARED_AT_AMAZON: [&str; 5] =
    ["CLOUDFRONT", "CLOUDFRONT_ORIGIN_FACING", "GLOBALACCELERATOR", "API_GATEWAY", "S3"];

/// What a file says of an address or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The platform: as our table calls it, else as the file does.
    pub name: Arc<str>,
    pub sharing: Sharing,
}

/// What files list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pack {
    networks: Networks<Listed>,
    suffixes: HashMap<String, Listed>,
}

/// The entries of one file, and what is not used of it.
#[derive(Debug, Default)]
pub struct Entries {
    networks: Vec<(IpNet, Listed)>,
    suffixes: Vec<(String, Listed)>,
    /// Entries that cannot be used, with the reason.
    pub left_out: Vec<String>,
}

impl Entries {
    /// How many ranges and names can be used.
    pub fn len(&self) -> usize {
        self.networks.len() + self.suffixes.len()
    }

    /// True where none can be used.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn leave_out(&mut self, entry: &str, why: &str) {
        self.left_out.push(format!("{}: {why}", entry.chars().take(NAME_CHARS_MAX).collect::<String>()));
    }

    fn add_network(&mut self, text: &str, listed: &Listed) {
        match text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from)) {
            Ok(net) if is_too_wide(&net.to_string()) => self.leave_out(text, "nobody holds a block that wide"),
            Ok(net) => self.networks.push((net, listed.clone())),
            Err(_) => self.leave_out(text, "it is no block such as 192.0.2.0/24"),
        }
    }

    fn add_suffix(&mut self, text: &str, listed: &Listed) {
        let name = text.trim_start_matches("*.").trim_matches('.');
        match Kind::DnsRecord.canonical(name) {
            Ok(name) if name.contains('.') => self.suffixes.push((name, listed.clone())),
            Ok(_) => self.leave_out(text, "a name that is no top-level domain is expected"),
            Err(error) => self.leave_out(text, error.why),
        }
    }
}

impl Pack {
    /// Puts the entries of files together. Where two say something of the same block or name, the more careful counts:
    /// that it is shared.
    pub fn new(files: Vec<Entries>) -> Self {
        let (mut networks, mut suffixes) = (Vec::new(), Vec::new());
        for file in files {
            networks.extend(file.networks);
            suffixes.extend(file.suffixes);
        }
        // Of what comes twice the last counts.
        networks.sort_by_key(|(_, listed): &(IpNet, Listed)| listed.sharing == Sharing::Shared);
        suffixes.sort_by_key(|(_, listed): &(String, Listed)| listed.sharing == Sharing::Shared);
        Self { networks: networks.into_iter().collect(), suffixes: suffixes.into_iter().collect() }
    }

    /// Returns the platform of an address: that of the narrowest block around it.
    pub fn of_address(&self, address: IpAddr) -> Option<&Listed> {
        self.networks.narrowest(address).map(|(_, listed)| listed)
    }

    /// Returns the platform of a host name: that of the longest name which it is, or lies below.
    pub fn of_host(&self, host: &str) -> Option<&Listed> {
        let mut levels = std::iter::successors(Some(host), |name| name.split_once('.').map(|(_, parent)| parent));
        levels.find_map(|name| self.suffixes.get(name))
    }
}

/// Lists of a category, by platform.
type Category = BTreeMap<String, Vec<String>>;

/// One of the forms that are read.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Published(Published),
    Categories(BTreeMap<String, Category>),
}

/// The ranges that Amazon (`ip-ranges.json`) and Google (`goog.json`, `cloud.json`) publish.
#[derive(Deserialize)]
struct Published {
    prefixes: Vec<Prefix>,
    #[serde(default)]
    ipv6_prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Prefix {
    Amazon {
        #[serde(alias = "ipv6_prefix")]
        ip_prefix: String,
        service: String,
    },
    Google {
        #[serde(rename = "ipv4Prefix", alias = "ipv6Prefix")]
        prefix: String,
    },
}

/// Returns whether a text is such a file, whatever of its entries can be used.
pub fn is_pack(text: &str) -> bool {
    // A look at the beginning leaves out what cannot be: reading a large file takes longer.
    text.trim_start().starts_with('{') && serde_json::from_str::<File>(text).is_ok_and(|file| file.is_known())
}

/// Reads such a file. Fails where it is none, or holds too much, or nothing that can be used.
pub fn read_pack(text: &str) -> Result<Entries, String> {
    let file = serde_json::from_str::<File>(text).ok().filter(File::is_known);
    let Some(file) = file else {
        return Err(
            "no known list of platforms: expected the data of cdncheck, or ranges of Amazon or Google".to_owned()
        );
    };
    if file.count() > ENTRIES_MAX {
        return Err(format!("it lists more than {ENTRIES_MAX} ranges and names"));
    }
    let mut entries = Entries::default();
    match file {
        File::Published(published) => published.add_to(&mut entries),
        File::Categories(categories) => add_categories(&categories, &mut entries),
    }
    match entries.is_empty() {
        true => Err("it lists no range and no name that can be used".to_owned()),
        false => Ok(entries),
    }
}

impl File {
    /// How many ranges and names it lists.
    fn count(&self) -> usize {
        match self {
            Self::Published(published) => published.prefixes.len() + published.ipv6_prefixes.len(),
            Self::Categories(categories) => categories.values().flat_map(BTreeMap::values).map(Vec::len).sum(),
        }
    }

    fn is_known(&self) -> bool {
        match self {
            Self::Published(_) => self.count() > 0,
            Self::Categories(categories) => {
                !categories.is_empty() && categories.keys().all(|category| CATEGORIES.contains(&category.as_str()))
            }
        }
    }
}

impl Published {
    fn add_to(self, entries: &mut Entries) {
        let listed = |name: &str, sharing| Listed { name: name.into(), sharing };
        let (shared, rented, google) = (
            listed("Amazon Web Services", Sharing::Shared),
            listed("Amazon Web Services", Sharing::Rented),
            listed("Google Cloud", Sharing::Rented),
        );
        for prefix in self.prefixes.iter().chain(&self.ipv6_prefixes) {
            match prefix {
                Prefix::Amazon { ip_prefix, service } if SHARED_AT_AMAZON.contains(&service.as_str()) => {
                    entries.add_network(ip_prefix, &shared);
                }
                Prefix::Amazon { ip_prefix, .. } => entries.add_network(ip_prefix, &rented),
                Prefix::Google { prefix } => entries.add_network(prefix, &google),
            }
        }
    }
}

fn add_categories(categories: &BTreeMap<String, Category>, entries: &mut Entries) {
    let platforms = |is_wanted: fn(&str) -> bool| -> BTreeSet<&str> {
        let wanted = categories.iter().filter(|(category, _)| is_wanted(category.as_str()));
        wanted.flat_map(|(_, platforms)| platforms.keys().map(String::as_str)).collect()
    };
    // Below a name of a platform that rents machines alone, a customer may have one to itself.
    let (renting, sharing) =
        (platforms(|category| category == CLOUD), platforms(|category| category != CLOUD && category != NAMES));
    for (category, platforms) in categories {
        for (name, list) in platforms {
            let is_rented = match category.as_str() {
                NAMES => renting.contains(name.as_str()) && !sharing.contains(name.as_str()),
                category => category == CLOUD,
            };
            let sharing = if is_rented { Sharing::Rented } else { Sharing::Shared };
            let own = || name.chars().take(NAME_CHARS_MAX).collect::<String>().into();
            let listed = Listed { name: known_as(name).map_or_else(own, Arc::from), sharing };
            for entry in list {
                match category == NAMES {
                    true => entries.add_suffix(entry, &listed),
                    false => entries.add_network(entry, &listed),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(texts: &[&str]) -> Pack {
        Pack::new(texts.iter().map(|text| read_pack(text).unwrap()).collect())
    }

    fn told(listed: Option<&Listed>) -> Option<(&str, Sharing)> {
        listed.map(|listed| (&*listed.name, listed.sharing))
    }

    #[test]
    fn the_narrowest_block_tells_whose_an_address_is_and_whether_many_share_it() {
        let pack = pack(&[r#"{"cdn": {"edge": ["192.0.2.0/24"]}, "waf": {"wall": ["198.51.100.7", "2001:db8::/48"]},
                "cloud": {"metal": ["192.0.0.0/16", "192.0.2.0/24"], "aws": ["203.0.113.0/24"]}}"#]);
        let of = |address: &str| told(pack.of_address(address.parse().unwrap()));
        assert_eq!(of("192.0.2.1"), Some(("edge", Sharing::Shared)), "the more careful of two");
        assert_eq!(of("192.0.3.1"), Some(("metal", Sharing::Rented)));
        assert_eq!(of("198.51.100.7"), Some(("wall", Sharing::Shared)));
        assert_eq!(of("2001:db8::7"), Some(("wall", Sharing::Shared)));
        assert_eq!(of("203.0.113.1"), Some(("Amazon Web Services", Sharing::Rented)), "as our table calls it");
        assert_eq!(of("198.51.100.8"), None);
    }

    #[test]
    fn names_are_shared_unless_their_platform_rents_machines_alone() {
        let pack = pack(&[
            r#"{"cdn": {"both": ["192.0.2.0/24"]}, "cloud": {"both": ["198.51.100.0/24"], "metal": ["203.0.113.0/24"]},
                "common": {"both": ["*.both.example"], "metal": ["Metal.example."],
                "builder": ["sites.builder.example"]}}"#,
        ]);
        let of = |host: &str| told(pack.of_host(host));
        assert_eq!(of("a.b.both.example"), Some(("both", Sharing::Shared)));
        assert_eq!(of("metal.example"), Some(("metal", Sharing::Rented)));
        assert_eq!(of("acme.sites.builder.example"), Some(("builder", Sharing::Shared)));
        assert_eq!(of("builder.example"), None);
        assert_eq!(of("notboth.example"), None);
    }

    #[test]
    fn ranges_that_platforms_publish_are_rented_but_for_services_that_many_share() {
        let pack = pack(&[
            r#"{"syncToken": "1", "prefixes": [{"ip_prefix": "192.0.2.0/24", "region": "eu", "service": "AMAZON"},
                {"ip_prefix": "192.0.2.0/24", "region": "eu", "service": "CLOUDFRONT"},
                {"ip_prefix": "198.51.100.0/24", "region": "eu", "service": "EC2"}],
                "ipv6_prefixes": [{"ipv6_prefix": "2001:db8::/32", "service": "S3"}]}"#,
            r#"{"syncToken": "1", "prefixes": [{"ipv4Prefix": "203.0.113.0/25", "service": "Google Cloud"},
                {"ipv6Prefix": "2001:db8:7::/48"}]}"#,
        ]);
        let of = |address: &str| told(pack.of_address(address.parse().unwrap()));
        assert_eq!(of("192.0.2.1"), Some(("Amazon Web Services", Sharing::Shared)));
        assert_eq!(of("198.51.100.1"), Some(("Amazon Web Services", Sharing::Rented)));
        assert_eq!(of("2001:db8::1"), Some(("Amazon Web Services", Sharing::Shared)));
        assert_eq!(of("203.0.113.1"), Some(("Google Cloud", Sharing::Rented)));
        assert_eq!(of("2001:db8:7::1"), Some(("Google Cloud", Sharing::Rented)));
    }

    #[test]
    fn what_cannot_be_used_is_named_and_the_rest_is_used() {
        let entries = read_pack(
            r#"{"cdn": {"edge": ["192.0.2.0/24", "0.0.0.0/0", "::/1", "192.0.2.0/33"]},
                "common": {"edge": ["com", "a..b", "edge.example"]}}"#,
        )
        .unwrap();
        assert_eq!((entries.len(), entries.left_out.len()), (2, 5), "{:?}", entries.left_out);
        assert!(entries.left_out[0].starts_with("0.0.0.0/0: nobody holds"), "{:?}", entries.left_out);
    }

    #[test]
    fn other_files_are_none() {
        for text in [
            "",
            "[]",
            "{}",
            "{",
            "192.0.2.0/24",
            r#"{"technologies": {"A": {"cats": [1]}}}"#,
            r#"{"cdn": {"edge": ["192.0.2.0/24"]}, "other": {"edge": []}}"#,
            r#"{"prefixes": []}"#,
            r#"{"prefixes": [{"name": "x"}]}"#,
        ] {
            assert!(!is_pack(text) && read_pack(text).is_err(), "{text}");
        }
        let nothing = r#"{"cdn": {"edge": ["everywhere"]}}"#;
        assert!(is_pack(nothing) && read_pack(nothing).is_err_and(|why| why.contains("no range")));
        let many = format!(r#"{{"cdn": {{"edge": [{}""]}}}}"#, r#""","#.repeat(ENTRIES_MAX));
        assert!(read_pack(&many).is_err_and(|why| why.contains("more than 1000000")));
    }
}

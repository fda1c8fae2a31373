//! What is known, asked for what an entity shows: its fingerprints and what else it says. Answers with vulnerabilities
//! and the criteria that matched, and says nothing of versions that a distribution has probably patched.

use crate::alias;
use crate::configuration::{Criterion, Surroundings, System};
use crate::cpe::Cpe;
use crate::distribution::patched_by;
use crate::index::{self, About};
use crate::lifecycle::{self, ByProduct};
use crate::own::{self, OWN};
use crate::packs::INDEX;
use crate::records::Records;
use crate::vulnerability::{CveId, Id, Vulnerability};
use ambit_model::vulnerability::{Affected, Cvss, Exploited, Maintained, Threshold};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// How a package is graded that was made to do harm, of which no vector says anything.
const MALICIOUS_SCORE: f64 = 10.0;

/// Ids of our own list by the product that they concern.
static OWN_BY_PRODUCT: LazyLock<BTreeMap<String, Vec<CveId>>> = LazyLock::new(|| {
    let mut by_product: BTreeMap<String, Vec<CveId>> = BTreeMap::new();
    for (id, known) in OWN.iter() {
        for product in known.products() {
            by_product.entry(product).or_default().push(*id);
        }
    }
    by_product
});

/// A product as its fingerprint names it.
struct Shown<'i> {
    item: &'i Value,
    cpe: Cpe,
    key: String,
    version: String,
}

impl<'i> Shown<'i> {
    /// What an item says, where it names a product in a version.
    fn of(item: &'i Value) -> Option<Self> {
        let cpe = Cpe::parse(item.get("cpe")?.as_str()?)?;
        let (key, version) = (cpe.product_key()?, cpe.full_version()?);
        Some(Self { item, cpe, key, version })
    }

    fn text(&self, member: &str) -> String {
        self.item.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// What showed the product.
    fn shown(&self) -> String {
        let matches = self.item.get("positive_matches").and_then(Value::as_array);
        let contents = matches.into_iter().flatten().filter_map(|one| one.get("match_content")?.as_str());
        contents.collect::<Vec<_>>().join("\n")
    }
}

/// How a vulnerability concerns a product that something shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Concern {
    /// It is about other products, or about other versions of this one.
    None,
    /// It is about versions of this product, and nobody knows which one this is.
    VersionUnknown {
        /// The versions that it is about, as people write them.
        ranges: Vec<String>,
    },
    Affected(Box<Affected>),
}

/// Returns how a vulnerability concerns a product, which is named as fingerprints name it, by `cpe`, `vendor` and
/// `product`. What the product stands on is not looked at.
pub fn concern(id: Id, known: &Vulnerability, item: &Value) -> Concern {
    let Some(cpe) = item.get("cpe").and_then(Value::as_str).and_then(Cpe::parse) else { return Concern::None };
    let Some(key) = cpe.product_key() else { return Concern::None };
    if known.withdrawn || !known.products().contains(alias::leading(&key)) {
        return Concern::None;
    }
    let Some(shown) = Shown::of(item) else {
        let nodes = known.configurations.iter().flat_map(|one| &one.nodes).flat_map(|node| &node.criteria);
        let of_product = nodes.filter(|criterion| {
            let named = Cpe::parse(&criterion.name).and_then(|name| name.product_key());
            criterion.vulnerable && named.is_some_and(|named| alias::leading(&named) == alias::leading(&key))
        });
        return Concern::VersionUnknown { ranges: of_product.map(Criterion::range).collect() };
    };
    let surroundings = Surroundings { products: vec![cpe], system: None };
    matched(&shown, id, known, &surroundings).map_or(Concern::None, |found| Concern::Affected(Box::new(found)))
}

/// Everything that is known: the packs of a folder, or where there are none, our own list.
#[derive(Debug, Default)]
pub struct Knowledge {
    folder: Option<PathBuf>,
    /// From where a vulnerability is an issue.
    threshold: Threshold,
    loaded: RwLock<Loaded>,
}

/// The index as it was opened last.
#[derive(Clone, Debug, Default)]
struct Loaded {
    index: Option<Arc<Records>>,
    /// Number, time of writing and size of the file: another one has others.
    file: Option<(u64, i64, i64, u64)>,
    stamp: String,
    /// What packs say of the ends of products.
    lifecycles: Arc<ByProduct>,
}

impl Knowledge {
    /// What is known without any pack.
    pub fn own() -> Self {
        Self::default()
    }

    /// What is known with the packs of a folder, which need not exist. An index that cannot be read is told to the
    /// caller once, and our own list stands in.
    pub fn of(folder: impl Into<PathBuf>) -> Result<Self, io::Error> {
        let knowledge = Self { folder: Some(folder.into()), ..Self::default() };
        knowledge.refresh()?;
        Ok(knowledge)
    }

    /// The same, with another threshold from where a vulnerability is an issue.
    pub fn with_threshold(self, threshold: Threshold) -> Self {
        Self { threshold, ..self }
    }

    /// Opens the index anew where it was replaced since. Returns whether something else is known than before.
    pub fn refresh(&self) -> Result<bool, io::Error> {
        let Some(folder) = &self.folder else { return Ok(false) };
        let path = folder.join(INDEX);
        let file = match std::fs::metadata(&path) {
            Ok(about) => Some((about.ino(), about.mtime(), about.mtime_nsec(), about.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let before = self.loaded();
        if before.file == file {
            return Ok(false);
        }
        let (index, About { stamp, lifecycles }) = match file {
            None => (None, About::default()),
            Some(_) => {
                let records = Records::open(&path)?;
                let about = records.about::<About>()?;
                (Some(Arc::new(records)), about)
            }
        };
        let changed = stamp != before.stamp || index.is_some() != before.index.is_some();
        let lifecycles = Arc::new(lifecycle::by_product(lifecycles));
        let loaded = Loaded { index, file, stamp, lifecycles };
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(changed)
    }

    fn loaded(&self) -> Loaded {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a stamp that changes when the known vulnerabilities change.
    pub fn stamp(&self) -> String {
        let loaded = self.loaded();
        let stamp = if loaded.index.is_some() { loaded.stamp } else { own::EDITION.clone() };
        match self.threshold {
            Threshold::Weighty => stamp,
            other => format!("{stamp}\nissues {}", other.name()),
        }
    }

    /// Returns what is known of a vulnerability.
    pub fn find(&self, id: Id) -> Result<Option<Vulnerability>, io::Error> {
        match self.loaded().index {
            Some(index) => index.find(id),
            None => Ok(match id {
                Id::Cve(id) => OWN.get(&id).cloned(),
                Id::Other(_) => None,
            }),
        }
    }

    /// Returns what concerns the products of an entity: its fingerprint items, and other texts of it, such as banner
    /// and headers. Sorted by id, then CPE.
    pub fn affected(&self, fingerprint: &[Value], beside: &[&str]) -> Result<Vec<Affected>, io::Error> {
        let shown: Vec<Shown<'_>> = fingerprint.iter().filter_map(Shown::of).collect();
        if shown.is_empty() {
            return Ok(Vec::new());
        }
        let index = self.loaded().index;
        let surroundings =
            Surroundings { products: shown.iter().map(|shown| shown.cpe.clone()).collect(), system: system(beside) };
        let mut affected: BTreeMap<(String, String), Affected> = BTreeMap::new();
        for one in &shown {
            if patched_by(alias::leading(&one.key), &one.version, &one.shown(), beside.iter().copied()).is_some() {
                continue;
            }
            let candidates = match &index {
                Some(index) => index::candidates(index, &one.key, &one.version)?,
                None => own_candidates(&one.key),
            };
            for (id, known) in candidates {
                if let Some(found) = matched(one, id, &known, &surroundings) {
                    let found = Affected { threshold: self.threshold, ..found };
                    affected.entry((found.cve.clone(), found.cpe.clone())).or_insert(found);
                }
            }
        }
        Ok(affected.into_values().collect())
    }

    /// Returns until when the makers of an entity's products care for them, of those of which it is known: what packs
    /// say of a product stands in the place of our own list. What a distribution keeps is its own affair.
    pub fn maintained(&self, fingerprint: &[Value], beside: &[&str]) -> Vec<Maintained> {
        let packs = self.loaded().lifecycles;
        let of_item = |one: Shown<'_>| {
            let product = alias::leading(&one.key);
            if patched_by(product, &one.version, &one.shown(), beside.iter().copied()).is_some() {
                return None;
            }
            let known = packs.get(product).or_else(|| lifecycle::own().get(product))?;
            let lifecycle = lifecycle::of_version(known, &one.version)?.clone();
            Some(Maintained {
                product: one.text("product"),
                cpe: one.text("cpe"),
                version: one.version,
                versions: lifecycle.versions,
                until: lifecycle.ends,
                newest: lifecycle.newest,
            })
        };
        fingerprint.iter().filter_map(Shown::of).filter_map(of_item).collect()
    }
}

/// What of our own list may concern a product.
fn own_candidates(product: &str) -> Vec<(Id, Vulnerability)> {
    let ids = OWN_BY_PRODUCT.get(alias::leading(product)).into_iter().flatten();
    ids.map(|id| (Id::Cve(*id), OWN[id].clone())).collect()
}

fn matched(shown: &Shown<'_>, id: Id, known: &Vulnerability, surroundings: &Surroundings) -> Option<Affected> {
    if known.withdrawn {
        return None;
    }
    let found = known.configurations.iter().find_map(|one| one.matches(&shown.cpe, surroundings))?;
    let cvss = |cvss: &crate::vulnerability::Cvss| Cvss {
        version: cvss.version.clone(),
        vector: cvss.vector.clone(),
        score: cvss.score,
    };
    Some(Affected {
        cve: id.to_string(),
        vendor: shown.text("vendor"),
        product: shown.text("product"),
        version: shown.version.clone(),
        cpe: shown.text("cpe"),
        title: known.title.clone(),
        description: known.description.clone(),
        criterion: found.criterion.name.clone(),
        range: found.criterion.range(),
        is_whole: found.is_whole,
        cvss: known.cvss.iter().map(cvss).collect(),
        score: known.score().or(id.is_malicious().then_some(MALICIOUS_SCORE)),
        cwes: known.cwes.clone(),
        references: known.references.clone(),
        exploited: known.kev.as_ref().map(|kev| Exploited {
            added: kev.added.clone(),
            due: kev.due.clone(),
            ransomware: kev.ransomware,
        }),
        epss: known.epss.map(|epss| (epss.score, epss.percentile)),
        ssvc: known.ssvc.clone().map(|ssvc| [ssvc.exploitation, ssvc.automatable, ssvc.technical_impact]),
        threshold: Threshold::default(),
    })
}

/// The system that a server's texts name.
fn system(texts: &[&str]) -> Option<System> {
    const WINDOWS: &[&str] = &["(win32)", "(win64)", "microsoft-iis", "windows"];
    const UNIX: &[&str] = &["(unix)", "linux", "debian", "ubuntu", "centos", "red hat", "freebsd"];
    let says = |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| text.to_lowercase().contains(word)));
    match (says(WINDOWS), says(UNIX)) {
        (true, false) => Some(System::Windows),
        (false, true) => Some(System::Unix),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The item of a product in a version, shown by a text.
    fn item(vendor: &str, product: &str, version: &str, shown: &str) -> Value {
        json!({
            "vendor": vendor, "product": product, "version": version,
            "cpe": Cpe::application(vendor, product, version).to_string(),
            "positive_matches": [{"match_type": "banner", "match_content": shown}],
        })
    }

    fn cves(items: &[Value], beside: &[&str]) -> Vec<String> {
        Knowledge::own().affected(items, beside).unwrap().into_iter().map(|affected| affected.cve).collect()
    }

    #[test]
    fn products_in_a_vulnerable_version_are_told_and_their_neighbours_are_not() {
        for (vendor, product, version, expected) in [
            ("apache", "http_server", "2.4.49", &["CVE-2021-41773", "CVE-2021-42013"][..]),
            ("apache", "http_server", "2.4.62", &[]),
            ("jenkins", "jenkins", "2.440", &["CVE-2024-23897"]),
            ("jenkins", "jenkins", "2.442", &[]),
            ("nginx", "nginx", "1.25.1", &["CVE-2023-44487"]),
            ("openbsd", "openssh", "9.6", &["CVE-2024-6387"]),
            ("openbsd", "openssh", "9.8p1", &[]),
            ("vsftpd_project", "vsftpd", "2.3.4", &["CVE-2011-2523"]),
            ("vsftpd_project", "vsftpd", "3.0.5", &[]),
            ("openssl", "openssl", "1.0.1f", &["CVE-2014-0160"]),
            ("openssl", "openssl", "1.0.1g", &[]),
            ("microsoft", "exchange_server", "15.2.792.3", &["CVE-2021-26855", "CVE-2021-34473"]),
            ("microsoft", "exchange_server", "15.2.1118", &[]),
            ("joomla", "joomla!", "4.2.7", &["CVE-2023-23752"]),
        ] {
            let found = cves(&[item(vendor, product, version, version)], &[]);
            for cve in expected {
                assert!(found.iter().any(|known| known == cve), "{product} {version}: {found:?}");
            }
            assert_eq!(found.is_empty(), expected.is_empty(), "{product} {version}: {found:?}");
        }
    }

    #[test]
    fn an_unknown_version_and_a_patched_one_claim_nothing() {
        let unknown = json!({"cpe": "cpe:2.3:a:apache:http_server:*:*:*:*:*:*:*:*", "version": null});
        assert!(cves(&[unknown], &[]).is_empty());
        let openssh = item("openbsd", "openssh", "9.2p1", "OpenSSH_9.2p1");
        let greeting = "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3";
        assert!(!cves(std::slice::from_ref(&openssh), &[]).is_empty());
        assert!(cves(&[openssh], &[greeting]).is_empty());
    }

    #[test]
    fn a_vulnerability_says_how_it_concerns_a_product_and_of_which_versions_where_nobody_knows_it() {
        let id: Id = "CVE-2021-41773".parse().unwrap();
        let known = Knowledge::own().find(id).unwrap().unwrap();
        let concerns = |item: &Value| match concern(id, &known, item) {
            Concern::None => "no".to_owned(),
            Concern::VersionUnknown { ranges } => format!("of {}", ranges.join("; ")),
            Concern::Affected(affected) => format!("yes, {}", affected.range),
        };
        for (vendor, product, version, expected) in [
            ("apache", "http_server", "2.4.49", "yes, version 2.4.49"),
            ("apache", "http_server", "2.4.50", "no"),
            ("apache", "http_server", "", "of version 2.4.49"),
            ("apache", "tomcat", "", "no"),
        ] {
            assert_eq!(concerns(&item(vendor, product, version, "")), expected, "{product} {version}");
        }
        assert_eq!(concerns(&json!({"product": "x"})), "no");
    }
}

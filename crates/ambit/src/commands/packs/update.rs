//! `ambit packs update`: the feeds that everybody may load, from their publishers or from a mirror of the operator's.

use super::download::{Download, Downloaded, Edition, read_edition, unwritten, write_edition};
use super::{feeds, judging};
use crate::args::Data;
use crate::clock::now;
use crate::config::Settings;
use crate::engine_config;
use crate::failure::{Failure, Result};
use crate::output::{Results, hint};
use ambit_model::scope::Exclusions;
use ambit_net::guard::{Guard, OperatorOnly, SourcesOnly};
use ambit_net::live::LiveWire;
use ambit_net::{Grant, Grants, Net, NetOptions, Pace, PaceLimits, Session};
use ambit_vulns::{Packs, import};
use std::path::Path;
use std::sync::Arc;

/// The purpose under which a mirror is asked.
const MIRROR: &str = "mirror";
/// The first year of the files of NVD.
const FIRST_YEAR: i32 = 2002;
/// Every record of CVE 5. It is published in one piece that cannot be gone on with: only a mirror gives it in parts.
const CVE5: &str = "cve5";
/// Registries of packages of which OSV has a file, by its name there and ours.
const REGISTRIES: [(&str, &str); 5] =
    [("npm", "npm"), ("Packagist", "packagist"), ("PyPI", "pypi"), ("RubyGems", "rubygems"), ("Maven", "maven")];

/// A feed that can be brought up to date by its name.
struct Feed {
    /// Of the pack.
    name: String,
    /// The data provider.
    provider: &'static str,
    /// Without the name of the file.
    place: &'static str,
    file: String,
    /// The file at a mirror.
    at_mirror: String,
    /// The file beside it that has its checksum.
    checksum: Option<String>,
}

/// Every feed: those whose names were given, or all.
fn feeds_named(names: &[String], year: i32) -> Result<Vec<Feed>> {
    let one = |name: &str, provider, place, file: &str| Feed {
        name: name.to_owned(),
        provider,
        place,
        file: file.to_owned(),
        at_mirror: file.to_owned(),
        checksum: None,
    };
    let mut all = vec![
        one("kev", "cisa", "https://www.cisa.gov/sites/default/files/feeds/", "known_exploited_vulnerabilities.json"),
        one("epss", "epss", "https://epss.empiricalsecurity.com/", "epss_scores-current.csv.gz"),
        one("endoflife", "endoflife", "https://endoflife.date/api/v1/products/", "full"),
        one(
            "retire",
            "retire",
            "https://raw.githubusercontent.com/RetireJS/retire.js/master/repository/",
            "jsrepository.json",
        ),
    ];
    all.extend(REGISTRIES.iter().map(|(there, ours)| Feed {
        at_mirror: format!("osv-{ours}.zip"),
        ..one(
            &format!("osv-{ours}"),
            "osv",
            "https://osv-vulnerabilities.storage.googleapis.com/",
            &format!("{there}/all.zip"),
        )
    }));
    // Every record, some hundred megabytes: only where it is named.
    if names.iter().any(|name| name == CVE5) {
        all.push(one(CVE5, MIRROR, "", "cve5.zip"));
    }
    all.extend((FIRST_YEAR..=year).map(|year| Feed {
        name: format!("nvd-{year}"),
        provider: "nvd",
        place: "https://nvd.nist.gov/feeds/json/cve/2.0/",
        file: format!("nvdcve-2.0-{year}.json.gz"),
        at_mirror: format!("nvdcve-2.0-{year}.json.gz"),
        checksum: Some(format!("nvdcve-2.0-{year}.meta")),
    }));
    let is_named = |feed: &Feed, name: &str| feed.name == name || feed.name.split('-').next() == Some(name);
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|feed| is_named(feed, name))) {
        let known = "kev, epss, endoflife, retire, osv, osv-REGISTRY, nvd, nvd-YEAR and cve5";
        return Err(Failure::usage(format!("no feed is named {unknown:?}: there are {known}")));
    }
    all.retain(|feed| names.is_empty() || names.iter().any(|name| is_named(feed, name)));
    Ok(all)
}

/// Where feeds are asked for.
struct Way {
    session: Session,
    mirror: Option<String>,
}

impl Way {
    fn new(settings: &Settings) -> Result<Self> {
        let mirror = settings.get("packs_mirror").map(|url| url.trim_end_matches('/').to_owned());
        let wire = LiveWire::new(&engine_config::live(settings, &[], None)?);
        let wire = Arc::new(wire.map_err(|error| engine_config::unusable(&error))?);
        let never = Exclusions::new(&engine_config::installation(settings)?.never);
        let guard: Arc<dyn Guard> =
            if mirror.is_some() { Arc::new(OperatorOnly) } else { Arc::new(SourcesOnly { never }) };
        let net = Net::new(wire, guard, Arc::new(Pace::new(PaceLimits::default())), NetOptions::default());
        let sources = vec!["cisa", "epss", "endoflife", "nvd", "osv", "retire"];
        let grants = match mirror {
            Some(_) => Grants::operator(MIRROR),
            None => Grants { resolve: true, sources, ..Grants::none() },
        };
        Ok(Self { session: net.session(grants), mirror })
    }

    fn grant(&self, feed: &Feed) -> Grant {
        if self.mirror.is_some() { Grant::Operator(MIRROR) } else { Grant::Source(feed.provider) }
    }

    fn url(&self, feed: &Feed) -> String {
        match &self.mirror {
            Some(mirror) => format!("{mirror}/{}", feed.at_mirror),
            None => format!("{}{}", feed.place, feed.file),
        }
    }

    /// Where the checksum of a feed is.
    fn checksum_url(&self, feed: &Feed, file: &str) -> String {
        format!("{}{file}", self.mirror.as_ref().map_or(feed.place.to_owned(), |mirror| format!("{mirror}/")))
    }
}

/// Brings feeds up to date, one after the other. What fails is told at the end; the others are loaded.
pub(super) async fn update(data: &Data, settings: &Settings, names: &[String], results: &mut Results) -> Result<()> {
    let feeds = feeds_named(names, now().date().get(..4).and_then(|year| year.parse().ok()).unwrap_or(FIRST_YEAR))?;
    if settings.get("packs_mirror").is_none() && feeds.iter().any(|feed| feed.name == CVE5) {
        let remedy = "name a mirror that has cve5.zip (packs_mirror), or load the archive with `ambit packs add`";
        return Err(Failure::usage(format!("{CVE5} is only available from a mirror: {remedy}")));
    }
    let (store, _) = crate::local_store::folder(data, settings).await?;
    let packs = feeds::of(data, settings)?;
    let folder = crate::folder::data(data.data.as_deref(), settings)?.join("downloads");
    std::fs::create_dir_all(&folder).map_err(|error| unwritten(&folder, &error))?;
    let way = Way::new(settings)?;
    let (mut loaded, mut failed) = (false, Vec::new());
    for feed in &feeds {
        match bring_up(&way, feed, &packs, &folder).await {
            Ok(Some(said)) => {
                loaded = true;
                results.line(&format!("{}  {said}", feed.name))?;
            }
            Ok(None) => results.line(&format!("{}  unchanged", feed.name))?,
            Err(failure) => {
                hint(&format!("{}: {failure}", feed.name));
                failed.push(feed.name.as_str());
            }
        }
    }
    if loaded {
        packs.rebuild().map_err(feeds::refused)?;
        judging::judge_again(data, settings, &store).await?;
    }
    if failed.is_empty() {
        return Ok(());
    }
    let failed = failed.join(", ");
    Err(Failure::partial(format!("not updated: {failed}; what was loaded before stays in use")))
}

/// Loads a feed where it changed; none where it did not.
async fn bring_up(way: &Way, feed: &Feed, packs: &Packs, folder: &Path) -> Result<Option<String>> {
    let edition = folder.join(format!("{}.edition", feed.name));
    let known: Vec<String> = packs.list().map_err(feeds::refused)?.into_iter().map(|pack| pack.name).collect();
    let loaded: Option<Edition> = read_edition(&edition).filter(|_| known.contains(&feed.name));
    let url = way.url(feed);
    let part = folder.join(format!("{}.part", feed.name));
    let download = Download { session: &way.session, grant: way.grant(feed), url: &url, part };
    let Downloaded::File(file) = download.run(loaded.as_ref()).await? else { return Ok(None) };
    let added = match check(way, feed, &file, folder).await {
        Ok(()) => feeds::add(packs, &feed.name, std::slice::from_ref(&file)),
        Err(failure) => Err(failure),
    };
    let new = download.edition();
    // What is whole and wrong is not gone on with.
    download.forget();
    let said = added?;
    write_edition(&edition, &new)?;
    Ok(Some(said))
}

/// Compares a file with the checksum that its publisher gives, of what it unpacks to.
async fn check(way: &Way, feed: &Feed, file: &Path, folder: &Path) -> Result<()> {
    let Some(name) = &feed.checksum else { return Ok(()) };
    let url = way.checksum_url(feed, name);
    let part = folder.join(format!("{}.meta-part", feed.name));
    let download = Download { session: &way.session, grant: way.grant(feed), url: &url, part };
    let read = match download.run(None).await {
        Ok(Downloaded::File(path)) => std::fs::read_to_string(path),
        Ok(Downloaded::Unchanged) => Ok(String::new()),
        Err(failure) => return Err(failure),
    };
    download.forget();
    let text = read.map_err(|error| Failure::run_time(format!("{url}: {error}")))?;
    let said = text.lines().find_map(|line| line.trim().strip_prefix("sha256:")).unwrap_or_default();
    let hash = import::content_hash(file).map_err(|error| Failure::run_time(format!("{}: {error}", feed.file)))?;
    if said.eq_ignore_ascii_case(&hash) {
        return Ok(());
    }
    Err(Failure::run_time(format!(
        "{}: its content has the SHA-256 {hash}, but its publisher states {said:?}",
        feed.file
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_are_named_one_by_one_or_by_their_publisher() {
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            feeds_named(&names, 2004).map(|feeds| feeds.into_iter().map(|feed| feed.name).collect::<Vec<_>>().join(" "))
        };
        for (names, expected) in [
            (
                &[][..],
                "kev epss endoflife retire osv-npm osv-packagist osv-pypi osv-rubygems osv-maven \
                 nvd-2002 nvd-2003 nvd-2004",
            ),
            (&["osv"], "osv-npm osv-packagist osv-pypi osv-rubygems osv-maven"),
            (&["osv-npm", "retire"], "retire osv-npm"),
            (&["cve5"], "cve5"),
            (&["epss", "kev"], "kev epss"),
            (&["nvd"], "nvd-2002 nvd-2003 nvd-2004"),
            (&["nvd-2003"], "nvd-2003"),
        ] {
            assert_eq!(named(names).expect("are known"), expected);
        }
        let refused = named(&["nvd-1999"]).expect_err("there is none").to_string();
        assert!(refused.contains("no feed is named \"nvd-1999\""), "{refused}");
    }
}

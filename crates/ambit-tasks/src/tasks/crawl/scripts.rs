//! What the scripts of an application say, and the sources that they were made from.

use super::Crawl;
use crate::TaskError;
use crate::ask::web;
use crate::read::login::origin;
use crate::read::mentions::is_in_folder_of_others;
use crate::read::source_map::{self, MapLocation, Source};
use crate::read::{bundle, script, web_token};
use ambit_model::entity::host_of;
use ambit_model::entity::uri::PublishedMap;
use ambit_net::http::{BodyEnd, Url};
use std::collections::VecDeque;

/// Bytes of a source map: those of large applications have some millions.
const MAP_BYTES: usize = 8 * 1_024 * 1_024;
/// Bytes of the sources in all of an application's maps that are looked through.
const SOURCE_BYTES: usize = 16 * 1_024 * 1_024;
/// Names of sources in one map that are kept.
const SOURCE_NAMES_MAX: usize = 200;

impl Crawl<'_> {
    /// Reads the scripts of the pages, and behind them those that they load.
    pub(super) async fn scripts(&mut self) -> Result<(), TaskError> {
        let mut open: VecDeque<String> = self.scripts.iter().cloned().collect();
        for _ in 0..self.cx.settings.application_requests.scripts {
            let Some(name) = open.pop_front() else { return Ok(()) };
            let Ok(url) = Url::parse(&name) else { continue };
            let Some(answer) = self.try_get(&url).await? else { continue };
            if answer.status != 200 || web::is_html(&answer) {
                continue;
            }
            self.read_scripts.insert(url.path_only().to_owned());
            let text = web::text(&answer);
            self.call(&text, &url);
            let parts = script::parts(&text, &url).into_iter().chain(bundle::parts(&text, &url));
            let parts = parts.filter(|part| host_of(part) == url.host);
            open.extend(parts.filter(|part| self.scripts.insert(part.clone())));
            self.handed_out.read_text(&text, url.path_only());
            for (what, proof) in web_token::defects(&answer) {
                self.add_defect(what, url.path_only(), proof);
            }
            let header = ["sourcemap", "x-sourcemap"].into_iter().find_map(|name| web::header(&answer, name));
            match source_map::named(&text, header, &url) {
                Some(MapLocation::Inside(map)) => self.map(&map, &url, &url),
                Some(MapLocation::At(map)) if origin(&map) == origin(&url) => self.map_at(&map, &url).await?,
                Some(MapLocation::At(_)) => {}
                None => self.map_at(&source_map::beside(&url), &url).await?,
            }
        }
        Ok(())
    }

    /// Reads the map of a script that is a file of its own.
    async fn map_at(&mut self, url: &Url, script: &Url) -> Result<(), TaskError> {
        if self.maps.contains_key(url.path_only()) {
            return Ok(());
        }
        let Some(answer) = self.try_get_up_to(url, MAP_BYTES).await? else { return Ok(()) };
        if answer.status == 200 && !web::is_html(&answer) {
            if !matches!(answer.end, BodyEnd::Complete | BodyEnd::Opaque) {
                // A part of a map is none: what it showed before may still be there.
                self.places.note(url.path_only(), false);
            }
            self.map(&answer.body, url, script);
        }
        Ok(())
    }

    /// Takes up what the sources of a script say, in a map that stands at a URL.
    fn map(&mut self, body: &[u8], url: &Url, script: &Url) {
        let Some(sources) = source_map::sources(body) else { return };
        let own = || sources.iter().filter(|source| !is_in_folder_of_others(&source.name));
        let texts = sources.iter().filter(|source| source.text.is_some()).count();
        let names: Vec<String> = own().map(|source| source.name.clone()).take(SOURCE_NAMES_MAX).collect();
        if texts > 0 {
            let such_as = names.first().map(|name| format!(", such as {name}")).unwrap_or_default();
            self.add_defect("exposed_source_map", url.path_only(), format!("the text of {texts} files{such_as}"));
        }
        for Source { text, .. } in own() {
            let Some(text) = text else { continue };
            self.source_bytes += text.len();
            if self.source_bytes > SOURCE_BYTES {
                self.places.capped = true;
                break;
            }
            self.call(text, script);
            self.handed_out.read_text(text, url.path_only());
        }
        let path = url.path_only().to_owned();
        self.maps.insert(path.clone(), PublishedMap { path, sources: sources.len(), texts, names });
    }
}

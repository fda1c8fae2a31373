//! Reads the lists of an account page by page, and again after a while if the provider throttles; each item becomes an
//! entity. The differences between AWS and the others are in `aws.rs` and `cloud.rs` beside this file.

mod parts;
#[cfg(test)]
mod tests;

pub(crate) use parts::{Listed, ended};

use super::provider::patiently_within;
use super::{aws, cloud};
use crate::{Context, Result, TaskError};
use ambit_cloud::Refusal;
use ambit_cloud::form::{Asset, Form, Mark, Page, Place, Request};
use ambit_model::{Details, EdgeKind, Kind};
use ambit_net::http::HttpRequest;
use parts::{Reading, Unread};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Pages of one list: a million machines.
const PAGES_MAX: usize = 1_000;
/// Bytes of one list, over all of its pages and of the items that it is asked for one by one.
const BYTES_MAX: usize = 256 * 1_024 * 1_024;
/// Items that another list is asked for one by one: at the pace of an interface some ten minutes.
const PARENTS_MAX: usize = 5_000;

/// An account, and how it is asked.
pub(crate) enum Caller {
    Aws(aws::Caller),
    Other(cloud::Caller),
}

/// What is read of lists.
struct Taken {
    /// Bytes that may be read yet.
    bytes: usize,
    /// What the pages of one list show.
    assets: Vec<Asset>,
}

impl Caller {
    /// Asks for a whole list, page by page; one that is asked for each item of another, after that one. Fails if
    /// something of it could not be asked for.
    pub(crate) async fn all(&self, cx: &Context<'_>, list: &'static Form, place: &Place<'_>) -> Result<Vec<Asset>> {
        let Listed { assets, unread } = self.listed(cx, list, place).await?;
        unread.map_or(Ok(assets), |unread| Err(unread.error))
    }

    /// Asks for a list as `all` does, and answers with what it shows where some of the items are refused, a page behind
    /// others fails, or there are more than are read. Fails if the list could not be asked for, or every item is
    /// refused.
    pub(crate) async fn listed(&self, cx: &Context<'_>, list: &'static Form, place: &Place<'_>) -> Result<Listed> {
        self.listed_within(cx, list, place, BYTES_MAX).await
    }

    async fn listed_within(
        &self,
        cx: &Context<'_>,
        list: &'static Form,
        place: &Place<'_>,
        bytes: usize,
    ) -> Result<Listed> {
        let words = self.words(list, place);
        let mut taken = Taken { bytes, assets: Vec::new() };
        let Some(before) = &list.after else {
            let read = self.pages(cx, list, &Value::Null, place, &words, &mut taken).await;
            let assets = taken.assets;
            return match read {
                Ok(()) => Ok(Listed { assets, unread: None }),
                Err(error) if assets.is_empty() => Err(error),
                Err(error) => Ok(Listed { assets, unread: Some(Unread::rest(error)) }),
            };
        };
        let before = self.list(before).ok_or_else(|| TaskError::Failed(format!("no list is named {before}")))?;
        let words = self.words(before, place);
        self.pages(cx, before, &Value::Null, place, &words, &mut taken).await?;
        let parents = std::mem::take(&mut taken.assets);
        if parents.len() > PARENTS_MAX {
            return Err(TaskError::OutOfBudget(format!("{words} has more than {PARENTS_MAX} items")));
        }
        if list.once {
            return self.once(cx, list, &parents, place, &mut taken).await;
        }
        let mut reading = Reading::default();
        for parent in parents {
            let region = list.region_of(&parent.item).filter(|region| ambit_cloud::aws::is_region(region));
            let place = Place { region: region.as_deref().unwrap_or(place.region), ..*place };
            if reading.is_over() {
                reading.pass_over(list, &parent, &place);
                continue;
            }
            let words = self.words_of_item(list, &place, &parent);
            let read = self.pages(cx, list, &parent.item, &place, &words, &mut taken).await;
            let assets = std::mem::take(&mut taken.assets);
            reading.add(read.map(|()| assets), list, &parent, &place)?;
        }
        reading.end()
    }

    /// Asks for a list about what another one names, page by page. Fails if something of it could not be asked for.
    pub(super) async fn about(
        &self,
        cx: &Context<'_>,
        list: &'static Form,
        item: &Value,
        place: &Place<'_>,
    ) -> Result<Vec<Asset>> {
        let words = format!("{}, {}", self.words(list, place), list.permission);
        let mut taken = Taken { bytes: BYTES_MAX, assets: Vec::new() };
        self.pages(cx, list, item, place, &words, &mut taken).await?;
        Ok(taken.assets)
    }

    /// Asks once for what holds for every item of the list before.
    async fn once(
        &self,
        cx: &Context<'_>,
        list: &'static Form,
        parents: &[Asset],
        place: &Place<'_>,
        taken: &mut Taken,
    ) -> Result<Listed> {
        let Some(first) = parents.first() else { return Ok(Listed { assets: Vec::new(), unread: None }) };
        let words = format!("{}, {}", self.words(list, place), list.permission);
        self.pages(cx, list, &first.item, place, &words, taken).await?;
        let said = std::mem::take(&mut taken.assets);
        let of_one = |parent: &Asset| -> Vec<Asset> {
            said.iter().filter_map(|said| list.asset(said.item.clone(), &parent.item, place)).collect()
        };
        Ok(Listed { assets: parents.iter().flat_map(of_one).collect(), unread: None })
    }

    /// Asks for the further accounts that the same secrets open, by their ids; the account itself is none of them.
    pub(crate) async fn members(&self, cx: &Context<'_>) -> Result<Vec<String>> {
        let Self::Other(caller) = self else { return Ok(Vec::new()) };
        let Some(members) = &caller.provider.members else { return Ok(Vec::new()) };
        let unknown = || TaskError::Failed(format!("no list is named {}", members.list));
        let list = caller.provider.list(&members.list).ok_or_else(unknown)?;
        let assets = self.all(cx, list, &Place { account: &caller.account, ..Place::default() }).await?;
        let ids = assets.iter().filter_map(|asset| asset.item[members.id.as_str()].as_str());
        Ok(ids.filter(|id| *id != caller.account).map(str::to_owned).collect())
    }

    /// Requests the pages of a list, for one item of the list before, and adds their items to `taken`. If a page fails,
    /// the items of the earlier ones are kept.
    async fn pages(
        &self,
        cx: &Context<'_>,
        list: &'static Form,
        parent: &Value,
        place: &Place<'_>,
        words: &str,
        taken: &mut Taken,
    ) -> Result<()> {
        let unknown = || TaskError::Failed(format!("{words}: this program cannot query it"));
        let (mut marks, mut last, mut is_cut) = (Vec::new(), None, false);
        let pages_max = list.pages.unwrap_or(PAGES_MAX);
        for _ in 0..pages_max {
            let mark = marks.last();
            let request = list.request(mark, parent, place).ok_or_else(unknown)?;
            let dressed = || self.dressed(cx, list, place, &request)?.ok_or_else(unknown);
            let read = |status: u16, body: &[u8]| {
                self.page(list, mark, parent, place, (status, body))
                    .map(|page| (page, body.len(), Sha256::digest(body)))
            };
            let limit = list.limit.as_deref();
            let (page, size, contents) = patiently_within(cx, limit, (self.name(), words), dressed, read).await?;
            let Page { assets: more, next, is_cut: is_page_cut } = page;
            let too_long = || TaskError::OutOfBudget(format!("{words} is larger than the limit of one list"));
            taken.bytes = taken.bytes.checked_sub(size).ok_or_else(too_long)?;
            is_cut |= is_page_cut;
            let is_same = last.replace(contents) == Some(contents);
            if !is_same {
                match taken.assets.first_mut().filter(|_| !list.is_of_several()) {
                    Some(first) => more.into_iter().for_each(|more| first.go_on(more)),
                    None => taken.assets.extend(more),
                }
            }
            let Some(next) = next else {
                let cut = || TaskError::SourceDown(format!("{words}: the provider reports an incomplete result"));
                return if is_cut { Err(cut()) } else { Ok(()) };
            };
            if marks.contains(&next) {
                return Err(TaskError::SourceDown(format!("{words}: the next page is one that was read before")));
            }
            if is_same {
                return Err(TaskError::SourceDown(format!(
                    "{words}: page {} is the same as the one before",
                    marks.len() + 1
                )));
            }
            marks.push(next);
        }
        Err(TaskError::OutOfBudget(format!("{words} has more than {pages_max} pages")))
    }

    pub(super) fn list(&self, permission: &str) -> Option<&'static Form> {
        match self {
            Self::Aws(_) => ambit_cloud::aws::list(permission),
            Self::Other(caller) => caller.provider.list(permission),
        }
    }

    /// The name in which it is asked.
    fn name(&self) -> &str {
        match self {
            Self::Aws(caller) => &caller.name,
            Self::Other(caller) => &caller.name,
        }
    }

    /// What a list is called where it fails.
    fn words(&self, list: &Form, place: &Place<'_>) -> String {
        match self {
            Self::Aws(_) => aws::words(&list.service, place.region),
            Self::Other(caller) => caller.words(&list.permission),
        }
    }

    /// What a list is called where it fails for one item of the list before.
    fn words_of_item(&self, list: &Form, place: &Place<'_>, parent: &Asset) -> String {
        let words = self.words(list, place);
        let item = parts::name_of(parent);
        match self {
            Self::Aws(_) => format!("{words}, {} of {item}", list.permission),
            Self::Other(_) => format!("{words} of {item}"),
        }
    }

    /// The request as the wire takes it; `None` where nobody knows how the list is asked there.
    fn dressed(
        &self,
        cx: &Context<'_>,
        list: &Form,
        place: &Place<'_>,
        request: &Request,
    ) -> Result<Option<HttpRequest>> {
        match self {
            Self::Aws(caller) => caller.of_list(cx, list, place, request),
            Self::Other(caller) => caller.dressed(cx, &caller.url(list, &request.target), request).map(Some),
        }
    }

    fn page(
        &self,
        list: &'static Form,
        mark: Option<&Mark>,
        parent: &Value,
        place: &Place<'_>,
        answer: (u16, &[u8]),
    ) -> Result<Page, Refusal> {
        match self {
            Self::Aws(_) => ambit_cloud::aws::page(list, mark, parent, place, answer),
            Self::Other(_) => ambit_cloud::provider::page(list, mark, parent, place, answer),
        }
    }
}

/// Reports an item of a list, and the entities that it leads to. `own` marks what the account declares as its own;
/// `details` are added to those of the item.
pub(crate) fn tell(cx: &Context<'_>, asset: Asset, own: &(String, Value), details: impl FnOnce(Kind) -> Details) {
    let edge = EdgeKind::CloudAccount;
    let own = || Details::from_iter([own.clone()]);
    for address in &asset.addresses {
        cx.found_with(Kind::IpAddress, &address.to_string(), edge, own());
    }
    for block in &asset.blocks {
        cx.found_with(Kind::NetBlock, block, edge, own());
    }
    for host in &asset.hosts {
        cx.found_host_with(host, edge, own());
    }
    for url in &asset.urls {
        cx.found_with(Kind::Uri, url, edge, own());
    }
    for (kind, name) in asset.also.iter().filter_map(|(kind, name)| Some((Kind::from_name(kind)?, name))) {
        cx.found_with(kind, name, edge, own());
    }
    let Some((kind, name)) = asset.entity else { return };
    let Some(kind) = Kind::from_name(kind) else { return };
    let mut members = Details::from_iter(asset.members);
    members.extend(details(kind));
    if !asset.says.is_empty() {
        members.extend([ambit_model::entity::aws::configuration(asset.says)]);
    }
    cx.found_with(kind, &name, edge, members);
}

//! What is read of an answer: whether it is one to the question, its items, and what asks for the next page.

use super::{Asset, At, Form, Mark, Page, Place, encoded, escaped};
use crate::Refusal;
use serde_json::{Map, Value};

/// Where the items stand where the answer is one item, and where it is a list of them.
const ONE: &str = "";
const LIST: &str = "@list";
/// What stands between the arguments of a next page.
const AND: &str = " & ";
/// Members of what is said in place of an answer: by a proxy, or by a service that is out of order.
const MESSAGE: &[&str] = &["Code", "Error", "Message", "__type", "code", "error", "errors", "message", "status"];
/// Members that may accompany those.
const BESIDE: &[&str] = &["RequestId", "requestId", "request_id"];

impl Form {
    /// Reads the answer to a question as a page. Where the refusal says that the item before has nothing of it, that is
    /// what `nothing` says. Fails if the answer is a refusal, or nothing that can be read.
    pub(crate) fn answered(
        &'static self,
        answer: Result<Value, Refusal>,
        asked: Option<&Mark>,
        parent: &Value,
        place: &Place<'_>,
        nothing: impl FnOnce() -> Page,
    ) -> Result<Page, Refusal> {
        match answer {
            Ok(answer) => self.page(&answer, asked, parent, place).ok_or_else(|| unreadable(&self.permission)),
            Err(refusal) if self.is_nothing(&refusal) => Ok(nothing()),
            Err(refusal) => Err(refusal),
        }
    }

    /// Reads a page. `None`: it is no answer to this question.
    pub(crate) fn page(
        &'static self,
        answer: &Value,
        asked: Option<&Mark>,
        parent: &Value,
        place: &Place<'_>,
    ) -> Option<Page> {
        let whole = At { item: answer, parent, place };
        let items = self.items(answer, parent, place)?;
        let count = items.len();
        let assets = items.into_iter().filter_map(|item| self.asset(item, parent, place)).collect();
        let is_cut = self.cut.as_deref().is_some_and(|path| whole.text(path).as_deref() == Some("true"));
        Some(Page { assets, next: self.next(&whole, asked, count), is_cut })
    }

    /// Returns the items of an answer. `None`: it is no answer to this question.
    pub(crate) fn items(&self, answer: &Value, parent: &Value, place: &Place<'_>) -> Option<Vec<Value>> {
        if is_message(answer) {
            return None;
        }
        let whole = At { item: answer, parent, place };
        let shows = |name: &String| self.shows.contains(name);
        match self.items.as_str() {
            ONE => answer.as_object().filter(|all| all.keys().any(shows)).map(|_| whole.all("")),
            LIST => answer.as_array().map(|_| whole.all("")),
            items if whole.has(items) => Some(whole.all(items)),
            _ => answer.as_object().filter(|all| self.may_lack && all.keys().all(shows)).map(|_| Vec::new()),
        }
    }

    /// Returns whether its answer is a list, which may be empty, and not the one thing that is asked for.
    pub fn is_of_several(&self) -> bool {
        self.items != ONE
    }

    /// Returns whether a refusal says of an item that it has nothing of what is asked for.
    pub(crate) fn is_nothing(&self, refusal: &Refusal) -> bool {
        refusal.has_word(&self.nothing)
    }

    /// What an item is read as where it has nothing of what was asked for.
    pub fn without(&'static self, parent: &Value, place: &Place<'_>) -> Option<Asset> {
        self.asset(Value::Object(Map::new()), parent, place)
    }

    fn next(&self, answer: &At<'_>, asked: Option<&Mark>, items: usize) -> Option<Mark> {
        let page = self.page.as_deref()?;
        if page.contains(AND) {
            return self.next_by_several(page, answer);
        }
        if let Some(path) = page.strip_prefix("@url = ") {
            return answer.text(path).map(|url| Mark::Target(target_of(&url).to_owned()));
        }
        if let Some((_, path)) = page.split_once(" = ") {
            return answer.text(path).map(Mark::Argument);
        }
        let number = match asked {
            Some(Mark::Argument(number)) => number.parse().ok()?,
            _ => 1_u32,
        };
        let more = match (page.split_once(" # "), page.split_once(" + ")) {
            (Some((_, path)), _) => answer.text(path)?.parse::<u32>().ok()? > number,
            (None, Some((_, full))) => items >= full.parse().ok()?,
            (None, None) => items > 0,
        };
        // The caller has a limit of pages, and reports when it reaches it.
        more.then(|| Mark::Argument(number.saturating_add(1).to_string()))
    }

    /// The next page where several arguments ask for it, of which the first is always there.
    fn next_by_several(&self, page: &str, answer: &At<'_>) -> Option<Mark> {
        let mut fields = Vec::new();
        for part in page.split(AND) {
            let (name, path) = part.split_once(" = ")?;
            match answer.text(path) {
                Some(value) => fields.push((name.to_owned(), value)),
                None if fields.is_empty() => return None,
                None => {}
            }
        }
        let before = At { item: answer.parent, parent: &Value::Null, place: answer.place };
        let target = before.template(self.get.as_deref()?, escaped)?;
        let joint = if target.contains('?') { '&' } else { '?' };
        Some(Mark::Target(format!("{target}{joint}{}", encoded(&fields))))
    }
}

/// Returns whether something was said in place of an answer, whatever its status: an object of a message alone, or one
/// that says that it failed.
fn is_message(answer: &Value) -> bool {
    let Some(members) = answer.as_object() else { return false };
    let is_of = |names: &[&str], name: &String| names.contains(&name.as_str());
    let is_said = members.keys().any(|name| is_of(MESSAGE, name));
    (is_said && members.keys().all(|name| is_of(MESSAGE, name) || is_of(BESIDE, name)))
        || members.get("success") == Some(&Value::Bool(false))
}

/// Path and query of a URL.
fn target_of(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, rest)| rest);
    after.find('/').map_or("/", |start| &after[start..])
}

/// What is said of an answer that is none to the question.
pub(crate) fn unreadable(what: &str) -> Refusal {
    Refusal::Other(format!("the answer to {what} cannot be read"))
}

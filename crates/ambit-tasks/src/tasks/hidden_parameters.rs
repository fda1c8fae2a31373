//! Asks pages of an application with names of parameters that programs often have and no page names, and reads from
//! differences of the answers which are taken. The value is always 1, so that nothing is sent that could be an attack.

use crate::ask::provider::{Patience, TRIES_MAX};
use crate::ask::session::{self, Session, TOO_MANY_REQUESTS};
use crate::ask::{bindings, web};
use crate::read::normal;
use crate::read::parameters::{IN_GUESS, Parameters};
use crate::{Answer, Context, Plan, Task, TaskError};
use ambit_model::entity::uri;
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Facts, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use ambit_net::http::{HttpExchange, Url, retry_after};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(crate) const TASK: Task = Task {
    name: TaskName::HiddenParameters,
    pretty_name: "Hidden parameters",
    description: "Requests pages of an application that is a seed with parameter names from a short list, in the \
                  session that is configured for it, and infers from differences between the responses which of them \
                  it accepts. Each application gets at most 160 such requests.",
    workflows: &[workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    footprint: Clearance::L4,
    wave: Wave::Writes,
    ttl_ms: 7 * DAY_MS,
    cost: 100,
    gain: 5,
    slow: true,
    plan: |facts, _| {
        Plan::bound(
            bindings::one_of_site(facts).filter(|_| facts.seed && facts.decision.scoped() && !pages(facts).is_empty()),
        )
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Pages that are asked.
const PAGES_MAX: usize = 10;
/// Names that are asked at once: those of a request without a difference are none.
const TOGETHER: usize = 12;
/// Names that nobody has. Two pages that differ by them repeat their query, or never answer twice alike.
const NOBODYS: [&str; 2] = ["ambit-nobodys", "ambit-neither"];
/// Time of the look that is kept to try the session again and to say what was found.
const KEPT_TIME: Duration = Duration::from_secs(60);
/// Names of parameters that open something or change what is shown; none asks for anything to be done.
const WORDS: &[&str] = &[
    "admin", "all", "beta", "callback", "category", "config", "count", "debug", "demo", "detail", "details", "dev",
    "draft", "embed", "env", "expand", "export", "feature", "fields", "file", "filter", "format", "from", "full",
    "group", "hidden", "id", "include", "internal", "json", "key", "lang", "language", "layout", "level", "limit",
    "locale", "mode", "next", "offset", "order", "page", "path", "preview", "print", "profile", "q", "query", "raw",
    "redirect", "ref", "return", "role", "search", "show", "sort", "source", "staging", "status", "template", "test",
    "theme", "token", "trace", "type", "url", "user", "verbose", "version", "view",
];

/// Pages that were met and answered, the shortest first, each with the parameters that it is known to take.
fn pages(facts: &Facts) -> BTreeMap<(usize, String), BTreeSet<String>> {
    let met = uri::PAGES.items(&facts.details).filter(|page| page.status == 200);
    met.map(|page| ((page.path.len(), page.path), page.parameters)).collect()
}

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let site = web::site(cx)?;
    let session = session::open(cx, &site).await?;
    let most = cx.settings.application_requests.parameters;
    let mut asking = Asking { cx, session, left: most };
    let mut found = Parameters::default();
    let (mut asked, mut unsteady, mut refusal) = (BTreeSet::new(), BTreeSet::new(), None);
    for ((_, path), known) in pages(cx.facts).into_iter().take(PAGES_MAX) {
        let page = site.with_path(&path);
        let mut taken = Vec::new();
        let ended = asking.page(&page, &known, &mut taken).await;
        // What nobody in the session was shown says nothing of any page.
        if !taken.is_empty()
            && let Err(over) = asking.holds(&site).await
        {
            return in_part(cx, found, |_| true, over);
        }
        let is_first = taken.is_empty() && found.len() == 0 && asked.is_empty();
        taken.into_iter().for_each(|name| found.add(name, IN_GUESS, page.path_only()));
        match ended {
            Ok(Asked::All) => {
                asked.insert(page.path_only().to_owned());
            }
            Ok(Asked::Unsteady) => {
                unsteady.insert(page.path_only().to_owned());
            }
            Ok(Asked::Cut) => {
                let over = format!("{site}: {most} requests did not suffice to ask for them all");
                refusal = Some(TaskError::Failed(over));
                break;
            }
            Err(TaskError::Net(error)) if web::is_closed(&error) => continue,
            Err(TaskError::Net(error)) if web::is_no_answer(&error) && is_first => return Ok(Answer::Absent),
            Err(error) => {
                refusal = Some(error);
                break;
            }
        }
    }
    if let Err(over) = asking.holds(&site).await {
        return in_part(cx, found, |_| true, refusal.unwrap_or(over));
    }
    if let Some(refusal) = refusal {
        return in_part(cx, found, |path| !asked.contains(path), refusal);
    }
    keep(cx, &mut found, |path| unsteady.contains(path));
    if found.len() == 0 {
        return Ok(Answer::Absent);
    }
    cx.observe(uri::HIDDEN_PARAMETERS, found.list());
    Ok(Answer::Found)
}

/// What was found before the site refused to answer any more or the requests were used up, beside what was known of the
/// pages that were not asked for all names.
fn in_part(
    cx: &Context<'_>,
    mut found: Parameters,
    is_open: impl Fn(&str) -> bool,
    refusal: TaskError,
) -> Result<Answer, TaskError> {
    let is_found = found.len() > 0;
    keep(cx, &mut found, is_open);
    cx.observe(uri::HIDDEN_PARAMETERS, found.list());
    Answer::despite(is_found, Some(refusal))
}

/// Adds what was known of these pages.
fn keep(cx: &Context<'_>, found: &mut Parameters, is_of: impl Fn(&str) -> bool) {
    for known in uri::HIDDEN_PARAMETERS.items(&cx.facts.details) {
        known.paths.iter().filter(|path| is_of(path)).for_each(|path| found.add(&known.name, IN_GUESS, path));
    }
}

/// What a page answers, as far as it says something.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    status: u16,
    location: Option<String>,
    body: String,
}

impl Shown {
    fn of(exchange: &HttpExchange) -> Self {
        let location = web::header(exchange, "location");
        let location = location.map(|target| target.split('?').next().unwrap_or_default().to_owned());
        Self { status: exchange.status, location, body: normal::body_hash(exchange) }
    }
}

struct Asking<'a> {
    cx: &'a Context<'a>,
    session: Session,
    /// Requests that may still be sent.
    left: usize,
}

/// How far a page was asked.
enum Asked {
    /// For all names.
    All,
    /// Until the requests were used up.
    Cut,
    /// It never answers twice alike, so that nothing shows which names it takes.
    Unsteady,
}

impl Asking<'_> {
    /// What a page answers to names; `None` where the cap is reached. A site that says that there are too many
    /// requests is asked again, as late as it wants. Fails where it goes on refusing, or wants more time than is left.
    async fn shown(&mut self, page: &Url, names: &[&str]) -> Result<Option<Shown>, TaskError> {
        let (net, until) = (self.cx.net, self.cx.until(KEPT_TIME));
        let mut patience = Patience::new();
        while self.left > 0 {
            self.left -= 1;
            let url = asked(page, names);
            let answer = net.until(until, "answer", self.session.get(self.cx, &url, web::PAGE_BYTES)).await;
            let exchange = answer.map_err(|_| out_of_time(page))??;
            let is_busy = exchange.status == TOO_MANY_REQUESTS;
            let pause = exchange.header("retry-after").and_then(|value| retry_after(value.raw(), net.date()));
            let has_time = net.now().saturating_add(pause.unwrap_or_default()) < until;
            match exchange.available() {
                Ok(exchange) => return Ok(Some(Shown::of(&exchange))),
                Err(_) if is_busy && has_time && patience.lasts(self.cx, TRIES_MAX).await => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Whether the session is accepted still. A site that says that there are too many requests is asked again.
    async fn holds(&mut self, site: &Url) -> Result<(), TaskError> {
        let mut patience = Patience::new();
        loop {
            let asked = session::holds_still(self.cx, &mut self.session, site);
            let held = self.cx.net.until(self.cx.until(KEPT_TIME / 2), "answer", asked).await;
            match held.map_err(|_| out_of_time(site))? {
                Err(TaskError::Net(NetError::Unavailable(_))) if patience.lasts(self.cx, TRIES_MAX).await => {}
                held => return held,
            }
        }
    }

    /// Finds the names that a page takes, and returns how far it was asked. A difference counts if it shows again, and
    /// if the page is the same without it.
    async fn page(
        &mut self,
        page: &Url,
        known: &BTreeSet<String>,
        taken: &mut Vec<&'static str>,
    ) -> Result<Asked, TaskError> {
        let usual = self.shown(page, &NOBODYS[..1]).await?;
        let Some(usual) = usual else { return Ok(Asked::Cut) };
        let Some(other) = self.shown(page, &NOBODYS[1..]).await? else { return Ok(Asked::Cut) };
        if other != usual {
            return Ok(Asked::Unsteady);
        }
        let words: Vec<&'static str> = WORDS.iter().copied().filter(|word| !known.contains(*word)).collect();
        for together in words.chunks(TOGETHER) {
            let Some(shown) = self.shown(page, together).await? else { return Ok(Asked::Cut) };
            if shown == usual {
                continue;
            }
            for word in together {
                let Some(first) = self.shown(page, &[word]).await? else { return Ok(Asked::Cut) };
                if first == usual {
                    continue;
                }
                let Some(second) = self.shown(page, &[word]).await? else { return Ok(Asked::Cut) };
                let Some(without) = self.shown(page, &NOBODYS[..1]).await? else { return Ok(Asked::Cut) };
                if second == first && without == usual {
                    taken.push(*word);
                }
            }
        }
        Ok(Asked::All)
    }
}

fn out_of_time(page: &Url) -> TaskError {
    TaskError::Failed(format!("{page}: no time was left to ask for them all"))
}

/// The URL of a page with parameters.
fn asked(page: &Url, names: &[&str]) -> Url {
    let query: Vec<String> = names.iter().map(|name| format!("{name}=1")).collect();
    page.with_path(&format!("{}?{}", page.path_only(), query.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::doing;

    #[test]
    fn no_name_of_the_list_asks_for_something_to_be_done() {
        assert!(WORDS.is_sorted());
        let page = Url::parse("https://app.acme.test/orders").unwrap();
        for word in WORDS {
            assert!(!doing::does_something(&asked(&page, &[word])), "{word}");
        }
    }
}

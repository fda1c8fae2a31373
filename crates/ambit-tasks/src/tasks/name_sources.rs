//! Names below a domain that data providers were told of.

use crate::ask::guess::guess_below;
use crate::ask::host::is_below;
use crate::{Answer, Contacts, Context, Plan, Result, Settings, Sights, Task, TaskError};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Facts, Kind, TaskName, workflow};
use ambit_net::http::BodyEnd;
use ambit_sources::{Key, Page, Refusal, Source, without_key};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const TASK: Task = Task {
    name: TaskName::NameSources,
    pretty_name: "Names from sources",
    description: "Asks data providers for names below a domain, and looks up which of them exist.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::THIRD_PARTIES],
    watches: &[Kind::Domain],
    produces: &[Kind::DnsRecord],
    // Whoever asks without a key may ask some tens of times a day.
    ttl_ms: 3 * DAY_MS,
    cost: 5,
    gain: 30,
    contacts: Contacts::Source,
    sights: Sights::All(Sighting::Ends),
    plan,
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// Pages that are read of one source.
const PAGES_MAX: u32 = 100;
/// Names of one source that are looked up: archives know as many of the largest organisations.
const NAMES_MAX: usize = 20_000;
/// Names that are looked at for a wildcard, those with the most names below them first; what is below others is tried
/// for that of the domain alone.
const LEVELS_MAX: usize = 500;

fn plan(facts: &Facts, settings: &Settings) -> Plan {
    if !facts.decision.scoped() {
        return Plan::No;
    }
    Plan::each(sources(settings).map(|source| source.name.to_owned()))
}

/// The sources that are asked with these settings.
pub(crate) fn sources(settings: &Settings) -> impl Iterator<Item = &'static Source> {
    let chosen = move |source: &&Source| settings.sources.as_ref().is_none_or(|chosen| chosen.contains(source.name));
    let has_key = move |source: &&Source| source.key != Key::Required || settings.source_keys.of(source.name).is_some();
    ambit_sources::all().iter().filter(chosen).filter(has_key)
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let source = ambit_sources::find(cx.argument)
        .ok_or_else(|| TaskError::Failed(format!("this version knows no source {:?}", cx.argument)))?;
    let told = names(cx, source).await?;
    let (mut found, mut failed, mut unanswered) = (false, None, Vec::new());
    for (level, labels) in by_level(&told, &cx.facts.name, LEVELS_MAX) {
        match guess_below(cx, TASK.name, &cx.facts.name, level, labels.into_iter()).await {
            Ok(Answer::Absent) => {}
            Ok(Answer::Found) => found = true,
            Ok(Answer::InPart(error)) => {
                found = true;
                failed = Some(error);
            }
            Err(error) => {
                unanswered.push(level);
                failed = failed.or(Some(error));
            }
        }
    }
    // Without an answer the names of a level stay what they were; where nothing was found, all do so by themselves.
    let is_unanswered = |name: &str| unanswered.iter().any(|level| is_below(name, level));
    for known in cx.facts.led_to(TASK.name, cx.argument).filter(|known| found && is_unanswered(&known.name)) {
        cx.stands(known);
    }
    Answer::despite(found, failed.filter(|error| !found || !error.is_no_answer()))
}

/// All names that the source tells of, page by page. A page without a new name is the last one.
async fn names(cx: &Context<'_>, source: &'static Source) -> Result<BTreeSet<String>> {
    let (domain, key) = (cx.facts.name.as_str(), cx.settings.source_keys.of(source.name));
    let mut names = BTreeSet::new();
    let mut page = ask(cx, source, domain, key, None).await?;
    for number in 0.. {
        let before = names.len();
        names.append(&mut page.names);
        let is_last = names.len() == before || !source.goes_on(&page);
        if names.len() > NAMES_MAX || (number + 1 == PAGES_MAX && !is_last) {
            let said = format!("{} knows of {} names below {domain} and more", source.pretty_name, names.len());
            return Err(TaskError::OutOfBudget(said));
        }
        if is_last {
            break;
        }
        page = ask(cx, source, domain, key, Some((number, &page))).await?;
    }
    Ok(names)
}

async fn ask(
    cx: &Context<'_>,
    source: &'static Source,
    domain: &str,
    key: Option<&str>,
    after: Option<(u32, &Page)>,
) -> Result<Page> {
    let name = &source.pretty_name;
    let request = source.request(domain, key, after).ok_or_else(|| {
        TaskError::Denied(format!("{name}: it is not asked without a key; see the setting source_keys"))
    })?;
    let fetch = cx.net.source_list_with(source.name, &request.url, &request.headers).await;
    let fetch = fetch.map_err(|error| masked(TaskError::source(name, &error), key))?;
    let last = fetch.last();
    if last.truncated {
        let why = if last.end == BodyEnd::TooLarge { "its answer is too long" } else { "its answer was truncated" };
        return Err(TaskError::SourceDown(format!("{name}: {why}")));
    }
    source.page(domain, last.status, &last.body).map_err(|refusal| {
        let said = format!("{name}: {refusal}");
        masked(
            if let Refusal::Denied(_) = refusal { TaskError::Denied(said) } else { TaskError::SourceDown(said) },
            key,
        )
    })
}

/// The error without the key: some sources want it in the URL, and errors quote those.
fn masked(error: TaskError, key: Option<&str>) -> TaskError {
    let Some(key) = key else { return error };
    let (told, masked) = (error.to_string(), without_key(&error.to_string(), key));
    match error {
        error if told == masked => error,
        TaskError::Denied(_) => TaskError::Denied(masked),
        _ => TaskError::SourceDown(masked),
    }
}

/// The names as labels below their parents, so that a wildcard is told where it is; below the domain itself where there
/// are more parents than that.
fn by_level<'a>(names: &'a BTreeSet<String>, domain: &'a str, most: usize) -> Vec<(&'a str, Vec<String>)> {
    let mut crowds: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, level) in names.iter().filter_map(|name| name.split_once('.')) {
        *crowds.entry(level).or_default() += 1;
    }
    let mut crowded: Vec<(&str, usize)> = crowds.into_iter().collect();
    crowded.sort_by_key(|(level, crowd)| (std::cmp::Reverse(*crowd), *level));
    let kept: BTreeSet<&str> = crowded.into_iter().take(most).map(|(level, _)| level).collect();
    let mut levels: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in names {
        let own = name.split_once('.').filter(|(_, level)| kept.contains(level));
        let below =
            || name.strip_suffix(domain).and_then(|labels| labels.strip_suffix('.')).map(|labels| (labels, domain));
        if let Some((label, level)) = own.or_else(below) {
            levels.entry(level).or_default().push(label.to_owned());
        }
    }
    levels.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up_below_their_parents_as_far_as_those_are_few() {
        let names: BTreeSet<String> =
            ["www.acme.test", "a.eu.acme.test", "b.eu.acme.test", "c.us.acme.test"].map(str::to_owned).into();
        let told = |most| -> Vec<String> {
            let levels = by_level(&names, "acme.test", most);
            levels.iter().map(|(level, labels)| format!("{level}: {}", labels.join(" "))).collect()
        };
        assert_eq!(told(3), ["acme.test: www", "eu.acme.test: a b", "us.acme.test: c"]);
        assert_eq!(told(1), ["acme.test: c.us www", "eu.acme.test: a b"]);
    }

    #[test]
    fn a_key_is_in_no_error() {
        let error = TaskError::SourceDown("https://x.test/?key=s3cret cannot be reached".to_owned());
        assert_eq!(masked(error, Some("s3cret")).to_string(), "https://x.test/?key=(key) cannot be reached");
        let error = TaskError::Denied("https://x.test/?key=a%2Fb%3D refuses a/b=".to_owned());
        let hidden = TaskError::Denied("https://x.test/?key=(key) refuses (key)".to_owned());
        assert_eq!(masked(error, Some("a/b=")), hidden);
    }
}

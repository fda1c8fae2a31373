//! A repository that a site hands out by its files, such as a `.git` that was left among what is served: whether it can
//! be put together again, and what its history gives away.

use crate::ask::bindings;
use crate::ask::exposed::{Gathered, Named, Reader};
use crate::ask::web;
use crate::history::{self, Begin, Known, Location, Looked, Sought, Today, written};
use crate::read::git_url::{HIDDEN, SignIn, who_signs_in};
use crate::{Answer, Context, Plan, Result, Task};
use ambit_git::{Missing, ObjectId};
use ambit_model::entity::repository::{self, Served};
use ambit_model::entity::{host_of, uri};
use ambit_model::exposure::GIT_REPOSITORY;
use ambit_model::facts::ProbeOutcome;
use ambit_model::{EdgeKind, Facts, Kind, TaskName, workflow};
use ambit_net::http::Url;
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::ExposedRepository,
    pretty_name: "Exposed repository",
    description: "Reconstructs a repository whose files a site serves, as far as it does and hashes confirm it, and \
                  searches every commit of it as in any repository, and the files that its index and its settings \
                  name.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS],
    watches: &[Kind::GitRepository, Kind::Uri],
    produces: &[
        Kind::ApiEndpoint,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::EmailAddress,
        Kind::GitRepository,
        Kind::GithubRepository,
        Kind::GitlabProject,
        Kind::IpAddress,
        Kind::UniqueToken,
        Kind::Uri,
    ],
    cost: 40,
    gain: 50,
    slow: true,
    plan: |facts, _| match facts.kind {
        Kind::Uri => of_site(facts),
        _ => of_repository(facts),
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Names of tracked files that are kept.
const TRACKED_MAX: usize = 500;
/// Remotes that are kept.
const REMOTES_MAX: usize = 20;

/// The folders of repositories of git that the site was seen to hand out.
fn folders(facts: &Facts) -> BTreeSet<String> {
    let items = uri::EXPOSURES.items(&facts.details).filter(|item: &uri::Exposure| item.what == GIT_REPOSITORY);
    items.filter_map(|item| item.path.rsplit_once('/').map(|(folder, _)| folder.to_owned())).collect()
}

/// The repository is fetched once from one of the addresses that serve it, because all of them serve the same site. If
/// none served it today, the earlier observation stays.
fn of_site(facts: &Facts) -> Plan {
    let bound = if folders(facts).is_empty() { Vec::new() } else { bindings::of_root_site(facts) };
    let is_seen = |binding: &&String| facts.outcome_at(TaskName::ContentFocus, binding) == Some(ProbeOutcome::Found);
    match bound.iter().find(is_seen) {
        Some(binding) => Plan::bound([binding.clone()]),
        None => Plan::Bound { asked: Vec::new(), bound },
    }
}

/// A repository is asked for where a look at its site led to it.
fn of_repository(facts: &Facts) -> Plan {
    let led = facts.from(EdgeKind::Page).filter(|end| end.task == TASK.name.as_str());
    Plan::bound(led.map(|end| end.argument.clone()))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    if cx.facts.kind != Kind::Uri {
        return look(cx, &url).await;
    }
    let mut is_there = false;
    for folder in folders(cx.facts) {
        let folder = url.with_path(&folder);
        let reader = Reader::new(cx, folder.clone());
        let named = reader.named().await?;
        if beside(cx, &named).has_leaks() || reader.is_proven(&named).await? {
            cx.found(Kind::GitRepository, &folder.to_string(), EdgeKind::Page);
            is_there = true;
        }
    }
    Ok(Answer::found_if(is_there))
}

/// Puts together what the site hands out, and looks through it.
async fn look(cx: &Context<'_>, folder: &Url) -> Result<Answer> {
    let reader = Reader::new(cx, folder.clone());
    let named = reader.named().await?;
    let tips: Vec<ObjectId> = named.tips.iter().copied().collect();
    let sought = Sought::of(cx);
    let mut known = Known::of(cx.facts, TASK.name, &sought);
    let is_same = known.tips == written(&tips) && repository::RULES.of(&cx.facts.details) == Some(sought.edition());
    let before = repository::SERVED.of(&cx.facts.details).filter(|before| is_same && !before.is_cut);
    let (looked, served) = match before.filter(|before| before.beside == named.beside()) {
        Some(before) => (Looked::default(), before),
        None => {
            let gathered = reader.gathered(&named).await?;
            if !has_anything(cx, &named, &gathered) {
                return reader.unless_failed(Answer::Absent);
            }
            // What is not handed out may hold what was found before.
            let mut served = Served { is_cut: gathered.is_cut, ..gathered.served.clone() };
            let is_whole = !gathered.is_cut && gathered.served.missing == 0;
            let before = if is_whole { Known::default() } else { std::mem::take(&mut known).counted_anew() };
            let looked = through(cx, &named, gathered, &before).await?;
            known = if is_whole { known.behind_others(&looked) } else { before };
            served.notes.extend(looked.cut());
            (looked, served)
        }
    };
    say_beside(cx, &named);
    cx.observe(repository::SERVED, served);
    let name = host_of(&cx.facts.name).to_owned();
    let place = Location { owner: None, name, url: cx.facts.name.clone(), is_public: Some(true) };
    history::say(cx, place, written(&tips), known, looked);
    Ok(Answer::Found)
}

/// True where something is there whose hash is right, or a secret.
fn has_anything(cx: &Context<'_>, named: &Named, gathered: &Gathered) -> bool {
    let of_objects = gathered.served.objects + gathered.served.packs > 0;
    of_objects || named.index.is_proven || beside(cx, named).has_leaks()
}

/// What the settings of the repository give away.
fn beside(cx: &Context<'_>, named: &Named) -> Looked {
    let mut looked = Looked::default();
    see_settings(cx, named, &mut looked);
    looked
}

fn see_settings(cx: &Context<'_>, named: &Named, looked: &mut Looked) {
    if let Some((_, exchange)) = &named.config {
        looked.see_beside(&Sought::of(cx), ".git/config", &web::text(exchange));
    }
}

async fn through(cx: &Context<'_>, named: &Named, gathered: Gathered, known: &Known) -> Result<Looked> {
    let sought = Sought::of(cx);
    let (tips, files) = (named.tips.iter().copied().collect::<Vec<_>>(), named.index.files.clone());
    let (head, holders) = (named.head, known.holders().collect::<Vec<_>>());
    let walking = history::aside(cx, move |stop| {
        let begin = Begin { tips: &tips, known: &[], staged: &files };
        let objects = gathered.objects.open()?;
        let looked = history::look_through(&objects, &sought, &begin, stop)?;
        let holders = looked.holders().chain(holders).collect();
        let today = Today { tips: &tips, head, staged: &files, holders: &holders };
        let standing = history::standing(&objects, &today, stop)?;
        Ok((looked, standing))
    });
    let (mut looked, standing) = walking.await?;
    looked.stand(standing, &known.files);
    // What the site does not hand out is counted there already.
    looked.missing = Missing::default();
    see_settings(cx, named, &mut looked);
    Ok(looked)
}

/// Says what lies beside the objects: where the repository came from, and the files that are tracked.
fn say_beside(cx: &Context<'_>, named: &Named) {
    let mut remotes = Vec::new();
    if let Some((config, exchange)) = &named.config {
        cx.exchange("git_repository config", exchange);
        for remote in config.remotes.iter().take(REMOTES_MAX) {
            let remote = without_credentials(remote);
            let host = host_of_remote(&remote);
            if !host.is_empty() {
                cx.found_host(host, EdgeKind::Link);
            }
            remotes.push(remote);
        }
    }
    let files = named.index.files.iter().take(TRACKED_MAX).map(|file| file.path.clone());
    cx.observe(repository::REMOTES, remotes);
    cx.observe(repository::TRACKED, files.collect::<Vec<_>>());
}

/// The host of `https://user@host/path` or `git@host:path`; of a remote that is not shown there is none.
fn host_of_remote(remote: &str) -> &str {
    match remote.split_once("://") {
        Some((_, HIDDEN)) => "",
        Some(_) => host_of(remote),
        None => remote.split(':').next().map_or("", |start| start.rsplit('@').next().unwrap_or(start)),
    }
}

/// A remote as it may be shown.
fn without_credentials(remote: &str) -> String {
    match remote.split_once("://") {
        Some((scheme, rest)) => {
            let shown = match who_signs_in(rest) {
                SignIn::Nobody => rest,
                SignIn::Until(at) => &rest[at + 1..],
                SignIn::Maybe(_) => HIDDEN,
            };
            format!("{scheme}://{shown}")
        }
        None => remote.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_is_shown_without_what_opens_it() {
        for (remote, host, shown) in [
            ("https://ann:s3cret@git.acme.test/a/b.git", "git.acme.test", "https://git.acme.test/a/b.git"),
            ("https://ann:s3/cr@t@git.acme.test/a/b.git", "git.acme.test", "https://git.acme.test/a/b.git"),
            ("https://git.acme.test:8443/a@b.git", "git.acme.test", "https://git.acme.test:8443/a@b.git"),
            ("https://ann.lee:123/456@git/lib", "", "https://…"),
            ("https://ann.lee:123/456@git", "", "https://…"),
            ("https://ann.lee:123/456@git.acme.test", "", "https://…"),
            ("https://git.acme.test:7990/scm/team@corp/lib", "", "https://…"),
            ("git@git.acme.test:web/site.git", "git.acme.test", "git@git.acme.test:web/site.git"),
            ("ssh://git@git.acme.test/x", "git.acme.test", "ssh://git.acme.test/x"),
            ("", "", ""),
        ] {
            let bare = without_credentials(remote);
            assert_eq!((host_of_remote(&bare), bare.as_str()), (host, shown), "{remote}");
        }
    }
}

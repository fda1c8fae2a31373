//! What the history of a repository gives away: secrets in every commit, and what its files name.

use crate::ask::git::{self, Extent, Fetched, Source};
use crate::history::{self, Begin, Known, LEFT_OUT, Location, Looked, Sought, Standing, Today};
use crate::{Answer, Contacts, Context, Plan, Result, Task, TaskError};
use ambit_git::{Beside, Gathering, GitError, HashKind, Missing, ObjectId, Wanted};
use ambit_model::entity::{code_account, repository};
use ambit_model::{EdgeKind, Kind, TaskName, workflow};
use std::collections::HashSet;
use std::sync::Arc;

pub(crate) const TASK: Task = Task {
    name: TaskName::Repository,
    pretty_name: "Repository",
    description: "Fetches the history of a repository and searches every commit for secrets, and for the hosts, \
                  addresses, pages, APIs, mailboxes and storage buckets that its files name; its newest lock files for \
                  packages, and the files by which it is built.",
    workflows: &[workflow::CODE_REPOSITORIES],
    watches: Kind::REPOSITORIES,
    produces: &[
        Kind::ApiEndpoint,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::EmailAddress,
        Kind::GitRepository,
        Kind::GithubAccount,
        Kind::GithubRepository,
        Kind::GitlabAccount,
        Kind::GitlabProject,
        Kind::IpAddress,
        Kind::UniqueToken,
        Kind::Uri,
    ],
    cost: 20,
    gain: 50,
    contacts: Contacts::Provider(git::PROVIDER),
    plan: |facts, _| Plan::once_if(facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// Branches and tags that a server names and does not have that are left out, before it counts as broken.
const LOST_MAX: usize = 5;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let mut source = Source::of(cx)?;
    let mut beside = source.beside(cx).await?;
    let written = history::written_beside(&beside);
    let mut known = Known::of(cx.facts, TASK.name, &Sought::of(cx));
    for said in Extent::all(&source, &beside).filter_map(|extent| extent.left_out()) {
        // It may be larger today.
        if known.why(said).is_some_and(|why| !git::is_too_large(cx, why)) {
            known.look_again(said);
        }
    }
    if let Some((before, now)) = renamed(&known.ids(), &beside.tips_and_past()) {
        cx.leave_out(format!(
            "its earlier history, whose objects were named by {before}: the repository was made anew by {now}, and all \
             that it has now was searched"
        ));
    }
    let mut looked = Looked::default();
    if known.tips != written || !beside.unread.is_empty() {
        if beside.unread.is_empty() {
            known.forget_beside();
        }
        let mut through = look_through(cx, &source, &beside, &mut known).await;
        for _ in 0..LOST_MAX {
            let Some(lost) = through.as_ref().err().and_then(|error| git::lost(error, &beside)) else { break };
            beside.lose(lost);
            through = look_through(cx, &source, &beside, &mut known).await;
        }
        looked = through?;
    }
    if let Some((kind, account)) = code_account::of_repository(cx.facts.kind, &cx.facts.name) {
        cx.found(kind, &account, EdgeKind::RepositoryAccount);
    }
    let (owner, name) = source.owner_and_name();
    let place = Location { owner, name, url: source.url(), is_public: source.is_public() };
    let is_any_read = known.commits + looked.commits > 0 || looked.is_whole();
    let unread = history::unread(&known, &looked);
    cx.observe(repository::UNREAD, unread.clone());
    history::say(cx, place, written, known, looked);
    let failure = (!unread.is_empty()).then(|| TaskError::Failed(unread.join("; ")));
    Answer::despite(is_any_read, failure)
}

/// Searches the new commits, or all of them if that is not possible. `known` is then what remains of earlier searches.
async fn look_through(cx: &Context<'_>, source: &Source, beside: &Beside, known: &mut Known) -> Result<Looked> {
    match newly(cx, source, beside, known).await {
        Ok(Some(looked)) => return Ok(looked),
        Err(error) if !is_less_asked_for(source, &error) => return Err(error),
        Ok(None) | Err(_) => {}
    }
    let looked = anew(cx, source, beside, known).await?;
    let before = std::mem::take(known);
    *known = if looked.has_all() { before.in_no_branch(&looked) } else { before.beside_what_is_missing() };
    Ok(looked)
}

/// Returns true where what is new was too much, or holds a file that is: of all that is sent anew it may be left out.
fn is_less_asked_for(source: &Source, error: &TaskError) -> bool {
    match error {
        TaskError::OutOfBudget(_) => source.is_server(),
        TaskError::Failed(_) => source.filters(),
        _ => false,
    }
}

/// Looks through all of the history, or through as much of it as may be fetched. Of files that cannot be read, what was
/// known stands.
async fn anew(cx: &Context<'_>, source: &Source, beside: &Beside, known: &Known) -> Result<Looked> {
    let extents: Vec<Extent> = Extent::all(source, beside).collect();
    // An earlier look found out how much that is.
    let is_known = |extent: &Extent| extent.left_out().is_some_and(|said| known.why(said).is_some());
    let begin = extents.iter().position(is_known).unwrap_or(0);
    let mut too_much = None;
    for extent in extents.into_iter().skip(begin) {
        let (mut looked, standing) = match look(cx, source, beside, known, &extent).await {
            Err(TaskError::OutOfBudget(why)) => {
                too_much = Some(why);
                continue;
            }
            looked => looked?,
        };
        if let Some(said) = extent.left_out() {
            let why = too_much.as_deref().or_else(|| known.why(said)).unwrap_or_default();
            looked.leave_out(format!("{why}{LEFT_OUT}{said}"), extent == Extent::Small);
        } else if source.filters() {
            looked.count_what_was_left_out();
        }
        looked.stand(standing, &known.files);
        return Ok(looked);
    }
    Err(TaskError::OutOfBudget(too_much.unwrap_or_default()))
}

/// Looks through everything that leads to the tips and not to the commits of an earlier look; `None` where all must be
/// looked at anew.
async fn newly(cx: &Context<'_>, source: &Source, beside: &Beside, known: &Known) -> Result<Option<Looked>> {
    let (ids, tips) = (known.ids(), beside.tips_and_past());
    if ids.is_empty() || renamed(&ids, &tips).is_some() {
        return Ok(None);
    }
    let (mut looked, mut standing) = look(cx, source, beside, known, &Extent::Since(ids.clone())).await?;
    let leads_there = |id: &ObjectId| tips.binary_search(id).is_ok() || looked.ends.contains(id);
    // Commits that were there are in no history any more, as where a branch was merged as one commit. All that leads to
    // the tips was looked at, but a secret may be in no branch any more.
    if !ids.iter().all(leads_there) && (looked.ends.is_empty() || !is_reached(cx, source, &tips, known).await) {
        return Ok(None);
    }
    if !standing.is_whole() && source.is_server() {
        let holders = looked.holders().chain(known.holders()).collect();
        // Of the trees of the tips it sent what is new alone.
        match at_tips(cx, source, beside, holders).await {
            Ok(whole) if whole.is_whole() => standing = whole,
            _ => return Ok(None),
        }
    }
    if source.is_server() {
        // What an earlier look knew is not sent again.
        looked.missing = Missing::default();
    }
    looked.stand(standing, &known.files);
    Ok(Some(looked))
}

/// By what the objects of an earlier look were named, and by what they are now, where a repository was made anew:
/// nothing is known of it then.
fn renamed(before: &[ObjectId], now: &[ObjectId]) -> Option<(HashKind, HashKind)> {
    let (before, now) = (before.first()?.kind(), now.first()?.kind());
    (before != now).then_some((before, now))
}

async fn look(
    cx: &Context<'_>,
    source: &Source,
    beside: &Beside,
    known: &Known,
    extent: &Extent,
) -> Result<(Looked, Standing)> {
    let tips = extent.tips(beside);
    let pack = source.fetch(cx, &extent.wanted(&tips, source.filters())).await?;
    let (beside, extent, holders) = (beside.clone(), extent.clone(), known.holders().collect::<Vec<_>>());
    let sought = Sought::of(cx);
    history::aside(cx, move |stop| {
        let objects = pack.open(stop)?;
        let begin = Begin { tips: &tips, known: extent.known(), staged: &beside.staged };
        let mut looked = history::look_through(&objects, &sought, &begin, stop)?;
        looked.see_folder(&sought, &beside);
        let holders = looked.holders().chain(holders).collect();
        // Commits that only reflogs name are not at the tips.
        let today = Today { tips: &beside.tips, head: beside.head, staged: &[], holders: &holders };
        let standing = history::standing(&objects, &today, stop)?;
        Ok((looked, standing))
    })
    .await
}

/// Returns whether the tips lead to every commit that brought a secret; false where that cannot be told.
async fn is_reached(cx: &Context<'_>, source: &Source, tips: &[ObjectId], known: &Known) -> bool {
    let commits = known.commits_with_secrets();
    if commits.is_empty() || (source.is_server() && !source.filters()) {
        return commits.is_empty();
    }
    let Ok(fetched) = source.fetch(cx, &Wanted::Commits { tips }).await else { return false };
    let tips = tips.to_vec();
    let reached = history::aside(cx, move |stop| ambit_git::reached(&fetched.open(stop)?, &tips, stop)).await;
    matches!(reached, Ok(Some(reached)) if commits.iter().all(|commit| reached.contains(commit)))
}

/// Asks a server for the trees of the tips, and then for the files in them that are read, where it left those out.
async fn at_tips(cx: &Context<'_>, source: &Source, beside: &Beside, holders: HashSet<ObjectId>) -> Result<Standing> {
    let trees = Wanted::Newest { tips: &beside.tips, files_below: source.filters().then_some(0) };
    let gathering = Gathering::new(trees.hash()).map_err(|error| TaskError::Failed(error.to_string()))?;
    let gathered = Arc::new((gathering, beside.clone(), holders));
    let standing = with_pack(cx, source, &gathered, &trees).await?;
    match standing.missing_files().as_slice() {
        [] => Ok(standing),
        files => with_pack(cx, source, &gathered, &Wanted::Files(files)).await,
    }
}

/// Adds a pack to the objects, and reads the files at the tips as far as they are there.
async fn with_pack(
    cx: &Context<'_>,
    source: &Source,
    gathered: &Arc<(Gathering, Beside, HashSet<ObjectId>)>,
    wanted: &Wanted<'_>,
) -> Result<Standing> {
    let fetched = source.fetch(cx, wanted).await?;
    let gathered = gathered.clone();
    history::aside(cx, move |stop| {
        let (gathering, beside, holders) = &*gathered;
        if let Fetched::Pack(file, _folder, _) = fetched {
            gathering.add_packs(&mut [file], stop)?.into_iter().try_for_each(Err::<(), GitError>)?;
        }
        let today = Today { tips: &beside.tips, head: beside.head, staged: &[], holders };
        history::standing(&gathering.open()?, &today, stop)
    })
    .await
}

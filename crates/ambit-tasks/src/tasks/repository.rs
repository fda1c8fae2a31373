//! What the history of a repository gives away: secrets in every commit, and what its files name.

use crate::ask::git;
use crate::history::{self, Begin, Files, Known, Looked, Place, Sought, written};
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_git::ObjectId;
use ambit_model::entity::code_account;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, EdgeKind, Kind, TaskName, Wave, workflow};

pub(crate) const TASK: Task = Task {
    name: TaskName::Repository,
    pretty_name: "Repository",
    description: "Fetches the history of a repository and looks through every commit of it for secrets, and for the \
                  hosts, addresses, pages, interfaces, mailboxes and storage buckets that its files name; through \
                  its newest lock files for packages, and through the files by which it is built.",
    workflows: &[workflow::CODE_REPOSITORIES],
    watches: Kind::REPOSITORIES,
    produces: &[
        Kind::ApiEndpoint,
        Kind::CloudStorageBucket,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::EmailAddress,
        Kind::GithubAccount,
        Kind::GitlabAccount,
        Kind::IpAddress,
        Kind::UniqueToken,
        Kind::Uri,
    ],
    footprint: Clearance::L1,
    wave: Wave::Passive,
    ttl_ms: DAY_MS,
    cost: 20,
    gain: 50,
    slow: false,
    volatile: &[],
    contacts: Contacts::Provider(git::PROVIDER),
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| Plan::once_if(facts.decision.scoped()),
    run: |cx| Box::pin(run(cx)),
};

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let mut source = git::Source::of(cx)?;
    let tips = source.tips(cx).await?;
    let mut known = Known::of(cx.facts, TASK.name, &Sought::of(cx));
    let mut looked = Looked::default();
    if known.tips != written(&tips) {
        let ids = known.ids();
        looked = look(cx, &source, &tips, &ids, &known.files).await?;
        if !ids.iter().all(|id| tips.contains(id) || looked.ends.contains(id)) {
            // Commits that were there are in no history any more: what they held is not there either.
            looked = look(cx, &source, &tips, &[], &Files::new()).await?;
            known = Known::default();
        } else if ids.is_empty() {
            known = Known::default();
        }
    }
    if let Some((kind, account)) = code_account::of_repository(cx.facts.kind, &cx.facts.name) {
        cx.found(kind, &account, EdgeKind::RepositoryAccount);
    }
    let (owner, name) = source.owner_and_name();
    let place = Place { owner, name, url: source.url(), is_public: source.is_public() };
    history::say(cx, place, &tips, known, looked);
    Ok(Answer::Found)
}

/// Looks through everything that leads to the tips and not to the known commits.
async fn look(
    cx: &Context<'_>,
    source: &git::Source,
    tips: &[ObjectId],
    known: &[ObjectId],
    files: &Files,
) -> Result<Looked, TaskError> {
    let pack = source.fetch(cx, tips, known).await?;
    let (tips, known) = (tips.to_vec(), known.to_vec());
    let paths: Vec<String> = files.keys().cloned().collect();
    let sought = Sought::of(cx);
    history::aside(cx, move |stop| {
        let objects = pack.open(stop)?;
        let begin = Begin { tips: &tips, known: &known, staged: &[] };
        history::look_through(&objects, &sought, &begin, &paths, stop)
    })
    .await
}

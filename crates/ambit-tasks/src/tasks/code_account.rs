//! What an account at a forge of code has: its repositories and members, as far as the forge shows them; and what
//! repositories bear a word. How each forge is asked is data (`ambit-cloud/src/forges/`).

use crate::ask::account;
use crate::ask::cloud::{self, FORGE};
use crate::{Answer, Contacts, Context, Plan, Result, Settings, Sights, Task, TaskError};
use ambit_cloud::form::{Asset, Place};
use ambit_cloud::provider::{self, Provider};
use ambit_model::entity::{code_account, host_of, repository};
use ambit_model::facts::ProbeOutcome;
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, workflow};
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::CodeAccount,
    pretty_name: "Code account",
    description: "Asks GitHub, GitLab, Gitea, Forgejo and Bitbucket which repositories an account has and who its \
                  members are, and GitHub, GitLab, Gitea and Forgejo which repositories match a word or a token that \
                  is a seed; with an access token, GitHub also searches code for it.",
    workflows: &[workflow::CODE_REPOSITORIES],
    watches: &[Kind::CodeAccount, Kind::GithubAccount, Kind::GitlabAccount, Kind::UniqueKeyword, Kind::UniqueToken],
    produces: &[
        Kind::CodeAccount,
        Kind::DnsRecord,
        Kind::Domain,
        Kind::GitRepository,
        Kind::GithubAccount,
        Kind::GithubRepository,
        Kind::GitlabProject,
    ],
    cost: 2,
    gain: 50,
    contacts: Contacts::Provider(FORGE),
    sights: Sights::Only(Kind::CODE_ACCOUNTS),
    plan,
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_PROVIDERS
};

/// Lists that say who an account is.
const ACCOUNT: &[&str] = &["account", "account_of_a_person"];
/// Lists that only the holder of a token is shown; of members it takes the place of what everybody is shown.
const BY_TOKEN: &[&str] = &["all_members", "private_repositories"];
/// The list of those who say in public that they are members.
const PUBLIC_MEMBERS: &str = "members";
/// The list of repositories that match a word or a token.
const SEARCH: &str = "search";
/// The list of repositories whose code contains a token. A word would match everybody's code.
const SEARCH_OF_CODE: &str = "search_of_code";

/// The forge that runs at hosts of which nobody here knows what runs there: Gitea, or Forgejo, which answers alike.
const SELF_HOSTED: &str = "gitea";

/// The forges at which this is asked for, each with its host. A word is asked of each where everybody knows it, and of
/// the server that an integration names.
fn forges(kind: Kind, name: &str, settings: &Settings) -> Vec<(&'static Provider, String)> {
    let own = host_of(name);
    let forge = match kind {
        Kind::GithubAccount => provider::forge("github"),
        Kind::GitlabAccount => provider::forge("gitlab"),
        Kind::CodeAccount => provider::forge_at(own).or_else(|| provider::forge(SELF_HOSTED)),
        _ => {
            let hosts = |forge: &'static Provider| {
                let usual = forge.forge_hosts.first().map(String::as_str);
                let mut own = settings.forge_servers(forge);
                own.retain(|own| forge.name == SELF_HOSTED && Some(*own) != usual);
                usual.into_iter().chain(own).map(|host| (forge, host.to_owned())).collect::<Vec<_>>()
            };
            return provider::forges().iter().flat_map(hosts).collect();
        }
    };
    forge.into_iter().map(|forge| (forge, own.to_owned())).collect()
}

/// Each list of a forge is a probe of its own: one that fails says nothing of the others. Only what is theirs is asked
/// for: the account of a member is somebody's own. A token that was found somewhere is told to nobody.
fn plan(facts: &Facts, settings: &Settings) -> Plan {
    let is_token = facts.kind == Kind::UniqueToken;
    if !facts.decision.scoped() || (is_token && !facts.seed) {
        return Plan::bound([]);
    }
    let is_word = is_searched_for(facts.kind);
    let asked = forges(facts.kind, &facts.name, settings).into_iter().flat_map(|(forge, host)| {
        // Of a token that cannot be opened, each list says so.
        let has_token = !matches!(settings.forge_token(forge, &host), Ok(None));
        let is_asked = move |list: &str| match list {
            SEARCH => is_word,
            SEARCH_OF_CODE => is_token,
            PUBLIC_MEMBERS => !is_word && !has_token,
            list => !is_word && (has_token || !BY_TOKEN.contains(&list)),
        };
        // Who the account is, is one question, however many lists answer it.
        let lists = forge.lists.iter().map(|list| list.permission.as_str()).filter(move |list| is_asked(list));
        let lists = lists.filter(|list| !ACCOUNT[1..].contains(list));
        // A word is asked of one forge at two hosts.
        let at = match is_word && forge.forge_hosts.first() != Some(&host) {
            true => format!(" {host}"),
            false => String::new(),
        };
        lists.map(move |list| format!("{} {list}{at}", forge.name))
    });
    let asked: BTreeSet<String> = asked.collect();
    // What a token showed is not gone where nobody has the token any more.
    let shown = by_token(facts).map(|(argument, _)| argument.to_owned());
    let bound: BTreeSet<String> = asked.iter().cloned().chain(shown).collect();
    Plan::Bound { asked: asked.into_iter().collect(), bound: bound.into_iter().collect() }
}

/// The lists that only the holder of a token is shown and that were asked for, each as argument and by its name.
fn by_token(facts: &Facts) -> impl Iterator<Item = (&str, &str)> {
    let lists = facts.probes_of(TASK.name).filter_map(|(argument, _)| Some((argument, argument.split(' ').nth(1)?)));
    lists.filter(|(_, list)| BY_TOKEN.contains(list))
}

/// Says what a token showed of an account, where there is none any more. What never had an answer showed nothing.
fn shown_no_more(facts: &Facts) -> Option<String> {
    let is_shown = |argument: &str| {
        let probe = facts.probe_at(TASK.name, argument);
        probe.is_some_and(|probe| probe.confirmed.is_some() || probe.outcome == ProbeOutcome::Found)
    };
    let shown = by_token(facts).filter(|(argument, _)| is_shown(argument));
    let lists: Vec<String> = shown.map(|(_, list)| list.replace('_', " ")).collect();
    let lists = (!lists.is_empty()).then(|| lists.join(" and "));
    lists.map(|lists| format!("{lists} were shown to a token that is not given any more, and stay as they were"))
}

/// True for what forges are searched for.
fn is_searched_for(kind: Kind) -> bool {
    matches!(kind, Kind::UniqueKeyword | Kind::UniqueToken)
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let mut words = cx.argument.splitn(3, ' ');
    let (name, permission, at) = (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next());
    let unknown = || TaskError::Failed(format!("no list is named {:?}", cx.argument));
    let mut forges = forges(cx.facts.kind, &cx.facts.name, cx.settings).into_iter();
    let asked = forges.find(|(forge, host)| forge.name == name && at.is_none_or(|at| at == host));
    let (forge, host) = asked.filter(|(forge, _)| forge.list(permission).is_some()).ok_or_else(unknown)?;
    let account = match is_searched_for(cx.facts.kind) {
        true => cx.facts.name.clone(),
        false => code_account::path_of(&cx.facts.name).to_owned(),
    };
    let caller = account::Caller::Other(cloud::Caller::of_forge(cx, forge, (&host, account.clone()))?);
    let place = Place { account: &account, ..Place::default() };
    let wanted: &[&str] = if permission == ACCOUNT[0] { ACCOUNT } else { &[permission] };
    let (mut assets, mut unread) = (Vec::new(), None);
    for list in wanted.iter().filter_map(|permission| forge.list(permission)) {
        let listed = caller.listed(cx, list, &place).await?;
        assets.extend(listed.assets);
        unread = unread.or(listed.unread);
    }
    if permission == ACCOUNT[0] {
        if matches!(cx.settings.forge_token(forge, &host), Ok(None)) {
            shown_no_more(cx.facts).into_iter().for_each(|what| cx.leave_out(what));
        }
        return Ok(who(cx, assets));
    }
    for asset in assets {
        let Some((kind, name)) = asset.entity else { continue };
        let Some(kind) = Kind::from_name(kind) else { continue };
        let edge = match (kind, permission) {
            (_, SEARCH | SEARCH_OF_CODE) => EdgeKind::RepositoryWord,
            (Kind::CodeAccount | Kind::GithubAccount, _) => EdgeKind::AccountMember,
            // What an account does not have itself, it was only lent.
            _ if !code_account::has(&cx.facts.name, &name) => continue,
            _ => EdgeKind::AccountRepository,
        };
        cx.found_with(kind, &name, edge, said_of(kind, &name, &asset.item));
    }
    Ok(account::ended(cx, TASK.name, unread))
}

/// Returns what a forge lists about a repository that nobody has fetched yet: its owner and place, and whether it is
/// public, if the list says so.
fn said_of(kind: Kind, name: &str, item: &Value) -> Details {
    let Ok(name) = kind.canonical(name) else { return Details::new() };
    if !Kind::REPOSITORIES.contains(&kind) {
        return Details::new();
    }
    let path = code_account::path_of(&name);
    let path = path.strip_suffix(".git").unwrap_or(path);
    let (owner, own) = path.rsplit_once('/').map_or((None, path), |(owner, own)| (Some(owner.to_owned()), own));
    let url = if kind == Kind::GitRepository { name.clone() } else { format!("{name}.git") };
    let known = repository::REPOSITORY_PUBLIC.is(is_public(item));
    let mut details = Details::from_iter([
        repository::OWNER.is(owner),
        repository::REPOSITORY_NAME.is(own.to_owned()),
        repository::REPOSITORY_URI.is(url),
    ]);
    details.extend(Some(known).filter(|(_, value)| !value.is_null()));
    details
}

/// Returns whether anybody may read what an item of a list is; `None` where it does not tell.
fn is_public(item: &Value) -> Option<bool> {
    let item = item.get("repository").filter(|within| within.is_object()).unwrap_or(item);
    let private = ["private", "is_private"].iter().find_map(|member| item.get(*member)?.as_bool());
    private.map(|private| !private).or_else(|| Some(item.get("visibility")?.as_str()? == "public"))
}

/// Says who the account is; absent where the forge knows none of this name.
fn who(cx: &Context<'_>, assets: Vec<Asset>) -> Answer {
    let Some(asset) = assets.into_iter().next() else { return Answer::Absent };
    for site in &asset.hosts {
        cx.found_host(host_of(site), EdgeKind::Link);
    }
    cx.observe_all(Details::from_iter(asset.members));
    Answer::Found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Account;
    use crate::settings::SealedElsewhere;
    use crate::tests::facts;
    use ambit_model::Timestamp;
    use ambit_model::facts::LastProbe;
    use serde_json::json;

    #[test]
    fn a_repository_that_nobody_fetched_yet_is_described_by_its_name_and_by_the_list() {
        for (kind, name, item, wanted) in [
            (
                Kind::GithubRepository,
                "https://github.com/Acme/app",
                json!({"private": false}),
                json!({"owner": "acme", "repository_name": "app", "repository_public": true,
                    "repository_uri": "https://github.com/acme/app.git"}),
            ),
            (
                Kind::GithubRepository,
                "https://github.com/acme/app",
                json!({"repository": {"private": true}}),
                json!({"owner": "acme", "repository_name": "app", "repository_public": false,
                    "repository_uri": "https://github.com/acme/app.git"}),
            ),
            (
                Kind::GitlabProject,
                "https://gitlab.com/acme/team/app",
                json!({"visibility": "internal"}),
                json!({"owner": "acme/team", "repository_name": "app", "repository_public": false,
                    "repository_uri": "https://gitlab.com/acme/team/app.git"}),
            ),
            (
                Kind::GitRepository,
                "https://codeberg.org/acme/app.git",
                json!({}),
                json!({"owner": "acme", "repository_name": "app",
                    "repository_uri": "https://codeberg.org:443/acme/app.git"}),
            ),
            (Kind::GithubAccount, "https://github.com/ann", json!({"private": true}), json!({})),
        ] {
            assert_eq!(Value::Object(said_of(kind, name, &item)), wanted, "{name}");
        }
    }

    fn asked(kind: Kind, name: &str, settings: &Settings, is_theirs: bool) -> Vec<String> {
        let mut facts = facts(kind, name, json!({}));
        facts.decision.ownership = if is_theirs { 1_000 } else { 50 };
        facts.seed = true;
        planned(&facts, settings)
    }

    fn planned(facts: &Facts, settings: &Settings) -> Vec<String> {
        match plan(facts, settings) {
            Plan::Bound { asked, .. } => asked,
            other => panic!("what holds is bound: {other:?}"),
        }
    }

    #[test]
    fn only_what_is_theirs_is_asked_for_and_more_of_it_by_a_token() {
        let plain = Settings::default();
        let acme = "https://github.com/acme";
        let wanted = ["github account", "github members", "github repositories"];
        assert_eq!(asked(Kind::GithubAccount, acme, &plain, true), wanted);
        assert_eq!(asked(Kind::GithubAccount, "https://github.com/ann", &plain, false), Vec::<String>::new());
        let wanted = ["gitlab account", "gitlab repositories", "gitlab repositories_of_a_person"];
        assert_eq!(asked(Kind::GitlabAccount, "https://gitlab.com/acme", &plain, true), wanted);
        let everywhere = ["gitea search", "github search", "gitlab search"];
        assert_eq!(asked(Kind::UniqueKeyword, "acmetools", &plain, true), everywhere);
        let wanted = ["gitea search", "github search", "github search_of_code", "gitlab search"];
        assert_eq!(asked(Kind::UniqueToken, "UA-1234567-1", &plain, true), wanted);
        let mut opened = Settings::default();
        let secrets = json!({"token": "t"}).as_object().cloned().unwrap();
        let account = Account { kind: None, secrets: Some(secrets), settings: serde_json::Map::new() };
        opened.accounts.insert(Account::helper("GithubCredential", 1), account.clone());
        opened.accounts.insert(Account::helper("GiteaCredential", 1), account.clone());
        let wanted = ["github account", "github all_members", "github private_repositories", "github repositories"];
        assert_eq!(asked(Kind::GithubAccount, acme, &opened, true), wanted);
        assert_eq!(asked(Kind::UniqueKeyword, "acmetools", &opened, true), everywhere);
        let wanted = ["bitbucket account", "bitbucket repositories"];
        assert_eq!(asked(Kind::CodeAccount, "https://bitbucket.org/acme", &opened, true), wanted);
        let everybody = ["gitea account", "gitea members", "gitea repositories", "gitea repositories_of_a_person"];
        let holder = ["gitea account", "gitea all_members", "gitea repositories", "gitea repositories_of_a_person"];
        for (name, settings, wanted) in [
            ("https://codeberg.org/acme", &plain, everybody),
            ("https://codeberg.org/acme", &opened, holder),
            // The token is one of codeberg.org.
            ("https://git.acme.test/acme", &opened, everybody),
        ] {
            assert_eq!(asked(Kind::CodeAccount, name, settings, true), wanted, "{name}");
        }
        let server = json!({"server": "https://git.acme.test/"}).as_object().cloned().unwrap();
        let own = Account { settings: server, ..account };
        let usual = opened.accounts.insert(Account::helper("GiteaCredential", 1), own).unwrap();
        assert_eq!(asked(Kind::CodeAccount, "https://git.acme.test/acme", &opened, true), holder);
        assert_eq!(asked(Kind::CodeAccount, "https://codeberg.org/acme", &opened, true), everybody);
        let wanted = ["gitea search", "gitea search git.acme.test", "github search", "gitlab search"];
        assert_eq!(asked(Kind::UniqueKeyword, "acmetools", &opened, true), wanted);
        // Each server has a token of its own, and what cannot be opened is asked for all the same, and denied.
        opened.accounts.insert(Account::helper("GiteaCredential", 2), Account { secrets: None, ..usual });
        for name in ["https://git.acme.test/acme", "https://codeberg.org/acme"] {
            assert_eq!(asked(Kind::CodeAccount, name, &opened, true), holder, "{name}");
        }
        let forge = provider::forge("gitea").unwrap();
        assert_eq!(opened.forge_token(forge, "git.acme.test"), Ok(Some("t")));
        assert_eq!(opened.forge_token(forge, "codeberg.org"), Err(SealedElsewhere));
    }

    #[test]
    fn what_a_token_showed_is_not_gone_with_the_token() {
        let mut account = facts(Kind::GithubAccount, "https://github.com/acme", json!({}));
        account.decision.ownership = 1_000;
        for argument in ["github private_repositories", "github all_members", "github gone"] {
            let at = Timestamp(0);
            let probe = LastProbe { confirmed: Some(at), ..LastProbe::new(ProbeOutcome::Found, at, 1) };
            account.probes.entry(TASK.name).or_default().insert(argument.to_owned(), probe);
        }
        let Plan::Bound { asked, bound } = plan(&account, &Settings::default()) else { panic!("what holds is bound") };
        assert_eq!(asked, ["github account", "github members", "github repositories"]);
        let kept: Vec<&String> = bound.iter().filter(|argument| !asked.contains(argument)).collect();
        assert_eq!(kept, ["github all_members", "github private_repositories"]);
        let said = "all members and private repositories were shown to a token that is not given any more, and stay as \
                    they were";
        assert_eq!(shown_no_more(&account).as_deref(), Some(said));
        for (outcome, confirmed, lists) in [
            // The forge refused the token from the beginning.
            (ProbeOutcome::Unknown, None, "private repositories"),
            (ProbeOutcome::Unknown, Some(Timestamp(0)), "all members and private repositories"),
            (ProbeOutcome::Found, None, "all members and private repositories"),
        ] {
            let probe = LastProbe { confirmed, ..LastProbe::new(outcome, Timestamp(1), 2) };
            account.probes.entry(TASK.name).or_default().insert("github all_members".to_owned(), probe);
            let said = format!("{lists} were shown to a token that is not given any more, and stay as they were");
            assert_eq!(shown_no_more(&account), Some(said), "{outcome:?} {confirmed:?}");
        }
        assert_eq!(shown_no_more(&facts(Kind::GithubAccount, "https://github.com/acme", json!({}))), None);
    }

    #[test]
    fn a_token_that_was_found_is_told_to_nobody() {
        let mut found = facts(Kind::UniqueToken, "UA-1234567-1", json!({}));
        found.decision.ownership = 1_000;
        assert_eq!(planned(&found, &Settings::default()), Vec::<String>::new());
    }

    #[test]
    fn lists_lead_to_kinds_that_the_task_produces() {
        for list in provider::forges().iter().flat_map(|forge| &forge.lists) {
            for kind in list.kinds() {
                assert!(Kind::from_name(kind).is_some_and(|kind| TASK.produces.contains(&kind)), "{kind}");
            }
            for member in list.members() {
                let owner = Kind::GithubAccount.owner(member);
                assert_eq!(owner, Some(TASK.name), "{}: {member}", list.permission);
            }
        }
    }
}

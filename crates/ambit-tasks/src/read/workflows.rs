//! Workflows of forges, and actions that are made of steps: what strangers may change in them, and what they write into
//! commands.

use super::expressions::{reached, within};
use super::flaw::flaw;
use ambit_model::entity::repository::Flaw;
use regex::Regex;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::fmt;
use std::sync::LazyLock;

/// Members of the event that starts a workflow whose text anybody can write.
const FOREIGN: &[&str] = &[
    "github.head_ref",
    "github.event.comment.body",
    "github.event.commits.*.author.email",
    "github.event.commits.*.author.name",
    "github.event.commits.*.message",
    "github.event.discussion.body",
    "github.event.discussion.title",
    "github.event.head_commit.author.email",
    "github.event.head_commit.author.name",
    "github.event.head_commit.message",
    "github.event.issue.body",
    "github.event.issue.title",
    "github.event.pages.*.page_name",
    "github.event.pull_request.body",
    "github.event.pull_request.head.label",
    "github.event.pull_request.head.ref",
    "github.event.pull_request.head.repo.default_branch",
    "github.event.pull_request.title",
    "github.event.review.body",
    "github.event.review_comment.body",
    "github.event.workflow_run.display_title",
    "github.event.workflow_run.head_branch",
    "github.event.workflow_run.head_commit.author.email",
    "github.event.workflow_run.head_commit.author.name",
    "github.event.workflow_run.head_commit.message",
    "github.event.workflow_run.pull_requests.*.head.ref",
];
/// Events by which strangers start a workflow that has the secrets of the repository.
const STARTED_BY_STRANGERS: &[&str] = &["issue_comment", "pull_request_target", "workflow_run"];
/// Where the code of a request is named.
const CODE_OF_REQUESTS: &[&str] = &[
    "github.head_ref",
    "github.event.pull_request.head.ref",
    "github.event.pull_request.head.sha",
    "github.event.pull_request.merge_commit_sha",
    "github.event.workflow_run.head_branch",
    "github.event.workflow_run.head_commit.id",
    "github.event.workflow_run.head_sha",
    "github.event.workflow_run.pull_requests.*.head.ref",
    "github.event.workflow_run.pull_requests.*.head.sha",
];
/// Where the repository is named from which a request comes.
const REPOSITORY_OF_REQUESTS: &[&str] =
    &["github.event.pull_request.head.repo.full_name", "github.event.workflow_run.head_repository.full_name"];
/// Where a request says from where its code is cloned.
const CLONED_FROM: &[&str] = &[
    "github.event.pull_request.head.repo.clone_url",
    "github.event.pull_request.head.repo.full_name",
    "github.event.pull_request.head.repo.html_url",
    "github.event.pull_request.head.repo.ssh_url",
];
/// What commands that fetch the code of a request say.
const FETCHES_REQUEST: &[&str] = &["gh pr checkout", "refs/pull/", "git fetch origin pull/"];
/// Commands that fetch or check out what their arguments name.
const FETCHES: &[&str] = &["git checkout ", "git clone ", "git fetch ", "git merge ", "git pull ", "git switch "];
/// The member of an event that tells members of a project from strangers; a workflow that asks for it runs for members.
const STANDING: &str = "author_association";

/// The content of a YAML file, with line numbers.
enum Node {
    Text(String),
    List(Vec<Spanned<Node>>),
    Map(Vec<(String, Spanned<Node>)>),
    /// Numbers, booleans, nothing.
    Other,
}

impl Node {
    fn get(&self, name: &str) -> Option<&Spanned<Node>> {
        let Self::Map(members) = self else { return None };
        members.iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// The values of a map, the items of a list.
    fn children(&self) -> Vec<&Node> {
        match self {
            Self::Map(members) => members.iter().map(|(_, value)| &value.value).collect(),
            Self::List(items) => items.iter().map(|item| &item.value).collect(),
            Self::Text(_) | Self::Other => Vec::new(),
        }
    }

    /// Returns whether it is a text, or has it as an item or as the name of a member.
    fn names(&self, wanted: &str) -> bool {
        match self {
            Self::Text(text) => text == wanted,
            Self::List(items) => items.iter().any(|item| matches!(&item.value, Self::Text(text) if text == wanted)),
            Self::Map(_) => self.get(wanted).is_some(),
            Self::Other => false,
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Nodes)
    }
}

struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Node::Map(members))
    }
}

/// A value that is a text.
struct TextValue<'n> {
    text: &'n str,
    /// Its first line, from 1.
    line: usize,
}

impl<'n> TextValue<'n> {
    fn of(node: &'n Node, name: &str) -> Option<Self> {
        let said = node.get(name)?;
        let Node::Text(text) = &said.value else { return None };
        Some(Self { text, line: usize::try_from(said.referenced.line()).unwrap_or(usize::MAX) })
    }

    /// Returns whether one of its expressions inserts the value of one of these members.
    fn takes(&self, places: &[&str], env: &Env<'_>) -> bool {
        text_takes(self.text, places, env)
    }
}

fn text_takes(text: &str, places: &[&str], env: &Env<'_>) -> bool {
    within(text).into_iter().any(|expression| takes(expression, places, env))
}

/// Returns whether an expression is replaced by what stands at one of the places, or by a variable that holds that.
fn takes(expression: &str, places: &[&str], env: &Env<'_>) -> bool {
    reached(expression).iter().any(|value| {
        let held = || env.held(value.member_of("env")?);
        places.iter().any(|place| value.is_at(place))
            || held().is_some_and(|text| text_takes(text, places, &Env::default()))
    })
}

/// The variables of a step, those of the step itself before those of its job and of the workflow.
#[derive(Default)]
struct Env<'n>(Vec<(&'n str, &'n str)>);

impl<'n> Env<'n> {
    fn of(nodes: &[&'n Node]) -> Self {
        let tables = nodes.iter().filter_map(|node| node.get("env"));
        let members = tables.filter_map(|table| match &table.value {
            Node::Map(members) => Some(members),
            _ => None,
        });
        let texts = members.flatten().filter_map(|(name, value)| match &value.value {
            Node::Text(text) => Some((name.as_str(), text.as_str())),
            _ => None,
        });
        Self(texts.collect())
    }

    fn held(&self, name: &str) -> Option<&'n str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, text)| *text)
    }
}

/// Returns what is wrong with a workflow or an action, in the order of its lines. What is no YAML runs nowhere.
pub(super) fn flaws(text: &str) -> Vec<Flaw> {
    let options = serde_saphyr::options! { with_snippet: false };
    let Ok(root) = serde_saphyr::from_str_with_options::<Node>(text, options) else { return Vec::new() };
    let on = root.get("on").map(|on| &on.value);
    let runs_for_strangers = on.is_some_and(|on| STARTED_BY_STRANGERS.iter().any(|event| on.names(event)));
    let jobs = root.get("jobs").map(|jobs| jobs.value.children()).unwrap_or_default();
    let mut flaws = Vec::new();
    // A job can call a workflow of a third party instead of having steps; the steps of an action are read like those of
    // a job.
    for job in jobs.into_iter().chain(root.get("runs").map(|runs| &runs.value)) {
        flaws.extend(unpinned(job));
        for step in job.get("steps").map(|steps| steps.value.children()).unwrap_or_default() {
            let with = step.get("with").map_or(&Node::Other, |with| &with.value);
            flaws.extend(unpinned(step));
            let env = Env::of(&[step, job, &root]);
            for command in [TextValue::of(step, "run"), TextValue::of(with, "script")].into_iter().flatten() {
                flaws.extend(injections(text, &command, &env));
            }
            if runs_for_strangers && !keeps_strangers_out(job) && !keeps_strangers_out(step) {
                flaws.extend(foreign_code(text, step, with, &env));
            }
        }
    }
    flaws.sort_by_key(|flaw| flaw.line);
    flaws
}

/// An action or image of others that is named by what they may move.
fn unpinned(step: &Node) -> Option<Flaw> {
    static PINNED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("@(?:[0-9a-f]{40}|[0-9a-f]{64}|sha256:[0-9a-f]{64})$").expect("our own patterns are tested")
    });
    let uses = TextValue::of(step, "uses")?;
    let action = uses.text.trim();
    let is_own = action.starts_with("./") || !action.contains('/');
    let is_of_the_forge = ["actions/", "github/"].iter().any(|owner| action.starts_with(owner));
    (!is_own && !is_of_the_forge && !PINNED.is_match(action)).then(|| flaw("unpinned_action", uses.line, action))
}

/// The lines of a command into which a text of strangers is put.
fn injections(file: &str, command: &TextValue<'_>, env: &Env<'_>) -> Vec<Flaw> {
    let mut from: usize = file.split_inclusive('\n').take(command.line.saturating_sub(1)).map(str::len).sum();
    let mut flaws: Vec<Flaw> = Vec::new();
    for expression in within(command.text) {
        // One that is folded or escaped stands otherwise in the file.
        let at = file[from..].find(expression).map(|at| from + at);
        from = at.map_or(from, |at| at + expression.len());
        let line = at.map_or(command.line, |at| file[..at].matches('\n').count() + 1);
        let is_told = flaws.last().is_some_and(|told| told.line == line);
        if !is_told && takes(expression, FOREIGN, env) {
            let shown = at.and_then(|_| file.lines().nth(line - 1)).unwrap_or(expression);
            flaws.push(flaw("workflow_injection", line, shown));
        }
    }
    flaws
}

/// Returns whether a job or a step asks who began it, or for code of the repository itself.
fn keeps_strangers_out(step: &Node) -> bool {
    TextValue::of(step, "if")
        .is_some_and(|condition| condition.text.contains(STANDING) || demands_own_code(condition.text, DEPTH_MAX))
}

/// Conditions within each other.
const DEPTH_MAX: usize = 20;

/// Returns whether a condition holds only for requests that come from the repository itself, and for events that are
/// no requests.
fn demands_own_code(condition: &str, depth: usize) -> bool {
    const HEAD: &str = r"github\.event\.(?:pull_request\.head\.repo|workflow_run\.head_repository)";
    static OWN: LazyLock<Regex> = LazyLock::new(|| {
        let name = format!(r"{HEAD}\.full_name\s*==\s*github\.repository|github\.repository\s*==\s*{HEAD}\.full_name");
        let fork = format!(r"{HEAD}\.fork\s*==\s*false|{HEAD}\.fork\s*!=\s*true|!\s*{HEAD}\.fork");
        Regex::new(&format!("^(?:{name}|{fork})$")).expect("our own patterns are tested")
    });
    static EVENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^github\.event_name\s*(==|!=)\s*'([a-z_]+)'$").expect("our own patterns are tested")
    });
    let condition = condition.trim();
    let condition = condition.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(condition).trim();
    let no_requests = |text: &str| {
        EVENT
            .captures(text.trim())
            .is_some_and(|event| (&event[1] == "==") != STARTED_BY_STRANGERS.contains(&&event[2]))
    };
    let Some(depth) = depth.checked_sub(1) else { return false };
    let either = parts(condition, "||");
    if either.len() > 1 {
        let is_own = |part: &&str| demands_own_code(part, depth);
        return either.iter().any(is_own) && either.iter().all(|part| is_own(part) || no_requests(part));
    }
    let both = parts(condition, "&&");
    if both.len() > 1 {
        return both.iter().any(|part| demands_own_code(part, depth));
    }
    let inner = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.map_or_else(|| OWN.is_match(condition), |inner| demands_own_code(inner, depth))
}

/// The parts of a condition between operators that stand in no brackets and no quotes.
fn parts<'t>(text: &'t str, operator: &str) -> Vec<&'t str> {
    let (mut found, mut from, mut depth, mut is_quoted) = (Vec::new(), 0, 0_i32, false);
    for (at, byte) in text.bytes().enumerate() {
        is_quoted ^= byte == b'\'';
        match byte {
            b'(' if !is_quoted => depth += 1,
            b')' if !is_quoted => depth -= 1,
            _ if !is_quoted && depth == 0 && at >= from && text.as_bytes()[at..].starts_with(operator.as_bytes()) => {
                found.push(&text[from..at]);
                from = at + operator.len();
            }
            _ => {}
        }
    }
    found.push(&text[from..]);
    found
}

/// A step that fetches the code of a request.
fn foreign_code(file: &str, step: &Node, with: &Node, env: &Env<'_>) -> Option<Flaw> {
    let line_of = |line: usize| file.lines().nth(line.saturating_sub(1));
    if TextValue::of(step, "uses").is_some_and(|uses| uses.text.trim().starts_with("actions/checkout@")) {
        let by_commit = TextValue::of(with, "ref")
            .filter(|said| said.takes(CODE_OF_REQUESTS, env) || said.text.contains("refs/pull/"));
        let by_repository = || TextValue::of(with, "repository").filter(|said| said.takes(REPOSITORY_OF_REQUESTS, env));
        let said = by_commit.or_else(by_repository)?;
        let shown = line_of(said.line).unwrap_or(said.text);
        return Some(flaw("workflow_runs_foreign_code", said.line, shown));
    }
    let command = TextValue::of(step, "run")?;
    let fetches = |line: &str| {
        FETCHES_REQUEST.iter().any(|words| line.contains(words))
            || FETCHES.iter().any(|words| line.contains(words))
                && (text_takes(line, CODE_OF_REQUESTS, env) || text_takes(line, CLONED_FROM, env))
    };
    let fetching = command.text.lines().find(|line| fetches(line.split(" #").next().unwrap_or(line)))?.trim();
    // A folded command has other line breaks in the file, so its first line is shown.
    let mut lines = (command.line..).map_while(|line| line_of(line).map(|text| (line, text)));
    let (line, shown) = lines.find(|(_, text)| text.contains(fetching)).unwrap_or((command.line, fetching));
    Some(flaw("workflow_runs_foreign_code", line, shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        flaws(text).iter().map(|flaw| format!("{} {} {}", flaw.what, flaw.line, flaw.shown)).collect()
    }

    /// A workflow with these lines as its steps, which begin at line 4.
    fn steps(lines: &str) -> String {
        format!("on: [issues]\njobs:\n  a: {{steps: [\n{lines}]}}\n")
    }

    #[test]
    fn what_strangers_write_is_found_however_the_workflow_is_written() {
        for (line, is_flawed) in [
            ("- run: echo ${{ github.event.workflow_run.head_branch }}", true),
            ("- run: echo ${{ github.event.workflow_run.head_commit.message }}", true),
            ("- run: echo ${{ toJSON(github.event.issue) }}", true),
            ("- run: echo ${{ github.event.issue['title'] }}", true),
            ("- run: echo ${{ GITHUB.EVENT.ISSUE.TITLE }}", true),
            ("- \"run\": echo ${{ github.event.comment.body }}", true),
            ("- {run: \"echo ${{ github.event.comment.body }}\"}", true),
            ("- run: >-\n         echo\n         ${{ github.event.comment.body }}", true),
            ("- {uses: x/y@0123456789abcdef0123456789abcdef01234567, with: {script: '${{ github.head_ref }}'}}", true),
            ("- run: echo \"${{ contains(github.event.head_commit.message, '[skip]') }}\"", false),
            ("- run: test \"${{ github.event.pull_request.head.ref == 'main' }}\" = true", false),
            ("- run: echo ${{ env.T }}\n        env: {T: '${{ github.head_ref }}'}", true),
            ("- run: echo ${{ env.T }}\n        env: {T: '${{ github.sha }}'}", false),
            ("- run: echo ${{ env.OF_ALL }}", true),
            ("- run: echo ${{ env.OF_ALL }}\n        env: {OF_ALL: x}", false),
            ("- run: echo ok # was ${{ github.head_ref }}", false),
            ("- run: echo $T\n        env: {T: '${{ github.head_ref }}'}", false),
        ] {
            let all = "env:\n  OF_ALL: ${{ github.event.issue.title }}\n";
            let text = format!("on: issues\n{all}jobs:\n  a:\n    steps:\n      {line}\n");
            let flaws = found(&text);
            assert_eq!(flaws.iter().any(|flaw| flaw.starts_with("workflow_injection ")), is_flawed, "{text}{flaws:?}");
        }
        let twice = "on: x\njobs:\n  a:\n    steps:\n      - run: |\n          echo ${{ github.head_ref }}\n          \
                     : ${{ github.head_ref }}${{ github.head_ref }}\n";
        assert_eq!(
            found(twice),
            [
                "workflow_injection 6 echo ${{ github.head_ref }}",
                "workflow_injection 7 : ${{ github.head_ref }}${{ github.head_ref }}"
            ]
        );
        assert_eq!(found("on: [\n"), Vec::<String>::new());
        assert_eq!(found("- a\n- b\n"), Vec::<String>::new());
    }

    #[test]
    fn actions_and_images_of_others_are_named_in_flow_style_and_in_actions_of_steps_too() {
        let text =
            steps("{uses: evil/flow@main}, {uses: 'docker://alpine:latest'},\n{uses: ./own}, {uses: actions/x@v1}");
        assert_eq!(found(&text), ["unpinned_action 4 evil/flow@main", "unpinned_action 4 docker://alpine:latest"]);
        let digest = "0123456789abcdef".repeat(4);
        assert_eq!(found(&steps(&format!("{{uses: 'docker://alpine@sha256:{digest}'}}"))), Vec::<String>::new());
        let action = "runs:\n  using: composite\n  steps:\n    - run: echo ${{ github.event.issue.title }}\n      \
                      shell: bash\n    - uses: evil/composite@v1\n";
        assert_eq!(
            found(action),
            ["workflow_injection 4 - run: echo ${{ github.event.issue.title }}", "unpinned_action 6 evil/composite@v1"]
        );
        let called = "on: push\njobs:\n  a:\n    uses: evil/wf/.github/workflows/x.yml@main\n";
        assert_eq!(found(called), ["unpinned_action 4 evil/wf/.github/workflows/x.yml@main"]);
    }

    /// What checks out the code of a request.
    const HEAD: &str = "{ \"ref\": \"${{ github.event.pull_request.head.sha }}\" }";

    /// A workflow that begins so and checks out with this.
    fn workflow(on: &str, with: &str) -> String {
        format!(
            "on: {on}\njobs:\n  a:\n    if: github.event_name != 'pull_request_target'\n    steps:\n      \
             - uses: actions/checkout@v4\n        with: {with}\n"
        )
    }

    #[test]
    fn a_workflow_that_asks_for_code_of_its_own_repository_runs_none_of_strangers() {
        let own = "github.event.pull_request.head.repo.full_name == github.repository";
        for (condition, is_flawed) in [
            (own, false),
            ("${{ github.repository == github.event.pull_request.head.repo.full_name }}", false),
            ("!github.event.pull_request.head.repo.fork", false),
            ("github.event.pull_request.head.repo.fork == false && always()", false),
            (
                "github.actor == 'bot' && (github.event_name == 'push' || !github.event.pull_request.head.repo.fork)",
                false,
            ),
            ("github.event_name != 'pull_request_target' || !github.event.pull_request.head.repo.fork", false),
            ("github.event_name == 'pull_request_target' || !github.event.pull_request.head.repo.fork", true),
            ("github.actor == 'bot' || !github.event.pull_request.head.repo.fork", true),
            ("github.event.pull_request.head.repo.fork", true),
            ("github.event.pull_request.head.repo.full_name != github.repository", true),
            ("!(github.event.pull_request.head.repo.full_name == github.repository)", true),
        ] {
            let text = workflow("pull_request_target", HEAD);
            let job = text.replace("github.event_name != 'pull_request_target'\n", &format!("\"{condition}\"\n"));
            let step = text.replace("        with:", &format!("        if: \"{condition}\"\n        with:"));
            for text in [job, step] {
                assert_eq!(!found(&text).is_empty(), is_flawed, "{condition} {text}");
            }
        }
    }

    #[test]
    fn a_command_that_fetches_the_commit_of_a_request_is_told() {
        for (command, is_flawed) in [
            ("git fetch origin ${{ github.event.pull_request.head.sha }}", true),
            ("git fetch origin ${{ env.SHA }}", true),
            ("git clone ${{ github.event.pull_request.head.repo.clone_url }} theirs", true),
            ("git fetch origin ${{ github.base_ref }}", false),
            ("git log ${{ github.event.pull_request.head.sha }}", false),
        ] {
            let text = format!(
                "on: pull_request_target\nenv: {{SHA: '${{{{ github.event.pull_request.head.sha }}}}'}}\n\
                 jobs:\n  a:\n    steps:\n      - run: {command}\n"
            );
            let flaws = found(&text);
            let is_told = flaws.iter().any(|flaw| flaw.starts_with("workflow_runs_foreign_code 6"));
            assert_eq!(is_told, is_flawed, "{command}: {flaws:?}");
        }
    }

    #[test]
    fn code_of_strangers_is_fetched_only_where_they_start_the_workflow_with_its_secrets() {
        for (on, with, is_flawed) in [
            ("pull_request_target", HEAD, true),
            ("[push, pull_request_target]", HEAD, true),
            ("{pull_request_target: {types: [opened]}}", HEAD, true),
            ("pull_request_target", "{repository: '${{ github.event.pull_request.head.repo.full_name }}'}", true),
            ("pull_request_target", "{ref: 'refs/pull/${{ github.event.number }}/merge'}", true),
            ("pull_request_target", "{ref: main, fetch-depth: 0}", false),
            ("pull_request", HEAD, false),
            ("[push, pull_request]", HEAD, false),
            ("issue_comment", "{ref: 'refs/pull/${{ github.event.issue.number }}/head'}", true),
            ("{workflow_run: {workflows: [ci]}}", "{ref: '${{ github.event.workflow_run.head_sha }}'}", true),
            ("workflow_run", "{repository: '${{ github.event.workflow_run.head_repository.full_name }}'}", true),
            ("workflow_run", "{ref: main}", false),
        ] {
            let flaws = found(&workflow(on, with));
            assert_eq!(!flaws.is_empty(), is_flawed, "{on} {with}: {flaws:?}");
        }
        let commented = |condition: &str, command: &str| {
            format!(
                "on: issue_comment\njobs:\n  a:\n    if: {condition}\n    steps:\n      - run: |\n          set -e\n\
                 \x20         {command}\n"
            )
        };
        let (always, members) = ("always()", "github.event.comment.author_association == 'MEMBER'");
        for (condition, command, is_flawed) in [
            (always, "gh pr checkout $NUMBER", true),
            (always, "git fetch origin pull/$NUMBER/head && git checkout FETCH_HEAD", true),
            (members, "gh pr checkout $NUMBER", false),
            (always, "gh pr view $NUMBER", false),
            (always, "true # gh pr checkout would run theirs", false),
        ] {
            let told = is_flawed.then(|| format!("workflow_runs_foreign_code 8 {command}"));
            assert_eq!(found(&commented(condition, command)), Vec::from_iter(told), "{condition} {command}");
        }
    }
}

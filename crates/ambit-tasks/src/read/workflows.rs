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

/// Where what anybody writes stands in the event that starts a workflow.
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
/// What commands that fetch the code of a request say.
const FETCHES_REQUEST: &[&str] = &["gh pr checkout", "refs/pull/", "git fetch origin pull/"];
/// The member of an event that tells members of a project from strangers; a workflow that asks for it runs for members.
const STANDING: &str = "author_association";

/// What a file of YAML says, with the lines where it stands.
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
struct Said<'n> {
    text: &'n str,
    /// Its first line, from 1.
    line: usize,
}

impl<'n> Said<'n> {
    fn of(node: &'n Node, name: &str) -> Option<Self> {
        let said = node.get(name)?;
        let Node::Text(text) = &said.value else { return None };
        Some(Self { text, line: usize::try_from(said.referenced.line()).unwrap_or(usize::MAX) })
    }

    /// Returns whether one of its expressions puts what stands at one of the places into it.
    fn takes(&self, places: &[&str]) -> bool {
        within(self.text).into_iter().any(|expression| takes(expression, places))
    }
}

fn takes(expression: &str, places: &[&str]) -> bool {
    reached(expression).iter().any(|value| places.iter().any(|place| value.is_at(place)))
}

/// Returns what is wrong with a workflow or an action, in the order of its lines. What is no YAML runs nowhere.
pub(super) fn flaws(text: &str) -> Vec<Flaw> {
    let options = serde_saphyr::options! { with_snippet: false };
    let Ok(root) = serde_saphyr::from_str_with_options::<Node>(text, options) else { return Vec::new() };
    let on = root.get("on").map(|on| &on.value);
    let runs_for_strangers = on.is_some_and(|on| STARTED_BY_STRANGERS.iter().any(|event| on.names(event)));
    let jobs = root.get("jobs").map(|jobs| jobs.value.children()).unwrap_or_default();
    let mut flaws = Vec::new();
    // A job that is a workflow of others stands beside those that have steps, and so do the steps of an action.
    for job in jobs.into_iter().chain(root.get("runs").map(|runs| &runs.value)) {
        flaws.extend(unpinned(job));
        for step in job.get("steps").map(|steps| steps.value.children()).unwrap_or_default() {
            let with = step.get("with").map_or(&Node::Other, |with| &with.value);
            flaws.extend(unpinned(step));
            for command in [Said::of(step, "run"), Said::of(with, "script")].into_iter().flatten() {
                flaws.extend(injections(text, &command));
            }
            if runs_for_strangers && !asks_for_standing(job) && !asks_for_standing(step) {
                flaws.extend(foreign_code(text, step, with));
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
    let uses = Said::of(step, "uses")?;
    let action = uses.text.trim();
    let is_own = action.starts_with("./") || !action.contains('/');
    let is_of_the_forge = ["actions/", "github/"].iter().any(|owner| action.starts_with(owner));
    (!is_own && !is_of_the_forge && !PINNED.is_match(action)).then(|| flaw("unpinned_action", uses.line, action))
}

/// The lines of a command into which a text of strangers is put.
fn injections(file: &str, command: &Said<'_>) -> Vec<Flaw> {
    let mut from: usize = file.split_inclusive('\n').take(command.line.saturating_sub(1)).map(str::len).sum();
    let mut flaws: Vec<Flaw> = Vec::new();
    for expression in within(command.text) {
        // One that is folded or escaped stands otherwise in the file.
        let at = file[from..].find(expression).map(|at| from + at);
        from = at.map_or(from, |at| at + expression.len());
        let line = at.map_or(command.line, |at| file[..at].matches('\n').count() + 1);
        let is_told = flaws.last().is_some_and(|told| told.line == line);
        if !is_told && takes(expression, FOREIGN) {
            let shown = at.and_then(|_| file.lines().nth(line - 1)).unwrap_or(expression);
            flaws.push(flaw("workflow_injection", line, shown));
        }
    }
    flaws
}

fn asks_for_standing(step: &Node) -> bool {
    Said::of(step, "if").is_some_and(|condition| condition.text.contains(STANDING))
}

/// A step that fetches the code of a request.
fn foreign_code(file: &str, step: &Node, with: &Node) -> Option<Flaw> {
    let line_of = |line: usize| file.lines().nth(line.saturating_sub(1));
    if Said::of(step, "uses").is_some_and(|uses| uses.text.trim().starts_with("actions/checkout@")) {
        let by_commit =
            Said::of(with, "ref").filter(|said| said.takes(CODE_OF_REQUESTS) || said.text.contains("refs/pull/"));
        let by_repository = || Said::of(with, "repository").filter(|said| said.takes(REPOSITORY_OF_REQUESTS));
        let said = by_commit.or_else(by_repository)?;
        let shown = line_of(said.line).unwrap_or(said.text);
        return Some(flaw("workflow_runs_foreign_code", said.line, shown));
    }
    let command = Said::of(step, "run")?;
    let fetches = |line: &str| FETCHES_REQUEST.iter().any(|words| line.contains(words));
    let fetching = command.text.lines().find(|line| fetches(line.split(" #").next().unwrap_or(line)))?.trim();
    // One that is folded stands otherwise in the file: its first line is told.
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
            ("- run: echo ok # was ${{ github.head_ref }}", false),
            ("- run: echo $T\n        env: {T: '${{ github.head_ref }}'}", false),
        ] {
            let text = format!("on: issues\njobs:\n  a:\n    steps:\n      {line}\n");
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

    #[test]
    fn code_of_strangers_is_fetched_only_where_they_start_the_workflow_with_its_secrets() {
        let workflow = |on: &str, with: &str| {
            format!(
                "on: {on}\njobs:\n  a:\n    if: github.event_name != 'pull_request_target'\n    steps:\n      \
                 - uses: actions/checkout@v4\n        with: {with}\n"
            )
        };
        let head = "{ \"ref\": \"${{ github.event.pull_request.head.sha }}\" }";
        for (on, with, is_flawed) in [
            ("pull_request_target", head, true),
            ("[push, pull_request_target]", head, true),
            ("{pull_request_target: {types: [opened]}}", head, true),
            ("pull_request_target", "{repository: '${{ github.event.pull_request.head.repo.full_name }}'}", true),
            ("pull_request_target", "{ref: 'refs/pull/${{ github.event.number }}/merge'}", true),
            ("pull_request_target", "{ref: main, fetch-depth: 0}", false),
            ("pull_request", head, false),
            ("[push, pull_request]", head, false),
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

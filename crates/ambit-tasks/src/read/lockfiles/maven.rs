//! Projects of Maven, and lock files of Gradle.

use super::package::{package, pattern};
use super::xml::without_comments;
use ambit_model::entity::repository::Package;
use regex::Regex;
use std::sync::LazyLock;

/// The parent and the dependencies with a version of their own. A part that stands in a property of the file, or that
/// is the one of the project or its parent (`${project.version}`), is filled in.
pub(super) fn maven(text: &str) -> Vec<Package> {
    static BLOCK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?s)<dependency>(.*?)</dependency>|<parent>(.*?)</parent>"));
    let text = without_comments(text);
    let project = Project::of(&text);
    let read = |block: regex::Captures<'_>| {
        let block = block.get(1).or(block.get(2))?.as_str();
        let said = |wanted: &str| Some(project.filled(member(block, wanted)?)).filter(|value| !value.is_empty());
        Some(package("Maven", &format!("{}:{}", said("groupId")?, said("artifactId")?), &said("version")?))
    };
    BLOCK.captures_iter(&text).filter_map(read).collect()
}

/// A member of a block of Maven.
fn member<'t>(block: &'t str, wanted: &str) -> Option<&'t str> {
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"<(groupId|artifactId|version)>\s*([^<]*?)\s*</"));
    let mut members = MEMBER.captures_iter(block).filter(|member| &member[1] == wanted);
    members.next()?.get(2).map(|value| value.as_str())
}

/// What a file of Maven says of the project itself.
struct Project<'t> {
    text: &'t str,
    parent: &'t str,
    /// The file without what it says about other projects.
    own: String,
}

impl<'t> Project<'t> {
    fn of(text: &'t str) -> Self {
        static PARENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)<parent>(.*?)</parent>"));
        static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
            let of = |name: &str| format!("<{name}>.*?</{name}>");
            // Elements that contain others of the list come first.
            let names =
                ["dependencyManagement", "build", "profiles", "reporting", "dependencies", "parent", "properties"];
            pattern(&format!("(?s){}", names.map(of).join("|")))
        });
        let parent = PARENT.captures(text).and_then(|found| found.get(1)).map_or("", |parent| parent.as_str());
        Self { text, parent, own: OTHERS.replace_all(text, "").into_owned() }
    }

    /// Returns the value with properties replaced, which may refer to others.
    fn filled(&self, value: &str) -> String {
        let mut value = value.to_owned();
        for _ in 0..PROPERTIES_MAX {
            let Some(name) = value.strip_prefix("${").and_then(|value| value.strip_suffix('}')) else { return value };
            value = self.property(name).unwrap_or_default().to_owned();
        }
        String::new()
    }

    fn property(&self, name: &str) -> Option<&str> {
        static PROPERTY: LazyLock<Regex> = LazyLock::new(|| pattern(r"<([\w.-]+)>\s*([^<\s]+)\s*</"));
        let own = name.strip_prefix("project.").or_else(|| name.strip_prefix("pom."));
        match own {
            Some(own) => match own.strip_prefix("parent.") {
                Some(of_parent) => member(self.parent, of_parent),
                // What a project does not state is inherited from its parent.
                None => member(&self.own, own).or_else(|| member(self.parent, own)),
            },
            None => {
                let mut found = PROPERTY.captures_iter(self.text).filter(|property| &property[1] == name);
                found.next()?.get(2).map(|value| value.as_str())
            }
        }
    }
}

/// Properties of Maven that are replaced in one value.
const PROPERTIES_MAX: usize = 8;

/// True for a lock file of an earlier Gradle, which has one for each configuration.
pub(super) fn is_earlier_gradle(path: &str) -> bool {
    path.ends_with(".lockfile")
        && path.rsplit_once('/').is_some_and(|(folder, _)| format!("/{folder}").ends_with("/gradle/dependency-locks"))
}

/// `org.example:thing:1.2.3=runtimeClasspath`; without what it is for in the lock files of earlier versions.
pub(super) fn gradle(text: &str) -> Vec<Package> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([\w.-]+:[\w.-]+):([\w.+-]+)(?:=|\s*$)"));
    text.lines().filter_map(|line| LINE.captures(line)).map(|found| package("Maven", &found[1], &found[2])).collect()
}

//! Judges of how things in accounts at cloud providers are set up: rows in tables, by what they are about. A row brings
//! what it reports and its near miss. What a thing says of itself comes with the edge from its account.

mod access;
mod data;
mod firewall;
mod names;
mod transport;

use crate::judge::{Judge, judge_of};
use crate::look;
use ambit_model::entity::aws::{CONFIGURATION, RESOURCE_TYPE, setting};
use ambit_model::issue::{
    Confidence, Proof, SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict,
};
use ambit_model::policy::{is_everybody, open_statements, open_to_programs};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The kinds of things in accounts.
const KINDS: &[Kind] = &[
    Kind::AwsEC2Instance,
    Kind::AwsRdsDbInstance,
    Kind::AwsResource,
    Kind::AwsS3Bucket,
    Kind::AzureStorageAccount,
    Kind::AzureVirtualMachine,
    Kind::CloudResource,
    Kind::GcpApiGateway,
    Kind::GcpAppEngineApplication,
    Kind::GcpCloudFunction,
    Kind::GcpCloudSQLInstance,
    Kind::GcpComputeEngineInstance,
    Kind::GcpStorageBucket,
];
/// The tasks that list them.
const LISTED_BY: &[TaskName] = &[TaskName::AwsAccount, TaskName::CloudAccount];

/// Settings that are yes or no: where a provider answers and does not say which, it said nothing.
const FLAGS: &[&str] = &["https_only", "public"];

/// Statements of a policy that its proof names.
const STATEMENTS_MAX: usize = 20;

/// What a row found, or nothing.
type Finding = Option<Found>;

/// What was found.
struct Found {
    sentence: String,
    /// Where it is not as sure as the issue otherwise is.
    confidence: Option<Confidence>,
    /// Where it is not as grave as the issue otherwise is.
    severity: Option<i64>,
    /// The part of the thing that shows it, with its name in the proof: listeners, statements.
    part: Option<(&'static str, Value)>,
}

impl From<String> for Found {
    fn from(sentence: String) -> Self {
        Self { sentence, confidence: None, severity: None, part: None }
    }
}

impl Found {
    /// The same with the part of the thing that shows it.
    fn by(self, name: &'static str, part: Value) -> Self {
        Self { part: Some((name, part)), ..self }
    }
}

/// The result of a row, for an asset of which everything that it needs is known.
enum Weighed {
    Found(Found),
    Nothing,
    /// Something that the thing leads to could not be read.
    Unknown,
}

impl From<Finding> for Weighed {
    fn from(finding: Finding) -> Self {
        finding.map_or(Self::Nothing, Self::Found)
    }
}

macro_rules! misconfigurations {
    ($($name:ident {
        pretty_name: $pretty:literal,
        severity: $severity:ident,
        added: $added:literal,
        of: $of:expr,
        needs: $needs:literal,
        description: $description:literal,
        remediation: $remediation:literal,
        reference: $reference:literal,
        finds: |$thing:ident, $date:ident| $finds:expr,
        reports: $reports:expr,
        near_miss: $near_miss:expr,
        $(unknown: $unknown:expr,)?
    })*) => {
        pub(super) const JUDGES: &[Judge] = &[$(judge_of!(
            $name, "misconfiguration", Confirmed, $severity, $added, $pretty, $description, $remediation, $reference,
            KINDS, LISTED_BY, |facts, date| weigh(facts, &$of, $needs, |$thing| {
                let $date = date;
                let _ = $date;
                $finds
            })
        )),*];

        #[cfg(test)]
        pub(super) fn samples() -> Vec<crate::samples::Samples> {
            vec![$(super::sampled(&$of, &$reports, &$near_miss, &[$($unknown)?])),*]
        }
    };
}
use misconfigurations;

/// The judges of all tables.
pub(crate) fn judges() -> impl Iterator<Item = &'static Judge> {
    [access::JUDGES, data::JUDGES, firewall::JUDGES, names::JUDGES, transport::JUDGES].into_iter().flatten()
}

/// Reads what the provider reports about an asset.
struct Thing<'a> {
    facts: &'a Facts,
}

impl Thing<'_> {
    fn said(&self, name: &str) -> Value {
        setting(&self.facts.details, name).unwrap_or(Value::Null)
    }

    fn is(&self, name: &str) -> bool {
        self.said(name) == true
    }

    /// It was said, and is not so.
    fn is_not(&self, name: &str) -> bool {
        self.said(name) == false
    }

    fn text(&self, name: &str) -> String {
        self.said(name).as_str().unwrap_or_default().to_owned()
    }

    /// Only a state of Terraform said anything of it, and no provider was asked.
    fn is_of_state(&self) -> bool {
        CONFIGURATION.items(&self.facts.details).next().is_none()
    }

    /// The texts of a list, or one text.
    fn texts(&self, name: &str) -> Vec<String> {
        let said = self.said(name);
        each(&said).chain([&said]).filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// Judges a thing of one of these sorts, once it was said what the row needs: the first setting is what the row is
/// about, and the others can only clear what that shows, so that nothing is found while one of them could not be read.
fn weigh<W: Into<Weighed>>(facts: &Facts, of: &[&str], needs: &str, find: impl Fn(&Thing<'_>) -> W) -> Verdict {
    if !of.contains(&sort_of(facts).as_str()) {
        return Verdict::Clear;
    }
    let was_said =
        |name: &str| setting(&facts.details, name).is_some_and(|said| !said.is_null() || !FLAGS.contains(&name));
    let (about, clearing) = needs.split_once(' ').unwrap_or((needs, ""));
    if !was_said(about) {
        return Verdict::Unknown;
    }
    match find(&Thing { facts }).into() {
        Weighed::Found(_) if !clearing.split_whitespace().all(was_said) => Verdict::Unknown,
        Weighed::Found(found) => Verdict::Proven(vec![proof(facts, found)]),
        Weighed::Nothing => Verdict::Clear,
        Weighed::Unknown => Verdict::Unknown,
    }
}

/// What a thing is, in a word or two.
fn sort_of(facts: &Facts) -> String {
    match facts.kind {
        Kind::AwsEC2Instance => "machine".to_owned(),
        Kind::AwsRdsDbInstance => "database".to_owned(),
        Kind::AwsS3Bucket => "bucket".to_owned(),
        _ => RESOURCE_TYPE.of(&facts.details).unwrap_or_default(),
    }
}

fn proof(facts: &Facts, found: Found) -> Proof {
    let mut details = json!({"resource": facts.name, "resource_type": sort_of(facts)});
    if let Some((name, part)) = found.part {
        details[name] = part;
    }
    Proof { confidence: found.confidence, severity: found.severity, ..look::proof(found.sentence, details) }
}

/// A finding where it is so.
fn once(is: bool, sentence: &str) -> Finding {
    is.then(|| sentence.to_owned().into())
}

/// The values of a list; none where there is no list.
fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// A finding where the policy of a thing at AWS allows everybody something, with the statements that do.
fn lets_everybody(thing: &Thing<'_>, what: &str) -> Finding {
    let policy = thing.said("policy");
    let open = open_statements(&policy);
    let named = |(number, statement): &(usize, &Value)| match statement["Sid"].as_str() {
        Some(sid) if !sid.is_empty() => look::shown(sid),
        _ => number.to_string(),
    };
    let names: Vec<String> = open.iter().take(STATEMENTS_MAX).map(named).collect();
    let statements: Vec<&Value> = open.iter().take(STATEMENTS_MAX).map(|(_, statement)| *statement).collect();
    let word = if names.len() == 1 { "statement" } else { "statements" };
    let sentence = || format!("The policy of {what} allows everybody something by its {word} {}.", names.join(", "));
    (!open.is_empty()).then(|| Found::from(sentence()).by("statements", json!(statements)))
}

/// A finding where the policy of a thing at Google Cloud grants everybody something. Where every grant has a condition,
/// it may be that nobody meets it.
fn roles_for_everybody(thing: &Thing<'_>) -> Finding {
    let granted = thing.said("granted");
    let roles = |conditional: bool| -> Vec<&str> {
        let wanted = each(&granted).filter(|grant| (grant["conditional"] == true) == conditional);
        wanted.filter_map(|grant| grant["role"].as_str()).collect()
    };
    match (roles(false).as_slice(), roles(true).as_slice()) {
        ([], []) => None,
        ([], roles) => Some(Found {
            confidence: Some(Confidence::Potential),
            ..format!("Its policy grants everybody {} under a condition.", roles.join(", ")).into()
        }),
        (roles, _) => Some(format!("Its policy grants everybody {}.", roles.join(", ")).into()),
    }
}

/// A moment, as text or in seconds since 1970.
fn moment(said: &str) -> Option<Timestamp> {
    #[expect(clippy::cast_possible_truncation, reason = "seconds of certificates are far below the largest")]
    let of_seconds = |seconds: f64| Timestamp((seconds * 1_000.0) as i64);
    said.parse::<f64>().ok().map(of_seconds).or_else(|| Timestamp::parse(said))
}

/// What a row brings to be tested with: settings that it reports and its near misses, several of them as a list;
/// settings of which nothing follows, and a thing of which nothing was said.
#[cfg(test)]
fn sampled(of: &[&'static str], reports: &Value, near_miss: &Value, unknown: &[Value]) -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::entity::aws::configuration;
    let thing = || match of[0] {
        "machine" => facts(Kind::AwsEC2Instance, "ec2-192-0-2-1.compute-1.amazonaws.com"),
        "database" => facts(Kind::AwsRdsDbInstance, "arn:aws:rds:eu-west-1:123456789012:db:acme"),
        "bucket" => facts(Kind::AwsS3Bucket, "acme-files"),
        sort => facts(Kind::AwsResource, "arn:aws:x:eu-west-1:123456789012:acme").with(json!({"resource_type": sort})),
    };
    let says = |settings: &Value| {
        let (name, value) = configuration(settings.as_object().cloned().unwrap_or_default());
        thing().with(json!({ name: value }))
    };
    let all = |settings: &Value| settings.as_array().cloned().unwrap_or_else(|| vec![settings.clone()]);
    let samples = Samples::new().unknown(thing());
    let samples = all(reports).iter().fold(samples, |samples, one| samples.reports(says(one)));
    let samples = all(near_miss).iter().fold(samples, |samples, one| samples.near_miss(says(one)));
    unknown.iter().flat_map(all).fold(samples, |samples, one| samples.unknown(says(&one)))
}

/// Every judge of the tables with its samples.
#[cfg(test)]
pub(crate) fn samples() -> impl Iterator<Item = (&'static Judge, crate::samples::Samples)> {
    let samples = [access::samples(), data::samples(), firewall::samples(), names::samples(), transport::samples()];
    judges().zip(samples.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_to_everybody_under_a_condition_is_not_confirmed() {
        let said = |grants: Value| {
            let (name, value) = ambit_model::entity::aws::configuration([("granted".to_owned(), grants)]);
            let bucket = crate::samples::facts(Kind::GcpStorageBucket, "acme-files");
            let facts = crate::samples::Told::with(bucket, json!({ name: value }));
            roles_for_everybody(&Thing { facts: &facts }).map(|found| (found.sentence, found.confidence))
        };
        let conditional = json!({"role": "roles/storage.objectViewer", "conditional": true});
        let plain = json!({"role": "roles/storage.legacyBucketReader", "conditional": false});
        let (sentence, confidence) = said(json!([conditional])).unwrap();
        assert_eq!(sentence, "Its policy grants everybody roles/storage.objectViewer under a condition.");
        assert_eq!(confidence, Some(Confidence::Potential));
        let (sentence, confidence) = said(json!([conditional, plain])).unwrap();
        assert_eq!(sentence, "Its policy grants everybody roles/storage.legacyBucketReader.");
        assert_eq!(confidence, None);
        assert_eq!(said(json!([])), None);
    }

    #[test]
    fn at_least_forty_rows_judge_what_stands_in_accounts() {
        assert!(judges().count() >= 40, "{}", judges().count());
    }
}

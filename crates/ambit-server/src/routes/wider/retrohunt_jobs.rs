//! Jobs of rules over what is stored (docs/contract/quotas.md §4). An engine does them; here they are made, shown and
//! ended.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::object_body::{body_attributes, text_of};
use crate::page::{self, Attributes, Page, RelatedPage};
use crate::present::accounts::require_oneself;
use crate::present::relationships;
use crate::query::query;
use crate::rules::rule_names;
use crate::signature::Empty;
use ambit_api::objects::{NewObject, Object, ObjectCollection, OneObject, Seconds};
use ambit_api::{ApiError, ErrorCode, Maybe, Result, contract, copied};
use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use ambit_query::hunting::{JOB_MODIFIERS, parse_conditions};
use ambit_store::{JOBS_AT_ONCE_MAX, JobRefused, NewRetrohuntJob, RetrohuntJob, RetrohuntMatch};
use ambit_yara::RETRO;
use serde::Serialize;
use serde_json::{Map, Value};

const NOUN: &str = "Retrohunt job";
const COLLECTION: &str = "intelligence/retrohunt_jobs";
/// The only body of files that there is: what people uploaded and what runs discovered.
const CORPUS: &str = "main";
/// Characters of an address.
const EMAIL_CHARS_MAX: usize = 254;

contract! {
    /// The attributes of a job; its progress is in percent.
    #[derive(Debug, Serialize)]
    pub(crate) struct RetrohuntJobAttributes {
        status: String,
        progress: f64,
        rules: String,
        corpus: String,
        scanned_bytes: i64,
        num_matches: i64,
        num_matches_outside_time_range: i64,
        num_timeouts: i64,
        creation_date: Seconds,
        start_date: Maybe<Seconds>,
        finish_date: Maybe<Seconds>,
        eta_seconds: Maybe<i64>,
        notification_email: Maybe<String>,
        time_range: Maybe<TimeRange>,
    }

    /// The seconds between which files were found that a job reports.
    #[derive(Debug, Serialize)]
    pub(crate) struct TimeRange {
        start: Option<i64>,
        end: Option<i64>,
    }

    /// The context of a file that a job found.
    #[derive(Debug, Serialize)]
    pub(crate) struct FoundByJob {
        rule_name: String,
        match_in_subfile: bool,
        snippet: Option<String>,
    }
}

/// Percent of what there is to look at, as far as it was.
fn progress(job: &RetrohuntJob) -> f64 {
    match (job.status.as_str(), job.to_look) {
        ("finished", _) => 100.0,
        (_, 0) => 0.0,
        (_, all) => (job.looked.min(all) as f64) * 100.0 / (all as f64),
    }
}

/// Seconds until the end, if it goes on as it did; `None` where nothing can be said.
fn eta_seconds(job: &RetrohuntJob, now: Timestamp) -> Option<i64> {
    let started = job.started_at.filter(|_| job.status == "running" && job.looked > 0)?;
    let rest = (job.to_look - job.looked).max(0);
    Some((now.0 - started.0).max(0).saturating_mul(rest) / job.looked / SECOND_MS)
}

/// A job as an object.
fn shown(call: &Call, job: &RetrohuntJob) -> Object {
    let attributes = copied! {
        RetrohuntJobAttributes from job { status, rules, corpus, scanned_bytes }
        progress: progress(job),
        num_matches: job.matches,
        num_matches_outside_time_range: job.matches_outside,
        num_timeouts: job.timeouts,
        creation_date: job.created_at.into(),
        start_date: Maybe(job.started_at.map(Into::into)),
        finish_date: Maybe(job.finished_at.map(Into::into)),
        eta_seconds: Maybe(eta_seconds(job, call.now)),
        notification_email: Maybe(job.notification_email.clone()),
        time_range: Maybe((job.range != (None, None)).then_some(TimeRange { start: job.range.0, end: job.range.1 })),
    };
    Object::new(&call.base, COLLECTION, "retrohunt_job", &job.id, &attributes)
}

/// `{"start": seconds, "end": seconds}`, each or none.
fn range(attributes: &Map<String, Value>) -> Result<(Option<i64>, Option<i64>)> {
    let bad = || {
        ApiError::invalid("The attribute time_range must have start and end in whole seconds since 1970, start first")
    };
    let Some(value) = attributes.get("time_range").filter(|value| !value.is_null()) else {
        return Ok((None, None));
    };
    let second = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(second) => second.as_i64().map(Some).ok_or_else(bad),
    };
    let range = (second("start")?, second("end")?);
    let ordered = range.0.zip(range.1).is_none_or(|(start, end)| start <= end);
    if value.is_object() && ordered { Ok(range) } else { Err(bad()) }
}

/// Start a job that matches rules against every stored file and page body.
pub(crate) async fn create(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let attributes = body_attributes(&call, "retrohunt_job", None)?;
    let rules = text_of(&attributes, "rules")?;
    let rules = rules.ok_or_else(|| ApiError::invalid("The attribute rules is needed"))?;
    let corpus = text_of(&attributes, "corpus")?.unwrap_or(CORPUS);
    if corpus != CORPUS {
        return Err(ApiError::invalid(format!(
            "The attribute corpus must be {CORPUS}, not {corpus:?}: there is no other here"
        )));
    }
    let email = text_of(&attributes, "notification_email")?.filter(|email| !email.is_empty());
    if email.is_some_and(|email| email.chars().count() > EMAIL_CHARS_MAX) {
        return Err(ApiError::invalid(format!(
            "The attribute notification_email has at most {EMAIL_CHARS_MAX} characters"
        )));
    }
    let range = range(&attributes)?;
    rule_names(rules, &RETRO).await?;
    let new = NewRetrohuntJob {
        rules: rules.to_owned(),
        corpus: corpus.to_owned(),
        notification_email: email.map(str::to_owned),
        range,
    };
    match call.store().create_retrohunt_job(call.caller(), &new).await {
        Ok(made) => Ok(page::one(&call, shown(&call, &made))),
        Err(JobRefused::TooMany) => {
            let message = format!("{JOBS_AT_ONCE_MAX} of your jobs are not over yet: wait for one, or abort one");
            Err(ApiError::with(ErrorCode::TooManyRequests, message))
        }
        Err(JobRefused::Store(error)) => Err(error).about(NOUN),
    }
}

query! { Jobs: filter: Text = "status: with one of starting, running, aborting, aborted, finished." }

/// List the caller's retrohunt jobs, newest first.
pub(crate) async fn list(call: Asking<(Jobs, Page)>) -> Result<ObjectCollection> {
    list_as(call, false).await
}

async fn list_as(call: Asking<(Jobs, Page)>, described: bool) -> Result<ObjectCollection> {
    let conditions = parse_conditions(Jobs::filter(&call).or_empty(), JOB_MODIFIERS);
    let conditions = conditions.map_err(|error| ApiError::bad(format!("Filter: {error}")))?;
    let mut jobs = call.store().list_retrohunt_jobs(call.caller()).await.about(NOUN)?;
    jobs.retain(|job| conditions.iter().all(|condition| condition.wanted.is_in(&job.status)));
    let call = &call;
    let shown = |job| async move {
        let job = shown(call, &job);
        Ok(if described { job.described() } else { job })
    };
    page::of_records(call, jobs, shown).await
}

/// List the jobs of a user, in full or as descriptors, for that user alone.
pub(crate) async fn of_user(call: Asking<(Jobs, Page)>, described: bool) -> Result<ObjectCollection> {
    require_oneself(&call).await?;
    list_as(call, described).await
}

/// Read a job.
pub(crate) async fn find(call: Asking<Attributes>) -> Result<OneObject> {
    let found = call.store().find_retrohunt_job(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(page::one(&call, shown(&call, &found)))
}

/// Ask a job to end. The answer is empty.
pub(crate) async fn abort(call: Call) -> Result<Empty> {
    call.store().abort_retrohunt_job(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(Empty)
}

/// Delete a job and what it found. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Empty> {
    call.store().delete_retrohunt_job(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(Empty)
}

/// List the files that a job found, with the rule beside each.
pub(crate) async fn matching_files(call: Asking<RelatedPage>) -> Result<ObjectCollection> {
    let found = call.store().retrohunt_matches(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    let call = &call;
    let shown = |one: RetrohuntMatch| async move {
        let context = copied! { FoundByJob from one { rule_name, snippet } match_in_subfile: false, };
        Ok(relationships::listed(call, "file", &one.sha256.to_string()).await?.in_context(&context))
    };
    page::of_records(call, found, shown).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ranges_have_whole_seconds_in_order() {
        let read = |value: Value| range(&Map::from_iter([("time_range".to_owned(), value)])).ok();
        assert_eq!(read(json!({"start": 1, "end": 2})), Some((Some(1), Some(2))));
        assert_eq!(read(json!({"end": 2})), Some((None, Some(2))));
        assert_eq!(read(json!(null)), Some((None, None)));
        for bad in [json!({"start": 3, "end": 2}), json!({"start": "1"}), json!(7)] {
            assert_eq!(read(bad.clone()), None, "{bad}");
        }
    }
}

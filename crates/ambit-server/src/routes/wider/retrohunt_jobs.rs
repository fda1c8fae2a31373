//! Jobs of rules over what is stored (docs/contract/quotas.md §4). An engine does them; here they are made, shown and
//! ended.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::object_body::{body_attributes, text_of};
use crate::page;
use crate::present::accounts::require_oneself;
use crate::present::files::shown_if_known;
use crate::rules::rule_names;
use ambit_api::objects::{missing, object};
use ambit_api::{ApiError, ErrorCode};
use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use ambit_query::hunting::{JOB_MODIFIERS, parse_conditions};
use ambit_store::{JOBS_AT_ONCE_MAX, JobRefused, NewRetrohuntJob, RetrohuntJob};
use ambit_yara::RETRO;
use serde_json::{Map, Value, json};

const NOUN: &str = "Retrohunt job";
const COLLECTION: &str = "intelligence/retrohunt_jobs";
/// The only body of files that there is: what people uploaded and what runs discovered.
const CORPUS: &str = "main";
/// Characters of an address.
const EMAIL_CHARS_MAX: usize = 254;

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
fn shown(call: &Call, job: &RetrohuntJob) -> Value {
    let mut attributes = Map::from_iter([
        ("status".to_owned(), json!(job.status)),
        ("progress".to_owned(), json!(progress(job))),
        ("rules".to_owned(), json!(job.rules)),
        ("corpus".to_owned(), json!(job.corpus)),
        ("scanned_bytes".to_owned(), json!(job.scanned_bytes)),
        ("num_matches".to_owned(), json!(job.matches)),
        ("num_matches_outside_time_range".to_owned(), json!(job.matches_outside)),
        ("num_timeouts".to_owned(), json!(job.timeouts)),
        ("creation_date".to_owned(), page::seconds(job.created_at)),
    ]);
    for (name, at) in [("start_date", job.started_at), ("finish_date", job.finished_at)] {
        if let Some(at) = at {
            attributes.insert(name.to_owned(), page::seconds(at));
        }
    }
    if let Some(seconds) = eta_seconds(job, call.now) {
        attributes.insert("eta_seconds".to_owned(), json!(seconds));
    }
    if let Some(email) = &job.notification_email {
        attributes.insert("notification_email".to_owned(), json!(email));
    }
    if job.range != (None, None) {
        attributes.insert("time_range".to_owned(), json!({"start": job.range.0, "end": job.range.1}));
    }
    object(&call.base, COLLECTION, "retrohunt_job", &job.id, attributes)
}

/// `{"start": seconds, "end": seconds}`, each or none.
fn range(attributes: &Map<String, Value>) -> Result<(Option<i64>, Option<i64>), ApiError> {
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

/// Let rules look at every file and page body that is stored.
pub(crate) async fn create(call: Call) -> Result<Answer, ApiError> {
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
    match call.store().create_retrohunt_job(call.caller(), &new, call.now).await {
        Ok(made) => Ok(page::one(&call, shown(&call, &made))),
        Err(JobRefused::TooMany) => {
            let message = format!("{JOBS_AT_ONCE_MAX} of your jobs are not over yet: wait for one, or abort one");
            Err(ApiError::with(ErrorCode::TooManyRequests, message))
        }
        Err(JobRefused::Store(error)) => Err(error).about(NOUN),
    }
}

/// List the caller's jobs over what is stored, newest first.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let bad = |message: String| ApiError::with(ErrorCode::BadRequest, message);
    let conditions = parse_conditions(call.query("filter").unwrap_or_default(), JOB_MODIFIERS);
    let conditions = conditions.map_err(|error| bad(format!("Filter: {error}")))?;
    let paging = page::paging(&call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let mut jobs = call.store().list_retrohunt_jobs(call.caller()).await.about(NOUN)?;
    jobs.retain(|job| conditions.iter().all(|condition| condition.wanted.is_in(&job.status)));
    let total = jobs.len();
    let (jobs, next) = page::slice(&paging, jobs)?;
    let items = jobs.iter().map(|job| shown(&call, job)).collect();
    Ok(page::answer(&call, items, paging.limit, next, Some(total)))
}

/// The list of jobs below the user; for oneself.
///
/// The same below the user; for oneself.
pub(crate) async fn of_user(call: Call) -> Result<Answer, ApiError> {
    require_oneself(&call).await?;
    list(call).await
}

/// Read a job.
pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let found = call
        .store()
        .find_retrohunt_job(call.caller(), call.parameter("id"))
        .await
        .about_named(NOUN, call.parameter("id"))?;
    Ok(page::one(&call, shown(&call, &found)))
}

/// Ask a job to end. The answer is empty.
pub(crate) async fn abort(call: Call) -> Result<Answer, ApiError> {
    call.store()
        .abort_retrohunt_job(call.caller(), call.parameter("id"), call.now)
        .await
        .about_named(NOUN, call.parameter("id"))?;
    Ok(Answer::empty())
}

/// Delete a job and what it found. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    call.store()
        .delete_retrohunt_job(call.caller(), call.parameter("id"))
        .await
        .about_named(NOUN, call.parameter("id"))?;
    Ok(Answer::empty())
}

/// List the files that a job found, with the rule beside each.
///
/// Files that rules of a job are true of, each with the rule beside it.
pub(crate) async fn matching_files(call: Call) -> Result<Answer, ApiError> {
    let paging = page::paging(&call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let found = call
        .store()
        .retrohunt_matches(call.caller(), call.parameter("id"))
        .await
        .about_named(NOUN, call.parameter("id"))?;
    let total = found.len();
    let (found, next) = page::slice(&paging, found)?;
    let mut items = Vec::new();
    for one in &found {
        let id = one.sha256.to_string();
        let mut file = shown_if_known(&call, &id).await?.unwrap_or_else(|| missing("file", &id));
        file["context_attributes"] =
            json!({"rule_name": one.rule_name, "match_in_subfile": false, "snippet": one.snippet});
        items.push(file);
    }
    Ok(page::answer(&call, items, paging.limit, next, Some(total)))
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! The picture of a site as a browser shows it, where the operator lets runs use one.

use crate::ask::{bindings, web};
use crate::{Answer, Context, Plan, Result, Sights, Task, TaskError};
use ambit_model::entity::uri;
use ambit_model::moment::WEEK_MS;
use ambit_model::observation::{SCREENSHOT, Sighting};
use ambit_model::{Facts, Kind, TaskName, Wave, workflow};
use serde_json::Value;

pub(crate) const TASK: Task = Task {
    name: TaskName::Screenshot,
    pretty_name: "Screenshot",
    description: "Opens the front page of a site in a headless browser on this machine, if the setting browser names \
                  one, and keeps a picture.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS, workflow::APPLICATIONS],
    watches: &[Kind::Uri],
    // A browser takes long, and what it shows leads to nothing.
    wave: Wave::Probes,
    ttl_ms: WEEK_MS,
    // A page with all that it loads.
    cost: 30,
    gain: 1,
    slow: true,
    sights: Sights::All(Sighting::Ends),
    plan,
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// One picture of each site of theirs that shows a page, at the first of its addresses.
fn plan(facts: &Facts, settings: &crate::Settings) -> Plan {
    let shows_page = uri::CODE.text(&facts.details).is_some_and(|code| code.starts_with('2'))
        && uri::CONTENT_TYPE.raw(&facts.details).and_then(Value::as_str).is_some_and(|kind| kind.contains("html"));
    if settings.browser.is_none() || !facts.decision.scoped() || !shows_page {
        return Plan::No;
    }
    Plan::bound(bindings::of_root_site(facts).into_iter().take(1))
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let browser = cx.settings.browser.as_ref().ok_or_else(|| TaskError::Failed("there is no browser".into()))?;
    let address = bindings::socket(cx.facts.kind, &cx.facts.name, cx.argument)
        .ok_or_else(|| TaskError::Failed(format!("not a binding: {:?}", cx.argument)))?;
    let picture = match cx.net.picture(browser, &web::site(cx)?, address).await {
        Ok(picture) => picture,
        Err(error) if bindings::is_closed(&error) => return Ok(Answer::Absent),
        Err(error) => return Err(error.into()),
    };
    cx.evidence(SCREENSHOT, &picture);
    cx.observe(uri::SCREENSHOT_EXISTS, true);
    Ok(Answer::Found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_net::browser::Browser;
    use serde_json::json;

    /// A site with that answer, as it is planned with a browser or without one.
    fn planned(code: &str, kind: &str, ours: bool, browser: Option<Browser>) -> Plan {
        let details = json!({"code": code, "hidden_content_type": kind});
        let mut facts = crate::tests::facts(Kind::Uri, "http://192.0.2.7:80", details);
        facts.decision.ownership = if ours { 1_000 } else { 0 };
        plan(&facts, &crate::Settings { browser, ..crate::Settings::default() })
    }

    #[test]
    fn pages_of_theirs_are_opened_where_there_is_a_browser() {
        let browser = || Some(Browser::at(&std::env::current_exe().unwrap()).unwrap());
        assert!(matches!(planned("200", "text/html", true, browser()), Plan::Bound { .. }));
        for (code, kind, ours, browser) in [
            ("200", "text/html", true, None),
            ("200", "text/html", false, browser()),
            ("404", "text/html", true, browser()),
            ("200", "application/json", true, browser()),
        ] {
            assert_eq!(planned(code, kind, ours, browser), Plan::No, "{code} {kind} {ours}");
        }
    }
}

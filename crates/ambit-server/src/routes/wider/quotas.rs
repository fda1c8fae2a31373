//! Reports of quotas and usage (docs/contract/quotas.md §5 and §5.3). They cost nothing and are answered when
//! everything is used up.

use crate::call::{Asking, Call};
use crate::failure::About;
use crate::page::{self, RelatedPage};
use crate::present::account_relationships::relate;
use crate::present::accounts;
use crate::present::groups::{self, own};
use crate::query::{Written, query};
use ambit_api::objects::{Figures, ObjectCollection, data, value};
use ambit_api::quotas::{Allowance, DrawnFromGroup, Usage, UserQuota, with_foreign};
use ambit_api::{ApiError, Maybe, Result};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ambit_model::quota::{FOREIGN, Window, quota};
use ambit_store::{DayUsage, Payer, Relationship};

/// Days of one report at most, and where no dates are given.
const DAYS_MAX: i64 = 30;
/// Days that exist.
const DAYS_KEPT: i64 = 60;
/// Months that can be asked for: the current one and two before.
const MONTHS_BACK: i64 = 2;

query! { Days:
    start_date: Text = "First day, as YYYYMMDD; 29 days before the last by default, and at most.",
    end_date: Text = "Last day, as YYYYMMDD; today by default.",
}

query! { Consuming:
    period: Text = "YYYY-MM, for calls also YYYY-MM-DD; the current one by default.",
    order: Text = "desc by default, or asc.",
}

/// Report the quotas of a user and the user's groups.
pub(crate) async fn overall(call: Call) -> Result<Figures> {
    let account = accounts::named(&call, call.id()).await?;
    let standings = call.store().quota_standings(account.user.id, call.now).await.about("User")?;
    let kept = standings.iter().map(|one| {
        let group = one.group.as_ref().map(|(group, name)| Allowance::new(group.allowed, group.used).of_group(name));
        (one.name, UserQuota { user: Allowance::new(one.user.allowed, one.user.used), group: Maybe(group) })
    });
    let group = account.intelligence_quota_group.as_deref().map(|group| Allowance::default().of_group(group));
    let foreign = UserQuota { user: Allowance::default(), group: Maybe(group) };
    Ok(data(value(&with_foreign(kept, &foreign))))
}

/// Report the calls of a user by day and endpoint.
pub(crate) async fn of_user(call: Asking<Days>) -> Result<Figures> {
    let account = accounts::named(&call, call.id()).await?;
    usage(&call, Payer::User(account.user.id)).await
}

/// Report the calls of a group by day and endpoint.
pub(crate) async fn of_group(call: Asking<Days>) -> Result<Figures> {
    let (group, _) = own(&call).await?;
    usage(&call, Payer::Group(group.group.id)).await
}

async fn usage(call: &Call, payer: Payer) -> Result<Figures> {
    let (from, to) = days(call)?;
    call.state.free_counts.write(call.store()).await.about("Usage")?;
    let rows = call.store().api_usage(payer, from, to).await.about("Usage")?;
    Ok(data(value(&report(&rows))))
}

fn report(rows: &[DayUsage]) -> Usage {
    let mut out = Usage::default();
    for row in rows {
        let (daily, total) = if row.consuming {
            (&mut out.daily, &mut out.total)
        } else {
            (&mut out.daily_endpoints_not_consuming_quota, &mut out.total_endpoints_not_consuming_quota)
        };
        let name = match row.name.strip_prefix("v2/") {
            Some(name) => format!("/vtapi/v2/({name})"),
            None => format!("/api/v3/({})", row.name),
        };
        *daily.entry(&Timestamp(row.day * DAY_MS).date()).entry(&name) = row.calls;
        *total.entry(&name) += row.calls;
    }
    out
}

/// The days from `start_date` to `end_date`, both `YYYYMMDD` and included.
fn days(call: &Call) -> Result<(i64, i64)> {
    let day = |written: Written<'_>| match written.text {
        None | Some("") => Ok(None),
        Some(text) => {
            let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
            let date = digits.then(|| format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]));
            let moment = date.and_then(|date| Timestamp::parse(&date));
            let moment = moment.ok_or_else(|| ApiError::bad("Dates are written as YYYYMMDD"))?;
            Ok(Some(Window::Day.number(moment)))
        }
    };
    let today = Window::Day.number(call.now);
    let to = day(Days::end_date(call))?.unwrap_or(today);
    let from = day(Days::start_date(call))?.unwrap_or(to - DAYS_MAX + 1);
    if from > to {
        return Err(ApiError::bad("The start date is after the end date"));
    }
    if to - from >= DAYS_MAX {
        let message = format!("At most {DAYS_MAX} days can be asked for at once, the first and the last included");
        return Err(ApiError::bad(message));
    }
    Ok((from.max(today - DAYS_KEPT), to))
}

/// The meter of the path and the window of `period`.
pub(crate) fn period(call: &Call) -> Result<(&'static str, i64)> {
    let name = call.parameter("quota_name");
    let meter = quota(name).ok_or_else(|| ApiError::bad(format!("There is no quota {name:?}")))?;
    let asked = Consuming::period(call).text.filter(|text| !text.is_empty());
    if meter.window == Window::Gauge {
        return match asked {
            None => Ok((meter.name, 0)),
            Some(_) => Err(ApiError::bad(format!("{name} is not tied to a period"))),
        };
    }
    let window = match asked {
        None if meter.window == Window::Hour => return Err(ApiError::bad(format!("{name} is not kept by user"))),
        None => meter.window,
        Some(text) if text.len() == 7 => Window::Month,
        Some(_) => Window::Day,
    };
    let moment = match asked {
        None => call.now,
        Some(text) => {
            let date = if text.len() == 7 { format!("{text}-01") } else { text.to_owned() };
            let moment = (date.len() == 10).then(|| Timestamp::parse(&date)).flatten();
            moment.ok_or_else(|| ApiError::bad("The period is written as YYYY-MM or YYYY-MM-DD"))?
        }
    };
    let months = Window::Month.number(call.now) - Window::Month.number(moment);
    if !(0..=MONTHS_BACK).contains(&months) {
        return Err(ApiError::bad("Only the current month and the two before can be asked for"));
    }
    // Calls are counted by day and by month, whichever of the two quotas is named.
    let api = ["api_requests_daily", "api_requests_monthly"];
    let name = match (api.contains(&meter.name), window) {
        (true, Window::Day) => api[0],
        (true, Window::Month) => api[1],
        (_, Window::Month) => meter.name,
        _ => return Err(ApiError::bad(format!("{name} is counted by month: the period is written as YYYY-MM"))),
    };
    Ok((name, window.number(moment)))
}

/// List how much of a group's quota each user has drawn.
pub(crate) async fn users_consuming(call: Asking<(Consuming, RelatedPage)>) -> Result<ObjectCollection> {
    let (group, _) = own(&call).await?;
    if FOREIGN.contains(&call.parameter("quota_name")) {
        return page::of_list(&call, Vec::new(), page::LIMIT_DEFAULT);
    }
    let (meter, number) = period(&call)?;
    let descending = match Consuming::order(&call).text {
        None | Some("" | "desc") => true,
        Some("asc") => false,
        Some(_) => return Err(ApiError::bad("Order must be asc or desc")),
    };
    let store = call.store();
    let drawn = store.drawn_from_group(group.group.id, meter, number, descending).await.about(groups::NOUN)?;
    let call = &call;
    let shown = |(user, units)| async move {
        let account = store.account_by_id(user).await.about("User")?;
        if accounts::standing(call, &account).await? == Relationship::Anybody {
            return Ok(accounts::brief(call, &account).in_context(&DrawnFromGroup { quota_consumed_from_group: units }));
        }
        let mut item = accounts::shown(call, &account).await?;
        relate(call, &account, &mut item).await?;
        Ok(item.in_context(&DrawnFromGroup { quota_consumed_from_group: units }))
    };
    page::of_records(call, drawn, shown).await
}

//! Quotas: which there are, in which windows they are counted, and what binds whom (docs/contract/quotas.md §1 and §2).
//! The counters themselves are rows of the store.

use crate::Timestamp;
use crate::moment::{DAY_MS, HOUR_MS, MINUTE_MS};
use time::OffsetDateTime;

/// "No cap" as it is written for quotas of a day or a month (docs/contract/quotas.md §1).
pub const UNCAPPED: i64 = 1_000_000_000;
/// "No cap" as it is written for the quota that is named hourly.
pub(crate) const UNCAPPED_HOURLY: i64 = 60_000_000_000;
/// The quota named hourly allows a sixtieth of itself in each minute (docs/contract/quotas.md §1).
const MINUTES_OF_HOUR: i64 = 60;
/// The privilege of the premium API (docs/contract/quotas.md §2).
pub const PREMIUM_API: &str = "premium-api";
/// The privilege of premium intelligence (docs/contract/quotas.md §2).
pub const PREMIUM_INTELLIGENCE: &str = "intelligence";
/// The licence of the feeds.
pub const FEEDS: &str = "feeds";
/// Every privilege that there is; the first user of an installation has them all.
pub const PRIVILEGES: [&str; 3] = [FEEDS, PREMIUM_INTELLIGENCE, PREMIUM_API];

/// A stretch of time after which a counter begins anew, by the calendar in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    Minute,
    Hour,
    Day,
    Month,
    /// The amount in use now, which is never reset.
    Gauge,
}

impl Window {
    /// The number of the window that holds a moment.
    pub fn number(self, now: Timestamp) -> i64 {
        match self {
            Self::Minute => now.0.div_euclid(MINUTE_MS),
            Self::Hour => now.0.div_euclid(HOUR_MS),
            Self::Day => now.0.div_euclid(DAY_MS),
            Self::Month => month(now),
            Self::Gauge => 0,
        }
    }

    /// When the window that holds a moment is over; `None`: never.
    pub fn end(self, now: Timestamp) -> Option<Timestamp> {
        let next = self.number(now) + 1;
        match self {
            Self::Minute => Some(Timestamp(next * MINUTE_MS)),
            Self::Hour => Some(Timestamp(next * HOUR_MS)),
            Self::Day => Some(Timestamp(next * DAY_MS)),
            Self::Month => Timestamp::parse(&format!("{:04}-{:02}-01", next.div_euclid(12), next.rem_euclid(12) + 1)),
            Self::Gauge => None,
        }
    }
}

/// Months since the year 0.
fn month(now: Timestamp) -> i64 {
    let moment = OffsetDateTime::from_unix_timestamp(now.0.div_euclid(1_000)).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    i64::from(moment.year()) * 12 + i64::from(u8::from(moment.month())) - 1
}

/// What is paid with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Calls: minute, hour, day and month move together.
    Api,
    Searches,
    Downloads,
    HuntingRules,
    RetrohuntJobs,
    PrivateGraphs,
}

/// One counter of a family.
#[derive(Debug, PartialEq, Eq)]
pub struct Meter {
    pub family: Family,
    /// As stored; for all but the minute also the quota's name.
    pub name: &'static str,
    pub window: Window,
    /// The quota whose `allowed` bounds it; `None`: it is only reported.
    pub quota: Option<&'static str>,
    /// The window's part of that quota.
    pub parts: i64,
}

const fn meter(family: Family, name: &'static str, window: Window) -> Meter {
    Meter { family, name, window, quota: Some(name), parts: 1 }
}

/// The quota that is named hourly and bounds minutes.
pub(crate) const HOURLY: &str = "api_requests_hourly";

/// Every counter.
pub static METERS: [Meter; 9] = [
    Meter {
        family: Family::Api,
        name: "api_requests_minute",
        window: Window::Minute,
        quota: Some(HOURLY),
        parts: MINUTES_OF_HOUR,
    },
    Meter { family: Family::Api, name: HOURLY, window: Window::Hour, quota: None, parts: 1 },
    meter(Family::Api, "api_requests_daily", Window::Day),
    meter(Family::Api, "api_requests_monthly", Window::Month),
    meter(Family::Searches, "intelligence_searches_monthly", Window::Month),
    meter(Family::Downloads, "intelligence_downloads_monthly", Window::Month),
    meter(Family::HuntingRules, "intelligence_hunting_rules", Window::Gauge),
    meter(Family::RetrohuntJobs, "intelligence_retrohunt_jobs_monthly", Window::Month),
    meter(Family::PrivateGraphs, "intelligence_graphs_private", Window::Month),
];

/// Quotas of services that Ambit does not have; shown as 0 of 0, because official scripts index them
/// (docs/contract/quotas.md §1).
pub const FOREIGN: [&str; 2] = ["intelligence_vtdiff_creation_monthly", "private_scans_monthly"];

impl Family {
    /// The counters of the family.
    pub fn meters(self) -> impl Iterator<Item = &'static Meter> {
        METERS.iter().filter(move |meter| meter.family == self)
    }
}

/// The counter whose name a quota has.
pub fn quota(name: &str) -> Option<&'static Meter> {
    METERS.iter().find(|meter| meter.name == name && meter.window != Window::Minute)
}

/// "No cap" as a quota writes it.
pub fn uncapped(quota: &str) -> i64 {
    if quota == HOURLY { UNCAPPED_HOURLY } else { UNCAPPED }
}

/// Returns the allowance of a quota that was not set: calls have no cap, everything else is 0.
pub fn default_allowed(meter: &Meter) -> i64 {
    if meter.family == Family::Api { uncapped(meter.name) } else { 0 }
}

impl Meter {
    /// What bounds the user's own counter; `None`: nothing does. `own` is what was set for the user.
    pub fn user_limit(&self, own: Option<i64>, has_group: bool) -> Option<i64> {
        let allowed = own.unwrap_or(default_allowed(self));
        if self.family != Family::Api && has_group && allowed == 0 {
            // Nothing of one's own: drawn on the group.
            return None;
        }
        self.part(allowed)
    }

    /// What bounds the sum over a group's members.
    pub fn group_limit(&self, allowed: Option<i64>) -> Option<i64> {
        self.part(allowed.unwrap_or(default_allowed(self)))
    }

    /// What a user's quota says where the group that pays caps what this member draws from it: the smaller of the two.
    /// 0 is no cap but for calls.
    pub fn capped(&self, own: i64, cap: Option<i64>) -> i64 {
        match cap {
            None => own,
            Some(cap) if self.family == Family::Api => own.min(cap),
            Some(0) => own,
            Some(cap) if own == 0 => cap,
            Some(cap) => own.min(cap),
        }
    }

    /// Returns true where this much of what is allowed leaves less than a tenth of it. Never for a quota without cap,
    /// for one that allows nothing, and for a counter that bounds nothing.
    pub fn is_near_end(&self, used: i64, allowed: i64) -> bool {
        let binds = self.quota.is_some_and(|quota| allowed > 0 && allowed < uncapped(quota));
        binds && used.saturating_mul(10) > allowed.saturating_mul(9)
    }

    /// The window's part of an allowance. An allowance that is not 0 never leaves 0.
    fn part(&self, allowed: i64) -> Option<i64> {
        let quota = self.quota?;
        if allowed >= uncapped(quota) {
            return None;
        }
        Some(if allowed > 0 { (allowed / self.parts).max(1) } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn windows_end_by_the_calendar() {
        let now = at("2026-12-31T23:59:59.999Z");
        for (window, end) in [
            (Window::Minute, "2027-01-01"),
            (Window::Hour, "2027-01-01"),
            (Window::Day, "2027-01-01"),
            (Window::Month, "2027-01-01"),
        ] {
            assert_eq!(window.end(now), Some(at(end)), "{window:?}");
            assert_eq!(window.number(at(end)), window.number(now) + 1);
        }
        assert_eq!(Window::Month.end(at("2026-02-03T04:05:06Z")), Some(at("2026-03-01")));
        assert_eq!((Window::Gauge.end(now), Window::Gauge.number(now)), (None, 0));
    }

    #[test]
    fn an_hourly_quota_bounds_minutes() {
        let minute = &METERS[0];
        assert_eq!(minute.user_limit(Some(240), false), Some(4));
        assert_eq!(minute.user_limit(Some(1), false), Some(1));
        assert_eq!(minute.user_limit(Some(0), false), Some(0));
        assert_eq!(minute.user_limit(Some(UNCAPPED_HOURLY), false), None);
        assert_eq!(METERS[1].user_limit(Some(240), false), None, "hours are only reported");
    }

    #[test]
    fn nothing_of_ones_own_draws_on_the_group() {
        let searches = quota("intelligence_searches_monthly").unwrap();
        assert_eq!(searches.user_limit(None, false), Some(0), "alone it means none at all");
        assert_eq!(searches.user_limit(None, true), None);
        assert_eq!(searches.user_limit(Some(0), true), None);
        assert_eq!(searches.user_limit(Some(5), true), Some(5));
        assert_eq!(searches.group_limit(None), Some(0));
        let daily = quota("api_requests_daily").unwrap();
        assert_eq!((daily.user_limit(None, false), daily.group_limit(None)), (None, None));
        assert_eq!(daily.user_limit(Some(0), true), Some(0), "an API cap of 0 is a cap");
        assert!(quota("api_requests_minute").is_none());
    }

    #[test]
    fn a_cap_of_the_group_makes_an_allowance_smaller() {
        let searches = quota("intelligence_searches_monthly").unwrap();
        for (own, cap, shown) in [(0, None, 0), (0, Some(7), 7), (5, Some(7), 5), (9, Some(7), 7), (9, Some(0), 9)] {
            assert_eq!(searches.capped(own, cap), shown, "{own} {cap:?}");
        }
        let daily = quota("api_requests_daily").unwrap();
        assert_eq!((daily.capped(UNCAPPED, Some(0)), daily.capped(3, Some(4))), (0, 3));
    }

    proptest::proptest! {
        #[test]
        fn a_moment_is_before_the_end_of_its_window(ms in 0i64..4_000_000_000_000) {
            for window in [Window::Minute, Window::Hour, Window::Day, Window::Month] {
                let (now, end) = (Timestamp(ms), window.end(Timestamp(ms)).unwrap());
                proptest::prop_assert!(now < end);
                proptest::prop_assert_eq!(window.number(end.plus_ms(-1)), window.number(now));
                proptest::prop_assert_eq!(window.number(end), window.number(now) + 1);
            }
        }
    }
}

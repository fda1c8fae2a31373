//! How many requests one application may get: what the setting and the flag of that name say.

use crate::failure::{Failure, Result};
use crate::output::plain;
use ambit_tasks::ApplicationRequests;

/// The most requests of a sort that a person can allow one application: a day at the polite rate.
const APPLICATION_REQUESTS_MAX: usize = 1_000_000;

/// How many requests of a sort one application may get: `walk=300`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestLimit {
    sort: String,
    most: usize,
}

impl std::str::FromStr for RequestLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            let sorts = ApplicationRequests::SORTS.join(", ");
            format!(
                "expected SORT=N, the most requests to one application, up to {APPLICATION_REQUESTS_MAX}, such as \
                 walk=300; SORT is one of {sorts}"
            )
        };
        let (sort, most) = text.split_once('=').ok_or_else(expected)?;
        let most = most.parse().ok().filter(|most| *most <= APPLICATION_REQUESTS_MAX).ok_or_else(expected)?;
        let is_known = ApplicationRequests::SORTS.contains(&sort);
        is_known.then(|| Self { sort: sort.to_owned(), most }).ok_or_else(expected)
    }
}

/// Reads what the setting `application_requests` says. Fails on a limit that is none, and names it.
pub(crate) fn read<'a>(said: impl Iterator<Item = &'a str>) -> Result<Vec<RequestLimit>> {
    let one = |text: &str| {
        text.parse()
            .map_err(|why: String| Failure::usage(format!("setting application_requests {:?}: {why}", plain(text))))
    };
    said.map(one).collect()
}

/// Takes limits for the requests to one application, the later in place of the earlier.
pub(crate) fn limit(given: &mut ambit_tasks::Settings, limits: &[RequestLimit]) {
    for RequestLimit { sort, most } in limits {
        given.application_requests.set(sort, *most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_requests_is_read_or_refused_in_one_line() {
        assert_eq!("walk=0".parse(), Ok(RequestLimit { sort: "walk".to_owned(), most: 0 }));
        assert_eq!("redirects=1000000".parse(), Ok(RequestLimit { sort: "redirects".to_owned(), most: 1_000_000 }));
        for wrong in ["", "walk", "walk=", "walk=-1", "walk=1000001", "walks=5", "5"] {
            let why = wrong.parse::<RequestLimit>().expect_err(wrong);
            assert!(why.contains("such as walk=300") && why.contains("scripts") && !why.contains('\n'), "{why}");
        }
    }
}

//! The interfaces of cloud providers under the providers' own names: each answer is stated in the file, and only who
//! shows what opens the account gets one.

use crate::draft::{Account, Interface};
use crate::serve::connection::Connection;
use crate::serve::request::{Request, Response};

pub(super) fn respond(connection: &Connection, request: &Request) -> Response {
    let host = request.host.as_deref().unwrap_or_default();
    let body = String::from_utf8_lossy(&request.body);
    let now = connection.clock.now();
    let fits = |interface: &&Interface| {
        let holds = |text: &String| request.target.contains(text) || body.contains(text);
        let is_by = |text: &String| request.headers.iter().any(|(_, value)| value.contains(text));
        let is_over = interface.before.is_some_and(|end| now >= end);
        interface.host == host && !is_over && interface.when.iter().all(holds) && interface.by.iter().all(is_by)
    };
    let mut may_ask = false;
    for account in connection.internet.draft.accounts.values() {
        let is_shown = shows(account, request);
        may_ask |= is_shown;
        let answer = account.answers.iter().filter(|interface| interface.freely || is_shown).find(fits);
        if let Some(answer) = answer {
            let response = Response::new(answer.status, answer.media, answer.body.clone());
            return answer
                .headers
                .iter()
                .fold(response, |response, (name, value)| response.header(name, value.as_str()));
        }
    }
    if may_ask {
        refusal(host, 403, "AccessDenied")
    } else {
        refusal(host, if is_aws(host) { 403 } else { 401 }, "InvalidClientTokenId")
    }
}

/// A header of the request holds what opens the account.
fn shows(account: &Account, request: &Request) -> bool {
    request.headers.iter().any(|(_, value)| value.contains(&account.shown))
}

fn is_aws(host: &str) -> bool {
    host.ends_with(".amazonaws.com")
}

fn refusal(host: &str, status: u16, code: &str) -> Response {
    if is_aws(host) {
        let body = format!("<ErrorResponse><Error><Code>{code}</Code></Error></ErrorResponse>");
        return Response::new(status, "text/xml", body);
    }
    Response::new(status, "application/json", format!("{{\"error\":{{\"code\":{status},\"status\":\"{code}\"}}}}"))
}

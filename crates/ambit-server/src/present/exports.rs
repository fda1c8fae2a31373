//! The rows of exports: what a search finds, page by page in one moment of the index, the worst issues first.

use crate::call::Call;
use crate::failure::{About, of_query, of_search};
use crate::present::evidence;
use crate::searching::{caller, context, placed};
use crate::window::{set_last_seen, window};
use ambit_api::exports::{Asset, ExportRows, Finding};
use ambit_api::{ApiError, Maybe, Result};
use ambit_model::{Timestamp, Uid};
use ambit_query::{Noun, Search, parse_search};
use ambit_search::{Record, SearchRequest, Window};

/// A walk through the rows of a search.
pub(crate) struct Walk {
    noun: Noun,
    search: Search,
    window: Window,
    size: u64,
    /// Where the next page begins; `None` after the last, and before the first.
    pub(crate) token: Option<Vec<u8>>,
    /// Open issues that are still to be told with what was asked and answered.
    pub(crate) probed: u64,
    /// Issues say whether they were open at this moment.
    pub(crate) since: Option<Timestamp>,
    /// The notes of the search, such as that words are searched in names.
    pub(crate) message: Option<String>,
}

impl Walk {
    /// Begins a walk, or goes on with one whose token the caller has. Fails where the search string cannot be read, or
    /// has a keyword that is none.
    pub(crate) fn begin(call: &Call, noun: Noun, query: &str, size: u64, token: Option<Vec<u8>>) -> Result<Self> {
        let search = parse_search(query, noun).map_err(|error| of_query(&error))?;
        // A document without rows would say that there is nothing.
        if let Some(unknown) = search.unknown.first() {
            return Err(ApiError::invalid(format!("search_string: {unknown}")));
        }
        let window = window(call, &search)?;
        Ok(Self { noun, search, window, size, token, probed: 0, since: None, message: None })
    }

    /// The next page of rows.
    pub(crate) async fn next(&mut self, call: &Call) -> Result<ExportRows> {
        let (context, names) = context(call, self.window.until(call.now)).await?;
        let project = context.project;
        let mut request = SearchRequest::new(self.noun, self.search.clone(), context, call.now);
        request.window = self.window;
        request.caller = caller(call);
        request.sort_field = Some(sort_field(self.noun).to_owned());
        request.page_size = self.size;
        request.page_token = self.token.take();
        request.with_aggregations = false;
        let mut answer = call.state.index()?.search(request).await.map_err(of_search)?;
        if answer.timed_out {
            return Err(ApiError::invalid(answer.message.unwrap_or_else(|| "narrow the search".to_owned())));
        }
        set_last_seen(call, self.noun, answer.window, &mut answer.hits).await?;
        self.token = answer.next_page_token;
        self.message = answer.message;
        // The index has issues without their proof and remedy.
        let uids: Vec<Uid> = match self.noun {
            Noun::Issues => answer.hits.iter().map(|hit| hit.record.uid()).collect(),
            Noun::Entities | Noun::Technologies => Vec::new(),
        };
        let at = answer.window.moment();
        let whole = call.store().issue_records(call.caller(), project, &uids, at).await.about("Project")?;
        let mut rows = ExportRows::default();
        for hit in &answer.hits {
            let Some((seen, collection)) = placed(call, hit, &names) else { continue };
            match &hit.record {
                Record::Issue(record) => {
                    let record = whole.get(&record.uid).unwrap_or(record);
                    let mut finding = Finding::of(record, seen, collection);
                    if self.probed > 0 && at.is_none() && record.status.is_open() {
                        self.probed -= 1;
                        finding.probes = Maybe(Some(evidence::probes(call, &record.uid.to_string()).await?));
                    }
                    rows.findings.push(finding);
                }
                Record::Entity(record) => rows.assets.push(Asset::of(record, seen, collection)),
                Record::Technology(_) => {}
            }
        }
        self.compare(call, project, &mut rows.findings).await?;
        Ok(rows)
    }

    /// Says of each issue that was there at the moment `since` and has changed from then on whether it was open then.
    async fn compare(&self, call: &Call, project: i64, findings: &mut [Finding]) -> Result<()> {
        let Some(since) = self.since else { return Ok(()) };
        let is_other = |finding: &&Finding| finding.first_seen <= since && finding.changed > since;
        let uids: Vec<Uid> = findings.iter().filter(is_other).map(|finding| finding.uid).collect();
        if uids.is_empty() {
            return Ok(());
        }
        let then = call.store().issue_records(call.caller(), project, &uids, Some(since)).await.about("Project")?;
        for finding in findings {
            finding.was_open = Maybe(then.get(&finding.uid).map(|record| record.status.is_open()));
        }
        Ok(())
    }
}

fn sort_field(noun: Noun) -> &'static str {
    match noun {
        Noun::Issues => "summary.severity",
        Noun::Entities | Noun::Technologies => "name",
    }
}

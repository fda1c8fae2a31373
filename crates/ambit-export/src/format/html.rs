//! A report for people: one file that needs nothing else, opens without a network, prints well and runs no script. What
//! comes from outside is text and nothing more: it is escaped, and the page's own policy lets nothing be loaded.

mod plot;

use crate::exchange::{beginning, probes};
use crate::kept::Report;
use crate::words::{as_it_was, evidence, html, minute, severity_title};
use crate::{Document, Format};
use ambit_api::exports::{Finding, PROBED_MAX};
use ambit_api::issues::{EvidencePiece, IssueEvidence};
use ambit_model::issue::severity_name;

pub(super) const FORMAT: Format = Format {
    name: "html",
    about: "a report of one file: a page for the management, then the worst with proof and remedy",
    extension: "html",
    usual_query: "",
    takes_probes: true,
    begin: |_| {},
    finding: Some(finding),
    asset: None,
    end,
};

/// Issues that are told in full; the others are counted. A report of more is read by nobody.
const WORST_MAX: usize = PROBED_MAX as usize;
/// Probes of one issue, and pieces of one probe, that are told.
const PROBES_MAX: usize = 3;
const PIECES_MAX: usize = 2;
/// Rows of the lists of what is new and of what is gone.
const LISTED_MAX: usize = 100;
/// Rows of a plot.
const PLOTTED_MAX: usize = 12;

const STYLE: &str = include_str!("html/report.css");

fn finding(document: &mut Document, finding: &Finding) {
    let since = document.head.since;
    let report = &mut document.kept.report;
    if !finding.status.0.is_open() {
        if since.is_some_and(|since| finding.is_closed_since(since)) {
            report.closed_count += 1;
            keep(&mut report.closed, finding);
        }
        return;
    }
    let band = usize::try_from(finding.severity.clamp(1, 5) - 1).unwrap_or(4);
    report.by_severity[band] += 1;
    report.new_count += u64::from(since.is_some_and(|since| finding.first_seen > since));
    report.back_count += u64::from(since.is_some() && finding.is_back());
    let title = || (0, finding.severity, finding.title.clone());
    let named = report.by_name.entry(finding.name.clone()).or_insert_with(title);
    *named = (named.0 + 1, named.1.min(finding.severity), std::mem::take(&mut named.2));
    *report.by_kind.entry(finding.entity_type.0.name()).or_default() += 1;
    keep(&mut report.worst, finding);
}

/// Keeps the worst, in whatever order they come; of those that are equally bad the first, which come with their probes.
fn keep(list: &mut Vec<Finding>, finding: &Finding) {
    list.push(finding.clone());
    if list.len() >= 2 * WORST_MAX {
        cut_to_worst(list);
    }
}

fn cut_to_worst(list: &mut Vec<Finding>) {
    list.sort_by_key(|finding| finding.severity);
    list.truncate(WORST_MAX);
}

fn worst_first(list: &mut Vec<Finding>) {
    cut_to_worst(list);
    list.sort_by(|left, right| {
        let key = |finding: &Finding| (finding.severity, finding.name.clone(), finding.entity_name.clone());
        key(left).cmp(&key(right))
    });
}

fn end(document: &mut Document) {
    let mut report = std::mem::take(&mut document.kept.report);
    worst_first(&mut report.worst);
    worst_first(&mut report.closed);
    let mut page = String::new();
    head(document, &mut page);
    management(document, &report, &mut page);
    changes(document, &report, &mut page);
    details(&report, &mut page);
    page.push_str("</main></body></html>\n");
    document.text.push_str(&page);
}

fn head(document: &Document, page: &mut String) {
    let head = &document.head;
    page.push_str(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Attack surface report</title><style>",
    );
    page.push_str(STYLE);
    let query = if head.query.trim().is_empty() { "everything".to_owned() } else { html(head.query.trim()) };
    page.push_str(&format!(
        "</style></head><body><main><header><h1>Attack surface report</h1><p class=\"meta\">Made {} by Ambit {} · \
         search: <code>{query}</code></p>",
        minute(head.made_at),
        html(head.version),
    ));
    if let Some(said) = as_it_was(head) {
        page.push_str(&format!("<p class=\"lead\"><strong>{said}</strong></p>"));
    }
    page.push_str("</header>");
}

/// The first page: how many, how bad, where, and what to do first.
fn management(document: &Document, report: &Report, page: &mut String) {
    let open: u64 = report.by_severity.iter().sum();
    page.push_str("<section class=\"first\"><h2>Summary</h2><p class=\"lead\">");
    page.push_str(&verdict(report, open, document.head.as_of.is_some()));
    page.push_str("</p>");
    if let Some(since) = document.head.since {
        page.push_str(&format!(
            "<p>Since {}: <strong>{}</strong> new, <strong>{}</strong> back, <strong>{}</strong> closed.</p>",
            minute(since),
            report.new_count,
            report.back_count,
            report.closed_count
        ));
    }
    let severities: Vec<plot::Bar> = (0..5)
        .map(|band| plot::Bar {
            label: severity_title(band + 1),
            count: report.by_severity[usize::try_from(band).unwrap_or(0)],
            class: severity_name(band + 1),
        })
        .collect();
    page.push_str(&plot::bars("Open issues by severity", &severities));
    let mut names: Vec<&(u64, i64, String)> = report.by_name.values().collect();
    names.sort_by_key(|(count, worst, _)| (*worst, u64::MAX - count));
    let bars: Vec<plot::Bar> = names
        .iter()
        .take(PLOTTED_MAX)
        .map(|(count, worst, title)| plot::Bar { label: title, count: *count, class: severity_name(*worst) })
        .collect();
    page.push_str(&plot::bars("Kinds of issue, the worst first", &bars));
    let mut kinds: Vec<(&str, u64)> = report.by_kind.iter().map(|(kind, count)| (*kind, *count)).collect();
    kinds.sort_by_key(|(_, count)| u64::MAX - count);
    let bars: Vec<plot::Bar> = kinds
        .iter()
        .take(PLOTTED_MAX)
        .map(|(kind, count)| plot::Bar { label: kind, count: *count, class: "plain" })
        .collect();
    page.push_str(&plot::bars("Where it is", &bars));
    page.push_str("</section>");
}

/// How many issues are open, or `was` so.
fn verdict(report: &Report, open: u64, was: bool) -> String {
    if open == 0 {
        return "No open issue was found by this search.".to_owned();
    }
    let parts: Vec<String> = (1..=5)
        .zip(report.by_severity)
        .filter(|(_, count)| *count > 0)
        .map(|(band, count)| format!("{count} {}", severity_name(band)))
        .collect();
    let noun = match (open, was) {
        (1, false) => "issue is",
        (1, true) => "issue was",
        (_, false) => "issues are",
        (_, true) => "issues were",
    };
    format!("<strong>{open}</strong> {noun} open: {}.", parts.join(", "))
}

/// Writes which issues are new, reopened and closed since the report's date.
fn changes(document: &Document, report: &Report, page: &mut String) {
    let Some(since) = document.head.since else { return };
    page.push_str(&format!("<section><h2>Changes since {}</h2>", minute(since)));
    let new: Vec<&Finding> = report.worst.iter().filter(|finding| finding.first_seen > since).collect();
    let back: Vec<&Finding> = report.worst.iter().filter(|finding| finding.is_back()).collect();
    listed("New", &new, report.new_count, page);
    listed("Back", &back, report.back_count, page);
    listed("Closed", &report.closed.iter().collect::<Vec<_>>(), report.closed_count, page);
    page.push_str("</section>");
}

fn listed(title: &str, findings: &[&Finding], count: u64, page: &mut String) {
    page.push_str(&format!("<h3>{title} ({count})</h3>"));
    if findings.is_empty() {
        page.push_str("<p>None.</p>");
        return;
    }
    page.push_str("<table><thead><tr><th>Severity</th><th>Issue</th><th>Where</th></tr></thead><tbody>");
    for finding in findings.iter().take(LISTED_MAX) {
        page.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td class=\"name\">{}</td></tr>",
            badge(finding.severity),
            html(&finding.title),
            html(&finding.entity_name)
        ));
    }
    page.push_str("</tbody></table>");
    let shown = u64::try_from(findings.len().min(LISTED_MAX)).unwrap_or(u64::MAX);
    if count > shown {
        page.push_str(&format!("<p>{} more are not listed.</p>", count - shown));
    }
}

fn details(report: &Report, page: &mut String) {
    page.push_str("<section><h2>The worst first</h2>");
    for finding in &report.worst {
        detail(finding, page);
    }
    let open: u64 = report.by_severity.iter().sum();
    let shown = u64::try_from(report.worst.len()).unwrap_or(u64::MAX);
    if open > shown {
        page.push_str(&format!(
            "<p>{} more open issues are counted above and not described here; narrow the search to see them.</p>",
            open - shown
        ));
    }
    page.push_str("</section>");
}

fn detail(finding: &Finding, page: &mut String) {
    page.push_str(&format!(
        "<article><h3>{} {}</h3><p class=\"name\">{} <span class=\"kind\">{}</span></p>\
         <p class=\"meta\">{} · {} · first seen {} · last seen {}</p><p>{}</p>",
        badge(finding.severity),
        html(&finding.title),
        html(&finding.entity_name),
        finding.entity_type.0.name(),
        finding.status.0.name().replace('_', " "),
        finding.confidence.0.name(),
        finding.first_seen.date(),
        finding.last_seen.date(),
        html(&finding.description),
    ));
    let seen = evidence(finding);
    if !seen.is_empty() {
        page.push_str(&format!("<h4>Seen</h4><pre>{}</pre>", html(&seen)));
    }
    for probe in probes(finding).iter().take(PROBES_MAX) {
        probed(probe, page);
    }
    if let Some(command) = crate::reproduce(&finding.name, &finding.evidence) {
        page.push_str(&format!("<h4>How to reproduce it</h4><pre>{}</pre>", html(&command)));
    }
    if let Some(remedy) = &finding.remediation {
        page.push_str(&format!("<h4>Remedy</h4><p>{}</p>", html(remedy)));
    }
    let links = finding.references.iter().filter(|uri| uri.starts_with("https://") || uri.starts_with("http://"));
    let links: Vec<String> =
        links.map(|uri| format!("<li><a rel=\"noreferrer noopener\" href=\"{0}\">{0}</a></li>", html(uri))).collect();
    if !links.is_empty() {
        page.push_str(&format!("<ul class=\"links\">{}</ul>", links.concat()));
    }
    page.push_str("</article>");
}

/// Writes one probe: the task, when it ran, what it sent, and what it received.
fn probed(probe: &IssueEvidence, page: &mut String) {
    let place = format!("{} {}", probe.entity_name, probe.argument);
    page.push_str(&format!(
        "<h4>Probed {} by {} at <span class=\"name\">{}</span></h4>",
        minute(probe.at),
        html(&probe.task),
        html(place.trim())
    ));
    for piece in probe.pieces.iter().take(PIECES_MAX) {
        let label = piece.label.replace('_', " ");
        let came = if piece.request.is_some() { "Answer" } else { label.as_str() };
        let sides = [("Request", piece.request.as_deref()), (came, piece.answer.as_deref())];
        let mut cut = piece.truncated;
        for (title, text) in sides {
            let Some(text) = text else { continue };
            let (text, more) = beginning(text.trim_end());
            cut |= more;
            page.push_str(&format!("<p class=\"side\">{}</p><pre>{}</pre>", html(title), html(text)));
        }
        if let Some(note) = note(piece, cut) {
            page.push_str(&format!("<p class=\"meta\">{note}</p>"));
        }
    }
}

/// What is not shown of a piece.
fn note(piece: &EvidencePiece, cut: bool) -> Option<String> {
    let masked = (piece.masked > 0).then(|| format!("{} masked", piece.masked));
    let part = (cut && piece.answer.is_some()).then(|| format!("a part of the {} bytes that are kept", piece.size));
    let gone = piece.answer.is_none().then(|| format!("{}: no longer kept", html(&piece.label)));
    let notes: Vec<String> = [masked, part, gone].into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn badge(level: i64) -> String {
    format!("<span class=\"badge {}\">{}</span>", severity_name(level), severity_title(level))
}

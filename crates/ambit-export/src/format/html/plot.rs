//! Plots of a report: horizontal bars as SVG inside the page.

use crate::words::html;

/// Height of a row, width of the labels, length of the longest bar, in units of the drawing.
const ROW: u64 = 24;
const LABELS: u64 = 300;
const LONGEST: u64 = 320;
/// Room for the number behind the longest bar.
const NUMBER: u64 = 60;
/// Characters of a label that fit.
const LABEL_CHARS_MAX: usize = 42;

/// A row of a plot.
pub(super) struct Bar<'a> {
    pub(super) label: &'a str,
    pub(super) count: u64,
    /// The class that colours it.
    pub(super) class: &'a str,
}

/// Returns a plot with its title, which is read aloud with all its numbers.
pub(super) fn bars(title: &str, rows: &[Bar<'_>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let most = rows.iter().map(|row| row.count).max().unwrap_or(0).max(1);
    let height = ROW * u64::try_from(rows.len()).unwrap_or(0);
    let width = LABELS + LONGEST + NUMBER;
    let read: Vec<String> = rows.iter().map(|row| format!("{} {}", row.label, row.count)).collect();
    let mut svg = format!(
        "<figure><figcaption>{}</figcaption><svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">",
        html(title),
        html(&read.join(", "))
    );
    for (index, row) in (0_u64..).zip(rows) {
        let (top, length) = (index * ROW, (row.count * LONGEST).div_ceil(most));
        svg.push_str(&format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{}\" x=\"{LABELS}\" y=\"{}\" width=\"{length}\" height=\"16\" rx=\"2\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            LABELS - 8,
            top + 16,
            html(&cut(row.label)),
            row.class,
            top + 3,
            LABELS + length + 6,
            top + 16,
            row.count,
        ));
    }
    svg.push_str("</svg></figure>");
    svg
}

fn cut(label: &str) -> String {
    if label.chars().count() <= LABEL_CHARS_MAX {
        return label.to_owned();
    }
    let kept: String = label.chars().take(LABEL_CHARS_MAX - 1).collect();
    format!("{kept}…")
}

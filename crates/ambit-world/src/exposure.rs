//! Exposures that a world can plant: what a site gives out that has one, and what its safe twin gives out on the same
//! paths. Each is a file in
//! `worlds/exposures/`, named like the issue that it plants. The product's own samples are not looked at: the truth
//! comes from here alone.

/// The path of an answer to everything that the site does not have.
pub(crate) const UNKNOWN_PATH: &str = "*";

/// A file or page that should not be open to everyone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exposure {
    /// The issue that it plants.
    pub issue: String,
    /// What world files call it.
    pub word: String,
    pub open: Vec<Answer>,
    pub twin: Vec<Answer>,
}

/// What is answered on one path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub path: String,
    pub status: u16,
    pub media: String,
    /// The title of the site's own frame around the body.
    pub frame: Option<String>,
    pub body: String,
}

impl Exposure {
    /// Returns the answer on a path, or `None` where the site answers as it would without the exposure.
    pub(crate) fn answer(&self, open: bool, path: &str) -> Option<&Answer> {
        let answers = if open { &self.open } else { &self.twin };
        answers.iter().find(|answer| answer.path == path)
    }

    /// Returns whether nothing shows it but what the site says of paths that it does not have.
    pub(crate) fn shows_only_at_unknown_paths(&self) -> bool {
        self.open.iter().all(|answer| answer.path == UNKNOWN_PATH)
    }
}

impl Answer {
    /// Adds a line to the body.
    pub(crate) fn add(&mut self, line: &str) {
        if !self.body.is_empty() {
            self.body.push('\n');
        }
        self.body.push_str(line);
    }
}

//! The files of the web interface, which the program brings: one page, and what it loads. Each is packed when it is
//! first asked for, and named by its content, so that a browser keeps what it has.

use crate::document::Document;
use ambit_api::{ApiError, ErrorCode, Result};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The page that every path of the interface shows.
const PAGE: &str = "index.html";

/// The files of the interface; without any, a page says why the program has none.
pub struct Interface {
    files: Vec<File>,
    absent: File,
}

struct File {
    name: &'static str,
    bytes: &'static [u8],
    made: OnceCell<Arc<Document>>,
}

impl Default for Interface {
    fn default() -> Self {
        Self::of(&[])
    }
}

impl Interface {
    /// The interface of these files, each with its path below the root.
    pub fn of(files: &[(&'static str, &'static [u8])]) -> Self {
        let files = files.iter().map(|(name, bytes)| File::new(name, bytes));
        Self { files: files.collect(), absent: File::new(PAGE, include_bytes!("docs/home.html")) }
    }

    /// Returns true where there is a page to show.
    pub fn is_there(&self) -> bool {
        self.find(PAGE).is_some()
    }

    /// The page of the interface; the one that says that there is none, where the program was built without.
    pub(crate) async fn page(&self) -> Result<Arc<Document>> {
        self.find(PAGE).unwrap_or(&self.absent).document().await
    }

    /// A file that the page loads; `None`: there is none of that name.
    pub(crate) async fn file(&self, name: &str) -> Result<Option<Arc<Document>>> {
        match self.find(name) {
            Some(file) => file.document().await.map(Some),
            None => Ok(None),
        }
    }

    fn find(&self, name: &str) -> Option<&File> {
        self.files.iter().find(|file| file.name == name)
    }
}

impl File {
    fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        Self { name, bytes, made: OnceCell::new() }
    }

    /// Made and packed by one of those who ask first, while the others wait for it.
    async fn document(&self) -> Result<Arc<Document>> {
        let (content_type, bytes) = (content_type(self.name), self.bytes);
        let making = || tokio::task::spawn_blocking(move || Arc::new(Document::new(content_type, bytes.into())));
        self.made.get_or_try_init(making).await.cloned().map_err(|_| ApiError::new(ErrorCode::Internal))
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

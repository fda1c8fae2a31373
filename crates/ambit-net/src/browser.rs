//! A headless browser of this machine (Chromium), which shows a page as people see it. It is a program of its own and
//! hostile pages run in it: it has its own sandbox and a folder that goes with it, never the rights of the
//! administrator, and no way out but a proxy of ours on the loopback. There each connection is checked and paced as any
//! other; what the page wants of hosts that may not be contacted stays away.

mod proxy;

use crate::error::{NetError, Phase, Result};
use crate::http::Url;
pub(crate) use proxy::Open;
use proxy::Proxy;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Programs that are looked for on the search path.
const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/// Browsers at once: each takes some 300 MB.
const BROWSERS_MAX: usize = 1;
/// A whole picture: start, load, draw. Time of this machine.
const PICTURE_TIMEOUT: Duration = Duration::from_secs(40);
/// How long the browser waits for a page that does not end loading.
const LOAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Bytes of a picture: what evidence may have.
const PICTURE_BYTES_MAX: usize = 1_024 * 1_024;
/// Bytes of the file that a browser leaves: the window without any compression, some times over.
const FILE_BYTES_MAX: u64 = 16 * 1_024 * 1_024;
/// Sides of the window; a picture that is too large is taken again at half the scale.
const WINDOW: &str = "--window-size=1280,800";
const SCALES: &[&str] = &["1", "0.5", "0.25"];
/// First bytes of a picture, and the chunk that ends it (PNG, ISO/IEC 15948 §5.2, §11.2.5).
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const PNG_END: &[u8] = b"IEND\xaeB\x60\x82";
/// Who a browser runs as where this process is the administrator's: nobody.
const NOBODY: u32 = 65_534;

/// A browser that may be used.
#[derive(Clone, Debug)]
pub struct Browser {
    program: PathBuf,
    places: Arc<Semaphore>,
    /// Its own sandbox, which needs user namespaces of the system.
    has_sandbox: bool,
}

impl Browser {
    /// The first known browser on the search path; `None` where there is none.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let programs = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        programs.map(|program| Self::at(&program)).find_map(Result::ok)
    }

    /// The browser in a file. Fails where there is no file.
    pub fn at(program: &Path) -> io::Result<Self> {
        if !program.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
        }
        let places = Arc::new(Semaphore::new(BROWSERS_MAX));
        Ok(Self { program: program.to_owned(), places, has_sandbox: true })
    }

    /// For tests, whose pages are their own: some systems that they run on have no user namespaces.
    #[cfg(test)]
    pub(crate) fn without_sandbox(self) -> Self {
        Self { has_sandbox: false, ..self }
    }

    /// A place among the browsers that run at once.
    pub(crate) async fn place(&self) -> SemaphorePermit<'_> {
        self.places.acquire().await.expect("the semaphore is never closed")
    }
}

/// Takes a picture (PNG, at most 1 MiB) of a page of a site, whose connections `open` opens. Fails where the site did
/// not answer, with what it failed of, and where the browser could not be run.
pub(crate) async fn picture(browser: &Browser, site: &Url, open: &Open<'_>) -> Result<Vec<u8>> {
    for scale in SCALES {
        let picture = taken(browser, (site, open), scale).await?;
        if picture.len() <= PICTURE_BYTES_MAX {
            return Ok(picture);
        }
    }
    Err(NetError::TooLarge("picture of a page"))
}

async fn taken(browser: &Browser, (site, open): (&Url, &Open<'_>), scale: &str) -> Result<Vec<u8>> {
    let ours = |error: io::Error| NetError::Budget(format!("browser: {error}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(ours)?;
    let at = listener.local_addr().map_err(ours)?;
    let folder = Folder::new().map_err(ours)?;
    let mut running = command(browser, &folder, at, scale, site).spawn().map_err(ours)?;
    let proxy = Proxy::new(site, open);
    let ended = async {
        tokio::select! {
            ended = running.wait() => ended.map(|_| ()).map_err(ours),
            () = proxy.serve(&listener) => Err(NetError::Budget("browser: the proxy ended".to_owned())),
        }
    };
    let in_time = tokio::time::timeout(PICTURE_TIMEOUT, ended).await;
    // What the site did counts before what the browser made of it: it draws a page of its own where nothing came.
    proxy.answered()?;
    in_time.map_err(|_| NetError::Timeout(Phase::Step("browser")))??;
    let picture = folder.picture().map_err(ours)?;
    if picture.starts_with(PNG) && picture.ends_with(PNG_END) {
        Ok(picture)
    } else {
        Err(NetError::Budget("browser: it left no picture".to_owned()))
    }
}

fn command(browser: &Browser, folder: &Folder, proxy: SocketAddr, scale: &str, url: &Url) -> Command {
    let mut command = Command::new(&browser.program);
    command
        .args(["--headless", "--incognito", "--hide-scrollbars", "--mute-audio", "--no-first-run", "--disable-gpu"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"])
        .args(["--disable-extensions", "--disable-default-apps", "--disable-breakpad", "--no-default-browser-check"])
        .args(["--deny-permission-prompts", "--ignore-certificate-errors", "--disable-dev-shm-usage"])
        // Nothing is looked up and no datagram leaves: the proxy is the only way out, for the loopback as well.
        .arg(format!("--proxy-server=http://{proxy}"))
        .args(["--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"])
        .arg("--webrtc-ip-handling-policy=disable_non_proxied_udp")
        .arg("--force-webrtc-ip-handling-policy=disable_non_proxied_udp")
        .arg(WINDOW)
        .arg(format!("--force-device-scale-factor={scale}"))
        .arg(format!("--timeout={}", LOAD_TIMEOUT.as_millis()))
        .arg(format!("--user-data-dir={}", folder.path.join("profile").display()))
        .arg(format!("--screenshot={}", folder.path.join(PICTURE).display()))
        .arg(url.to_string())
        .env_clear()
        .env("HOME", &folder.path)
        .env("TMPDIR", &folder.path)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(&folder.path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    if !browser.has_sandbox {
        command.arg("--no-sandbox");
    }
    #[cfg(unix)]
    if folder.is_administrators {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// What the picture is called in its folder.
const PICTURE: &str = "picture.png";

/// A folder for one picture, which goes with this value.
struct Folder {
    path: PathBuf,
    /// This process is the administrator's: the folder is handed to nobody, who the browser runs as.
    is_administrators: bool,
}

impl Folder {
    fn new() -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ambit-browser-{}-{number}", std::process::id()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // Fails where somebody else made it before.
        builder.create(&path)?;
        let folder = Self { is_administrators: is_administrators(&path)?, path };
        #[cfg(unix)]
        if folder.is_administrators {
            std::os::unix::fs::chown(&folder.path, Some(NOBODY), Some(NOBODY))?;
        }
        Ok(folder)
    }

    /// What the browser left. Pages of others ran in it: a link, a pipe or a file without an end is no picture.
    fn picture(&self) -> io::Result<Vec<u8>> {
        let path = self.path.join(PICTURE);
        let left = path.symlink_metadata()?;
        if !left.is_file() || left.len() > FILE_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "what it left is no picture"));
        }
        std::fs::read(path)
    }
}

#[cfg(unix)]
fn is_administrators(path: &Path) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::uid(&path.metadata()?) == 0)
}

#[cfg(not(unix))]
fn is_administrators(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What a browser that is still ending writes meanwhile stays in the system's folder for passing files.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_a_browser_leaves_is_read_only_where_it_is_a_file_of_some_size() {
        let folder = Folder::new().unwrap();
        let path = folder.path.join(PICTURE);
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(folder.picture().is_err());
        std::fs::remove_file(&path).unwrap();
        std::fs::File::create(&path).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        assert!(folder.picture().is_err());
        std::fs::write(&path, PNG).unwrap();
        assert_eq!(folder.picture().unwrap(), PNG);
    }
}

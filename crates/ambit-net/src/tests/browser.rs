//! A page in a real browser, against listeners of this process on the loopback.

use super::live::session_by;
use crate::browser::Browser;
use crate::http::Url;
use crate::live::LiveOptions;
use crate::{NetError, Session};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A page that wants more than it may have: an image of a stranger, one of another port here, and a name made up.
const PAGE: &str = "<html><body style='background:#0a0'><h1>hello</h1>\
    <img src='http://stranger.test/a.png'><img src='http://192.0.2.1/b.png'><img src='/own.png'>\
    <script>fetch('http://'+Date.now()+'.stranger.test/leak').catch(function(){})</script></body></html>";

fn browser() -> Browser {
    let found = Browser::find().expect("the tests need the browser Chromium (Debian: apt-get install chromium)");
    found.without_sandbox()
}

fn session() -> Session {
    session_by(LiveOptions { resolvers: vec!["127.0.0.1:9".parse().unwrap()], ..LiveOptions::default() })
}

/// A site that answers each request with the page, and the paths that it was asked for.
async fn site() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, asked) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
    let log = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let log = log.clone();
            tokio::spawn(async move {
                let mut head = vec![0; 8 * 1_024];
                let length = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..length]).into_owned();
                log.lock().unwrap().push(head.split(' ').nth(1).unwrap_or_default().to_owned());
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length:";
                let answer = format!("{head} {}\r\n\r\n{PAGE}", PAGE.len());
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    (address, asked)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_shows_a_page_and_reaches_nothing_else() {
    let (address, asked) = site().await;
    // The name is nowhere: the site is reached at its address alone.
    let url = Url::parse(&format!("http://shop.test:{}/start?a=1", address.port())).unwrap();
    let session = session();
    let picture = session.picture(&browser(), &url, address).await.unwrap();
    let side = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    assert_eq!((&picture[1..4], side(16), side(20)), (&b"PNG"[..], 1_280, 800));
    let mut asked = asked.lock().unwrap().clone();
    asked.retain(|path| path != "/favicon.ico");
    asked.sort();
    assert_eq!(asked, ["/own.png", "/start?a=1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_that_does_not_answer_leaves_no_picture() {
    // Bound and not listening: nobody else gets its port meanwhile.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let closed = socket.local_addr().unwrap().as_socket().unwrap();
    let url = Url::parse(&format!("http://shop.test:{}/", closed.port())).unwrap();
    let session = session();
    assert_eq!(session.picture(&browser(), &url, closed).await, Err(NetError::ConnectionRefused));
    let stranger: SocketAddr = "192.0.2.1:80".parse().unwrap();
    let url = Url::parse("http://shop.test/").unwrap();
    let refused = session.picture(&browser(), &url, stranger).await;
    assert!(matches!(refused, Err(NetError::OutOfScope(_))), "{refused:?}");
}

#[test]
fn a_browser_that_is_none_is_refused() {
    assert!(Browser::at(std::path::Path::new("/nonexistent/chromium")).is_err());
    assert!(Browser::at(std::path::Path::new("/")).is_err());
}

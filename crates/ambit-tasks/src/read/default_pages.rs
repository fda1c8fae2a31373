//! The page that a server shows before anybody has put a site on it.

/// A title, a piece of the body, and whose page it is.
struct Mark(&'static str, &'static str, &'static str);

/// Titles are compared whole: a page that writes about the page of a fresh server has another one.
const MARKS: &[Mark] = &[
    Mark("Welcome to nginx!", "<h1>Welcome to nginx!</h1>", "nginx"),
    Mark("Test Page for the Nginx HTTP Server", "nginx", "nginx"),
    Mark("Apache2 Debian Default Page: It works", "It works!", "Apache HTTP Server"),
    Mark("Apache2 Ubuntu Default Page: It works", "It works!", "Apache HTTP Server"),
    Mark("Apache2 Default Page: It works", "It works!", "Apache HTTP Server"),
    Mark("Test Page for the Apache HTTP Server", "Apache", "Apache HTTP Server"),
    Mark("Apache HTTP Server Test Page powered by CentOS", "Apache", "Apache HTTP Server"),
    Mark("IIS Windows Server", "iisstart", "IIS"),
    Mark("IIS7", "welcome.png", "IIS"),
    Mark("Caddy works!", "Caddy", "Caddy"),
    Mark("Welcome to OpenResty!", "<h1>Welcome to OpenResty!</h1>", "OpenResty"),
];
/// All that Apache's page of old says.
const IT_WORKS: &str = "<html><body><h1>It works!</h1></body></html>";

/// Whose fresh page this is; `None` for any other.
pub(crate) fn default_page(title: Option<&str>, body: &str) -> Option<&'static str> {
    if body.trim() == IT_WORKS {
        return Some("Apache HTTP Server");
    }
    let title = title?.trim();
    MARKS.iter().find(|mark| mark.0 == title && body.contains(mark.1)).map(|mark| mark.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_server_is_told_from_a_page_about_one() {
        let nginx = "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page";
        assert_eq!(default_page(Some("Welcome to nginx!"), nginx), Some("nginx"));
        assert_eq!(default_page(None, "<html><body><h1>It works!</h1></body></html>\n"), Some("Apache HTTP Server"));
        assert_eq!(default_page(Some("Welcome to nginx! What the default page means"), nginx), None);
        assert_eq!(default_page(Some("Welcome to nginx!"), "<p>We moved"), None);
        assert_eq!(default_page(None, "<h1>It works!</h1><p>Our new shop"), None);
    }
}

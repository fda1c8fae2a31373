//! Products of the web by what they leave in headers, cookies, bodies and titles: our own small table.

use crate::read::fingerprint::Product;
use crate::read::greeting::{version_after, web_server};
use crate::read::page::Page;

/// Where a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// A header by this name, whose value contains the text (in any case).
    Header(&'static str),
    /// The name of a cookie begins with the text.
    Cookie,
    /// The body contains the text as it is written.
    Body,
    /// The title begins with the text.
    Title,
    /// The generator begins with the text (in any case).
    Generator,
    /// The source of a script contains the text.
    Script,
}

/// A rule: where, what, which product, its CPE, its sort. A version is read right after the text.
struct Rule(At, &'static str, (&'static str, &'static str), Option<&'static str>, &'static str);

use At::{Body, Cookie, Generator, Header, Script, Title};

const RULES: &[Rule] = &[
    Rule(Header("x-powered-by"), "PHP", ("PHP", "PHP"), Some("php:php"), "Language"),
    Rule(
        Header("x-powered-by"),
        "ASP.NET",
        ("Microsoft", "ASP.NET"),
        Some("microsoft:asp.net"),
        "Framework",
    ),
    Rule(
        Header("x-powered-by"),
        "Express",
        ("OpenJS Foundation", "Express"),
        Some("openjsf:express"),
        "Framework",
    ),
    Rule(
        Header("x-powered-by"),
        "Next.js",
        ("Vercel", "Next.js"),
        Some("vercel:next.js"),
        "Framework",
    ),
    Rule(
        Header("x-powered-by"),
        "Phusion Passenger",
        ("Phusion", "Passenger"),
        Some("phusion:passenger"),
        "Application Server",
    ),
    Rule(Header("x-powered-by"), "Servlet", ("Oracle", "Java Servlet"), None, "Framework"),
    Rule(
        Header("x-powered-by"),
        "PleskLin",
        ("Plesk", "Plesk"),
        Some("plesk:plesk"),
        "Administration",
    ),
    Rule(
        Header("x-aspnet-version"),
        "",
        ("Microsoft", "ASP.NET"),
        Some("microsoft:asp.net"),
        "Framework",
    ),
    Rule(Header("x-generator"), "Drupal", ("Drupal", "Drupal"), Some("drupal:drupal"), "CMS"),
    Rule(Header("x-drupal-cache"), "", ("Drupal", "Drupal"), Some("drupal:drupal"), "CMS"),
    Rule(
        Header("x-jenkins"),
        "",
        ("Jenkins", "Jenkins"),
        Some("jenkins:jenkins"),
        "Continuous Integration",
    ),
    Rule(Header("x-gitlab-meta"), "", ("GitLab", "GitLab"), Some("gitlab:gitlab"), "Source Code"),
    Rule(
        Header("x-kong-upstream-latency"),
        "",
        ("Kong", "Kong Gateway"),
        Some("konghq:kong"),
        "API Gateway",
    ),
    Rule(
        Header("x-varnish"),
        "",
        ("Varnish Cache Project", "Varnish Cache"),
        Some("varnish_cache_project:varnish_cache"),
        "Cache",
    ),
    Rule(Header("x-shopify-stage"), "", ("Shopify", "Shopify"), None, "E-Commerce"),
    Rule(
        Header("x-magento-cache-debug"),
        "",
        ("Adobe", "Magento"),
        Some("magento:magento"),
        "E-Commerce",
    ),
    Rule(
        Header("x-owa-version"),
        "",
        ("Microsoft", "Exchange Server"),
        Some("microsoft:exchange_server"),
        "Mail Server",
    ),
    Rule(
        Header("x-feserver"),
        "",
        ("Microsoft", "Exchange Server"),
        Some("microsoft:exchange_server"),
        "Mail Server",
    ),
    Rule(
        Header("microsoftsharepointteamservices"),
        "",
        ("Microsoft", "SharePoint Server"),
        Some("microsoft:sharepoint_server"),
        "Collaboration",
    ),
    Rule(Header("kbn-name"), "", ("Elastic", "Kibana"), Some("elastic:kibana"), "Monitoring"),
    Rule(
        Header("x-influxdb-version"),
        "",
        ("InfluxData", "InfluxDB"),
        Some("influxdata:influxdb"),
        "Database",
    ),
    Rule(
        Header("x-confluence-request-time"),
        "",
        ("Atlassian", "Confluence"),
        Some("atlassian:confluence"),
        "Collaboration",
    ),
    Rule(Header("x-arequestid"), "", ("Atlassian", "Jira"), Some("atlassian:jira"), "Collaboration"),
    Rule(
        Header("docker-distribution-api-version"),
        "",
        ("Docker", "Registry"),
        Some("docker:registry"),
        "Container Registry",
    ),
    Rule(Cookie, "PHPSESSID", ("PHP", "PHP"), Some("php:php"), "Language"),
    Rule(Cookie, "JSESSIONID", ("Oracle", "Java Servlet"), None, "Framework"),
    Rule(
        Cookie,
        "ASP.NET_SessionId",
        ("Microsoft", "ASP.NET"),
        Some("microsoft:asp.net"),
        "Framework",
    ),
    Rule(Cookie, "laravel_session", ("Laravel", "Laravel"), Some("laravel:laravel"), "Framework"),
    Rule(
        Cookie,
        "csrftoken",
        ("Django Software Foundation", "Django"),
        Some("djangoproject:django"),
        "Framework",
    ),
    Rule(
        Cookie,
        "connect.sid",
        ("OpenJS Foundation", "Express"),
        Some("openjsf:express"),
        "Framework",
    ),
    Rule(Cookie, "wordpress_", ("WordPress", "WordPress"), Some("wordpress:wordpress"), "CMS"),
    Rule(Cookie, "_gitlab_session", ("GitLab", "GitLab"), Some("gitlab:gitlab"), "Source Code"),
    Rule(Cookie, "grafana_session", ("Grafana", "Grafana"), Some("grafana:grafana"), "Monitoring"),
    Rule(Cookie, "BIGipServer", ("F5", "BIG-IP"), Some("f5:big-ip"), "Load Balancer"),
    Rule(Cookie, "SVPNCOOKIE", ("Fortinet", "FortiGate SSL VPN"), Some("fortinet:fortios"), "VPN"),
    Rule(Cookie, "MRHSession", ("F5", "BIG-IP APM"), Some("f5:big-ip_access_policy_manager"), "VPN"),
    Rule(
        Cookie,
        "atlassian.xsrf.token",
        ("Atlassian", "Jira"),
        Some("atlassian:jira"),
        "Collaboration",
    ),
    Rule(Cookie, "zmusid", ("Zimbra", "Collaboration"), Some("zimbra:collaboration"), "Mail Server"),
    Rule(
        Cookie,
        "roundcube_sessid",
        ("Roundcube", "Webmail"),
        Some("roundcube:webmail"),
        "Mail Server",
    ),
    Rule(Generator, "WordPress", ("WordPress", "WordPress"), Some("wordpress:wordpress"), "CMS"),
    Rule(Generator, "Drupal", ("Drupal", "Drupal"), Some("drupal:drupal"), "CMS"),
    Rule(Generator, "Joomla!", ("Joomla", "Joomla!"), Some("joomla:joomla\\!"), "CMS"),
    Rule(Generator, "TYPO3 CMS", ("TYPO3", "TYPO3"), Some("typo3:typo3"), "CMS"),
    Rule(Generator, "Ghost", ("Ghost", "Ghost"), Some("ghost:ghost"), "CMS"),
    Rule(Generator, "Hugo", ("Hugo", "Hugo"), Some("gohugo:hugo"), "Site Generator"),
    Rule(Generator, "MediaWiki", ("MediaWiki", "MediaWiki"), Some("mediawiki:mediawiki"), "Wiki"),
    Rule(Generator, "Gitea", ("Gitea", "Gitea"), Some("gitea:gitea"), "Source Code"),
    Rule(Generator, "DokuWiki", ("DokuWiki", "DokuWiki"), Some("dokuwiki:dokuwiki"), "Wiki"),
    Rule(
        Generator,
        "PrestaShop",
        ("PrestaShop", "PrestaShop"),
        Some("prestashop:prestashop"),
        "E-Commerce",
    ),
    Rule(Body, "/wp-content/", ("WordPress", "WordPress"), Some("wordpress:wordpress"), "CMS"),
    Rule(Body, "/sites/default/files", ("Drupal", "Drupal"), Some("drupal:drupal"), "CMS"),
    Rule(Body, "<hr><center>nginx/", ("F5", "nginx"), Some("f5:nginx"), "Web Server"),
    Rule(Body, "<hr><center>nginx</center>", ("F5", "nginx"), Some("f5:nginx"), "Web Server"),
    Rule(
        Body,
        "<address>Apache/",
        ("Apache", "HTTP Server"),
        Some("apache:http_server"),
        "Web Server",
    ),
    Rule(Body, "Apache Tomcat/", ("Apache", "Tomcat"), Some("apache:tomcat"), "Application Server"),
    Rule(
        Body,
        "Welcome to phpMyAdmin",
        ("phpMyAdmin", "phpMyAdmin"),
        Some("phpmyadmin:phpmyadmin"),
        "Administration",
    ),
    Rule(Body, "id=\"__next\"", ("Vercel", "Next.js"), Some("vercel:next.js"), "Framework"),
    Rule(
        Body,
        "ng-version=\"",
        ("Google", "Angular"),
        Some("angular:angular"),
        "JavaScript Library",
    ),
    Rule(Body, "data-reactroot", ("Meta", "React"), Some("facebook:react"), "JavaScript Library"),
    Rule(Body, "grafanaBootData", ("Grafana", "Grafana"), Some("grafana:grafana"), "Monitoring"),
    Rule(
        Body,
        "Werkzeug Debugger",
        ("Pallets", "Werkzeug"),
        Some("palletsprojects:werkzeug"),
        "Framework",
    ),
    Rule(
        Body,
        "/owa/auth/",
        ("Microsoft", "Exchange Server"),
        Some("microsoft:exchange_server"),
        "Mail Server",
    ),
    Rule(Body, "/remote/login", ("Fortinet", "FortiGate SSL VPN"), Some("fortinet:fortios"), "VPN"),
    Rule(Body, "/dana-na/", ("Ivanti", "Connect Secure"), Some("ivanti:connect_secure"), "VPN"),
    Rule(
        Body,
        "/global-protect/",
        ("Palo Alto Networks", "GlobalProtect"),
        Some("paloaltonetworks:globalprotect"),
        "VPN",
    ),
    Rule(
        Body,
        "/+CSCOE+/",
        ("Cisco", "ASA WebVPN"),
        Some("cisco:adaptive_security_appliance_software"),
        "VPN",
    ),
    Rule(
        Body,
        "/vpn/index.html",
        ("Citrix", "NetScaler Gateway"),
        Some("citrix:netscaler_gateway"),
        "VPN",
    ),
    Rule(
        Title,
        "Dashboard [Jenkins]",
        ("Jenkins", "Jenkins"),
        Some("jenkins:jenkins"),
        "Continuous Integration",
    ),
    Rule(
        Title,
        "phpMyAdmin",
        ("phpMyAdmin", "phpMyAdmin"),
        Some("phpmyadmin:phpmyadmin"),
        "Administration",
    ),
    Rule(Title, "Grafana", ("Grafana", "Grafana"), Some("grafana:grafana"), "Monitoring"),
    Rule(Title, "Kibana", ("Elastic", "Kibana"), Some("elastic:kibana"), "Monitoring"),
    Rule(
        Title,
        "Roundcube Webmail",
        ("Roundcube", "Webmail"),
        Some("roundcube:webmail"),
        "Mail Server",
    ),
    Rule(Title, "pgAdmin", ("pgAdmin", "pgAdmin 4"), Some("pgadmin:pgadmin_4"), "Administration"),
    Rule(
        Title,
        "Portainer",
        ("Portainer", "Portainer"),
        Some("portainer:portainer"),
        "Administration",
    ),
    Rule(Title, "Zabbix", ("Zabbix", "Zabbix"), Some("zabbix:zabbix"), "Monitoring"),
    Rule(Title, "MinIO Console", ("MinIO", "MinIO"), Some("minio:minio"), "Storage"),
    Rule(
        Title,
        "RabbitMQ Management",
        ("VMware", "RabbitMQ"),
        Some("vmware:rabbitmq"),
        "Message Broker",
    ),
    Rule(
        Title,
        "Prometheus Time Series",
        ("Prometheus", "Prometheus"),
        Some("prometheus:prometheus"),
        "Monitoring",
    ),
    Rule(
        Title,
        "Nextcloud",
        ("Nextcloud", "Nextcloud"),
        Some("nextcloud:nextcloud_server"),
        "Collaboration",
    ),
    Rule(
        Title,
        "SonarQube",
        ("SonarSource", "SonarQube"),
        Some("sonarsource:sonarqube"),
        "Source Code",
    ),
    Rule(Title, "Swagger UI", ("SmartBear", "Swagger UI"), Some("smartbear:swagger_ui"), "API"),
    Rule(
        Script,
        "jquery-",
        ("OpenJS Foundation", "jQuery"),
        Some("jquery:jquery"),
        "JavaScript Library",
    ),
    Rule(
        Script,
        "jquery.min.js",
        ("OpenJS Foundation", "jQuery"),
        Some("jquery:jquery"),
        "JavaScript Library",
    ),
    Rule(
        Script,
        "bootstrap.",
        ("Bootstrap", "Bootstrap"),
        Some("getbootstrap:bootstrap"),
        "JavaScript Library",
    ),
    Rule(Script, "vue.", ("Vue.js", "Vue.js"), Some("vuejs:vue.js"), "JavaScript Library"),
    Rule(Script, "googletagmanager.com/gtag", ("Google", "Analytics"), None, "Analytics"),
    Rule(Script, "matomo.js", ("Matomo", "Matomo"), Some("matomo:matomo"), "Analytics"),
];

/// Every product that a rule recognises, with what shows it.
pub(crate) fn listed() -> Vec<Product> {
    let product = |Rule(at, text, names, cpe, tag): &Rule| {
        let (place, shown) = match at {
            Header(name) => ("content_headers", format!("{name}: {text}")),
            Cookie => ("content_cookies", (*text).to_owned()),
            Title => ("content_title", (*text).to_owned()),
            Generator => ("content_body", format!("generator {text}")),
            Body | Script => ("content_body", (*text).to_owned()),
        };
        Product::new(*names, *cpe, None, tag, (place, shown.trim()))
    };
    RULES.iter().map(product).collect()
}

/// A page and its head as rules see them.
pub(crate) struct Seen<'a> {
    /// Lower-case names with values.
    pub(crate) headers: &'a [(String, String)],
    /// Names of cookies.
    pub(crate) cookies: &'a [String],
    pub(crate) body: &'a str,
    pub(crate) page: &'a Page,
}

/// Products that show themselves. One that shows at several places is listed once for each.
pub(crate) fn products(seen: &Seen<'_>) -> Vec<Product> {
    let mut found: Vec<Product> = RULES.iter().filter_map(|rule| apply(rule, seen)).collect();
    let servers = seen.headers.iter().filter(|(name, _)| name == "server");
    found.extend(servers.filter_map(|(_, value)| web_server(value)));
    found
}

fn apply(Rule(at, text, names, cpe, tag): &Rule, seen: &Seen<'_>) -> Option<Product> {
    let (rest, shown, place): (Option<String>, String, &str) = match at {
        Header(name) => {
            let (_, value) = seen.headers.iter().find(|(known, value)| known == name && contains(value, text))?;
            let rest = after(value, text);
            (Some(rest), format!("{name}: {text}"), "content_headers")
        }
        Cookie => {
            let name = seen.cookies.iter().find(|name| name.starts_with(text))?;
            (None, name.clone(), "content_cookies")
        }
        Body => {
            let position = seen.body.find(text)?;
            (
                seen.body.get(position + text.len()..).map(|rest| rest.chars().take(40).collect()),
                (*text).to_owned(),
                "content_body",
            )
        }
        Title => {
            let title = seen.page.title.as_ref().filter(|title| title.starts_with(text))?;
            (None, title.clone(), "content_title")
        }
        Generator => {
            let generator = seen
                .page
                .generator
                .as_ref()
                .filter(|generator| contains(&generator.chars().take(text.len()).collect::<String>(), text))?;
            (Some(after(generator, text)), format!("generator {generator}"), "content_body")
        }
        Script => {
            let source = seen.page.scripts.iter().find(|source| source.contains(text))?;
            (Some(after(source, text)), (*text).to_owned(), "content_body")
        }
    };
    let version = rest.as_deref().and_then(version_of);
    Some(Product::new(*names, *cpe, version, tag, (place, &shown)))
}

fn contains(value: &str, text: &str) -> bool {
    value.to_ascii_lowercase().contains(&text.to_ascii_lowercase())
}

fn after(value: &str, text: &str) -> String {
    let position = value.to_ascii_lowercase().find(&text.to_ascii_lowercase()).unwrap_or(0);
    value.get(position + text.len()..).unwrap_or("").to_owned()
}

/// A version right there, with at least one dot: `min.js` is none.
fn version_of(rest: &str) -> Option<&str> {
    let version = version_after(rest)?;
    let end = version
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')))
        .unwrap_or(version.len());
    let version = version[..end].trim_end_matches(".js").trim_end_matches(".min");
    version.contains('.').then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(headers: &[(&str, &str)], cookies: &[&str], html: &str) -> Vec<(String, Option<String>)> {
        let headers: Vec<(String, String)> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let cookies: Vec<String> = cookies.iter().map(|name| (*name).to_owned()).collect();
        let page = Page::parse(html, &ambit_net::http::Url::parse("https://www.acme.test/").unwrap());
        let seen = Seen {
            headers: &headers,
            cookies: &cookies,
            body: html,
            page: &page,
        };
        products(&seen).into_iter().map(|product| (product.product, product.version)).collect()
    }

    #[test]
    fn products_and_versions_show() {
        let found = see(
            &[("server", "nginx/1.24.0"), ("x-powered-by", "PHP/8.1.2")],
            &["laravel_session"],
            "<meta name=generator content='WordPress 6.4.1'>",
        );
        for (product, version) in [
            ("PHP", Some("8.1.2")),
            ("Laravel", None),
            ("WordPress", Some("6.4.1")),
            ("nginx", Some("1.24.0")),
        ] {
            assert!(found.contains(&(product.to_owned(), version.map(str::to_owned))), "{product}: {found:?}");
        }
        assert_eq!(
            see(&[], &[], "<script src='/js/jquery-3.6.0.min.js'></script>"),
            [("jQuery".to_owned(), Some("3.6.0".to_owned()))]
        );
    }

    #[test]
    fn a_page_about_a_product_is_not_the_product() {
        assert!(see(&[], &[], "<title>We love PHP and WordPress</title><p>nginx is great</p>").is_empty());
        assert!(see(&[("x-frame-options", "DENY")], &["lang"], "").is_empty());
    }
}

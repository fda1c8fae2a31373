//! The page that an application shows as it was installed: nobody has set it up, or nobody has put anything in it.

use ambit_model::entity::uri::DefaultInstallation;

/// How the title of a page must be.
enum Title {
    Is(&'static str),
    Begins(&'static str),
    Any,
}

/// A page of an application as it was installed.
struct Mark {
    title: Title,
    /// A piece of the page beside its title, as it is written.
    body: &'static str,
    product: &'static str,
    /// Whoever opens the page sets the application up, and chooses its administrator.
    awaits_setup: bool,
}

const fn fresh(title: Title, body: &'static str, product: &'static str) -> Mark {
    Mark { title, body, product, awaits_setup: false }
}

const fn open(title: Title, body: &'static str, product: &'static str) -> Mark {
    Mark { title, body, product, awaits_setup: true }
}

/// Titles are compared whole or by their beginning: a page that writes about such a page has another one.
const MARKS: &[Mark] = &[
    fresh(Title::Begins("Apache Tomcat"), "you've successfully installed Tomcat", "Tomcat"),
    fresh(Title::Is("Welcome to JBoss"), "JBoss", "JBoss"),
    fresh(Title::Begins("Welcome to JBoss EAP"), "Your Red Hat JBoss", "JBoss EAP"),
    fresh(Title::Is("Welcome to WildFly"), "Your WildFly instance is running", "WildFly"),
    fresh(Title::Begins("Welcome to WildFly"), "WildFly Application Server is running", "WildFly"),
    fresh(Title::Begins("GlassFish Server"), "Your server is now running", "GlassFish"),
    fresh(Title::Begins("Payara Server"), "Your server is now running", "Payara Server"),
    fresh(Title::Is("WebSphere Liberty"), "Welcome to", "WebSphere Liberty"),
    fresh(Title::Begins("The install worked successfully"), "DEBUG=True", "Django"),
    fresh(Title::Begins("Welcome to Django"), "It worked!", "Django"),
    fresh(Title::Begins("Ruby on Rails"), "Yay! You&rsquo;re on Rails!", "Rails"),
    fresh(Title::Begins("Ruby on Rails"), "Rails version:", "Rails"),
    fresh(Title::Is("Laravel"), "https://laravel.com/docs", "Laravel"),
    fresh(Title::Begins("Welcome to Symfony"), "Your application is now ready", "Symfony"),
    fresh(Title::Begins("CakePHP: the rapid development"), "Welcome to CakePHP", "CakePHP"),
    fresh(Title::Is("Welcome to CodeIgniter"), "The page you are looking at", "CodeIgniter"),
    fresh(Title::Begins("Welcome to CodeIgniter 4"), "The page you are looking at", "CodeIgniter"),
    fresh(Title::Is("Express"), "Welcome to Express", "Express"),
    fresh(Title::Is("Create Next App"), "__next", "Next.js"),
    fresh(Title::Is("React App"), "Web site created using create-react-app", "Create React App"),
    fresh(Title::Begins("Welcome to XAMPP"), "You have successfully installed XAMPP", "XAMPP"),
    fresh(Title::Begins("WAMPSERVER Homepage"), "Server Configuration", "WampServer"),
    fresh(Title::Begins("Domain Default page"), "Plesk", "Plesk"),
    fresh(Title::Begins("Web Server's Default Page"), "Plesk", "Plesk"),
    fresh(Title::Begins("Default Web Site Page"), "cPanel", "cPanel"),
    fresh(Title::Any, "Hello! Welcome to Synology Web Station!", "Synology Web Station"),
    fresh(Title::Any, "<p>Welcome to WordPress. This is your first post. Edit or delete it", "WordPress"),
    fresh(Title::Begins("Welcome to"), "No front page content has been created yet.", "Drupal"),
    open(Title::Is("WordPress &rsaquo; Setup Configuration File"), "wp-admin/setup-config.php", "WordPress"),
    open(Title::Begins("WordPress ›"), "id=\"setup\"", "WordPress"),
    open(Title::Begins("Setup Wizard [Jenkins]"), "initialAdminPassword", "Jenkins"),
    open(Title::Begins("Sign in [Jenkins]"), "initialAdminPassword", "Jenkins"),
    open(Title::Begins("Installation - Gitea"), "admin_passwd", "Gitea"),
    open(Title::Begins("Installation - Forgejo"), "admin_passwd", "Forgejo"),
    open(Title::Begins("Nextcloud"), "Create an <strong>admin account</strong>", "Nextcloud"),
    open(Title::Begins("ownCloud"), "Create an <strong>admin account</strong>", "ownCloud"),
    open(Title::Begins("Choose language | Drupal"), "install-page", "Drupal"),
    open(Title::Begins("Joomla Web Installer"), "adminForm", "Joomla"),
    open(Title::Begins("phpBB"), "install/app.php", "phpBB"),
];

/// Which application shows itself as it was installed; `None` for any other page.
pub(crate) fn default_installation(title: Option<&str>, body: &str) -> Option<DefaultInstallation> {
    let title = title.unwrap_or_default().trim();
    let is_this = |mark: &&Mark| {
        let titled = match mark.title {
            Title::Is(whole) => whole == title,
            Title::Begins(beginning) => title.starts_with(beginning),
            Title::Any => true,
        };
        titled && body.contains(mark.body)
    };
    let mark = MARKS.iter().find(is_this)?;
    Some(DefaultInstallation { product: mark.product.to_owned(), awaits_setup: mark.awaits_setup })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(title: &str, body: &str) -> Option<(String, bool)> {
        default_installation(Some(title), body).map(|found| (found.product, found.awaits_setup))
    }

    #[test]
    fn an_application_as_it_was_installed_is_told_from_a_page_about_one() {
        let tomcat = "<h2>If you're seeing this, you've successfully installed Tomcat. Congratulations!</h2>";
        assert_eq!(shown("Apache Tomcat/9.0.83", tomcat), Some(("Tomcat".to_owned(), false)));
        assert_eq!(shown("How to install Apache Tomcat", tomcat), None);
        assert_eq!(shown("Apache Tomcat/9.0.83", "<p>The manager</p>"), None);
        let jenkins = "<p>/var/jenkins_home/secrets/initialAdminPassword</p>";
        assert_eq!(shown("Sign in [Jenkins]", jenkins), Some(("Jenkins".to_owned(), true)));
        assert_eq!(shown("Sign in [Jenkins]", "<form>Welcome to Jenkins!</form>"), None);
        let react = "<meta name=\"description\" content=\"Web site created using create-react-app\"/>";
        assert_eq!(shown("React App", react), Some(("Create React App".to_owned(), false)));
        assert_eq!(shown("Our shop", react), None, "what was built with it keeps that line");
        assert_eq!(default_installation(None, ""), None);
    }

    #[test]
    fn each_page_is_known_by_its_own_words() {
        for mark in MARKS {
            let title = match mark.title {
                Title::Is(text) | Title::Begins(text) => text,
                Title::Any => "",
            };
            let found = default_installation(Some(title), mark.body).expect("its own words");
            assert_eq!((found.product.as_str(), found.awaits_setup), (mark.product, mark.awaits_setup));
            assert_eq!(default_installation(Some("Our blog"), title), None, "{title}");
        }
    }
}

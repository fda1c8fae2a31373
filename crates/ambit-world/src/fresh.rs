//! Applications that nobody has set up, and pages that only mention them: the responses of a site that has one or the
//! other.

/// The page of an application.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fresh {
    /// The page of the application before anybody has used it.
    pub(crate) page: &'static str,
    /// The page of a site that mentions the application, or that uses it.
    pub(crate) twin: &'static str,
}

/// By the word of a world file.
pub(crate) const ALL: &[(&str, &Fresh)] = &[
    (
        "tomcat",
        &Fresh {
            page: "<!DOCTYPE html><html lang=\"en\"><head><title>Apache Tomcat/9.0.107</title></head><body>\
                   <div id=\"congrats\"><h2>If you're seeing this, you've successfully installed Tomcat. \
                   Congratulations!</h2></div></body></html>",
            twin: "<!DOCTYPE html><html lang=\"en\"><head><title>How we run Tomcat</title></head><body><p>When you \
                   read \"If you're seeing this, you've successfully installed Tomcat\", remove the \
                   examples.</p></body></html>",
        },
    ),
    (
        "jenkins",
        &Fresh {
            page: "<!DOCTYPE html><html><head><title>Sign in [Jenkins]</title></head><body><h1>Unlock \
                   Jenkins</h1><p>Copy the password from /var/jenkins_home/secrets/initialAdminPassword</p></body></html>",
            twin: "<!DOCTYPE html><html><head><title>Sign in [Jenkins]</title></head><body><h1>Welcome to \
                   Jenkins!</h1><form><input name=\"j_username\"></form></body></html>",
        },
    ),
];

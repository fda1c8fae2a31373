//! Names that mean one product: databases of vulnerabilities have renamed vendors over the years.

/// Names of one product in a line, the one by which it is looked up first.
const SAME: &[&[&str]] = &[
    &["f5:nginx", "nginx:nginx", "f5:nginx_open_source", "igor_sysoev:nginx", "nginx:open_source"],
    &["angularjs:angularjs", "angularjs:angular.js"],
    &["apache:http_server", "apache:httpd", "apache:apache_http_server"],
    &["openbsd:openssh", "openssh:openssh"],
    &["eclipse:jetty", "mortbay:jetty", "jetty:jetty"],
    &["oracle:mysql", "mysql:mysql", "oracle:mysql_server", "mysql:mysql_server"],
    &["redis:redis", "redislabs:redis", "pivotal_software:redis"],
    &["elastic:elasticsearch", "elasticsearch:elasticsearch"],
    &["elastic:kibana", "elasticsearch:kibana"],
    &["jenkins:jenkins", "cloudbees:jenkins"],
    &["atlassian:confluence", "atlassian:confluence_server", "atlassian:confluence_data_center"],
    &["atlassian:jira", "atlassian:jira_server", "atlassian:jira_data_center"],
    &["isc:bind", "isc:bind9"],
    &["exim:exim", "university_of_cambridge:exim"],
    &["dovecot:dovecot", "open-xchange:dovecot"],
    &["microsoft:internet_information_services", "microsoft:internet_information_server", "microsoft:iis"],
    &["vmware:rabbitmq", "pivotal_software:rabbitmq", "broadcom:rabbitmq_server"],
    &["nextcloud:nextcloud_server", "nextcloud:nextcloud", "nextcloud:server"],
    &["magento:magento", "adobe:magento", "adobe:magento_open_source", "adobe:commerce"],
    &["sonatype:nexus", "sonatype:nexus_repository_manager", "sonatype:nexus_repository_manager_3"],
    &[
        "zimbra:collaboration",
        "synacor:zimbra_collaboration_suite",
        "zimbra:zimbra",
        "zimbra:zimbra_collaboration_suite",
    ],
    &["ivanti:connect_secure", "pulsesecure:pulse_connect_secure"],
    &["lighttpd:lighttpd", "lighttpd:lighttpd_web_server"],
    &["squid-cache:squid", "squid:squid"],
    &["openjsf:express", "expressjs:express"],
    &["getbootstrap:bootstrap", "twitter:bootstrap"],
    &["acme:mini_httpd", "acme:mini-httpd"],
    &["proftpd:proftpd", "proftpd_project:proftpd"],
    &["pureftpd:pure-ftpd", "pureftpd:pureftpd"],
    &["citrix:netscaler_gateway", "citrix:gateway"],
    &["geoserver:geoserver", "osgeo:geoserver"],
    &["progress:moveit_transfer", "ipswitch:moveit_transfer"],
];

/// Returns the name by which a product is looked up.
pub(crate) fn leading(product: &str) -> &str {
    SAME.iter().find(|names| names.contains(&product)).map_or(product, |names| names[0])
}

/// Returns whether two names mean one product.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one == other || leading(one) == leading(other)
}

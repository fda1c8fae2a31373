//! Distributions fix what they ship without raising its version. From such a version alone nothing follows: this tells
//! who has probably patched what an entity shows.

/// What a text of a server says, and which distribution it means. In lower case.
const MARKS: &[(&str, &str)] = &[
    ("ubuntu", "Ubuntu"),
    ("debian", "Debian"),
    ("+deb", "Debian"),
    ("~deb", "Debian"),
    ("raspbian", "Raspbian"),
    ("red hat", "Red Hat Enterprise Linux"),
    ("redhat", "Red Hat Enterprise Linux"),
    (".el5", "Red Hat Enterprise Linux"),
    (".el6", "Red Hat Enterprise Linux"),
    (".el7", "Red Hat Enterprise Linux"),
    (".el8", "Red Hat Enterprise Linux"),
    (".el9", "Red Hat Enterprise Linux"),
    (".el10", "Red Hat Enterprise Linux"),
    ("centos", "CentOS"),
    ("rocky linux", "Rocky Linux"),
    ("almalinux", "AlmaLinux"),
    ("oracle linux", "Oracle Linux"),
    ("scientific linux", "Scientific Linux"),
    ("amazon", "Amazon Linux"),
    (".amzn", "Amazon Linux"),
    ("fedora", "Fedora"),
    (".fc3", "Fedora"),
    (".fc4", "Fedora"),
    ("suse", "SUSE"),
    ("-fips", "Red Hat Enterprise Linux"),
    ("freebsd-2", "FreeBSD"),
    ("freebsd-openssh", "FreeBSD"),
    ("mageia", "Mageia"),
    ("gentoo", "Gentoo"),
    ("cloudlinux", "CloudLinux"),
    ("virtuozzo", "Virtuozzo"),
    ("univention", "Univention"),
];

/// Products that distributions package and patch: next to a mark of a distribution, one of them is the packaged
/// version.
const PACKAGED: &[&str] = &[
    "apache:http_server",
    "apache:mod_perl",
    "apache:subversion",
    "apache:tomcat",
    "clamav:clamav",
    "cyrus:imap",
    "dovecot:dovecot",
    "exim:exim",
    "f5:nginx",
    "haproxy:haproxy",
    "isc:bind",
    "lighttpd:lighttpd",
    "mariadb:mariadb",
    "memcached:memcached",
    "mod_ssl:mod_ssl",
    "nginx:nginx",
    "nlnetlabs:unbound",
    "openbsd:openssh",
    "openbsd:opensmtpd",
    "openssl:openssl",
    "oracle:mysql",
    "perl:perl",
    "php:php",
    "phpmyadmin:phpmyadmin",
    "postfix:postfix",
    "postgresql:postgresql",
    "powerdns:authoritative",
    "proftpd:proftpd",
    "pureftpd:pure-ftpd",
    "python:python",
    "redis:redis",
    "roundcube:webmail",
    "ruby-lang:ruby",
    "samba:samba",
    "sendmail:sendmail",
    "squid-cache:squid",
    "varnish_cache_project:varnish_cache",
    "vsftpd_project:vsftpd",
];

/// Versions that a distribution has shipped for years and that its servers show without any mark.
const FROZEN: &[(&str, &[&str], &str)] = &[
    ("openbsd:openssh", &["4.3", "5.3", "6.6.1", "7.4", "8.0", "8.7", "9.9"], "Red Hat Enterprise Linux"),
    ("f5:nginx", &["1.14.1", "1.16.1", "1.20.1"], "Red Hat Enterprise Linux"),
    ("f5:nginx", &["1.6.2", "1.10.3", "1.14.2", "1.18.0", "1.22.1", "1.26.3"], "Debian"),
    ("exim:exim", &["4.84", "4.84_2", "4.89", "4.90_1", "4.92", "4.93", "4.94.2", "4.95", "4.96", "4.97"], "Debian"),
    ("lighttpd:lighttpd", &["1.4.35", "1.4.45", "1.4.53", "1.4.55", "1.4.59", "1.4.63", "1.4.69"], "Debian"),
    ("php:php", &["5.4.16", "7.2.24", "8.0.30"], "Red Hat Enterprise Linux"),
    ("php:php", &["7.0.33", "7.3.31", "7.4.33", "8.2.7", "8.2.20", "8.2.24", "8.2.26", "8.2.28", "8.2.29"], "Debian"),
    ("openssl:openssl", &["1.0.2k", "1.1.1k", "3.0.7"], "Red Hat Enterprise Linux"),
    ("squid-cache:squid", &["3.5.20", "4.15", "5.5"], "Red Hat Enterprise Linux"),
    ("squid-cache:squid", &["4.6", "4.13", "5.7"], "Debian"),
    ("apache:http_server", &["2.2.15", "2.4.6", "2.4.37"], "Red Hat Enterprise Linux"),
];

/// Returns who has probably patched a product (`vendor:product` of CPE), or `None`. `shown` is what showed the product
/// itself; `beside` is what else the entity says, in which a mark counts for what distributions ship.
pub(crate) fn patched_by<'t>(
    product: &str,
    version: &str,
    shown: &str,
    beside: impl IntoIterator<Item = &'t str>,
) -> Option<&'static str> {
    let mark = |text: &str| {
        let text = text.to_lowercase();
        MARKS.iter().find(|(mark, _)| text.contains(mark)).map(|(_, name)| *name)
    };
    if let Some(name) = mark(shown).or_else(|| mark(version)) {
        return Some(name);
    }
    if !PACKAGED.contains(&product) {
        return None;
    }
    if let Some(name) = beside.into_iter().find_map(mark) {
        return Some(name);
    }
    let frozen = FROZEN.iter().find(|(known, versions, _)| *known == product && versions.contains(&version));
    frozen.map(|(_, _, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Greetings and headers of packages that were patched: product, version, what the server says.
    const PATCHED: &[(&str, &str, &str)] = &[
        ("openbsd:openssh", "9.2p1", "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3"),
        ("openbsd:openssh", "8.4p1", "SSH-2.0-OpenSSH_8.4p1 Debian-5+deb11u3"),
        ("openbsd:openssh", "7.9p1", "SSH-2.0-OpenSSH_7.9p1 Debian-10+deb10u4"),
        ("openbsd:openssh", "7.4p1", "SSH-2.0-OpenSSH_7.4p1 Debian-10+deb9u7"),
        ("openbsd:openssh", "6.7p1", "SSH-2.0-OpenSSH_6.7p1 Debian-5+deb8u4"),
        ("openbsd:openssh", "8.9p1", "SSH-2.0-OpenSSH_8.9p1 Ubuntu-3ubuntu0.10"),
        ("openbsd:openssh", "8.2p1", "SSH-2.0-OpenSSH_8.2p1 Ubuntu-4ubuntu0.11"),
        ("openbsd:openssh", "7.6p1", "SSH-2.0-OpenSSH_7.6p1 Ubuntu-4ubuntu0.7"),
        ("openbsd:openssh", "7.2p2", "SSH-2.0-OpenSSH_7.2p2 Ubuntu-4ubuntu2.10"),
        ("openbsd:openssh", "9.6p1", "SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13.5"),
        ("openbsd:openssh", "9.2p1", "SSH-2.0-OpenSSH_9.2p1 Raspbian-2+deb12u3"),
        ("openbsd:openssh", "5.3", "SSH-2.0-OpenSSH_5.3"),
        ("openbsd:openssh", "6.6.1", "SSH-2.0-OpenSSH_6.6.1"),
        ("openbsd:openssh", "7.4", "SSH-2.0-OpenSSH_7.4"),
        ("openbsd:openssh", "8.0", "SSH-2.0-OpenSSH_8.0"),
        ("openbsd:openssh", "8.7", "SSH-2.0-OpenSSH_8.7"),
        ("openbsd:openssh", "9.3", "SSH-2.0-OpenSSH_9.3 FreeBSD-20230719"),
        ("apache:http_server", "2.4.57", "Server: Apache/2.4.57 (Debian)"),
        ("apache:http_server", "2.4.38", "Server: Apache/2.4.38 (Debian)"),
        ("apache:http_server", "2.4.41", "Server: Apache/2.4.41 (Ubuntu)"),
        ("apache:http_server", "2.4.29", "Server: Apache/2.4.29 (Ubuntu)"),
        ("apache:http_server", "2.4.6", "Server: Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips PHP/5.4.16"),
        ("openssl:openssl", "1.0.2k-fips", "Server: Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips PHP/5.4.16"),
        ("php:php", "5.4.16", "Server: Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips PHP/5.4.16"),
        ("apache:http_server", "2.4.37", "Server: Apache/2.4.37 (Red Hat Enterprise Linux) OpenSSL/1.1.1k"),
        ("apache:http_server", "2.4.53", "Server: Apache/2.4.53 (Rocky Linux) OpenSSL/3.0.7"),
        ("apache:http_server", "2.4.62", "Server: Apache/2.4.62 (AlmaLinux)"),
        ("apache:http_server", "2.4.54", "Server: Apache/2.4.54 (Amazon Linux) OpenSSL/1.0.2k-fips"),
        ("f5:nginx", "1.18.0", "Server: nginx/1.18.0 (Ubuntu)"),
        ("f5:nginx", "1.14.0", "Server: nginx/1.14.0 (Ubuntu)"),
        ("f5:nginx", "1.24.0", "Server: nginx/1.24.0 (Ubuntu)"),
        ("f5:nginx", "1.22.1", "Server: nginx/1.22.1"),
        ("f5:nginx", "1.14.1", "Server: nginx/1.14.1"),
        ("f5:nginx", "1.20.1", "Server: nginx/1.20.1"),
        ("php:php", "7.4.3-4ubuntu2.18", "X-Powered-By: PHP/7.4.3-4ubuntu2.18"),
        ("php:php", "7.0.33-0+deb9u12", "X-Powered-By: PHP/7.0.33-0+deb9u12"),
        ("php:php", "7.2.24-0ubuntu0.18.04.17", "X-Powered-By: PHP/7.2.24-0ubuntu0.18.04.17"),
        ("exim:exim", "4.92", "220 mx.acme.test ESMTP Exim 4.92 Mon, 23 Nov 2026 09:00:00 +0000"),
        ("proftpd:proftpd", "1.3.5b", "220 ProFTPD 1.3.5b Server (Debian) [::ffff:192.0.2.1]"),
        ("isc:bind", "9.11.36", "9.11.36-RedHat-9.11.36-14.el8_10"),
        ("oracle:mysql", "8.0.39-0ubuntu0.22.04.1", "8.0.39-0ubuntu0.22.04.1"),
        ("mariadb:mariadb", "10.5.23-MariaDB-0+deb11u1", "5.5.5-10.5.23-MariaDB-0+deb11u1"),
    ];

    #[test]
    fn what_a_distribution_patches_is_told() {
        assert!(PATCHED.len() >= 40);
        for (product, version, says) in PATCHED {
            let (shown, beside) = (says.split(' ').next().unwrap_or_default(), [*says]);
            assert!(patched_by(product, version, shown, beside).is_some(), "{says}");
        }
    }

    #[test]
    fn what_was_built_from_source_is_not_taken_for_a_package() {
        for (product, version, says) in [
            ("f5:nginx", "1.25.1", "Server: nginx/1.25.1"),
            ("openbsd:openssh", "8.9p1", "SSH-2.0-OpenSSH_8.9p1"),
            ("apache:http_server", "2.4.49", "Server: Apache/2.4.49 (Unix)"),
            ("jenkins:jenkins", "2.440", "X-Jenkins: 2.440, Server: Apache/2.4.57 (Debian)"),
            ("sonatype:nexus", "3.68.0-04", "Server: Nexus/3.68.0-04 (OSS)"),
        ] {
            let shown = says.split(',').next().unwrap_or_default();
            assert_eq!(patched_by(product, version, shown, [says]), None, "{says}");
        }
    }
}

//! Providers whose names anybody may claim: the suffix that an alias leads to, and what the provider answers for an
//! unclaimed name.

use super::is_under;
use crate::entity::bucket;

/// A provider's rule.
pub struct Claimable {
    /// Suffix of the alias' target.
    pub suffix: &'static str,
    /// What the provider is called.
    pub provider: &'static str,
    /// What its answer to an unclaimed name holds; `None` where the name then does not exist at all.
    pub says: Option<&'static str>,
    /// Statuses of that answer; empty means all but those of success, since a page may quote the text.
    pub status: &'static [u16],
}

const fn page(suffix: &'static str, provider: &'static str, says: &'static str) -> Claimable {
    Claimable { suffix, provider, says: Some(says), status: &[404] }
}

const fn name(suffix: &'static str, provider: &'static str) -> Claimable {
    Claimable { suffix, provider, says: None, status: &[] }
}

/// Amazon's buckets by their own hosts.
const AMAZON: &str = "s3.amazonaws.com";

/// The rules.
pub(crate) const CLAIMABLE: &[Claimable] = &[
    page(AMAZON, "Amazon S3", "NoSuchBucket"),
    page("github.io", "GitHub Pages", "There isn't a GitHub Pages site here."),
    page("herokuapp.com", "Heroku", "o such app"),
    page("herokudns.com", "Heroku", "o such app"),
    page("storage.googleapis.com", "Google Cloud Storage", "NoSuchBucket"),
    page("netlify.app", "Netlify", "Not Found - Request ID"),
    page("pantheonsite.io", "Pantheon", "404 error unknown site!"),
    page("myshopify.com", "Shopify", "Sorry, this shop is currently unavailable."),
    page("ghost.io", "Ghost", "The thing you were looking for is no longer here"),
    page("readme.io", "ReadMe", "Project doesnt exist... yet!"),
    page("surge.sh", "Surge", "project not found"),
    page("zendesk.com", "Zendesk", "Help Center Closed"),
    page("bitbucket.io", "Bitbucket", "Repository not found"),
    page("helpjuice.com", "Helpjuice", "We could not find what you're looking for."),
    page("helpscoutdocs.com", "Help Scout", "No settings were found for this company:"),
    page("cargocollective.com", "Cargo", "If you're moving your domain away from Cargo"),
    page("readthedocs.io", "Read the Docs", "unknown to Read the Docs"),
    page("unbouncepages.com", "Unbounce", "The requested URL was not found on this server."),
    Claimable { suffix: "fastly.net", provider: "Fastly", says: Some("Fastly error: unknown domain"), status: &[] },
    Claimable {
        suffix: "wordpress.com",
        provider: "WordPress.com",
        says: Some("Do you want to register"),
        status: &[],
    },
    Claimable {
        suffix: "statuspage.io",
        provider: "Statuspage",
        says: Some("You are being <a href=\"https://www.statuspage.io\">redirected</a>"),
        status: &[301, 302],
    },
    Claimable {
        suffix: "tumblr.com",
        provider: "Tumblr",
        says: Some("Whatever you were looking for doesn't currently exist at this address."),
        status: &[],
    },
    name("azurewebsites.net", "Azure App Service"),
    name("cloudapp.net", "Azure Cloud Services"),
    name("cloudapp.azure.com", "Azure"),
    name("trafficmanager.net", "Azure Traffic Manager"),
    name("blob.core.windows.net", "Azure Blob Storage"),
    name("azureedge.net", "Azure CDN"),
    name("azure-api.net", "Azure API Management"),
    name("azurecontainer.io", "Azure Container Instances"),
    name("elasticbeanstalk.com", "AWS Elastic Beanstalk"),
];

/// The rule for a target's name, of several the longest suffix. Amazon's buckets have regions in the middle of their
/// names.
pub fn of_target(target: &str) -> Option<&'static Claimable> {
    let under = |rule: &&Claimable| target != rule.suffix && is_under(target, rule.suffix);
    let direct = CLAIMABLE.iter().filter(under).max_by_key(|rule| rule.suffix.len());
    direct.or_else(|| CLAIMABLE.iter().find(|rule| rule.suffix == AMAZON && is_bucket_of_amazon(target)))
}

/// `NAME.s3.REGION.amazonaws.com`, `NAME.s3-REGION.amazonaws.com`, `NAME.s3-website-REGION.amazonaws.com`.
fn is_bucket_of_amazon(host: &str) -> bool {
    bucket::of_amazon(host).is_some() && bucket::is_host(host)
}

impl Claimable {
    /// The text in an answer that shows that the name is unclaimed.
    pub fn proof(&self, status: u16, body: &str) -> Option<&'static str> {
        let says = self.says?;
        let is_success = (200..300).contains(&status);
        let fits = self.status.contains(&status) || (self.status.is_empty() && !is_success);
        (fits && body.contains(says)).then_some(says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_the_rule_of_its_provider() {
        let of = |target: &str| of_target(target).map(|rule| rule.provider);
        assert_eq!(of("acme.github.io"), Some("GitHub Pages"));
        assert_eq!(of("acme.s3.eu-west-1.amazonaws.com"), Some("Amazon S3"));
        assert_eq!(of("acme.s3-website-us-east-1.amazonaws.com"), Some("Amazon S3"));
        assert_eq!(of("acme.s3.cn-north-1.amazonaws.com.cn"), Some("Amazon S3"));
        assert_eq!(of("s3.cn-north-1.amazonaws.com.cn"), None);
        assert_eq!(of("acme.azurewebsites.net"), Some("Azure App Service"));
        assert_eq!(of("github.io.evil.test"), None);
        assert_eq!(of("www.vendor.test"), None);
    }

    #[test]
    fn whoever_lets_names_be_claimed_is_a_platform_whose_sites_may_be_visited() {
        for rule in CLAIMABLE {
            let target = format!("acme.{}", rule.suffix);
            assert!(crate::platforms::of_host(&target).is_some(), "{target}");
        }
    }

    #[test]
    fn both_status_and_words_must_fit() {
        let rule = of_target("acme.github.io").unwrap();
        assert!(rule.proof(404, "<p>There isn't a GitHub Pages site here.</p>").is_some());
        assert!(rule.proof(200, "<p>There isn't a GitHub Pages site here.</p>").is_none());
        assert!(rule.proof(404, "<p>Not Found</p>").is_none());
        assert!(of_target("x.azurewebsites.net").unwrap().proof(404, "anything").is_none());
    }
}

//! Providers by the names they give: whose infrastructure a name or an address is on, and whether strangers share it.

/// What a provider sells under a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Many customers answer on one address: a CDN, a hosted platform.
    Shared,
    /// The address is the customer's alone, for a time.
    Rented,
}

/// A provider's suffix.
pub(crate) struct Provider {
    pub(crate) suffix: &'static str,
    pub(crate) name: &'static str,
    pub(crate) sharing: Sharing,
}

const fn shared(suffix: &'static str, name: &'static str) -> Provider {
    Provider {
        suffix,
        name,
        sharing: Sharing::Shared,
    }
}

const fn rented(suffix: &'static str, name: &'static str) -> Provider {
    Provider {
        suffix,
        name,
        sharing: Sharing::Rented,
    }
}

const AMAZON: &str = "Amazon Web Services";
const GOOGLE: &str = "Google Cloud";
const MICROSOFT: &str = "Microsoft Azure";

/// Suffixes that aliases lead to and that addresses call themselves.
const PROVIDERS: &[Provider] = &[
    shared("cloudfront.net", AMAZON),
    shared("s3.amazonaws.com", AMAZON),
    shared("awsglobalaccelerator.com", AMAZON),
    rented("elb.amazonaws.com", AMAZON),
    rented("compute.amazonaws.com", AMAZON),
    rented("compute-1.amazonaws.com", AMAZON),
    rented("elasticbeanstalk.com", AMAZON),
    shared("execute-api.amazonaws.com", AMAZON),
    shared("amazonaws.com", AMAZON),
    shared("cdn.cloudflare.net", "Cloudflare"),
    shared("pages.dev", "Cloudflare"),
    shared("workers.dev", "Cloudflare"),
    shared("fastly.net", "Fastly"),
    shared("fastlylb.net", "Fastly"),
    shared("akamaiedge.net", "Akamai"),
    shared("akamai.net", "Akamai"),
    shared("edgekey.net", "Akamai"),
    shared("edgesuite.net", "Akamai"),
    shared("akamaihd.net", "Akamai"),
    rented("linode.com", "Akamai"),
    rented("linodeusercontent.com", "Akamai"),
    shared("azureedge.net", MICROSOFT),
    shared("azurefd.net", MICROSOFT),
    shared("azurewebsites.net", MICROSOFT),
    shared("azurestaticapps.net", MICROSOFT),
    shared("blob.core.windows.net", MICROSOFT),
    shared("web.core.windows.net", MICROSOFT),
    rented("cloudapp.azure.com", MICROSOFT),
    rented("cloudapp.net", MICROSOFT),
    shared("trafficmanager.net", MICROSOFT),
    shared("storage.googleapis.com", GOOGLE),
    shared("appspot.com", GOOGLE),
    shared("run.app", GOOGLE),
    shared("web.app", GOOGLE),
    shared("firebaseapp.com", GOOGLE),
    shared("ghs.googlehosted.com", GOOGLE),
    rented("googleusercontent.com", GOOGLE),
    shared("b-cdn.net", "Bunny"),
    shared("stackpathdns.com", "StackPath"),
    shared("stackpathcdn.com", "StackPath"),
    shared("cdn77.org", "CDN77"),
    shared("incapdns.net", "Imperva"),
    shared("impervadns.net", "Imperva"),
    shared("sucuri.net", "Sucuri"),
    shared("gcdn.co", "Gcore"),
    shared("llnwd.net", "Edgio"),
    shared("edgecastcdn.net", "Edgio"),
    shared("kxcdn.com", "KeyCDN"),
    shared("netlify.app", "Netlify"),
    shared("netlify.com", "Netlify"),
    shared("vercel-dns.com", "Vercel"),
    shared("vercel.app", "Vercel"),
    shared("github.io", "GitHub Pages"),
    shared("gitlab.io", "GitLab Pages"),
    shared("bitbucket.io", "Bitbucket"),
    shared("herokuapp.com", "Heroku"),
    shared("herokudns.com", "Heroku"),
    shared("herokussl.com", "Heroku"),
    shared("myshopify.com", "Shopify"),
    shared("wpengine.com", "WP Engine"),
    shared("wordpress.com", "WordPress.com"),
    shared("squarespace.com", "Squarespace"),
    shared("wixdns.net", "Wix"),
    shared("webflow.io", "Webflow"),
    shared("zendesk.com", "Zendesk"),
    shared("readthedocs.io", "Read the Docs"),
    shared("pantheonsite.io", "Pantheon"),
    shared("ondigitalocean.app", "DigitalOcean"),
    shared("digitaloceanspaces.com", "DigitalOcean"),
    rented("digitalocean.com", "DigitalOcean"),
    shared("onrender.com", "Render"),
    shared("fly.dev", "Fly.io"),
    rented("your-server.de", "Hetzner"),
    rented("clients.your-server.de", "Hetzner"),
    rented("hetzner.cloud", "Hetzner"),
    rented("ovh.net", "OVH"),
    rented("vultrusercontent.com", "Vultr"),
    rented("scaleway.com", "Scaleway"),
    rented("contaboserver.net", "Contabo"),
    rented("oraclecloud.com", "Oracle Cloud"),
];

/// The provider of a host name: the longest suffix that it lies under, or is.
pub(crate) fn of_host(host: &str) -> Option<&'static Provider> {
    let under = |suffix: &str| host == suffix || crate::host::is_below(host, suffix);
    PROVIDERS
        .iter()
        .filter(|provider| under(provider.suffix))
        .max_by_key(|provider| provider.suffix.len())
}

/// Words of a network's registered name.
const NETWORKS: &[(&str, &str, Sharing)] = &[
    ("CLOUDFLARE", "Cloudflare", Sharing::Shared),
    ("FASTLY", "Fastly", Sharing::Shared),
    ("SKYCA-3", "Fastly", Sharing::Shared),
    ("AKAMAI", "Akamai", Sharing::Shared),
    ("INCAPSULA", "Imperva", Sharing::Shared),
    ("CLOUDFRONT", AMAZON, Sharing::Shared),
    ("AMAZON", AMAZON, Sharing::Rented),
    ("AT-88-Z", AMAZON, Sharing::Rented),
    ("GOOGLE-CLOUD", GOOGLE, Sharing::Rented),
    ("GOOGL-", GOOGLE, Sharing::Rented),
    ("MSFT", MICROSOFT, Sharing::Rented),
    ("MICROSOFT", MICROSOFT, Sharing::Rented),
    ("DIGITALOCEAN", "DigitalOcean", Sharing::Rented),
    ("HETZNER", "Hetzner", Sharing::Rented),
    ("HOS-", "Hetzner", Sharing::Rented),
    ("OVH", "OVH", Sharing::Rented),
    ("LINODE", "Akamai", Sharing::Rented),
    ("VULTR", "Vultr", Sharing::Rented),
    ("SCALEWAY", "Scaleway", Sharing::Rented),
    ("ORACLE-", "Oracle Cloud", Sharing::Rented),
    ("ALIBABA", "Alibaba Cloud", Sharing::Rented),
];

/// The provider of a network, by its registered name.
pub(crate) fn of_network(name: &str) -> Option<(&'static str, Sharing)> {
    let upper = name.to_ascii_uppercase();
    NETWORKS
        .iter()
        .find(|(word, ..)| upper.starts_with(word))
        .map(|(_, provider, sharing)| (*provider, *sharing))
}

/// Headers that a provider's edge writes: name, a part of the value (empty: any), provider.
const HEADERS: &[(&str, &str, &str)] = &[
    ("cf-ray", "", "Cloudflare"),
    ("server", "cloudflare", "Cloudflare"),
    ("x-amz-cf-id", "", AMAZON),
    ("x-amz-request-id", "", AMAZON),
    ("server", "amazons3", AMAZON),
    ("server", "awselb", AMAZON),
    ("x-served-by", "cache-", "Fastly"),
    ("x-fastly-request-id", "", "Fastly"),
    ("x-akamai-transformed", "", "Akamai"),
    ("server", "akamaighost", "Akamai"),
    ("x-azure-ref", "", MICROSOFT),
    ("x-ms-request-id", "", MICROSOFT),
    ("x-goog-generation", "", GOOGLE),
    ("server", "google frontend", GOOGLE),
    ("x-vercel-id", "", "Vercel"),
    ("x-nf-request-id", "", "Netlify"),
    ("server", "netlify", "Netlify"),
    ("x-github-request-id", "", "GitHub Pages"),
    ("server", "github.com", "GitHub Pages"),
    ("x-shopify-stage", "", "Shopify"),
    ("x-iinfo", "", "Imperva"),
    ("x-sucuri-id", "", "Sucuri"),
    ("via", "heroku", "Heroku"),
    ("fly-request-id", "", "Fly.io"),
];

/// Providers that a response's headers show, each with the header.
pub(crate) fn of_headers<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for (name, value) in headers {
        let (name, value) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
        for (known, part, provider) in HEADERS {
            if *known == name && value.contains(part) {
                found.push((*provider, format!("header {known}")));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_suffix_tells_the_provider() {
        let of = |host: &str| of_host(host).map(|provider| (provider.name, provider.sharing));
        assert_eq!(of("d1.cloudfront.net"), Some((AMAZON, Sharing::Shared)));
        assert_eq!(of("ec2-1-2-3-4.eu-west-1.compute.amazonaws.com"), Some((AMAZON, Sharing::Rented)));
        assert_eq!(of("x.compute-1.amazonaws.com"), Some((AMAZON, Sharing::Rented)));
        assert_eq!(of("acme.github.io"), Some(("GitHub Pages", Sharing::Shared)));
        assert_eq!(of("notcloudfront.net"), None);
        assert_eq!(of("cloudfront.net.evil.test"), None);
    }

    #[test]
    fn headers_and_networks_tell_too() {
        let found = of_headers([("CF-RAY", "7d1"), ("Server", "cloudflare")].into_iter());
        assert_eq!(
            found,
            [("Cloudflare", "header cf-ray".to_owned()), ("Cloudflare", "header server".to_owned())]
        );
        assert_eq!(of_network("AMAZON-2011L"), Some((AMAZON, Sharing::Rented)));
        assert_eq!(of_network("ACME-NET"), None);
    }
}

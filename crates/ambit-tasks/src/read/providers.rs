//! Providers by the headers that their edges write. By the names that they give, `ambit_model::platforms` knows them.

const AMAZON: &str = "Amazon Web Services";
const GOOGLE: &str = "Google Cloud";
const MICROSOFT: &str = "Microsoft Azure";

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
    fn headers_tell_the_provider() {
        let found = of_headers([("CF-RAY", "7d1"), ("Server", "cloudflare")].into_iter());
        assert_eq!(found, [("Cloudflare", "header cf-ray".to_owned()), ("Cloudflare", "header server".to_owned())]);
    }
}

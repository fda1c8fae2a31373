//! The network security configuration of an Android app: which hosts it talks to in the clear, and whom it trusts.

use crate::element::Element;
use crate::resources::Resources;
use serde::{Deserialize, Serialize};

/// Domains of one configuration that are kept.
const DOMAINS_MAX: usize = 500;

/// What a configuration says. What it leaves out is `None`: then the target SDK decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSecurity {
    /// Traffic in the clear is permitted to everybody.
    pub cleartext: Option<bool>,
    /// Domains for which the configuration says whether traffic in the clear is permitted.
    pub cleartext_domains: Vec<CleartextDomain>,
    /// Authorities that the user of the device added are trusted, outside of builds for debugging.
    pub trusts_user_authorities: bool,
    /// Domains of which the keys are pinned.
    pub pinned_domains: Vec<String>,
    /// Days on which pins end, as they are written.
    pub pins_expire: Vec<String>,
    /// Pins are not asked where an authority that a configuration names has signed.
    pub overrides_pins: bool,
}

/// A domain and what is permitted to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleartextDomain {
    /// The domain.
    pub domain: String,
    /// Traffic in the clear is permitted.
    pub permitted: bool,
}

impl NetworkSecurity {
    /// Reads a configuration.
    pub(crate) fn of(root: &Element, resources: &Resources) -> Self {
        let mut found = Self::default();
        for base in root.below("base-config") {
            found.cleartext = base.flag("cleartextTrafficPermitted", resources);
            found.trust(base, resources);
        }
        for config in root.below("domain-config") {
            found.domains(config, None, resources);
        }
        found
    }

    fn trust(&mut self, config: &Element, resources: &Resources) {
        for anchor in config.below("trust-anchors").flat_map(|anchors| anchors.below("certificates")) {
            self.trusts_user_authorities |= anchor.text_of("src", resources).as_deref() == Some("user");
            self.overrides_pins |= anchor.flag("overridePins", resources) == Some(true);
        }
    }

    fn domains(&mut self, config: &Element, above: Option<bool>, resources: &Resources) {
        self.trust(config, resources);
        let permitted = config.flag("cleartextTrafficPermitted", resources).or(above);
        let pins: Vec<&Element> = config.below("pin-set").collect();
        let has_pins = pins.iter().any(|set| set.below("pin").next().is_some());
        let room = DOMAINS_MAX.saturating_sub(self.pins_expire.len());
        self.pins_expire.extend(pins.iter().filter_map(|set| set.text_of("expiration", resources)).take(room));
        for domain in config.below("domain") {
            let domain = domain.text.trim().to_ascii_lowercase();
            if domain.is_empty() || self.cleartext_domains.len() >= DOMAINS_MAX {
                continue;
            }
            if has_pins && self.pinned_domains.len() < DOMAINS_MAX {
                self.pinned_domains.push(domain.clone());
            }
            self.cleartext_domains.extend(permitted.map(|permitted| CleartextDomain { domain, permitted }));
        }
        for inner in config.below("domain-config") {
            self.domains(inner, permitted, resources);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn so_many_days_on_which_pins_end_are_kept_and_no_more() {
        let element =
            |name: &str, children: Vec<Element>| Element { name: name.into(), children, ..Element::default() };
        let mut pins = element("pin-set", vec![element("pin", Vec::new())]);
        pins.attributes.push(("expiration".into(), Value::Text("2030-01-01".into())));
        let domain = Element { text: "acme.test".into(), ..element("domain", Vec::new()) };
        let said = |count: usize| {
            let config = element("domain-config", [vec![domain.clone()], vec![pins.clone(); count]].concat());
            let found = NetworkSecurity::of(&element("network-security-config", vec![config]), &Resources::default());
            (found.pins_expire.len(), found.pinned_domains)
        };
        assert_eq!(said(2), (2, vec!["acme.test".to_owned()]));
        assert_eq!(said(1_000), (DOMAINS_MAX, vec!["acme.test".to_owned()]));
    }
}

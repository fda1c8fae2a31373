//! Configurations: which products, in which versions, together with what else, a vulnerability concerns. Whole trees of
//! NVD are evaluated; the node that matched is the proof.

use crate::alias;
use crate::cpe::{Cpe, Value};
use ambit_model::technology::Part;
use ambit_model::version_order::Scheme;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How the parts of a configuration or node are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    #[default]
    #[serde(rename = "OR")]
    Or,
    #[serde(rename = "AND")]
    And,
}

/// One alternative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    #[serde(default, rename = "o", skip_serializing_if = "is_or")]
    pub operator: Operator,
    #[serde(default, rename = "n", skip_serializing_if = "is_false")]
    pub negate: bool,
    #[serde(rename = "c")]
    pub nodes: Vec<Node>,
}

/// One node of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    #[serde(default, rename = "o", skip_serializing_if = "is_or")]
    pub operator: Operator,
    #[serde(default, rename = "n", skip_serializing_if = "is_false")]
    pub negate: bool,
    #[serde(rename = "m")]
    pub criteria: Vec<Criterion>,
}

/// A product in a range of versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// The CPE 2.3 name.
    #[serde(rename = "p")]
    pub name: String,
    /// False: not vulnerable itself, but what the vulnerable one must run on.
    #[serde(default = "is_true_by_default", rename = "v", skip_serializing_if = "is_true")]
    pub vulnerable: bool,
    #[serde(default, rename = "f", skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, rename = "a", skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, rename = "t", skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(default, rename = "b", skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

fn is_or(operator: &Operator) -> bool {
    *operator == Operator::Or
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_true(flag: &bool) -> bool {
    *flag
}

fn is_true_by_default() -> bool {
    true
}

/// What an entity runs: its products in known versions, and its system where something tells it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub products: Vec<Cpe>,
    pub system: Option<System>,
}

/// A family of operating systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Windows,
    Unix,
}

/// What is known of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    No,
    /// Nothing tells: the hardware below it, its edition, its modules.
    Open,
    Yes,
}

impl Known {
    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Open => Self::Open,
            Self::Yes => Self::No,
        }
    }
}

/// The criterion by which a product is vulnerable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched<'c> {
    pub criterion: &'c Criterion,
    /// False where the configuration names something else that nobody could see, such as the system below.
    pub is_whole: bool,
}

impl Configuration {
    /// Returns the criterion by which the product is vulnerable in these surroundings, or `None`.
    pub fn matches(&self, product: &Cpe, surroundings: &Surroundings) -> Option<Matched<'_>> {
        let own = self.nodes.iter().filter(|node| !node.negate).flat_map(|node| &node.criteria);
        let criterion = own.clone().find(|criterion| criterion.vulnerable && criterion.covers(product) == Known::Yes);
        let open = || own.clone().find(|criterion| criterion.vulnerable && criterion.covers(product) == Known::Open);
        let criterion = criterion.or_else(open)?;
        let whole = self.evaluate(product, surroundings);
        (whole != Known::No).then_some(Matched { criterion, is_whole: whole == Known::Yes })
    }

    fn evaluate(&self, product: &Cpe, surroundings: &Surroundings) -> Known {
        let nodes = self.nodes.iter().map(|node| {
            let known = join(node.operator, node.criteria.iter().map(|one| one.holds(product, surroundings)));
            if node.negate { known.not() } else { known }
        });
        let known = join(self.operator, nodes);
        if self.negate { known.not() } else { known }
    }
}

fn join(operator: Operator, parts: impl Iterator<Item = Known>) -> Known {
    match operator {
        Operator::Or => parts.max().unwrap_or(Known::No),
        Operator::And => parts.min().unwrap_or(Known::No),
    }
}

impl Criterion {
    /// Returns whether the criterion holds for a product and its surroundings.
    fn holds(&self, product: &Cpe, surroundings: &Surroundings) -> Known {
        let beside = surroundings.products.iter().map(|other| self.covers(other)).max().unwrap_or(Known::No);
        let known = beside.max(self.covers(product));
        if known != Known::No || self.vulnerable {
            return known;
        }
        let name = Cpe::parse(&self.name);
        // The hardware below its firmware is never seen, and is there.
        if name.as_ref().is_some_and(|name| name.part == Part::Hardware) {
            return Known::Yes;
        }
        // Not everything that runs on the machine is visible, so only a contradiction rules the criterion out.
        match (name.as_ref().and_then(system_of), surroundings.system) {
            (Some(wanted), Some(known)) if wanted == known => Known::Yes,
            (Some(wanted), Some(known)) if wanted != known => Known::No,
            _ => Known::Open,
        }
    }

    /// Whether it covers a product in its version. `Open`: by what is known, such as the edition, it may.
    pub fn covers(&self, product: &Cpe) -> Known {
        let Some(name) = Cpe::parse(&self.name) else { return Known::No };
        let (Some(wanted), Some(key)) = (name.product_key(), product.product_key()) else { return Known::No };
        if name.part != product.part || !alias::same(&wanted, &key) {
            return Known::No;
        }
        let Some(version) = product.full_version() else { return Known::No };
        if !self.covers_version(&name, Scheme::of(&key), &version) {
            return Known::No;
        }
        let edition = |wanted: &Value, own: &Value| match (wanted.text(), own.text()) {
            (Some(wanted), Some(own)) if wanted != own => Known::No,
            (Some(_), None) => Known::Open,
            _ => Known::Yes,
        };
        let pairs = [(&name.sw_edition, &product.sw_edition), (&name.target_sw, &product.target_sw)];
        pairs.into_iter().map(|(wanted, own)| edition(wanted, own)).min().unwrap_or(Known::Yes)
    }

    fn covers_version(&self, name: &Cpe, scheme: Scheme, version: &str) -> bool {
        match &name.version {
            Value::NotApplicable => return false,
            Value::Pattern(_) => return name.version.covers(version),
            Value::Text(exact) if scheme == Scheme::Exchange => {
                return exchange_builds(exact, &name.update).iter().any(|build| is_build(version, build));
            }
            Value::Text(exact) => {
                let whole = name.full_version().unwrap_or_else(|| exact.clone());
                let exactly = |bound: &str| scheme.compare(version, bound) == Some(Ordering::Equal);
                return exactly(&whole);
            }
            Value::Any => {}
        }
        let holds = |bound: &Option<String>, wanted: fn(Ordering) -> bool| {
            bound.as_ref().is_none_or(|bound| scheme.compare(version, bound).is_some_and(wanted))
        };
        holds(&self.from, Ordering::is_ge)
            && holds(&self.after, Ordering::is_gt)
            && holds(&self.to, Ordering::is_le)
            && holds(&self.before, Ordering::is_lt)
    }

    /// The range as people write it: `from 2.4.0, before 2.4.50`.
    pub fn range(&self) -> String {
        let bounds = [("from", &self.from), ("after", &self.after), ("up to", &self.to), ("before", &self.before)];
        let said: Vec<String> =
            bounds.iter().filter_map(|(word, bound)| bound.as_ref().map(|bound| format!("{word} {bound}"))).collect();
        if !said.is_empty() {
            return said.join(", ");
        }
        let version = Cpe::parse(&self.name).and_then(|name| name.full_version());
        version.map_or_else(|| "every version".to_owned(), |version| format!("version {version}"))
    }
}

fn system_of(name: &Cpe) -> Option<System> {
    if name.part != Part::OperatingSystem {
        return None;
    }
    let product = name.product.text()?;
    if name.vendor.text()? == "microsoft" && product.starts_with("windows") {
        return Some(System::Windows);
    }
    matches!(product, "linux_kernel" | "debian_linux" | "ubuntu_linux" | "enterprise_linux").then_some(System::Unix)
}

/// Cumulative updates of Exchange and the first three parts of their builds.
const EXCHANGE: &[(&str, &str, &str)] = &[
    ("2013", "cumulative_update_23", "15.0.1497"),
    ("2016", "cumulative_update_18", "15.1.2106"),
    ("2016", "cumulative_update_19", "15.1.2176"),
    ("2016", "cumulative_update_20", "15.1.2242"),
    ("2016", "cumulative_update_21", "15.1.2308"),
    ("2016", "cumulative_update_22", "15.1.2375"),
    ("2016", "cumulative_update_23", "15.1.2507"),
    ("2019", "cumulative_update_7", "15.2.721"),
    ("2019", "cumulative_update_8", "15.2.792"),
    ("2019", "cumulative_update_9", "15.2.858"),
    ("2019", "cumulative_update_10", "15.2.922"),
    ("2019", "cumulative_update_11", "15.2.986"),
    ("2019", "cumulative_update_12", "15.2.1118"),
    ("2019", "cumulative_update_13", "15.2.1258"),
    ("2019", "cumulative_update_14", "15.2.1544"),
    ("2019", "cumulative_update_15", "15.2.1748"),
];

fn exchange_builds(year: &str, update: &Value) -> Vec<&'static str> {
    let rows = EXCHANGE.iter().filter(|(known, name, _)| *known == year && update.text() == Some(name));
    rows.map(|(_, _, build)| *build).collect()
}

/// True for the build itself and its security updates.
fn is_build(version: &str, build: &str) -> bool {
    version.strip_prefix(build).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

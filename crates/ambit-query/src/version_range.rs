//! Versions of a product as a search names them: `openssh<9.8`, `HTTP Server>=2.4.0<2.4.50`, and without a name `<9.8`.
//! Which of two versions is older is not said here: products order theirs in many ways.

use std::cmp::Ordering;

/// How a version is compared with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    Below,
    AtMost,
    Above,
    AtLeast,
    Equal,
}

/// Signs as they are written; of two with the same beginning the longer first.
const SIGNS: [(&str, Sign); 5] =
    [("<=", Sign::AtMost), (">=", Sign::AtLeast), ("<", Sign::Below), (">", Sign::Above), ("=", Sign::Equal)];

impl Sign {
    /// Returns the sign as it is written.
    pub fn text(self) -> &'static str {
        SIGNS.iter().find(|(_, sign)| *sign == self).map_or("", |(text, _)| text)
    }

    /// Returns whether a version that compares so with the bound fulfils it.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Below => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Above => order.is_gt(),
            Self::AtLeast => order.is_ge(),
            Self::Equal => order.is_eq(),
        }
    }
}

/// A text that occurs in the name of a product, and what its version must fulfil.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionRange {
    /// Empty: every product.
    pub name: String,
    /// One at least; all must hold.
    pub bounds: Vec<(Sign, String)>,
}

impl VersionRange {
    /// Reads a name with bounds behind it; `None` for a text that has no bound, or something else than a version in
    /// one: it is a name as it stands.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, mut rest) = text.split_at(text.find(['<', '>', '='])?);
        let mut bounds = Vec::new();
        while !rest.is_empty() {
            let (written, sign) = SIGNS.iter().find(|(written, _)| rest.starts_with(written))?;
            rest = &rest[written.len()..];
            let end = rest.find(['<', '>', '=']).unwrap_or(rest.len());
            let version = rest[..end].trim();
            rest = &rest[end..];
            let is_version = version.trim_start_matches(['v', 'V']).starts_with(|c: char| c.is_ascii_digit())
                && version.chars().all(|c| c.is_ascii_alphanumeric() || "._-+~:()".contains(c));
            if !is_version {
                return None;
            }
            bounds.push((*sign, version.to_owned()));
        }
        Some(Self { name: name.trim().to_owned(), bounds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_bounds_is_read_and_anything_else_is_a_name() {
        for (text, expected) in [
            ("openssh<9.8", Some("openssh | <9.8")),
            ("HTTP Server >= 2.4.0 <2.4.50", Some("HTTP Server | >=2.4.0 <2.4.50")),
            ("<9.8p1", Some(" | <9.8p1")),
            ("openssl=1.0.1f", Some("openssl | =1.0.1f")),
            ("ios<=15.2(4)M3", Some("ios | <=15.2(4)M3")),
            ("jquery", None),
            ("a<b", None),
            ("a<", None),
            ("a<1.0 beta", None),
            ("a=>1", None),
        ] {
            let shown = VersionRange::parse(text).map(|range| {
                let bounds: Vec<String> =
                    range.bounds.iter().map(|(sign, version)| format!("{}{version}", sign.text())).collect();
                format!("{} | {}", range.name, bounds.join(" "))
            });
            assert_eq!(shown.as_deref(), expected, "{text}");
        }
    }
}

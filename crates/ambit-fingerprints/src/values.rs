//! Products from the values that a rule gives by name, as recog names them: `service.product`, `os.version`.

use crate::product::{Product, Shown, clean_version};
use ambit_model::technology::Part;
use std::collections::BTreeMap;

/// Names under which a rule says a product, with the part that CPE has for it.
const SPOKEN_OF: &[(&str, Part)] = &[
    ("service", Part::Application),
    ("service.component", Part::Application),
    ("os", Part::OperatingSystem),
    ("hw", Part::Hardware),
];

/// The products that values name: what serves, the system below and the device.
pub(crate) fn products(values: &BTreeMap<String, String>, shown: &Shown) -> Vec<Product> {
    let mut products = Vec::new();
    for (subject, part) in SPOKEN_OF {
        let value = |name: &str| values.get(&format!("{subject}.{name}")).map(String::as_str);
        let Some(product) = value("product").filter(|product| !product.trim().is_empty()) else { continue };
        let tag = match part {
            Part::Application => "Service",
            Part::OperatingSystem => "Operating System",
            Part::Hardware => value("device").unwrap_or("Device"),
        };
        products.push(Product {
            vendor: value("vendor").unwrap_or(product).to_owned(),
            product: product.to_owned(),
            version: value("version").map(clean_version).filter(|version| !version.is_empty()),
            cpe: value("cpe23").and_then(cpe_names),
            tag: tag.to_owned(),
            shown: vec![shown.clone()],
            part: *part,
            by_any: false,
        });
    }
    products
}

/// Vendor and product of a name as CPE 2.2 writes it: `cpe:/a:vendor:product:version`.
fn cpe_names(uri: &str) -> Option<String> {
    let mut fields = uri.strip_prefix("cpe:/")?.split(':').skip(1);
    let (vendor, product) = (fields.next()?, fields.next()?);
    let plain = |field: &str| {
        let mut escaped = String::new();
        for c in decoded(field).chars() {
            if !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')) {
                escaped.push('\\');
            }
            escaped.push(c);
        }
        escaped
    };
    (!vendor.is_empty() && !product.is_empty()).then(|| format!("{}:{}", plain(vendor), plain(product)))
}

/// A field of CPE 2.2, whose special characters are written `%21`.
fn decoded(field: &str) -> String {
    let (mut out, mut rest) = (String::new(), field);
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii_graphic);
        match byte {
            Some(byte) => {
                out.push(byte.into());
                rest = &after[2..];
            }
            None => {
                out.push('%');
                rest = after;
            }
        }
    }
    out + rest
}

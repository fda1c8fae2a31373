//! Names of libraries in registries and in the list of retire.js, and which product of CPE each is. Only libraries that
//! a page or a server shows from outside stand here.

/// Names in lower case, and `vendor:product` of CPE.
const PACKAGES: &[(&str, &str)] = &[
    ("@angular/core", "angular:angular"),
    ("alpinejs", "alpinejs:alpine"),
    ("angular", "angularjs:angularjs"),
    ("angularjs", "angularjs:angularjs"),
    ("axios", "axios:axios"),
    ("backbone", "backbonejs:backbone"),
    ("backbone.js", "backbonejs:backbone"),
    ("bootstrap", "getbootstrap:bootstrap"),
    ("chart.js", "chartjs:chart.js"),
    ("ckeditor", "ckeditor:ckeditor"),
    ("ckeditor4", "ckeditor:ckeditor"),
    ("datatables.net", "datatables:datatables"),
    ("django", "djangoproject:django"),
    ("dojo", "openjsf:dojo"),
    ("dompurify", "cure53:dompurify"),
    ("drupal/core", "drupal:drupal"),
    ("echarts", "apache:echarts"),
    ("ember", "emberjs:ember.js"),
    ("ember-source", "emberjs:ember.js"),
    ("express", "openjsf:express"),
    ("froala", "froala:froala_editor"),
    ("froala-editor", "froala:froala_editor"),
    ("handlebars", "handlebarsjs:handlebars"),
    ("handlebars.js", "handlebarsjs:handlebars"),
    ("highcharts", "highcharts:highcharts"),
    ("jquery", "jquery:jquery"),
    ("jquery-mobile", "jquerymobile:jquery_mobile"),
    ("jquery-ui", "jqueryui:jquery_ui"),
    ("jquery-ui-dialog", "jqueryui:jquery_ui"),
    ("knockout", "knockoutjs:knockout"),
    ("laravel/framework", "laravel:laravel"),
    ("lodash", "lodash:lodash"),
    ("materialize-css", "materializecss:materialize"),
    ("moment", "momentjs:moment"),
    ("moment.js", "momentjs:moment"),
    ("mustache", "mustache.js_project:mustache.js"),
    ("mustache.js", "mustache.js_project:mustache.js"),
    ("openlayers", "openlayers:openlayers"),
    ("pdf.js", "mozilla:pdf.js"),
    ("pdfjs-dist", "mozilla:pdf.js"),
    ("plotly.js", "plotly:plotly.js"),
    ("preact", "preactjs:preact"),
    ("prototypejs", "prototypejs:prototype"),
    ("quill", "slab:quill"),
    ("react", "facebook:react"),
    ("react-dom", "facebook:react"),
    ("requirejs", "requirejs:requirejs"),
    ("select2", "select2:select2"),
    ("socket.io", "socket:socket.io"),
    ("svelte", "svelte:svelte"),
    ("swiper", "swiperjs:swiper"),
    ("three", "three.js_project:three.js"),
    ("tinymce", "tiny:tinymce"),
    ("underscore", "underscorejs:underscore"),
    ("underscore.js", "underscorejs:underscore"),
    ("video.js", "videojs:video.js"),
    ("vue", "vuejs:vue.js"),
    ("werkzeug", "palletsprojects:werkzeug"),
];

/// The registries whose lock files are read, as OSV calls them.
const REGISTRIES: &[&str] = &["Go", "Maven", "NuGet", "Packagist", "PyPI", "RubyGems", "crates.io", "npm"];

/// Returns what stands for a registry in the place of a vendor: `osv_npm`; `None` for one whose lock files nobody
/// reads.
pub(super) fn vendor(ecosystem: &str) -> Option<String> {
    let registry = REGISTRIES.iter().find(|known| **known == ecosystem)?.to_ascii_lowercase();
    Some(format!("osv_{}", registry.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")))
}

/// Returns a package of a registry in a version as fingerprints name products.
pub fn package(ecosystem: &str, name: &str, version: &str) -> serde_json::Value {
    let vendor = vendor(ecosystem).unwrap_or_default();
    let cpe = crate::cpe::Cpe::application(&vendor, name, version).to_string();
    serde_json::json!({"vendor": ecosystem, "product": name, "version": version, "cpe": cpe})
}

/// Returns vendor and product of a package, whatever registry it is in.
pub(super) fn product(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.to_ascii_lowercase();
    let at = PACKAGES.binary_search_by(|(known, _)| (*known).cmp(&name)).ok()?;
    PACKAGES[at].1.split_once(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_sorted_and_each_is_found() {
        for (name, key) in PACKAGES {
            let found = product(&name.to_uppercase()).map(|(vendor, product)| format!("{vendor}:{product}"));
            assert_eq!(found.as_deref(), Some(*key), "{name}");
        }
        assert_eq!(product("nothing"), None);
    }
}

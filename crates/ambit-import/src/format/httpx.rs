//! Output of httpx (`-json`): a site that answered a line.

use crate::error::Result;
use crate::gathered::Gathered;
use crate::json::{Object, each_object, moment, required, text};
use serde_json::Value;

const TOOL: &str = "httpx";

pub(crate) fn read(file: &str, gathered: &mut Gathered) -> Result<()> {
    each_object(file, TOOL, |object| {
        let url = required(object, "url", TOOL)?;
        let at = moment(object.get("timestamp"));
        if object.get("failed") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        let status = object.get("status_code").or_else(|| object.get("status-code")).map(Value::to_string);
        let products = products(object);
        let says = [
            ("status", status.as_deref().unwrap_or_default()),
            ("title", text(object, "title")),
            ("server", text(object, "webserver")),
            ("products", products.as_str()),
        ];
        gathered.site(url, at, &says);
        Ok(())
    })
}

fn products(object: &Object) -> String {
    let products = object.get("tech").or_else(|| object.get("technologies")).and_then(Value::as_array);
    let products: Vec<&str> = products.into_iter().flatten().filter_map(Value::as_str).collect();
    products.join(", ")
}

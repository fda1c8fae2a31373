//! Object storage under the providers' own names: buckets that list themselves, that only give what is known, that
//! refuse, and none; and what projects of Firebase keep, by rules that let anyone read or nobody.

use crate::draft::{Access, Bucket, Storage};
use crate::serve::connection::Connection;
use crate::serve::page::escape;
use crate::serve::request::{Request, Response};
use serde_json::{Map, Value, json};

const XML: &str = "application/xml";

/// The bucket that a request is about, and the key in it.
struct Wanted {
    storage: Storage,
    name: String,
    key: String,
    /// The region of S3 whose host is asked; `None` where that is in none.
    region: Option<String>,
}

pub(super) fn respond(connection: &Connection, request: &Request) -> Response {
    let wanted = wanted(connection, request);
    let draft = &connection.internet.draft;
    let bucket = draft.buckets.values().find(|bucket| bucket.storage == wanted.storage && bucket.name == wanted.name);
    let response = match wanted.storage {
        Storage::S3 => elsewhere(bucket, &wanted).unwrap_or_else(|| xml_bucket(bucket, &wanted)),
        Storage::Gcs => xml_bucket(bucket, &wanted),
        Storage::Azure => azure(bucket, &wanted, request),
        Storage::Database | Storage::Firestore | Storage::FirebaseFiles => firebase(bucket, &wanted, request),
    };
    let server = match wanted.storage {
        Storage::S3 => "AmazonS3",
        Storage::Gcs => "UploadServer",
        Storage::Azure => "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0",
        Storage::Database => "nginx",
        Storage::Firestore | Storage::FirebaseFiles => "ESF",
    };
    response.header("Server", server)
}

/// By host (`NAME.s3.amazonaws.com`), by path (`s3.amazonaws.com/NAME`), or by a name that is an alias of one of them.
fn wanted(connection: &Connection, request: &Request) -> Wanted {
    let host = request.host.clone().unwrap_or_default();
    let path = request.path().trim_start_matches('/').to_owned();
    let by_path = |storage| {
        let (name, key) = path.split_once('/').unwrap_or((&path, ""));
        Wanted { storage, name: name.to_owned(), key: key.to_owned(), region: None }
    };
    let by_host = |storage, name: &str| Wanted { storage, name: name.to_owned(), key: path.clone(), region: None };
    if let Some((front, region)) = s3_host(&host) {
        let wanted = if front.is_empty() { by_path(Storage::S3) } else { by_host(Storage::S3, front) };
        return Wanted { region: region.map(str::to_owned), ..wanted };
    }
    if host == "storage.googleapis.com" {
        return by_path(Storage::Gcs);
    }
    if let Some(name) = host.strip_suffix(".storage.googleapis.com") {
        return by_host(Storage::Gcs, name);
    }
    if let Some(account) = host.strip_suffix(".blob.core.windows.net") {
        let (container, key) = path.split_once('/').unwrap_or((&path, ""));
        let name = format!("{account}/{container}");
        return Wanted { storage: Storage::Azure, name, key: key.to_owned(), region: None };
    }
    if let Some(name) = host.strip_suffix(".firebaseio.com").or_else(|| host.strip_suffix(".firebasedatabase.app")) {
        return by_host(Storage::Database, name);
    }
    let below = |above: &str, storage| {
        let (name, key) = path.strip_prefix(above).unwrap_or_default().split_once('/').unwrap_or_default();
        Wanted { storage, name: name.to_owned(), key: key.to_owned(), region: None }
    };
    match host.as_str() {
        "firestore.googleapis.com" => return below("v1/projects/", Storage::Firestore),
        "firebasestorage.googleapis.com" => return below("v0/b/", Storage::FirebaseFiles),
        _ => {}
    }
    // A foreign name that leads here asks for the bucket of that name.
    let storage = match connection.to.ip() {
        std::net::IpAddr::V4(address) if address.octets()[3] == 21 => Storage::Gcs,
        std::net::IpAddr::V4(address) if address.octets()[3] == 22 => Storage::Azure,
        _ => Storage::S3,
    };
    by_host(storage, &host)
}

/// The bucket and the region of a host of S3: `NAME.s3.amazonaws.com`, `NAME.s3.REGION.amazonaws.com`, and both without
/// a bucket.
fn s3_host(host: &str) -> Option<(&str, Option<&str>)> {
    let front = host.strip_suffix(".amazonaws.com")?;
    let is_s3 = |front: &str| front == "s3" || front.ends_with(".s3");
    let (front, region) = match front.rsplit_once('.') {
        Some((front, region)) if !is_s3(&format!("{front}.{region}")) => (front, Some(region)),
        _ => (front, None),
    };
    is_s3(front).then(|| (front.strip_suffix("s3").unwrap_or_default().trim_end_matches('.'), region))
}

/// What another region than that of a bucket says: where it lies.
fn elsewhere(bucket: Option<&Bucket>, wanted: &Wanted) -> Option<Response> {
    let bucket = bucket?;
    let region = bucket.region.as_deref().filter(|region| Some(*region) != wanted.region.as_deref())?;
    let endpoint = bucket.s3_host(Some(region));
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>PermanentRedirect</Code><Message>The bucket you are \
         attempting to access must be addressed using the specified endpoint. Please send all future requests to this \
         endpoint.</Message><Endpoint>{endpoint}</Endpoint><Bucket>{}</Bucket></Error>",
        bucket.name
    );
    Some(Response::new(301, XML, body).header("x-amz-bucket-region", region))
}

fn error(status: u16, code: &str, message: &str) -> Response {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    );
    Response::new(status, XML, body)
}

fn xml_bucket(bucket: Option<&Bucket>, wanted: &Wanted) -> Response {
    let Some(bucket) = bucket else {
        let name = escape(&wanted.name);
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchBucket</Code><Message>The specified bucket \
             does not exist</Message><BucketName>{name}</BucketName></Error>"
        );
        return Response::new(404, XML, body);
    };
    match (bucket.access, wanted.key.as_str()) {
        (Access::Listed, "") => {
            let item = |key: &String| {
                format!(
                    "<Contents><Key>{}</Key><LastModified>2025-01-10T08:00:00.000Z</LastModified><Size>5120</Size></Contents>",
                    escape(key)
                )
            };
            let items: String = bucket.keys.iter().map(item).collect();
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult \
                 xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>{}</Name><Prefix></Prefix><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>{items}</ListBucketResult>",
                bucket.name
            );
            Response::new(200, XML, body)
        }
        (Access::Listed | Access::Open, key) if bucket.keys.iter().any(|known| known == key) => {
            Response::new(200, "application/octet-stream", format!("planted file {key}\n"))
        }
        (Access::Listed, _) => error(404, "NoSuchKey", "The specified key does not exist."),
        (Access::Open | Access::Closed, _) => error(403, "AccessDenied", "Access Denied"),
    }
}

fn azure(bucket: Option<&Bucket>, wanted: &Wanted, request: &Request) -> Response {
    let lists = request.parameter("comp").as_deref() == Some("list");
    match bucket {
        Some(bucket) if bucket.access == Access::Listed && lists => {
            let item = |key: &String| format!("<Blob><Name>{}</Name></Blob>", escape(key));
            let items: String = bucket.keys.iter().map(item).collect();
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults \
                 ContainerName=\"{}\"><Blobs>{items}</Blobs></EnumerationResults>",
                bucket.name
            );
            Response::new(200, XML, body)
        }
        Some(bucket) if bucket.access != Access::Closed && bucket.keys.contains(&wanted.key) => {
            Response::new(200, "application/octet-stream", format!("planted file {}\n", wanted.key))
        }
        Some(_) => error(404, "ResourceNotFound", "The specified resource does not exist."),
        None => error(404, "ContainerNotFound", "The specified container does not exist."),
    }
}

/// A store of Firebase, which answers questions for its list only.
fn firebase(bucket: Option<&Bucket>, wanted: &Wanted, request: &Request) -> Response {
    let json = |status: u16, body: Value| Response::new(status, "application/json", body.to_string());
    let error = |code: u16, message: &str, status: &str| {
        json(code, json!({"error": {"code": code, "message": message, "status": status}}))
    };
    let Some(bucket) = bucket else {
        return match wanted.storage {
            Storage::Database => json(404, json!({"error": "404 Not Found"})),
            _ => error(404, "Not Found.", "NOT_FOUND"),
        };
    };
    let is_open = bucket.access == Access::Listed;
    match wanted.storage {
        Storage::Database if wanted.key != ".json" || request.parameter("shallow").as_deref() != Some("true") => {
            json(400, json!({"error": "only names are asked for"}))
        }
        Storage::Database if is_open => {
            let names: Map<String, Value> = bucket.keys.iter().map(|key| (key.clone(), json!(true))).collect();
            json(200, if names.is_empty() { Value::Null } else { Value::Object(names) })
        }
        Storage::Database => json(401, json!({"error": "Permission denied"})),
        Storage::Firestore if !wanted.key.starts_with("databases/(default)/documents/") => {
            error(400, "Invalid resource.", "INVALID_ARGUMENT")
        }
        Storage::FirebaseFiles if is_open && wanted.key == "o" => {
            let most = request.parameter("maxResults").and_then(|most| most.parse().ok()).unwrap_or(1_000);
            let items = bucket.keys.iter().take(most).map(|key| json!({"name": key, "bucket": bucket.name}));
            json(200, json!({"prefixes": [], "items": items.collect::<Vec<_>>()}))
        }
        Storage::Firestore if is_open => json(200, json!({})),
        _ => error(403, "Missing or insufficient permissions.", "PERMISSION_DENIED"),
    }
}

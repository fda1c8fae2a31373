//! Receivers of notifications and their deliveries (docs/notifications.md). Secrets come in here, or are made here, and
//! are answered once at most.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::path::ReceiverUuid;
use crate::query::Limit;
use ambit_api::receivers::{self as wire, Asked, MadeReceiver, Receiver, Replayed};
use ambit_api::words::Word;
use ambit_api::{ApiError, Envelope, ErrorCode, Maybe, Result, copied, success};
use ambit_model::notification::hours::{Hours, Quiet};
use ambit_model::notification::{Channel, Digest, EventKind, Rule, target};
use ambit_query::{Noun, parse_search};
use ambit_store::{Delivery, NewReceiver, ReceiverView};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::json;

const NOUN: &str = "Receiver";
/// Bytes of a shared secret, and of the seed of a private key.
const KEY_BYTES: usize = 32;
/// Titles that a row of the log shows.
const TITLES_MAX: usize = 5;

/// List the receivers of notifications of a project. Of their addresses only the part that is no secret is shown.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Receiver>>> {
    let project = call.project_or_404()?;
    let views = call.store().list_receivers(call.caller(), project).await.about("Project")?;
    Ok(success("Receivers", views.into_iter().map(shown).collect()))
}

/// Create a receiver of notifications. The key that verifies its signatures is in this answer alone.
pub(crate) async fn create(call: CallWith<wire::NewReceiver>) -> Result<Envelope<MadeReceiver>> {
    let project = call.project_or_404()?;
    let body = call.read()?;
    let channel = body.channel.0;
    let token = body.token.0.as_ref().map(|text| text.0.as_str());
    let format = body.format.0.as_ref().map(|text| text.0.as_str());
    let mut target = target::read(channel, &body.target.0, token, format).map_err(|why| invalid("target", &why))?;
    let asymmetric = body.asymmetric.0.unwrap_or(false);
    if asymmetric && channel != Channel::Webhook {
        return Err(ApiError::invalid("asymmetric is for webhooks"));
    }
    let keys = (channel == Channel::Webhook).then(|| Keys::make(asymmetric)).transpose()?;
    if let Some(keys) = &keys {
        target.secrets.insert("secrets".to_owned(), json!([keys.signs]));
    }
    let name = body.name.0.as_ref().map_or_else(|| channel.name().to_owned(), |name| name.0.clone());
    let new = NewReceiver { name, channel, shown: target.shown, secrets: target.secrets, rule: rule(body)? };
    let view = call.store().create_receiver(call.caller(), project, &new).await.about("Collection")?;
    let (signing_secret, public_key) = keys.map_or((None, None), |keys| (keys.shared, keys.public));
    Ok(success("Receiver created", MadeReceiver { receiver: shown(view), signing_secret, public_key }))
}

/// Read a receiver.
pub(crate) async fn find(call: Call) -> Result<Envelope<Receiver>> {
    Ok(success("Receiver", shown(of_path(&call).await?)))
}

/// Remove a receiver with its secrets, its waiting messages and its log.
pub(crate) async fn delete(call: Call) -> Result<Envelope<bool>> {
    let view = of_path(&call).await?;
    call.store().delete_receiver(call.caller(), view.uuid).await.about(NOUN)?;
    Ok(success("Receiver deleted", true))
}

/// Send a receiver a test message, which says that it is one.
pub(crate) async fn test(call: Call) -> Result<Envelope<Asked>> {
    let view = of_path(&call).await?;
    let delivery_uuid = call.store().test_receiver(call.caller(), view.uuid).await.about(NOUN)?;
    Ok(success("Test message asked for", Asked { delivery_uuid }))
}

/// Send failed deliveries again and try waiting ones at once, or send one delivery again, under their first ids. A
/// receiver that had been stopped is active again.
pub(crate) async fn replay(call: CallWith<Maybe<wire::Replay>>) -> Result<Envelope<Replayed>> {
    let view = of_path(&call).await?;
    let delivery = call.read_if_sent()?.and_then(|body| body.delivery_uuid.0).map(|uuid| uuid.0);
    let sent = call.store().replay_deliveries(call.caller(), view.uuid, delivery).await.about("Delivery")?;
    let deliveries = i64::try_from(sent).unwrap_or(i64::MAX);
    Ok(success("Deliveries are sent again", Replayed { deliveries }))
}

/// List the deliveries to a receiver, sent or waiting, newest first, with the last answer to each.
pub(crate) async fn deliveries(call: Asking<Limit>) -> Result<Envelope<Vec<wire::Delivery>>> {
    let view = of_path(&call).await?;
    let limit = Limit::rows(&call)?;
    let rows = call.store().list_deliveries(call.caller(), view.uuid, limit).await.about(NOUN)?;
    Ok(success("Deliveries", rows.into_iter().map(shown_delivery).collect()))
}

async fn of_path(call: &Call) -> Result<ReceiverView> {
    let uuid = ReceiverUuid::of(call)?;
    call.store().find_receiver(call.caller(), uuid).await.about(NOUN)
}

fn invalid(member: &str, why: &str) -> ApiError {
    ApiError::invalid(format!("{member}: {why}"))
}

fn rule(body: wire::NewReceiver) -> Result<Rule> {
    let zone = body.time_zone.0.map(|text| Hours::parse(&text.0)).transpose();
    let quiet = body.quiet_hours.0.map(|text| Quiet::parse(&text.0)).transpose();
    let events: Vec<EventKind> = body.events.0.unwrap_or_default().into_iter().map(|word| word.0).collect();
    let query = body.query.0.map(|text| text.0);
    if let Some(query) = &query {
        checked(query).map_err(|why| invalid("query", &why))?;
    }
    Ok(Rule {
        events,
        query,
        collection: body.collection_uuid.0.map(|uuid| uuid.0),
        digest: body.digest.0.map_or(Digest::AtOnce, |word| word.0),
        quiet: quiet.map_err(|why| invalid("quiet_hours", &why))?,
        zone: zone.map_err(|why| invalid("time_zone", &why))?.unwrap_or_else(Hours::utc),
        heartbeat: body.heartbeat.0.unwrap_or(false),
    })
}

/// Fails where neither a search of entities nor one of issues has all the keywords: such a rule would tell nobody of
/// anything.
fn checked(query: &str) -> Result<(), String> {
    let mut unknown = None;
    for noun in [Noun::Issues, Noun::Entities] {
        let search = parse_search(query, noun).map_err(|error| error.to_string())?;
        match search.unknown.first() {
            None => return Ok(()),
            Some(keyword) => unknown = Some(keyword.to_string()),
        }
    }
    unknown.map_or(Ok(()), Err)
}

/// What signs the messages of a webhook, and what its owner verifies them with, as Standard Webhooks spells both.
struct Keys {
    signs: String,
    shared: Option<String>,
    public: Option<String>,
}

impl Keys {
    fn make(asymmetric: bool) -> Result<Self> {
        let mut bytes = [0; KEY_BYTES];
        let unavailable = || ApiError::new(ErrorCode::Transient);
        SystemRandom::new().fill(&mut bytes).map_err(|_| unavailable())?;
        let text = STANDARD.encode(bytes);
        if !asymmetric {
            let secret = format!("whsec_{text}");
            return Ok(Self { signs: secret.clone(), shared: Some(secret), public: None });
        }
        let pair = Ed25519KeyPair::from_seed_unchecked(&bytes).map_err(|_| unavailable())?;
        let public = format!("whpk_{}", STANDARD.encode(pair.public_key().as_ref()));
        Ok(Self { signs: format!("whsk_{text}"), shared: None, public: Some(public) })
    }
}

fn shown(view: ReceiverView) -> Receiver {
    let Rule { events, query, collection, digest, quiet, zone, heartbeat } = view.rule;
    copied! {
        Receiver from view { id, uuid, name, ended, failing_since, project_uuid, created_at }
        channel: Word(view.channel),
        target: view.shown,
        events: events.into_iter().map(Word).collect(),
        query,
        collection_uuid: collection,
        digest: Word(digest),
        quiet_hours: quiet.map(|quiet| quiet.to_string()),
        time_zone: zone.to_string(),
        heartbeat,
        project_id: view.project,
        created_by_email: view.created_by,
    }
}

fn shown_delivery(row: Delivery) -> wire::Delivery {
    let counts = row
        .message
        .counts
        .iter()
        .map(|(kind, count)| (kind.name().to_owned(), i64::try_from(*count).unwrap_or(i64::MAX)));
    use wire::Delivery as Shown;
    copied! {
        Shown from row { uuid, attempts, due_at, answer, created_at, ended_at }
        kind: row.message.kind(),
        state: Word(row.state),
        counts: counts.collect(),
        titles: row.message.events.into_iter().take(TITLES_MAX).map(|event| event.title).collect(),
    }
}

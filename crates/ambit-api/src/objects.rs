//! The envelope of the wider API (docs/contract/wider.md §1.3 and §1.5): objects, descriptors, collections with
//! cursors, and the failure that is only an error object. The attributes of each sort of object are in the file of its
//! noun.

use crate::contract::{Contract, Maybe, contract, shape_of};
use crate::error::{ErrorCode, ErrorObject};
use crate::shape::Shape;
use ambit_model::Timestamp;
use ambit_model::moment::SECOND_MS;
use ambit_model::percent::escaped_but;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A moment as dates are in this API: whole seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Seconds(pub i64);

impl From<Timestamp> for Seconds {
    fn from(at: Timestamp) -> Self {
        Self(at.0.div_euclid(SECOND_MS))
    }
}

impl Contract for Seconds {
    const SHAPE: &'static Shape = &Shape::Integer;
}

/// Members of one type by their names, in the order in which they came.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> Named<T> {
    /// Returns the member of this name, which is added with its default if it is not there.
    pub fn entry(&mut self, name: &str) -> &mut T {
        let at = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_owned(), T::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

impl<T> FromIterator<(String, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, member)| (name, member)))
    }
}

impl<T: Contract> Contract for Named<T> {
    const SHAPE: &'static Shape = &Shape::Map(T::SHAPE);
}

/// Addresses of an object or a page, by what they lead to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Links {
    #[serde(rename = "self")]
    pub own: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// An object; alone with its type and id it is a descriptor, and with an error something that is not there.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Object {
    #[serde(rename = "type")]
    pub kind: String,
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationships: Option<Map<String, Value>>,
    /// Attributes that belong to the object's place in this list or relationship.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_attributes: Option<Value>,
}

/// The answer that may be null or a list.
#[derive(Debug, Serialize)]
pub struct RelatedObjects {
    pub data: Related,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The answer that is a page of objects.
#[derive(Debug, Serialize)]
pub struct ObjectCollection {
    pub data: Vec<Object>,
    pub links: Links,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// Figures of a whole collection, and where its next page begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_hits: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_back: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Documents what there is in every case, and that there may be more.
macro_rules! documented {
    ($($name:ident { $($member:literal: $type:ty,)* $(..$open:ident)? })*) => {
        $(impl Contract for $name {
            const SHAPE: &'static Shape = shape_of! { (stringify!($name),) $(($member,) $type;)* $(open $open)? };
        })*
    };
}

documented! {
    Object {
        "type": String,
        "id": String,
        "links": Maybe<BTreeMap<String, String>>,
        "attributes": Maybe<Map<String, Value>>,
        ..others
    }
    RelatedObjects { "data": Value, ..others }
    ObjectCollection {
        "data": Vec<Object>,
        "links": BTreeMap<String, String>,
        "meta": Maybe<Map<String, Value>>,
    }
    OneObject { "data": Object, ..others }
    Whether { "data": bool, }
    Figures { "data": Map<String, Value>, }
    Said { "data": String, }
    Snippets { "data": Vec<String>, }
}

contract! {
    /// A body with `data`: an object, or a list of them.
    #[derive(Debug, Deserialize)]
    pub struct NewObject {
        pub data: Value,
    }

    /// A body that is a form.
    #[derive(Debug, Deserialize)]
    pub struct Form {
        pub file: Maybe<String>,
        pub url: Maybe<String>,
        /// Who may see the file: `installation`, or `project`: the people of the project that the header names, or of
        /// the caller's primary one.
        pub visibility: Maybe<String>,
    }
}

/// An answer that is one thing.
#[derive(Debug, Serialize)]
pub struct Data<T> {
    pub data: T,
}

/// Returns the answer that is one thing.
pub fn data<T: Serialize>(data: T) -> Data<T> {
    Data { data }
}

/// The answer that is one object.
pub type OneObject = Data<Object>;
/// The answer that is a boolean.
pub type Whether = Data<bool>;
/// The answer that is an object with members of its own.
pub type Figures = Data<Value>;
/// The answer that is a text.
pub type Said = Data<String>;
/// The answer that is a list of texts.
pub type Snippets = Data<Vec<String>>;

impl From<OneObject> for RelatedObjects {
    fn from(one: OneObject) -> Self {
        Self { data: one.data.into(), links: None, meta: None }
    }
}

impl From<ObjectCollection> for RelatedObjects {
    fn from(page: ObjectCollection) -> Self {
        Self { data: Related::Many(page.data), links: Some(page.links), meta: page.meta }
    }
}

/// What something is related to.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Related {
    Nothing,
    One(Box<Object>),
    Many(Vec<Object>),
}

impl From<Object> for Related {
    fn from(object: Object) -> Self {
        Self::One(Box::new(object))
    }
}

impl Related {
    /// Returns the descriptors of its objects.
    pub fn described(&self) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::One(one) => one.described().into(),
            Self::Many(all) => Self::Many(all.iter().map(Object::described).collect()),
        }
    }
}

/// A relationship within an object: descriptors and where they are listed. Some objects say also how many there are.
#[derive(Serialize)]
#[serde(untagged)]
enum Relationship {
    Plain {
        data: Related,
        links: Links,
    },
    Counted {
        links: Links,
        #[serde(skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
        data: Related,
    },
}

impl Object {
    /// Returns an object with its attributes, which must be a struct. `base` is the root of the API as the client
    /// called it.
    pub fn new(base: &str, collection: &str, kind: &str, id: &str, attributes: &impl Serialize) -> Self {
        let own = format!("{base}/{collection}/{}", path_segment(id));
        let attributes = match value(attributes) {
            Value::Object(attributes) => attributes,
            _ => Map::new(),
        };
        Self {
            links: Some(Links { own, ..Links::default() }),
            attributes: Some(attributes),
            ..Self::descriptor(kind, id)
        }
    }

    /// Returns an object that is read only where it is related to another: it has no address of its own.
    pub fn unaddressed(kind: &str, id: &str, attributes: &impl Serialize) -> Self {
        Self { links: None, ..Self::new("", "", kind, id, attributes) }
    }

    /// Returns an object with its type and id alone.
    pub fn descriptor(kind: &str, id: &str) -> Self {
        Self { kind: kind.to_owned(), id: id.to_owned(), ..Self::default() }
    }

    /// Returns a related object that is not there, as full collections show it (docs/contract/wider.md §1.3).
    pub fn missing(kind: &str, id: &str) -> Self {
        Self::missing_with(kind, id, format!("{kind} with id \"{id}\" not found"))
    }

    /// Returns the same with a message of its own.
    pub fn missing_with(kind: &str, id: &str, message: String) -> Self {
        let error = Some(ErrorObject { code: ErrorCode::NotFound.name(), message });
        Self { error, ..Self::descriptor(kind, id) }
    }

    /// Returns the descriptor of the object, with the attributes of its place in a list.
    pub fn described(&self) -> Self {
        Self { context_attributes: self.context_attributes.clone(), ..Self::descriptor(&self.kind, &self.id) }
    }

    /// Returns the address of the object; empty where it has none.
    pub fn address(&self) -> &str {
        self.links.as_ref().map_or("", |links| &links.own)
    }

    /// Returns an attribute by its name, if the object has it.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.as_ref()?.get(name)
    }

    /// Sets an attribute.
    pub fn set(&mut self, name: &str, attribute: &impl Serialize) {
        self.attributes.get_or_insert_default().insert(name.to_owned(), value(attribute));
    }

    /// Keeps only the named attributes; unknown names are ignored (docs/contract/wider.md §1.3).
    pub fn keep_attributes(&mut self, names: &[String]) {
        if let Some(attributes) = &mut self.attributes {
            attributes.retain(|name, _| names.contains(name));
        }
    }

    /// Leaves the named attributes out; unknown names are ignored (docs/contract/wider.md §1.3).
    pub fn drop_attributes(&mut self, names: &[String]) {
        if let Some(attributes) = &mut self.attributes {
            attributes.retain(|name, _| !names.contains(name));
        }
    }

    /// Returns the object with the attributes of its place in a list or relationship.
    pub fn in_context(self, context: &impl Serialize) -> Self {
        Self { context_attributes: Some(value(context)), ..self }
    }

    /// Adds a relationship by its name. `counts` adds how many there are, if they are many.
    pub fn relate(&mut self, name: &str, related: &Related, counts: bool) {
        let links = self.links_of(name);
        let data = related.described();
        let relationship = match &data {
            Related::Many(all) if counts => Relationship::Counted { links, meta: Meta::counting(all.len()), data },
            _ if counts => Relationship::Counted { links, meta: None, data },
            _ => Relationship::Plain { data, links },
        };
        self.set_relationship(name, &relationship);
    }

    /// Adds the first part of a relationship by its name: how many there are in all, and the cursor and the address of
    /// the next part where there is one.
    pub fn relate_part(&mut self, name: &str, part: &[Object], count: usize, next: Option<(String, String)>) {
        let (cursor, next) = next.unzip();
        let links = Links { next, ..self.links_of(name) };
        let meta = Some(Meta { count: Some(count), cursor, ..Meta::default() });
        let data = Related::Many(part.iter().map(Self::described).collect());
        self.set_relationship(name, &Relationship::Counted { links, meta, data });
    }

    /// Returns the address where the descriptors of a relationship are listed.
    pub fn address_of(&self, relationship: &str) -> String {
        format!("{}/relationships/{relationship}", self.address())
    }

    fn links_of(&self, relationship: &str) -> Links {
        let related = Some(format!("{}/{relationship}", self.address()));
        Links { own: self.address_of(relationship), related, ..Links::default() }
    }

    fn set_relationship(&mut self, name: &str, relationship: &Relationship) {
        self.relationships.get_or_insert_default().insert(name.to_owned(), value(relationship));
    }
}

impl Meta {
    /// Returns the figures of a collection of which only the number of objects is said.
    pub(crate) fn counting(count: usize) -> Option<Self> {
        Some(Self { count: Some(count), ..Self::default() })
    }
}

/// A body as a value: of all serializers of this crate none fails.
pub fn value(body: &impl Serialize) -> Value {
    serde_json::to_value(body).expect("bodies have only text keys")
}

/// A segment of a path, escaped.
pub(crate) fn path_segment(text: &str) -> String {
    escaped_but(text, b"@:+=")
}

/// A value in a query, escaped.
pub fn query_value(text: &str) -> String {
    escaped_but(text, b":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_page_has_no_cursor() {
        let page = |data, links, meta| value(&ObjectCollection { data, links, meta });
        let links = |own: &str, next: Option<&str>| Links {
            own: own.to_owned(),
            next: next.map(str::to_owned),
            ..Links::default()
        };
        let last = page(vec![Object::descriptor("user", "ann")], links("http://h/x", None), None);
        assert_eq!(last, json!({"data": [{"type": "user", "id": "ann"}], "links": {"self": "http://h/x"}}));
        let meta = Meta { count: Some(3), cursor: Some("c".to_owned()), ..Meta::default() };
        let more = page(vec![], links("s", Some("n")), Some(meta));
        assert_eq!(more, json!({"data": [], "links": {"self": "s", "next": "n"}, "meta": {"count": 3, "cursor": "c"}}));
        assert_eq!(ObjectCollection::SHAPE.differences(&last), Vec::<String>::new());
    }

    #[test]
    fn segments_of_a_path_are_escaped() {
        assert_eq!(path_segment("a/b c"), "a%2Fb%20c");
    }

    #[test]
    fn attributes_are_narrowed() {
        let mut object = Object::new("http://h/api/v3", "graphs", "graph", "g1", &json!({"a": 1, "b": 2}));
        object.keep_attributes(&["b".to_owned(), "unknown".to_owned()]);
        let shown = value(&object);
        assert_eq!(shown["attributes"], json!({"b": 2}));
        assert_eq!(shown["links"]["self"], "http://h/api/v3/graphs/g1");
        assert_eq!(Object::SHAPE.differences(&shown), Vec::<String>::new());
    }

    #[test]
    fn a_relationship_has_descriptors_and_says_how_many_where_that_is_wanted() {
        let mut graph = Object::new("", "graphs", "graph", "g1", &json!({}));
        let links = |name: &str| {
            let own = "/graphs/g1";
            json!({"self": format!("{own}/relationships/{name}"), "related": format!("{own}/{name}")})
        };
        let user = Object::new("", "users", "user", "ann", &json!({"reputation": 0}));
        graph.relate("owner", &user.clone().into(), true);
        graph.relate("editors", &Related::Many(vec![user.clone()]), true);
        graph.relate("viewers", &Related::Many(vec![user]), false);
        graph.relate("group", &Related::Nothing, false);
        let ann = json!({"type": "user", "id": "ann"});
        assert_eq!(
            value(&graph)["relationships"],
            json!({
                "owner": {"links": links("owner"), "data": ann},
                "editors": {"links": links("editors"), "meta": {"count": 1}, "data": [ann]},
                "viewers": {"data": [ann], "links": links("viewers")},
                "group": {"data": null, "links": links("group")},
            })
        );
    }

    #[test]
    fn the_first_part_of_a_relationship_says_where_it_goes_on() {
        let mut domain = Object::new("", "domains", "domain", "a.test", &json!({}));
        let host = [Object::new("", "domains", "domain", "b.a.test", &json!({"reputation": 0}))];
        let next = ("c".to_owned(), "/domains/a.test/relationships/subdomains?cursor=c".to_owned());
        domain.relate_part("subdomains", &host, 2, Some(next.clone()));
        domain.relate_part("siblings", &[], 0, None);
        let own = "/domains/a.test";
        assert_eq!(
            value(&domain)["relationships"],
            json!({
                "subdomains": {
                    "links": {"self": format!("{own}/relationships/subdomains"), "related": format!("{own}/subdomains"),
                    "next": next.1},
                    "meta": {"count": 2, "cursor": "c"},
                    "data": [{"type": "domain", "id": "b.a.test"}],
                },
                "siblings": {
                    "links": {"self": format!("{own}/relationships/siblings"), "related": format!("{own}/siblings")},
                    "meta": {"count": 0},
                    "data": [],
                },
            })
        );
    }
}

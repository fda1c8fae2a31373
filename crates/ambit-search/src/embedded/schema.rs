//! The document's shape in Tantivy's terms, derived from `fields::MEMBERS`, and the writing of one document.

use super::tokenizers::{GRAMS, KIND, WHOLE, WORDS};
use crate::document::{IndexedRecord, value_at};
use crate::fields::{MEMBERS, Member, Shape, VALUE_CHARS_MAX};
use ambit_query::Noun;
use serde_json::Value;
use tantivy::schema::{BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;
use tantivy::{TantivyDocument, Term};

/// The columns of a uid's first 16 bytes: hits of equal sort value are ordered by them, and 128 bits of a SHA-256
/// do not collide.
pub(crate) const UID_HIGH: &str = "uid_high";
pub(crate) const UID_LOW: &str = "uid_low";

/// The fields of one member. A text has more than one: each way to search it is a field of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemberFields {
    pub(crate) member: &'static Member,
    /// Whole values; of a text only a column.
    pub(crate) main: Field,
    pub(crate) words: Option<Field>,
    pub(crate) grams: Option<Field>,
}

#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) schema: Schema,
    members: Vec<MemberFields>,
    /// Noun and project in one term: the documents that one search is about are one list.
    space: Field,
    /// What identifies a document; see `IndexedRecord::key`.
    key: Field,
    uid_high: Field,
    uid_low: Field,
    record: Field,
}

impl Fields {
    pub(crate) fn new() -> Self {
        let mut builder = Schema::builder();
        let mut members = Vec::with_capacity(MEMBERS.len());
        for member in MEMBERS {
            let name = column_name(member.path);
            let number = || {
                let options = NumericOptions::default().set_indexed();
                if member.column { options.set_fast() } else { options }
            };
            let text =
                |options: TextOptions| if member.column { options.set_fast(RAW_TOKENIZER_NAME) } else { options };
            let whole = |tokenizer| {
                text(TextOptions::default().set_indexing_options(terms(tokenizer, IndexRecordOption::Basic)))
            };
            let (mut words, mut grams) = (None, None);
            let main = match member.shape {
                Shape::Uid => builder.add_bytes_field(&name, BytesOptions::default().set_indexed()),
                Shape::Word => builder.add_text_field(&name, whole(WHOLE)),
                Shape::Kind => builder.add_text_field(&name, whole(KIND)),
                Shape::Text => {
                    let positions = |tokenizer| {
                        TextOptions::default()
                            .set_indexing_options(terms(tokenizer, IndexRecordOption::WithFreqsAndPositions))
                    };
                    words = Some(builder.add_text_field(&format!("{name}_words"), positions(WORDS)));
                    grams = Some(builder.add_text_field(&format!("{name}_grams"), positions(GRAMS)));
                    builder.add_text_field(&name, text(TextOptions::default()))
                }
                // Ranges of moments are read from the column; a term for each millisecond would be a waste.
                Shape::Time => builder.add_i64_field(&name, NumericOptions::default().set_fast()),
                Shape::Integer => builder.add_i64_field(&name, number()),
                Shape::Bool => builder.add_bool_field(&name, number()),
            };
            members.push(MemberFields { member, main, words, grams });
        }
        let space = builder.add_text_field(
            "space",
            TextOptions::default().set_indexing_options(terms(RAW_TOKENIZER_NAME, IndexRecordOption::Basic)),
        );
        let key = builder.add_bytes_field("key", BytesOptions::default().set_indexed());
        let uid_high = builder.add_u64_field(UID_HIGH, NumericOptions::default().set_fast());
        let uid_low = builder.add_u64_field(UID_LOW, NumericOptions::default().set_fast());
        let record = builder.add_bytes_field("record", BytesOptions::default().set_stored());
        Fields { schema: builder.build(), members, space, key, uid_high, uid_low, record }
    }

    pub(crate) fn of(&self, path: &str) -> MemberFields {
        *self.members.iter().find(|fields| fields.member.path == path).expect("conditions name members of the table")
    }

    /// What is shown now of a noun in a project, or what was shown before.
    pub(crate) fn space_term(&self, noun: Noun, project: i64, past: bool) -> Term {
        Term::from_field_text(self.space, &space(noun, project, past))
    }

    /// The field of [`space_of_noun`].
    pub(crate) fn space(&self) -> Field {
        self.space
    }

    /// The term that identifies a document.
    pub(crate) fn key_term(&self, key: &[u8]) -> Term {
        Term::from_field_bytes(self.key, key)
    }

    /// The term of a record with all its versions.
    pub(crate) fn uid_term(&self, uid: &[u8; 32]) -> Term {
        Term::from_field_bytes(self.of("id").main, uid)
    }

    pub(crate) fn stored(&self) -> Field {
        self.record
    }

    /// The document of a record.
    pub(crate) fn document(&self, record: &IndexedRecord) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        let uid = record.record.uid();
        let (high, low) = uid_columns(uid.bytes());
        document.add_bytes(self.of("id").main, uid.bytes());
        document.add_u64(self.uid_high, high);
        document.add_u64(self.uid_low, low);
        document.add_bytes(self.key, &record.key());
        document.add_text(self.space, space(record.record.noun(), record.project, record.valid_to.is_some()));
        document.add_bytes(self.record, &record.stored());
        let values = record.members();
        for fields in &self.members {
            match value_at(&values, fields.member.path) {
                Some(Value::Array(items)) => items.iter().for_each(|item| add(&mut document, fields, item)),
                Some(value) => add(&mut document, fields, value),
                None => {}
            }
        }
        document
    }
}

/// Adds one value; one of another type than the member's has no place in the index and is left out.
fn add(document: &mut TantivyDocument, fields: &MemberFields, value: &Value) {
    match (fields.member.shape, value) {
        (Shape::Word | Shape::Kind, Value::String(text)) => document.add_text(fields.main, text),
        (Shape::Text, Value::String(text)) => {
            let start: String = text.chars().take(VALUE_CHARS_MAX).collect();
            if fields.member.column {
                document.add_text(fields.main, &start);
            }
            for field in [fields.words, fields.grams].into_iter().flatten() {
                document.add_text(field, &start);
            }
        }
        (Shape::Integer | Shape::Time, Value::Number(number)) => {
            if let Some(number) = number.as_i64() {
                document.add_i64(fields.main, number);
            }
        }
        (Shape::Bool, Value::Bool(flag)) => document.add_bool(fields.main, *flag),
        _ => {}
    }
}

/// How the terms of a field are listed.
pub(super) fn terms(tokenizer: &str, record: IndexRecordOption) -> TextFieldIndexing {
    TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(record).set_fieldnorms(false)
}

fn space(noun: Noun, project: i64, past: bool) -> String {
    let past = if past { "#past" } else { "" };
    format!("{}{project}{past}", space_of_noun(noun))
}

/// How the terms of a noun's documents begin, of all projects and times.
pub(crate) fn space_of_noun(noun: Noun) -> String {
    format!("{noun}#")
}

/// Tantivy reads a dot in a column's name as a path into JSON.
pub(crate) fn column_name(path: &str) -> String {
    path.replace('.', "_")
}

pub(crate) fn uid_columns(uid: &[u8; 32]) -> (u64, u64) {
    let half = |from: usize| u64::from_be_bytes(uid[from..from + 8].try_into().expect("eight bytes"));
    (half(0), half(8))
}

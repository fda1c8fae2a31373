//! XML as scanners write it: elements with attributes, in a flat shape.

use crate::error::{ImportError, Result};
use quick_xml::errors::SyntaxError;
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use quick_xml::{Error, XmlVersion};
use std::collections::BTreeMap;

/// Elements within elements: the format has some six.
const DEPTH_MAX: usize = 32;

/// An element that begins, or one that ends.
pub(crate) enum Element {
    Begins { name: String, attributes: BTreeMap<String, String> },
    Ends { name: String },
}

/// Calls `each` with every element; one without content begins and ends. A file that breaks off is read as far as it
/// goes where it began with `root`: a scan that was stopped leaves one. Returns whether it breaks off.
pub(crate) fn each_element(text: &str, root: &str, mut each: impl FnMut(Element)) -> Result<bool> {
    let mut reader = Reader::from_str(text);
    let (mut depth, mut is_within) = (0_usize, false);
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let line = || text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        let event = match reader.read_event() {
            Ok(event) => event,
            // Every error of this sort says that the text ended before what was begun.
            Err(Error::Syntax(kind))
                if is_within && (kind != SyntaxError::InvalidBangMarkup || text.ends_with("<!")) =>
            {
                return Ok(true);
            }
            Err(error) => return Err(ImportError::line(line(), format!("not XML: {error}"))),
        };
        let (element, is_empty) = match &event {
            Event::Start(element) => (element, false),
            Event::Empty(element) => (element, true),
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                each(Element::Ends { name: element.name().as_ref().to_owned() });
                continue;
            }
            Event::Eof if is_within => return Ok(depth > 0),
            Event::Eof => return Err(ImportError::file(format!("expected an element <{root}>"))),
            _ => continue,
        };
        let name = element.name().as_ref().to_owned();
        if !is_within && name != root {
            return Err(ImportError::line(line(), format!("expected <{root}>, found <{name}>")));
        }
        is_within = true;
        let mut attributes = BTreeMap::new();
        for attribute in element.attributes() {
            let attribute = attribute.map_err(|error| ImportError::line(line(), error.to_string()))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| ImportError::line(line(), error.to_string()))?;
            attributes.insert(attribute.key.as_ref().to_owned(), value.into_owned());
        }
        each(Element::Begins { name: name.clone(), attributes });
        if is_empty {
            each(Element::Ends { name });
        } else {
            depth += 1;
        }
        if depth > DEPTH_MAX {
            return Err(ImportError::line(line(), format!("more than {DEPTH_MAX} elements within elements")));
        }
    }
}

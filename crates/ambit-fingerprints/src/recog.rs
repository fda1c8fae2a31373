//! Files of recog: XML in which patterns with examples give values for products, systems and devices. The first
//! pattern of a file that matches counts.

use crate::pack::{LeftOut, Pack, PackError, PackKind};
use crate::pattern::{Flags, Pattern, PatternError};
use crate::place::{IconHash, Place};
use crate::rule::{Parameter, Rule, SURE, Says, Sign, Test};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::collections::BTreeMap;

/// Patterns of one file: the largest of the public ones has some six hundred.
const RULES_MAX: usize = 50_000;
/// Values that one pattern gives.
const PARAMETERS_MAX: usize = 100;
/// Elements within elements: the format has three.
const DEPTH_MAX: usize = 16;

/// What the element of a pattern is while it is read.
struct Open {
    line: usize,
    pattern: String,
    flags: Flags,
    parameters: Vec<Parameter>,
}

/// Reads a file. Fails with what is wrong with it, and in which line.
pub(crate) fn read(file: &str, bytes: &[u8]) -> Result<Pack, PackError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| PackError::at_line(file, line_of(bytes, error.valid_up_to()), "not UTF-8 text"))?;
    let mut reader = Reader::from_str(text);
    let mut pack = Pack::new(PackKind::Recog, file);
    let (mut place, mut open, mut depth) = (None, None::<Open>, 0_usize);
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let fails = |what: String| PackError::at_line(file, line_of(bytes, at), &what);
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or(at);
            PackError::at_line(file, line_of(bytes, at), &error.to_string())
        })?;
        let element = match &event {
            Event::Start(element) | Event::Empty(element) => element,
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                if element.name().as_ref() == "fingerprint"
                    && let (Some(open), Some(place)) = (open.take(), &place)
                {
                    finish(open, place, &mut pack)?;
                }
                continue;
            }
            Event::Eof if depth > 0 || place.is_none() => {
                return Err(fails("the file ends before </fingerprints>".to_owned()));
            }
            Event::Eof => return Ok(pack),
            _ => continue,
        };
        match element.name().as_ref() {
            "fingerprints" if depth == 0 => place = Some(place_of(file, &attributes(element, &fails)?)),
            "fingerprint" if place.is_some() => open = Some(begin(element, line_of(bytes, at), &fails)?),
            "param" => {
                let open = open.as_mut().ok_or_else(|| fails("a param outside of a fingerprint".to_owned()))?;
                let parameter = parameter(&attributes(element, &fails)?).map_err(|what| fails(what.to_owned()))?;
                open.parameters.push(parameter);
            }
            _ if place.is_none() => return Err(fails("expected <fingerprints>".to_owned())),
            _ => {}
        }
        if matches!(event, Event::Start(_)) {
            depth += 1;
        } else if element.name().as_ref() == "fingerprint"
            && let (Some(open), Some(place)) = (open.take(), &place)
        {
            finish(open, place, &mut pack)?;
        }
        let too_many = open.as_ref().is_some_and(|open| open.parameters.len() > PARAMETERS_MAX);
        if depth > DEPTH_MAX || pack.rules.len() > RULES_MAX || too_many {
            return Err(fails(format!(
                "more than {DEPTH_MAX} elements within elements, {RULES_MAX} fingerprints or {PARAMETERS_MAX} params"
            )));
        }
    }
}

/// The number of the line in which a byte stands.
fn line_of(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

fn attributes(
    element: &BytesStart<'_>,
    fails: &dyn Fn(String) -> PackError,
) -> Result<BTreeMap<String, String>, PackError> {
    let mut attributes = BTreeMap::new();
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| fails(error.to_string()))?;
        let name = attribute.key.as_ref().to_owned();
        let value =
            attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| fails(format!("{name}: {error}")))?;
        attributes.insert(name, value.into_owned());
    }
    Ok(attributes)
}

fn begin(element: &BytesStart<'_>, line: usize, fails: &dyn Fn(String) -> PackError) -> Result<Open, PackError> {
    let mut attributes = attributes(element, fails)?;
    let pattern = attributes.remove("pattern").ok_or_else(|| fails("a fingerprint without a pattern".to_owned()))?;
    // The dialect is that of Ruby: `^` and `$` match at line ends whatever the flags.
    let mut flags = Flags { lines: true, ..Flags::default() };
    for flag in attributes.remove("flags").unwrap_or_default().split([',', '|']).map(str::trim) {
        match flag {
            "REG_ICASE" | "IGNORECASE" => flags.any_case = true,
            "REG_DOT_NEWLINE" | "REG_MULTILINE" | "REG_LINE_ANY_CRLF" => flags.dot_is_all = true,
            "" => {}
            other => return Err(fails(format!("a flag that is not known: {}", other.escape_debug()))),
        }
    }
    Ok(Open { line, pattern, flags, parameters: Vec::new() })
}

fn parameter(attributes: &BTreeMap<String, String>) -> Result<Parameter, &'static str> {
    let group = attributes.get("pos").and_then(|group| group.parse().ok()).ok_or("a param without a number as pos")?;
    let name = attributes.get("name").ok_or("a param without a name")?.as_str().into();
    let value = attributes.get("value").map_or("", String::as_str).into();
    Ok(Parameter { name, group, value })
}

fn finish(open: Open, place: &Place, pack: &mut Pack) -> Result<(), PackError> {
    let Open { line, pattern, flags, parameters } = open;
    let read = Pattern::read(&pattern, flags).and_then(|(pattern, literals)| {
        pattern.try_out()?;
        Ok((pattern, literals))
    });
    let (pattern, literals) = match read {
        Ok(read) => read,
        Err(error @ PatternError::LooksAround(_)) => {
            pack.left_out.push(LeftOut { place: format!("{}:{line}", pack.file), why: error.to_string() });
            return Ok(());
        }
        Err(error) => return Err(PackError::at_line(&pack.file, line, &error.to_string())),
    };
    let test = Test::Pattern { pattern, literals, version: None };
    let sign = Sign { place: place.clone(), test, weight: SURE };
    pack.rules.push(Rule {
        says: Says::Parameters(parameters),
        signs: vec![sign],
        chain: None,
        relations: None,
        condition: None,
        path: None,
    });
    Ok(())
}

/// Where the patterns of a file look.
fn place_of(file: &str, attributes: &BTreeMap<String, String>) -> Place {
    let matches = attributes.get("matches").map_or("", String::as_str);
    match matches {
        "http_header.server" => Place::Header("server".into()),
        "http_header.wwwauth" => Place::Header("www-authenticate".into()),
        "http_header.x-powered-by" => Place::Header("x-powered-by".into()),
        "http_header.cookie" => Place::Header("set-cookie".into()),
        "html_title" => Place::Title,
        "favicon.md5" => Place::Favicon(IconHash::Md5),
        "tls.jarm" => Place::Jarm,
        "x509.subject" => Place::CertificateSubject,
        "x509.issuer" => Place::CertificateIssuer,
        "" => match attributes.get("protocol").map(String::as_str) {
            Some("telnet") => Place::Said("telnet".into()),
            // Several files of one protocol are for answers to different questions.
            _ => Place::Said(file.rsplit('/').next().unwrap_or(file).into()),
        },
        other => Place::Said(other.into()),
    }
}

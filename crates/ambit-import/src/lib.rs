//! Files that other tools write, read as what they saw: names, addresses, services and sites with their date. Pure:
//! text in, sightings out. A format is one file in `format/` and one line in [`read`]. What becomes of sightings, and
//! whose they are, is somebody else's business.

mod error;
mod format;
mod gathered;
mod json;
mod xml;

pub use error::ImportError;
pub use gathered::{Account, Import};

use ambit_model::Timestamp;
use ambit_model::entity::imported::Source;
use error::Result;
use gathered::Gathered;
use std::char::decode_utf16;

/// Returns the text of a file: UTF-8, or UTF-16 where a byte order mark says so, as PowerShell writes what `>` takes
/// from a program. Fails if the bytes are neither, and names the first byte that is no text.
pub fn text(bytes: Vec<u8>) -> Result<String> {
    let read: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => {
            return String::from_utf8(bytes).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                ImportError::file(format!("not UTF-8 text from byte {at}: save it as UTF-8 and import it again"))
            });
        }
    };
    let (units, rest) = bytes[2..].as_chunks::<2>();
    let text: Option<String> = decode_utf16(units.iter().map(|unit| read(*unit))).map(Result::ok).collect();
    text.filter(|_| rest.is_empty()).ok_or_else(|| {
        ImportError::file("its byte order mark says UTF-16, and it is not throughout: save it as UTF-8 and try again")
    })
}

/// Reads a file that a tool wrote. What has no date in it was seen at `usual`; a schema that names no server is that of
/// the interface at `endpoint`. Fails if the text is not what the tool writes, with the line where that shows, or holds
/// more than a million things.
pub fn read(source: Source, text: &str, usual: Timestamp, endpoint: Option<&str>) -> Result<Import> {
    let mut gathered = Gathered::new(usual);
    let text = text.trim_start_matches('\u{feff}');
    if endpoint.is_some() && source != Source::Graphql {
        return Err(ImportError::file("--endpoint applies only to a GraphQL schema: leave it out"));
    }
    match source {
        Source::Nmap => format::nmap::read(text, &mut gathered),
        Source::Masscan => format::masscan::read(text, &mut gathered),
        Source::Naabu => format::naabu::read(text, &mut gathered),
        Source::Httpx => format::httpx::read(text, &mut gathered),
        Source::Nuclei => format::nuclei::read(text, &mut gathered),
        Source::Bbot => format::bbot::read(text, &mut gathered),
        Source::Amass => format::amass::read(text, &mut gathered),
        Source::Csv => format::csv::read(text, &mut gathered),
        Source::Gti => format::gti::read(text, &mut gathered),
        Source::Openapi => format::openapi::read(text, &mut gathered),
        Source::Postman => format::postman::read(text, &mut gathered),
        Source::Graphql => format::graphql::read(text, endpoint, &mut gathered),
        Source::Terraform => format::terraform::read(text, &mut gathered),
    }?;
    gathered.end()
}

#[cfg(test)]
mod tests;

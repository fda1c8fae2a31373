//! What stands in accounts and what is seen outside is the same by kind and name: the assets of a segment, and those of
//! what fulfils a condition in any segment. An address is also the asset of a block around it.

use super::document_set::DocumentSet;
use super::schema::column_name;
use super::tokenizers::fold_case;
use crate::fields::ASSET;
use ambit_model::Kind;
use ipnet::IpNet;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::OnceLock;
use tantivy::SegmentReader;

/// The assets of a segment by their number in its column. It is read once for each segment, which never changes.
pub(crate) struct Assets {
    /// Kind and name, in lower case, as a keyed hash: nobody who chooses a name can make it that of another.
    keys: Vec<u64>,
    /// The addresses among them, ascending.
    addresses: Vec<(IpAddr, usize)>,
    blocks: Vec<(usize, IpNet)>,
}

/// Assets that were looked for in all segments.
#[derive(Default)]
pub(crate) struct FoundAssets {
    keys: HashSet<u64>,
    blocks: HashSet<IpNet>,
}

fn key(asset: &str) -> u64 {
    static STATE: OnceLock<RandomState> = OnceLock::new();
    STATE.get_or_init(RandomState::new).hash_one(asset)
}

impl Assets {
    pub(crate) fn of(reader: &SegmentReader) -> tantivy::Result<Self> {
        let mut assets = Self { keys: Vec::new(), addresses: Vec::new(), blocks: Vec::new() };
        let Some(column) = reader.fast_fields().str(&column_name(ASSET))? else { return Ok(assets) };
        let mut stream = column.dictionary().stream()?;
        while stream.advance() {
            let asset = fold_case(&String::from_utf8_lossy(stream.key()));
            let number = assets.keys.len();
            match asset.split_once(' ') {
                Some((kind, name)) if kind.eq_ignore_ascii_case(Kind::IpAddress.name()) => {
                    assets.addresses.extend(name.parse().ok().map(|address| (address, number)));
                }
                Some((kind, name)) if kind.eq_ignore_ascii_case(Kind::NetBlock.name()) => {
                    assets.blocks.extend(name.parse().ok().map(|block: IpNet| (number, block.trunc())));
                }
                _ => {}
            }
            assets.keys.push(key(&asset));
        }
        assets.addresses.sort_unstable();
        Ok(assets)
    }

    /// Adds the assets of some documents of the segment.
    pub(crate) fn tell(
        &self,
        reader: &SegmentReader,
        documents: &DocumentSet,
        found: &mut FoundAssets,
    ) -> tantivy::Result<()> {
        let Some(column) = reader.fast_fields().str(&column_name(ASSET))? else { return Ok(()) };
        for number in documents.iter().flat_map(|document| column.term_ords(document)) {
            let number = usize::try_from(number).expect("a number of the column");
            found.keys.insert(self.keys[number]);
            if let Ok(at) = self.blocks.binary_search_by_key(&number, |(number, _)| *number) {
                found.blocks.insert(self.blocks[at].1);
            }
        }
        Ok(())
    }

    /// The documents of the segment whose asset was found, or is an address in a block that was.
    pub(crate) fn holding(&self, reader: &SegmentReader, found: &FoundAssets) -> tantivy::Result<DocumentSet> {
        let mut set = DocumentSet::empty(reader.max_doc());
        let Some(column) = reader.fast_fields().str(&column_name(ASSET))? else { return Ok(set) };
        if found.keys.is_empty() {
            return Ok(set);
        }
        let mut wanted: Vec<bool> = self.keys.iter().map(|key| found.keys.contains(key)).collect();
        for block in &found.blocks {
            let from = self.addresses.partition_point(|(address, _)| *address < block.network());
            let within = self.addresses[from..].iter().take_while(|(address, _)| *address <= block.broadcast());
            within.for_each(|(_, number)| wanted[*number] = true);
        }
        for document in 0..reader.max_doc() {
            if column.term_ords(document).any(|number| usize::try_from(number).is_ok_and(|number| wanted[number])) {
                set.insert(document);
            }
        }
        Ok(set)
    }
}

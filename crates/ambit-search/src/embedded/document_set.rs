//! A set of documents of one segment, one bit each: a million documents are 128 kilobytes, and to intersect two such
//! sets takes some microseconds, however many documents they hold.

use tantivy::{DocId, SegmentReader};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocumentSet {
    words: Vec<u64>,
}

impl DocumentSet {
    /// The empty set, with room for so many documents.
    pub(crate) fn empty(documents: DocId) -> Self {
        DocumentSet { words: vec![0; (documents as usize).div_ceil(64)] }
    }

    /// The set of all of so many documents.
    pub(crate) fn all(documents: DocId) -> Self {
        let mut set = DocumentSet { words: vec![u64::MAX; (documents as usize).div_ceil(64)] };
        set.cut(documents);
        set
    }

    /// The documents of a segment that are not deleted; `None`: all.
    pub(crate) fn alive(reader: &SegmentReader) -> Option<Self> {
        let bits = reader.alive_bitset()?;
        let mut alive = DocumentSet::empty(reader.max_doc());
        bits.iter_alive().for_each(|doc| alive.insert(doc));
        Some(alive)
    }

    /// The bits behind the last document are zero.
    fn cut(&mut self, documents: DocId) {
        if let (Some(last), used @ 1..) = (self.words.last_mut(), documents % 64) {
            *last &= (1 << used) - 1;
        }
    }

    pub(crate) fn insert(&mut self, doc: DocId) {
        self.words[doc as usize / 64] |= 1 << (doc % 64);
    }

    pub(crate) fn contains(&self, doc: DocId) -> bool {
        self.words[doc as usize / 64] >> (doc % 64) & 1 == 1
    }

    pub(crate) fn intersect(&mut self, other: &DocumentSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub(crate) fn unite(&mut self, other: &DocumentSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    pub(crate) fn subtract(&mut self, other: &DocumentSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// Turns it into the set of those of so many documents that it does not hold.
    pub(crate) fn complement(&mut self, documents: DocId) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.cut(documents);
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Does something for each document, ascending.
    pub(crate) fn for_each(&self, mut each: impl FnMut(DocId)) {
        for (at, word) in (0..).zip(&self.words) {
            let mut left = *word;
            while left != 0 {
                each(at * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    /// The documents, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = DocId> + '_ {
        (0..).zip(&self.words).flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(documents: DocId, members: &[DocId]) -> DocumentSet {
        let mut set = DocumentSet::empty(documents);
        members.iter().for_each(|doc| set.insert(*doc));
        set
    }

    #[test]
    fn sets_are_those_of_arithmetic() {
        let check = |change: &dyn Fn(&mut DocumentSet, &DocumentSet), expected: &[DocId]| {
            let mut set = of(130, &[0, 63, 64, 129]);
            change(&mut set, &of(130, &[1, 63, 129]));
            assert_eq!(set.iter().collect::<Vec<_>>(), expected);
            let mut each = Vec::new();
            set.for_each(|doc| each.push(doc));
            assert_eq!(each, expected);
            assert_eq!(set.len(), expected.len());
            assert!(expected.iter().all(|doc| set.contains(*doc)));
        };
        check(&|set, other| set.intersect(other), &[63, 129]);
        check(&|set, other| set.unite(other), &[0, 1, 63, 64, 129]);
        check(&|set, other| set.subtract(other), &[0, 64]);
        for documents in [0, 1, 63, 64, 65, 128, 130] {
            let mut set = DocumentSet::empty(documents);
            set.complement(documents);
            assert_eq!((set.len(), &set), (documents as usize, &DocumentSet::all(documents)), "{documents}");
            set.complement(documents);
            assert_eq!(set, DocumentSet::empty(documents));
        }
    }
}

//! The trees of paths, and where each is mounted.

/// A tree of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    /// The contract's: under `/api/v3/asm` and, with other credentials, `/api/v1`.
    Asm,
    /// Ours, where nothing of the contract fits.
    Ambit,
    /// The wider API: objects, graphs, users, quotas; its calls are metered.
    Wider,
    /// Version 2 of the wider API: files, URLs and comments (docs/contract/wider.md §8); metered too.
    V2,
    /// At the root: health, version, documents.
    Open,
}

impl Tree {
    /// True where calls are charged or counted.
    pub fn is_metered(self) -> bool {
        matches!(self, Self::Wider | Self::V2)
    }
}

/// Where the wider API is; also the root of the links in its answers.
pub(crate) const WIDER: &str = "/api/v3";
/// Where version 2 of it is.
pub(crate) const V2: &str = "/vtapi/v2";

/// Where the endpoints of our own are.
pub(crate) const OURS: &str = "/api/ambit/v1";

/// A place where a tree is served.
#[derive(Debug)]
pub struct Mount {
    pub prefix: &'static str,
    pub tree: Tree,
    /// The two headers of the older tree carry the key.
    pub legacy_keys: bool,
}

/// Where each tree is mounted. The older tree is an alias with other names for the credential (docs/contract/asm.md
/// §1.1).
pub const MOUNTS: &[Mount] = &[
    Mount { prefix: "/api/v3/asm", tree: Tree::Asm, legacy_keys: false },
    Mount { prefix: "/api/v1", tree: Tree::Asm, legacy_keys: true },
    Mount { prefix: WIDER, tree: Tree::Wider, legacy_keys: false },
    Mount { prefix: V2, tree: Tree::V2, legacy_keys: false },
    Mount { prefix: OURS, tree: Tree::Ambit, legacy_keys: false },
    Mount { prefix: "", tree: Tree::Open, legacy_keys: false },
];

/// Returns true for the path of an endpoint that only Ambit has: no client of others calls it.
pub(crate) fn is_ours(path: &str) -> bool {
    let mount = MOUNTS.iter().find(|mount| path.starts_with(mount.prefix));
    mount.is_some_and(|mount| matches!(mount.tree, Tree::Ambit | Tree::Open))
}

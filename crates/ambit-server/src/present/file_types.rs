//! What clients are told of the sorts of file beside their tag: a description, the usual ending, and wider sorts.

/// A sort of file.
pub(crate) struct FileType {
    tag: &'static str,
    pub(crate) description: &'static str,
    pub(crate) extension: &'static str,
    /// From the widest sort to the tag itself.
    pub(crate) tags: &'static [&'static str],
}

const fn file_type(
    tag: &'static str,
    description: &'static str,
    extension: &'static str,
    tags: &'static [&'static str],
) -> FileType {
    FileType { tag, description, extension, tags }
}

const TYPES: &[FileType] = &[
    file_type("7zip", "7-Zip archive", "7z", &["compressed", "7zip"]),
    file_type("elf", "ELF executable or library", "elf", &["executable", "linux", "elf"]),
    file_type("gif", "GIF image", "gif", &["image", "gif"]),
    file_type("gzip", "gzip archive", "gz", &["compressed", "gzip"]),
    file_type("html", "HTML page", "html", &["internet", "html"]),
    file_type("jpeg", "JPEG image", "jpg", &["image", "jpeg"]),
    file_type("pdf", "PDF document", "pdf", &["document", "pdf"]),
    file_type("peexe", "Executable of Windows or DOS", "exe", &["executable", "windows", "peexe"]),
    file_type("png", "PNG image", "png", &["image", "png"]),
    file_type("rar", "RAR archive", "rar", &["compressed", "rar"]),
    file_type("text", "Text", "txt", &["text"]),
    file_type("zip", "ZIP archive", "zip", &["compressed", "zip"]),
];

/// The sort of a tag.
pub(crate) fn of_tag(tag: &str) -> Option<&'static FileType> {
    TYPES.iter().find(|one| one.tag == tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_store::{FileType, MAGIC};

    #[test]
    fn every_tag_that_a_file_can_have_is_described() {
        for (magic, tag) in MAGIC {
            assert_eq!(FileType::tag_of(magic), Some(tag));
            assert_eq!(of_tag(tag).and_then(|one| one.tags.last().copied()), Some(tag));
        }
        assert!(of_tag("text").is_some() && of_tag("nonsense").is_none());
    }
}

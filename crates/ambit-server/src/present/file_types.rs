//! What clients are told of the sorts of file beside their tag: a description, the usual ending, and wider sorts.

/// A sort of file.
pub(crate) struct FileType {
    tag: &'static str,
    pub(crate) description: &'static str,
    pub(crate) extension: &'static str,
    /// What the tool `file` says of it before any detail.
    pub(crate) magic: &'static str,
    /// From the widest sort to the tag itself.
    pub(crate) tags: &'static [&'static str],
}

const fn file_type(
    tag: &'static str,
    description: &'static str,
    extension: &'static str,
    magic: &'static str,
    tags: &'static [&'static str],
) -> FileType {
    FileType { tag, description, extension, magic, tags }
}

const TYPES: &[FileType] = &[
    file_type("7zip", "7-Zip archive", "7z", "7-zip archive data", &["compressed", "7zip"]),
    file_type("elf", "ELF executable or library", "elf", "ELF", &["executable", "linux", "elf"]),
    file_type("gif", "GIF image", "gif", "GIF image data", &["image", "gif"]),
    file_type("gzip", "gzip archive", "gz", "gzip compressed data", &["compressed", "gzip"]),
    file_type("html", "HTML page", "html", "HTML document", &["internet", "html"]),
    file_type("jpeg", "JPEG image", "jpg", "JPEG image data", &["image", "jpeg"]),
    file_type("pdf", "PDF document", "pdf", "PDF document", &["document", "pdf"]),
    file_type("peexe", "Executable of Windows or DOS", "exe", "MS-DOS executable", &["executable", "windows", "peexe"]),
    file_type("png", "PNG image", "png", "PNG image data", &["image", "png"]),
    file_type("rar", "RAR archive", "rar", "RAR archive data", &["compressed", "rar"]),
    file_type("text", "Text", "txt", "text", &["text"]),
    file_type("zip", "ZIP archive", "zip", "Zip archive data", &["compressed", "zip"]),
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
            let known = of_tag(tag).unwrap();
            assert_eq!(known.tags.last().copied(), Some(tag));
            assert!(!known.magic.is_empty());
        }
        assert!(of_tag("text").is_some() && of_tag("nonsense").is_none());
    }
}

//! Documents of a workspace.

use adagent_domain::{DocumentId, RunId, Timestamp};
use serde::{Deserialize, Serialize};

/// Documents of one workspace, those in the trash too.
pub const MOST_DOCUMENTS: u32 = 2_000;
/// Bytes of the text of a document.
pub const MOST_DOCUMENT: usize = 200_000;
/// Characters of its title.
pub const MOST_DOCUMENT_TITLE: usize = 200;
/// Characters of the path of a folder.
pub const MOST_FOLDER: usize = 200;
/// Versions that are kept of a document: the newest.
pub const DOCUMENT_VERSIONS: i64 = 50;
/// Days that a deleted document stays in the trash.
pub const TRASH_DAYS: i64 = 30;

/// Where documents are that are in no folder.
pub const ROOT_FOLDER: &str = "/";

/// A folder as it is stored, such as `/floors/2026`; none where the text names no folder.
pub fn folder_path(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('/').map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| matches!(*part, "." | "..") || part.chars().any(char::is_control)) {
        return None;
    }
    let path = format!("/{}", parts.join("/"));
    (path.chars().count() <= MOST_FOLDER).then_some(path)
}

/// Whether a folder is another one or below it.
pub fn is_inside(folder: &str, of: &str) -> bool {
    of == ROOT_FOLDER || folder.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Who wrote a version, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenView {
    pub by: String,
    /// The agent that wrote it for that person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The run that wrote it, where it is the reader's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentView {
    pub id: DocumentId,
    pub title: String,
    pub folder: String,
    /// Counts saves, from 1.
    pub version: i64,
    /// Bytes of its text.
    pub size: i64,
    /// Who made it.
    pub by: String,
    /// Who wrote the newest version.
    pub written: WrittenView,
    pub created_at: Timestamp,
    /// In the trash since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trashed_at: Option<Timestamp>,
    /// Markdown; lists leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The part of the text in which the words of a search are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentVersionView {
    pub number: i64,
    pub title: String,
    pub folder: String,
    pub size: i64,
    pub written: WrittenView,
    /// Markdown; lists leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What people set of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentDraft {
    pub title: String,
    /// Left out: in no folder.
    #[serde(default)]
    pub folder: String,
    #[serde(default)]
    pub text: String,
}

/// A document as it is to be, in place of the version that the person saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentUpdate {
    pub version: i64,
    pub document: DocumentDraft,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_written_in_one_way() {
        for (text, path) in [
            ("", Some("/")),
            (" / ", Some("/")),
            ("floors", Some("/floors")),
            ("/floors//2026/", Some("/floors/2026")),
            (" Floors / Q1 2026 ", Some("/Floors/Q1 2026")),
            ("a/../b", None),
            ("a\u{7}", None),
        ] {
            assert_eq!(folder_path(text).as_deref(), path, "{text:?}");
        }
        assert_eq!(folder_path(&"x".repeat(MOST_FOLDER)), None, "with its slash it is too long");
    }

    #[test]
    fn a_folder_is_inside_those_above_it() {
        assert!(is_inside("/floors/2026", "/floors") && is_inside("/floors", "/floors") && is_inside("/x", "/"));
        assert!(!is_inside("/floors2", "/floors") && !is_inside("/", "/floors"));
    }
}

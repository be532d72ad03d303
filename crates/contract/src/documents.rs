//! Documents of a workspace.

use adagent_domain::{DocumentId, RunId, Timestamp};
use serde::{Deserialize, Serialize};

/// How many documents one workspace can have, including those in the trash.
pub const MOST_DOCUMENTS: u32 = 2_000;
/// The longest text of a document, in bytes.
pub const MOST_DOCUMENT: usize = 200_000;
/// The longest title of a document, in characters.
pub const MOST_DOCUMENT_TITLE: usize = 200;
/// The longest path of a folder, in characters.
pub const MOST_FOLDER: usize = 200;
/// How many versions of a document we keep: the newest ones.
pub const DOCUMENT_VERSIONS: i64 = 50;
/// How many days a deleted document stays in the trash.
pub const TRASH_DAYS: i64 = 30;

/// The path of documents that are in no folder.
pub const ROOT_FOLDER: &str = "/";

/// Returns a folder in the form that we store, such as `/floors/2026`. `None` if the text cannot be a folder.
pub fn folder_path(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('/').map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| matches!(*part, "." | "..") || part.chars().any(char::is_control)) {
        return None;
    }
    let path = format!("/{}", parts.join("/"));
    (path.chars().count() <= MOST_FOLDER).then_some(path)
}

/// Checks whether `folder` is `of` or below it.
pub fn is_inside(folder: &str, of: &str) -> bool {
    of == ROOT_FOLDER || folder.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Who wrote a version, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenView {
    pub by: String,
    /// The agent that wrote the version for that person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The run that wrote the version, if it is the reader's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentView {
    pub id: DocumentId,
    pub title: String,
    pub folder: String,
    /// The newest version: 1 at first, and each save adds 1.
    pub version: i64,
    /// The length of the text in bytes.
    pub size: i64,
    /// The name of the person who made the document.
    pub by: String,
    /// Who wrote the newest version.
    pub written: WrittenView,
    pub created_at: Timestamp,
    /// When the document was moved to the trash. `None` if it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trashed_at: Option<Timestamp>,
    /// The text in Markdown; lists leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The part of the text around the words of a search.
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
    /// The text in Markdown; lists leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The fields of a document that people set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentDraft {
    pub title: String,
    /// If absent, the document is in no folder.
    #[serde(default)]
    pub folder: String,
    #[serde(default)]
    pub text: String,
}

/// The new content of a document, and the version that the person saw.
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

//! Everything the vault sealed, wherever it lies: what a rotation of keys walks over.
//!
//! A column with sealed text that is missing here could not be opened once the old key is gone; a test holds this list against
//! the schema. Must not know what is sealed, nor for whom.

use async_trait::async_trait;
use uuid::Uuid;

use crate::StoreResult;

/// A column that holds sealed texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SealedColumn {
    /// Tokens and keys of connections.
    Connections,
    /// PKCE verifiers of round trips under way.
    OauthAttempts,
    /// Tokens of shareable links.
    InviteLinks,
    /// Mails that are not sent yet, or were given up.
    Mails,
    /// Tokens whose consents are being taken back.
    Revocations,
    /// What authenticator apps share with this server.
    SecondFactors,
    /// Tokens and keys of tool servers.
    ToolServers,
}

impl SealedColumn {
    pub const ALL: [Self; 7] = [
        Self::Connections,
        Self::OauthAttempts,
        Self::InviteLinks,
        Self::Mails,
        Self::Revocations,
        Self::SecondFactors,
        Self::ToolServers,
    ];

    /// Table and column.
    pub const fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Connections => ("connections", "sealed"),
            Self::OauthAttempts => ("oauth_attempts", "sealed_verifier"),
            Self::InviteLinks => ("invite_links", "sealed"),
            Self::Mails => ("mail_queue", "sealed"),
            Self::Revocations => ("revocations", "sealed"),
            Self::SecondFactors => ("second_factors", "sealed"),
            Self::ToolServers => ("tool_servers", "sealed"),
        }
    }
}

/// What a table calls its rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealedKey {
    Id(Uuid),
    Text(String),
}

impl std::fmt::Display for SealedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A sealed text and where it lies. No plain text, but nothing to print either.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedRow {
    pub key: SealedKey,
    pub sealed: String,
}

impl std::fmt::Debug for SealedRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealedRow").field("key", &self.key).finish_non_exhaustive()
    }
}

#[async_trait]
pub trait SealedReads {
    /// The next rows behind `after`, by key, over all workspaces.
    async fn list_sealed(
        &self,
        column: SealedColumn,
        after: Option<&SealedKey>,
        limit: u32,
    ) -> StoreResult<Vec<SealedRow>>;

    async fn find_sealed(&self, column: SealedColumn, key: &SealedKey) -> StoreResult<Option<SealedRow>>;
}

#[async_trait]
pub trait SealedWrites {
    /// Puts `anew` where exactly `row.sealed` still lies; `false` when somebody wrote there meanwhile. Versions stay: what is
    /// sealed is the same, and whoever refreshes it right now must not be told that others did.
    async fn reseal(&mut self, column: SealedColumn, row: &SealedRow, anew: &str) -> StoreResult<bool>;
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    /// Columns of the migrations whose name says that they are sealed.
    fn of_schema(folder: &Path) -> BTreeSet<(String, String)> {
        let (mut found, mut table) = (BTreeSet::new(), String::new());
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            for line in std::fs::read_to_string(file).unwrap().lines() {
                let words: Vec<&str> = line.split([' ', '(', ',', ';']).filter(|word| !word.is_empty()).collect();
                let column = match words.as_slice() {
                    ["alter", "table", name, "add", "column", column, ..] => {
                        table = (*name).to_owned();
                        column
                    }
                    // A table that is built again takes the place of the one before.
                    ["alter", "table", old, "rename", "to", new] => {
                        found = found
                            .into_iter()
                            .map(|(table, column): (String, String)| {
                                (if table == *old { (*new).to_owned() } else { table }, column)
                            })
                            .collect();
                        continue;
                    }
                    ["create" | "alter", "table", "if", "not", "exists", name, ..]
                    | ["create" | "alter", "table", name, ..] => {
                        table = (*name).to_owned();
                        continue;
                    }
                    ["add", "column", column, ..] | [column, ..] => column,
                    [] => continue,
                };
                if column.contains("sealed") && !column.starts_with("--") {
                    found.insert((table.clone(), (*column).to_owned()));
                }
            }
        }
        found
    }

    #[test]
    fn no_sealed_column_of_the_schema_is_forgotten_by_a_rotation() {
        let known: BTreeSet<(String, String)> = SealedColumn::ALL
            .map(SealedColumn::place)
            .map(|(table, column)| (table.to_owned(), column.to_owned()))
            .into();
        for engine in ["sqlite", "postgres"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(engine);
            assert_eq!(of_schema(&folder), known, "{engine}");
        }
    }
}

//! Every place that holds a sealed text; a key rotation visits all of them.
//!
//! If a column with sealed text were missing here, nobody could open it after the old key is gone. A test compares this list with the
//! schema. This module must not know what is sealed, or for whom.

use async_trait::async_trait;
use uuid::Uuid;

use crate::StoreResult;

/// A column that holds sealed texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SealedColumn {
    /// Tokens and keys of connections.
    Connections,
    /// PKCE verifiers of open OAuth round trips.
    OauthAttempts,
    /// Tokens of invite links.
    InviteLinks,
    /// Emails that are not sent yet, or that we gave up.
    Mails,
    /// Tokens whose access we are revoking.
    Revocations,
    /// Secrets that authenticator apps share with this server.
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

    /// Returns the table and the column.
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

/// The key of a row in its table.
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

/// A sealed text and its row. It is not plain text, but `Debug` does not print it either.
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
    /// Lists the next rows after `after` by key, across all workspaces.
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
    /// Replaces the text with `anew` if the row still holds `row.sealed`; returns `false` if somebody has changed it. Versions stay as they
    /// are: the content is the same, and a refresh that is running must not believe that somebody else refreshed it.
    async fn reseal(&mut self, column: SealedColumn, row: &SealedRow, anew: &str) -> StoreResult<bool>;
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    /// Returns the columns of the migrations whose names say that they hold sealed text.
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
                    // A rebuilt table replaces the old one.
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
                // A version counts how often the secret was replaced, and is none itself.
                let counts = column.ends_with("_version");
                if column.contains("sealed") && !counts && !column.starts_with("--") {
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

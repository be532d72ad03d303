//! The append-only log of every change in the sandbox: one JSON line each, on disk before the answer is sent.
//!
//! If a crash cut the last line short, it is dropped when the log is opened. The log must never keep a line that it could not write
//! completely, because the sandbox reports such a change as failed.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::SandboxError;
use crate::networks::admob::tokens::{Access, Grant};
use crate::networks::admob::wire::{AdUnit, AdUnitMapping, App, Experiment, MediationGroup};

/// A write request as `GET /__sandbox/writes` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteRecord {
    pub seq: u64,
    pub network: String,
    pub operation: String,
    pub method: String,
    pub path: String,
    pub query: Value,
    pub body: Value,
    /// The email of the identity behind the credential; null if there was no valid one.
    pub owner: Option<String>,
    pub at: String,
    /// The status of the operation itself, before an injected fault broke the answer.
    pub status: u16,
    pub applied: bool,
    pub fault: Option<String>,
    pub request_id: String,
}

/// What a write changes: the object after the change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    App(App),
    AdUnit(AdUnit),
    Mapping(AdUnitMapping),
    Group(MediationGroup),
    Experiment(Experiment),
    /// An object of a network other than `AdMob`, in the form that the network shows.
    Put {
        network: String,
        shelf: String,
        id: String,
        object: Value,
    },
    Drop {
        network: String,
        shelf: String,
        id: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    Write {
        record: Box<WriteRecord>,
        effects: Vec<Effect>,
    },
    /// What a read leaves behind: a started report, or one more poll of it.
    Kept {
        effects: Vec<Effect>,
    },
    Grant(Grant),
    Access(Access),
    /// Tokens that this network issued with a lower number are no longer valid.
    Generation {
        network: String,
        number: u64,
    },
    /// The published credentials of this network are no longer valid.
    KeysRevoked {
        network: String,
    },
    /// The grant with this ID is gone, with all its tokens.
    Revoked {
        grant: String,
    },
}

pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the log and reads all its complete lines.
    pub fn open(folder: &Path) -> Result<(Self, Vec<Entry>), SandboxError> {
        let path = folder.join("sandbox.jsonl");
        let wrong = |source| SandboxError::Folder { path: path.clone(), source };
        fs::create_dir_all(folder).map_err(wrong)?;
        let mut file =
            OpenOptions::new().create(true).read(true).write(true).truncate(false).open(&path).map_err(wrong)?;
        let bytes = fs::read(&path).map_err(wrong)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            tracing::warn!(
                dropped = bytes.len() - whole,
                "the last line of the sandbox log was cut short and is dropped"
            );
            file.set_len(whole as u64).map_err(wrong)?;
        }
        file.seek(SeekFrom::End(0)).map_err(wrong)?;
        let mut entries = Vec::new();
        for (index, line) in
            bytes[..whole].split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
        {
            let entry = serde_json::from_slice(line);
            entries.push(entry.map_err(|source| SandboxError::Damaged {
                path: path.clone(),
                line: index + 1,
                source,
            })?);
        }
        if let Ok(folder) = File::open(folder) {
            // The name of a new file is durable only after its folder is synced.
            folder.sync_all().map_err(wrong)?;
        }
        Ok((Self { path, file }, entries))
    }

    /// Adds one line and returns after it is on disk. A line that fails is removed again.
    pub fn append(&mut self, entry: &Entry) -> std::io::Result<()> {
        let before = self.file.stream_position()?;
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if written.is_err() {
            self.file.set_len(before)?;
            self.file.seek(SeekFrom::Start(before))?;
        }
        written
    }

    /// Replaces the whole log at once.
    pub fn rewrite(&mut self, entries: &[Entry]) -> std::io::Result<()> {
        let fresh = self.path.with_extension("new");
        let mut file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&fresh)?;
        for entry in entries {
            let mut line = serde_json::to_vec(entry)?;
            line.push(b'\n');
            file.write_all(&line)?;
        }
        file.sync_all()?;
        fs::rename(&fresh, &self.path)?;
        if let Some(folder) = self.path.parent() {
            File::open(folder)?.sync_all()?;
        }
        self.file = file;
        Ok(())
    }
}

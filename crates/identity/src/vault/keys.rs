//! The key ring: the first key seals, and all keys open. So a key can be replaced without losing what it sealed.

use std::{fmt, io, path::Path};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hkdf::Hkdf;
use sha2_11::Sha256;
use zeroize::Zeroizing;

use super::weak;

const KEY_BYTES: usize = 32;
/// This must never change: another context would give another key.
const KEY_CONTEXT: &[u8] = b"adagentai vault key, AES-256-GCM, version 1";
const ID_CONTEXT: &[u8] = b"adagentai vault key id, version 1";
/// Enough bytes that two secrets never get the same ID. The ID reveals nothing about the key.
const ID_BYTES: usize = 6;

/// Why the key ring cannot be used. It never contains a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyRingError {
    #[error("the vault needs at least one key, written as `id:key` with 32 bytes in base64url")]
    Empty,
    #[error(
        "vault key {number}: expected `id:key`, the id of letters, digits, `-` and `_`, the key 32 bytes in base64url"
    )]
    Malformed { number: usize },
    #[error("vault key id {id:?} occurs twice")]
    Duplicate { id: String },
    #[error("vault key file {path}: {source}")]
    File { path: String, source: io::Error },
    #[error("the operating system gave no randomness for a new vault key")]
    NoRandomness,
}

struct NamedKey {
    id: String,
    bytes: Zeroizing<[u8; KEY_BYTES]>,
}

/// Keys with their IDs, newest first.
pub struct KeyRing(Vec<NamedKey>);

/// Why a key must not protect real secrets. It never contains the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Weakness(pub(super) &'static str);

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyRing").field(&self.ids()).finish()
    }
}

impl KeyRing {
    /// Reads `id:key` entries that are separated by commas or white space. The first key seals.
    pub fn parse(text: &str) -> Result<Self, KeyRingError> {
        let mut keys: Vec<NamedKey> = Vec::new();
        let entries = text.split([',', ' ', '\t', '\r', '\n']).filter(|entry| !entry.is_empty());
        for (index, entry) in entries.enumerate() {
            let key = parse_entry(entry).ok_or(KeyRingError::Malformed { number: index + 1 })?;
            if keys.iter().any(|known| known.id == key.id) {
                return Err(KeyRingError::Duplicate { id: key.id });
            }
            keys.push(key);
        }
        if keys.is_empty() { Err(KeyRingError::Empty) } else { Ok(Self(keys)) }
    }

    /// Reads the ring of the given file. If there is no file, makes one with a new key that only its owner can read.
    pub fn load_or_create(path: &Path) -> Result<Self, KeyRingError> {
        let failed = |source| KeyRingError::File { path: path.display().to_string(), source };
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&Zeroizing::new(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = generate_entry()?;
                match write_private(path, &text) {
                    // Another process was faster, so its key counts.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        Self::parse(&Zeroizing::new(std::fs::read_to_string(path).map_err(failed)?))
                    }
                    Err(error) => Err(failed(error)),
                    Ok(()) => Self::parse(&text),
                }
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Derives one key from a secret of words or random characters. The same secret gives the same key and ID on every server, and the ID
    /// reveals neither. The caller first asks [`weakness_of_secret`] how good the secret is.
    pub fn from_secret(secret: &str) -> Self {
        let hkdf = Hkdf::<Sha256>::new(None, secret.as_bytes());
        let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
        let mut id = [0_u8; ID_BYTES];
        hkdf.expand(KEY_CONTEXT, &mut bytes[..]).expect("HKDF gives 32 bytes");
        hkdf.expand(ID_CONTEXT, &mut id).expect("HKDF gives 6 bytes");
        Self(vec![NamedKey { id: format!("s-{}", hex::encode(id)), bytes }])
    }

    /// Adds the keys of another ring after the keys of this one, and skips those whose ID is already here.
    #[must_use]
    pub fn and_opens(mut self, others: Self) -> Self {
        for key in others.0 {
            if self.0.iter().all(|known| known.id != key.id) {
                self.0.push(key);
            }
        }
        self
    }

    /// Checks whether the key that seals looks typed by a person rather than random. We do not check old keys: they only open, and nobody
    /// can make them better.
    pub fn weakness(&self) -> Option<Weakness> {
        weak::of_key(self.sealing().1).map(Weakness)
    }

    /// Returns the IDs; the sealing key comes first.
    pub fn ids(&self) -> Vec<&str> {
        self.0.iter().map(|key| key.id.as_str()).collect()
    }

    pub(super) fn sealing(&self) -> (&str, &[u8; KEY_BYTES]) {
        let key = self.0.first().expect("a key ring is never empty");
        (&key.id, &key.bytes)
    }

    pub(super) fn find(&self, id: &str) -> Option<&[u8; KEY_BYTES]> {
        self.0.iter().find(|key| key.id == id).map(|key| &*key.bytes)
    }
}

/// Checks whether a secret is too easy to guess to derive a key from it.
pub fn weakness_of_secret(secret: &str) -> Option<Weakness> {
    weak::of_secret(secret).map(Weakness)
}

fn parse_entry(entry: &str) -> Option<NamedKey> {
    let (id, key) = entry.split_once(':')?;
    let plain_id =
        !id.is_empty() && id.len() <= 40 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if !plain_id {
        return None;
    }
    let decoded = Zeroizing::new(URL_SAFE_NO_PAD.decode(key.trim_end_matches('=')).ok()?);
    let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
    if decoded.len() != KEY_BYTES {
        return None;
    }
    bytes.copy_from_slice(&decoded);
    Some(NamedKey { id: id.to_owned(), bytes })
}

/// Makes a new entry. The ID is random too, so that two rings never mean different keys by one ID.
fn generate_entry() -> Result<Zeroizing<String>, KeyRingError> {
    let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
    let mut id = [0_u8; 4];
    getrandom::fill(&mut bytes[..]).map_err(|_| KeyRingError::NoRandomness)?;
    getrandom::fill(&mut id).map_err(|_| KeyRingError::NoRandomness)?;
    Ok(Zeroizing::new(format!("k-{}:{}\n", hex::encode(id), URL_SAFE_NO_PAD.encode(&bytes[..]))))
}

/// Writes a draft next to the target and links it into place, so that the file appears whole or not at all and never replaces another.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut suffix = [0_u8; 6];
    getrandom::fill(&mut suffix).map_err(|_| io::Error::other("no randomness"))?;
    let draft = path.with_extension(format!("new-{}", hex::encode(suffix)));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let written =
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| std::fs::hard_link(&draft, path));
    std::fs::remove_file(&draft)?;
    written
}

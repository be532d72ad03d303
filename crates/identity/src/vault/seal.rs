//! Sealing and opening.

use std::fmt;

use adagent_domain::{Network, WorkspaceId};
use aes_gcm::{
    Aes256Gcm,
    aead::{Aead, KeyInit, Payload},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::KeyRing;

const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

/// What a sealed text is for; a text sealed for one purpose does not open for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Access and refresh token of an OAuth connection, or the API key of a key network.
    Credentials,
    /// The PKCE verifier of an OAuth round trip under way.
    OauthVerifier,
    /// What an authenticator app and this server share.
    SecondFactor,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Credentials => "credentials",
            Self::OauthVerifier => "oauth_verifier",
            Self::SecondFactor => "second_factor",
        }
    }
}

/// To whom a sealed text belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub workspace: WorkspaceId,
    pub network: Network,
    pub purpose: Purpose,
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.workspace, self.network, self.purpose.as_str())
    }
}

/// Why a text could not be sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    #[error("the sealed text is not a compact JWE with alg=dir and enc=A256GCM")]
    Malformed,
    #[error("the sealed text belongs to another owner than {expected}")]
    WrongOwner { expected: String },
    #[error("the vault has no key {key_id:?}; put it back into the key ring to open what it sealed")]
    UnknownKey { key_id: String },
    /// The authentication tag does not fit: somebody changed the text, or the key has the right id and the wrong bytes.
    #[error("the sealed text was changed or sealed with another key of the same id")]
    Tampered,
    #[error("what was sealed is not of the expected shape")]
    Shape,
    #[error("the operating system gave no randomness for a nonce")]
    NoRandomness,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: String,
    enc: String,
    kid: String,
    /// Private header parameter: workspace/network/purpose.
    own: String,
}

/// Seals and opens with a key ring.
#[derive(Debug)]
pub struct Vault {
    keys: KeyRing,
}

impl Vault {
    pub const fn new(keys: KeyRing) -> Self {
        Self { keys }
    }

    /// Seals bytes for their owner with the first key of the ring.
    pub fn seal(&self, owner: &Owner, plain: &[u8]) -> Result<String, VaultError> {
        let (key_id, key) = self.keys.sealing();
        let header =
            Header { alg: "dir".into(), enc: "A256GCM".into(), kid: key_id.to_owned(), own: owner.to_string() };
        let protected = B64.encode(serde_json::to_vec(&header).map_err(|_| VaultError::Shape)?);
        let mut nonce = [0_u8; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| VaultError::NoRandomness)?;
        let mut sealed = cipher(key)
            .encrypt(&nonce.into(), Payload { msg: plain, aad: protected.as_bytes() })
            .map_err(|_| VaultError::Shape)?;
        let tag = sealed.split_off(sealed.len().saturating_sub(TAG_BYTES));
        // `dir` has no encrypted key: the second part is empty.
        Ok(format!("{protected}..{}.{}.{}", B64.encode(nonce), B64.encode(sealed), B64.encode(tag)))
    }

    /// Opens what was sealed for exactly this owner.
    pub fn open(&self, owner: &Owner, sealed: &str) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let parts: Vec<&str> = sealed.split('.').collect();
        let &[protected, "", nonce, cipher_text, tag] = parts.as_slice() else {
            return Err(VaultError::Malformed);
        };
        let decode = |part: &str| B64.decode(part).map_err(|_| VaultError::Malformed);
        let header: Header = serde_json::from_slice(&decode(protected)?).map_err(|_| VaultError::Malformed)?;
        let nonce: [u8; NONCE_BYTES] = decode(nonce)?.try_into().map_err(|_| VaultError::Malformed)?;
        let mut message = decode(cipher_text)?;
        let tag = decode(tag)?;
        if header.alg != "dir" || header.enc != "A256GCM" || tag.len() != TAG_BYTES {
            return Err(VaultError::Malformed);
        }
        if header.own != owner.to_string() {
            return Err(VaultError::WrongOwner { expected: owner.to_string() });
        }
        let key = self.keys.find(&header.kid).ok_or(VaultError::UnknownKey { key_id: header.kid })?;
        message.extend_from_slice(&tag);
        cipher(key)
            .decrypt(&nonce.into(), Payload { msg: &message, aad: protected.as_bytes() })
            .map(Zeroizing::new)
            .map_err(|_| VaultError::Tampered)
    }

    /// Tells whether two secrets of an owner are the same without keeping either: nobody without the key can try guesses against it.
    /// Holds as long as the ring seals with the same key.
    pub fn fingerprint(&self, owner: &Owner, plain: &[u8]) -> String {
        let (_, key) = self.keys.sealing();
        // What follows the key always has the same length, so nothing can be appended to it.
        let of_text = Sha256::new().chain_update(owner.to_string()).chain_update([0]).chain_update(plain).finalize();
        hex::encode(Sha256::new().chain_update(key).chain_update(of_text).finalize())
    }

    /// Seals a value as JSON.
    pub fn seal_json<T: Serialize>(&self, owner: &Owner, value: &T) -> Result<String, VaultError> {
        let plain = Zeroizing::new(serde_json::to_vec(value).map_err(|_| VaultError::Shape)?);
        self.seal(owner, &plain)
    }

    /// Opens a value sealed with [`Vault::seal_json`].
    pub fn open_json<T: DeserializeOwned>(&self, owner: &Owner, sealed: &str) -> Result<T, VaultError> {
        let plain = self.open(owner, sealed)?;
        serde_json::from_slice(&plain).map_err(|_| VaultError::Shape)
    }

    /// Whether the text was sealed with another key than the one that seals now, and should be sealed again.
    pub fn is_outdated(&self, sealed: &str) -> bool {
        sealed
            .split('.')
            .next()
            .and_then(|protected| B64.decode(protected).ok())
            .and_then(|bytes| serde_json::from_slice::<Header>(&bytes).ok())
            .is_some_and(|header| header.kid != self.keys.sealing().0)
    }
}

fn cipher(key: &[u8; 32]) -> Aes256Gcm {
    Aes256Gcm::new(key.into())
}

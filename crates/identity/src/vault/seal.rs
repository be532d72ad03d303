//! Seals and opens texts.

use std::fmt;

use adagent_domain::{ConnectionId, Network, WorkspaceId};
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

/// The purpose of a sealed text. A text sealed for one purpose does not open for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The access and refresh tokens of an OAuth connection, or the API keys of a network.
    Credentials,
    /// The PKCE verifier of an open OAuth round trip.
    OauthVerifier,
    /// The secret that an authenticator app and this server share.
    SecondFactor,
    /// The token of an invite link to an organization.
    InviteLink,
    /// An email that waits to be sent.
    Mail,
    /// A token whose access we are revoking.
    Revocation,
    /// The token or key of a tool server.
    ToolServer,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Credentials => "credentials",
            Self::OauthVerifier => "oauth_verifier",
            Self::SecondFactor => "second_factor",
            Self::InviteLink => "invite_link",
            Self::Mail => "mail",
            Self::Revocation => "revocation",
            Self::ToolServer => "tool_server",
        }
    }
}

/// The owner of a sealed text, including the row that holds the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Workspace, network and purpose. Texts sealed before we added the row are bound to these alone.
    place: String,
    row: String,
}

impl Owner {
    /// Returns the owner of the credentials of one connection.
    pub fn credentials(workspace: WorkspaceId, network: Network, connection: ConnectionId) -> Self {
        Self::of(workspace, network, Purpose::Credentials, connection)
    }

    /// Returns the owner of the secret that an open OAuth round trip needs at its end. The hash of its state identifies its row.
    pub fn oauth_attempt(workspace: WorkspaceId, network: Network, state_hash: &str) -> Self {
        Self::of(workspace, network, Purpose::OauthVerifier, state_hash)
    }

    /// Returns the owner of any other text: whose it is (a workspace, a person), what it is about, its purpose and its row. No part may
    /// contain `/`.
    pub fn of(whose: impl fmt::Display, about: impl fmt::Display, purpose: Purpose, row: impl fmt::Display) -> Self {
        Self { place: format!("{whose}/{about}/{}", purpose.as_str()), row: row.to_string() }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.place, self.row)
    }
}

/// Why we could not seal or open a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    #[error("the sealed text is not a compact JWE with alg=dir and enc=A256GCM")]
    Malformed,
    #[error("the sealed text belongs to another owner than {expected}")]
    WrongOwner { expected: String },
    #[error("the vault has no key {key_id:?}; put it back into the key ring to open what it sealed")]
    UnknownKey { key_id: String },
    /// The authentication tag does not fit: somebody changed the text, or the key with this ID has the wrong bytes.
    #[error("the sealed text was changed or sealed with another key of the same id")]
    Tampered,
    #[error("the sealed content doesn't have the expected shape")]
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
    /// Private header parameter: workspace/network/purpose/row. Texts sealed before we added the row lack it.
    own: String,
}

/// The result of [`Vault::reseal`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resealed {
    /// The first key sealed this text already.
    Current,
    Anew(String),
}

/// A vault that seals and opens texts with a key ring.
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
        self.seal_for(owner.to_string(), plain)
    }

    fn seal_for(&self, own: String, plain: &[u8]) -> Result<String, VaultError> {
        let (key_id, key) = self.keys.sealing();
        let header = Header { alg: "dir".into(), enc: "A256GCM".into(), kid: key_id.to_owned(), own };
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

    /// Returns the ID of the key that sealed a text if the ring does not have it. This opens nothing and trusts nothing else in the text.
    pub fn missing_key(&self, sealed: &str) -> Option<String> {
        let id = Parts::of(sealed).ok()?.header.kid;
        self.keys.find(&id).is_none().then_some(id)
    }

    /// Opens a text that was sealed for exactly this owner, or for its place before we added the row.
    pub fn open(&self, owner: &Owner, sealed: &str) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let parts = Parts::of(sealed)?;
        if parts.header.own != owner.to_string() && parts.header.own != owner.place {
            return Err(VaultError::WrongOwner { expected: owner.to_string() });
        }
        self.decrypt(parts)
    }

    /// Opens a text of one owner and seals it for another. The caller must have the right to both.
    pub fn hand_over(&self, from: &Owner, to: &Owner, sealed: &str) -> Result<String, VaultError> {
        self.seal(to, &self.open(from, sealed)?)
    }

    /// Seals the same plain text for the same owner with the key that seals now. `row` is the row that holds the text. A text without a row
    /// gets bound to it. A text that names another row keeps that name, so it still does not open here.
    pub fn reseal(&self, sealed: &str, row: &str) -> Result<Resealed, VaultError> {
        let parts = Parts::of(sealed)?;
        let own = parts.header.own.clone();
        let bound = own.split('/').count() > 3;
        if bound && parts.header.kid == self.keys.sealing().0 {
            return Ok(Resealed::Current);
        }
        let plain = self.decrypt(parts)?;
        self.seal_for(if bound { own } else { format!("{own}/{row}") }, &plain).map(Resealed::Anew)
    }

    #[cfg(test)]
    pub(super) fn seal_as(&self, own: &str, plain: &[u8]) -> String {
        self.seal_for(own.to_owned(), plain).expect("sealed")
    }

    fn decrypt(&self, parts: Parts<'_>) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let key = self.keys.find(&parts.header.kid).ok_or(VaultError::UnknownKey { key_id: parts.header.kid })?;
        cipher(key)
            .decrypt(&parts.nonce.into(), Payload { msg: &parts.message, aad: parts.protected.as_bytes() })
            .map(Zeroizing::new)
            .map_err(|_| VaultError::Tampered)
    }

    /// Returns a value that tells whether two secrets of an owner are the same, without storing either. Nobody can test guesses against it
    /// without the key. The value changes when another key becomes the sealing key.
    pub fn fingerprint(&self, owner: &Owner, plain: &[u8]) -> String {
        let (_, key) = self.keys.sealing();
        // The part after the key always has the same length, so nobody can append anything to it.
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
}

/// The parts of a sealed text. We trust none of them before the tag fits.
struct Parts<'s> {
    protected: &'s str,
    header: Header,
    nonce: [u8; NONCE_BYTES],
    /// The cipher text and the tag.
    message: Vec<u8>,
}

impl<'s> Parts<'s> {
    fn of(sealed: &'s str) -> Result<Self, VaultError> {
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
        message.extend_from_slice(&tag);
        Ok(Self { protected, header, nonce, message })
    }
}

fn cipher(key: &[u8; 32]) -> Aes256Gcm {
    Aes256Gcm::new(key.into())
}

//! Seals the secrets of connections as compact JWE (`alg=dir`, `enc=A256GCM`), bound to the owner they belong to.
//!
//! The protected header carries the key id and the owner and is the additional data of the cipher: a sealed text copied to
//! another workspace, network, purpose or row does not open. No error of this module may contain a key or a plain text.

mod keys;
mod seal;
#[cfg(test)]
mod tests;
mod weak;

pub use keys::{KeyRing, KeyRingError, Weakness, weakness_of_secret};
pub use seal::{Owner, Purpose, Resealed, Vault, VaultError};

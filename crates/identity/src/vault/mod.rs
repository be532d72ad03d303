//! Seals the secrets of connections as compact JWE (`alg=dir`, `enc=A256GCM`), bound to the owner they belong to.
//!
//! The protected header carries the key ID and the owner, and it is the additional data of the cipher. So a sealed text does not open after
//! somebody copies it to another workspace, network, purpose or row. No error of this module may contain a key or a plain text.

mod keys;
mod seal;
#[cfg(test)]
mod tests;
mod weak;

pub use keys::{KeyRing, KeyRingError, Weakness, weakness_of_secret};
pub use seal::{Owner, Purpose, Resealed, Vault, VaultError};

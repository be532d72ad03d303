//! Argon2id on the blocking pool, a few at a time, so that sign-ins never starve the server of memory or cores.

use std::sync::Arc;

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString},
};
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

use crate::password::normalize;

/// Cost of one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashParams {
    pub memory_kib: u32,
    pub passes: u32,
    pub lanes: u32,
}

impl Default for HashParams {
    /// The middle of OWASP's equivalent settings for Argon2id.
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2, lanes: 1 }
    }
}

/// Hashing did not work; nothing about the password is in here.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    #[error("the password hasher is shutting down")]
    Stopped,
    #[error("password hash parameters are out of range")]
    Params,
    #[error("a stored password hash cannot be read")]
    Stored,
    #[error("hashing failed")]
    Failed,
}

/// What comparing a password with a stored hash says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// Right, but made with other parameters than today's: hash it again.
    RightButOutdated,
    Wrong,
}

/// Hashes and verifies; cheap to clone.
#[derive(Clone)]
pub struct PasswordHasher {
    params: HashParams,
    permits: Arc<Semaphore>,
    /// Compared with when no such account exists, so that an unknown address takes as long as a wrong password.
    decoy: Arc<str>,
}

impl PasswordHasher {
    /// `parallel` hashes run at the same time; the rest waits.
    pub fn new(params: HashParams, parallel: usize) -> Result<Self, HashError> {
        let decoy = hash(params, "a password nobody has")?;
        Ok(Self { params, permits: Arc::new(Semaphore::new(parallel.max(1))), decoy: decoy.into() })
    }

    /// A new hash in PHC format.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let params = self.params;
        let password = normalize(password);
        self.blocking(move || hash(params, &password)).await
    }

    /// Compares with the stored hash, or with a decoy that takes as long and never fits.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<Verdict, HashError> {
        let known = stored.is_some();
        let stored = Zeroizing::new(stored.unwrap_or(&self.decoy).to_owned());
        let password = normalize(password);
        let params = self.params;
        let verdict = self.blocking(move || verify(params, &password, &stored)).await?;
        Ok(if known { verdict } else { Verdict::Wrong })
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| HashError::Stopped)?;
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        })
        .await
        .map_err(|_| HashError::Failed)?
    }
}

fn argon2(params: HashParams) -> Result<Argon2<'static>, HashError> {
    let params = Params::new(params.memory_kib, params.passes, params.lanes, None).map_err(|_| HashError::Params)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(params: HashParams, password: &str) -> Result<String, HashError> {
    let mut salt = [0_u8; 16];
    getrandom::fill(&mut salt).map_err(|_| HashError::Failed)?;
    let salt = SaltString::encode_b64(&salt).map_err(|_| HashError::Failed)?;
    argon2(params)?
        .hash_password(password.as_bytes(), &salt)
        .map(|hash| hash.to_string())
        .map_err(|_| HashError::Failed)
}

fn verify(params: HashParams, password: &str, stored: &str) -> Result<Verdict, HashError> {
    let parsed = PasswordHash::new(stored).map_err(|_| HashError::Stored)?;
    if argon2(params)?.verify_password(password.as_bytes(), &parsed).is_err() {
        return Ok(Verdict::Wrong);
    }
    let used = Params::try_from(&parsed).map_err(|_| HashError::Stored)?;
    let current = (used.m_cost(), used.t_cost(), used.p_cost()) == (params.memory_kib, params.passes, params.lanes);
    Ok(if current { Verdict::Right } else { Verdict::RightButOutdated })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHEAP: HashParams = HashParams { memory_kib: 64, passes: 1, lanes: 1 };

    #[tokio::test]
    async fn verifies_its_own_hash_and_nothing_else() {
        let hasher = PasswordHasher::new(CHEAP, 2).unwrap();
        let stored = hasher.hash("correct horse").await.unwrap();
        assert!(stored.starts_with("$argon2id$"));
        assert_eq!(hasher.verify("correct horse", Some(&stored)).await.unwrap(), Verdict::Right);
        assert_eq!(hasher.verify("correct hors", Some(&stored)).await.unwrap(), Verdict::Wrong);
        assert_ne!(stored, hasher.hash("correct horse").await.unwrap(), "salted");
    }

    #[tokio::test]
    async fn an_unknown_account_is_never_right_even_with_the_decoys_password() {
        let hasher = PasswordHasher::new(CHEAP, 1).unwrap();
        assert_eq!(hasher.verify("a password nobody has", None).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_hash_with_older_parameters_asks_to_be_made_again() {
        let old = PasswordHasher::new(CHEAP, 1).unwrap().hash("correct horse").await.unwrap();
        let today = PasswordHasher::new(HashParams { passes: 2, ..CHEAP }, 1).unwrap();
        assert_eq!(today.verify("correct horse", Some(&old)).await.unwrap(), Verdict::RightButOutdated);
    }

    #[tokio::test]
    async fn a_broken_stored_hash_is_an_error_not_a_wrong_password() {
        let hasher = PasswordHasher::new(CHEAP, 1).unwrap();
        assert!(matches!(hasher.verify("x", Some("plain")).await, Err(HashError::Stored)));
    }
}

//! Argon2id on the blocking pool. Only a few hashes run at a time, so that sign-ins never starve the server of memory or cores.

use std::sync::{Arc, Mutex, PoisonError};

use argon2::{
    ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version,
    password_hash::{Output, ParamsString, PasswordHash, Salt, SaltString},
};
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

use crate::password::normalize;

/// The cost of one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashParams {
    pub memory_kib: u32,
    pub passes: u32,
    pub lanes: u32,
}

impl Default for HashParams {
    /// Returns the middle one of the settings that OWASP calls equivalent for Argon2id.
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2, lanes: 1 }
    }
}

/// Why hashing failed. It says nothing about the password.
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

/// The result of checking a password against a stored hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// The password is right, but its hash has other parameters than today's: hash it again.
    RightButOutdated,
    Wrong,
}

/// A hasher that makes and verifies password hashes; cheap to clone.
#[derive(Clone)]
pub struct PasswordHasher {
    params: HashParams,
    permits: Arc<Semaphore>,
    scratch: Arc<Scratch>,
    /// We compare with this hash if no such account exists, so that an unknown address takes as long as a wrong password.
    decoy: Arc<str>,
}

impl PasswordHasher {
    /// Makes a hasher. At most `parallel` hashes run at the same time; the others wait.
    pub fn new(params: HashParams, parallel: usize) -> Result<Self, HashError> {
        let scratch = Arc::new(Scratch::default());
        let decoy = hash(params, "a password nobody has", &scratch)?;
        Ok(Self { params, permits: Arc::new(Semaphore::new(parallel.max(1))), scratch, decoy: decoy.into() })
    }

    /// Returns a new hash in PHC format.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let (params, scratch) = (self.params, Arc::clone(&self.scratch));
        let password = normalize(password);
        self.blocking(move || hash(params, &password, &scratch)).await
    }

    /// Compares a password with the stored hash. Without a stored hash, compares it with a decoy, which takes as long and never matches.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<Verdict, HashError> {
        let known = stored.is_some();
        let stored = Zeroizing::new(stored.unwrap_or(&self.decoy).to_owned());
        let password = normalize(password);
        let (params, scratch) = (self.params, Arc::clone(&self.scratch));
        let verdict = self.blocking(move || verify(params, &password, &stored, &scratch)).await?;
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

/// The memory of finished hashes, kept for later ones. There are never more buffers than hashes that ran at the same time. If we freed the
/// buffers each time, the allocator would keep one of this size for each thread that ever hashed.
#[derive(Default)]
struct Scratch(Mutex<Vec<Vec<Block>>>);

impl Scratch {
    fn with<T>(&self, blocks: usize, work: impl FnOnce(&mut [Block]) -> T) -> T {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = kept().pop().unwrap_or_default();
        // A stored hash may need more memory than today's parameters.
        memory.resize(blocks.max(memory.len()), Block::default());
        let done = work(&mut memory[..blocks]);
        kept().push(memory);
        done
    }
}

fn checked(params: HashParams) -> Result<Params, HashError> {
    Params::new(params.memory_kib, params.passes, params.lanes, None).map_err(|_| HashError::Params)
}

fn digest(params: &Params, password: &str, salt: Salt<'_>, scratch: &Scratch) -> Result<Output, HashError> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let mut buffer = [0_u8; Salt::MAX_LENGTH];
    let salt = salt.decode_b64(&mut buffer).map_err(|_| HashError::Stored)?;
    let mut out = [0_u8; Params::DEFAULT_OUTPUT_LEN];
    let filled = scratch.with(params.block_count(), |memory| {
        argon2.hash_password_into_with_memory(password.as_bytes(), salt, &mut out, memory)
    });
    filled.map_err(|_| HashError::Failed)?;
    Output::new(&out).map_err(|_| HashError::Failed)
}

fn hash(params: HashParams, password: &str, scratch: &Scratch) -> Result<String, HashError> {
    let mut salt = [0_u8; 16];
    getrandom::fill(&mut salt).map_err(|_| HashError::Failed)?;
    let salt = SaltString::encode_b64(&salt).map_err(|_| HashError::Failed)?;
    let params = checked(params)?;
    let output = digest(&params, password, salt.as_salt(), scratch)?;
    let hash = PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).map_err(|_| HashError::Params)?,
        salt: Some(salt.as_salt()),
        hash: Some(output),
    };
    Ok(hash.to_string())
}

fn verify(params: HashParams, password: &str, stored: &str, scratch: &Scratch) -> Result<Verdict, HashError> {
    let parsed = PasswordHash::new(stored).map_err(|_| HashError::Stored)?;
    let ours = (ARGON2ID_IDENT, Some(Version::V0x13.into()));
    let (Some(salt), Some(expected), true) = (parsed.salt, parsed.hash, (parsed.algorithm, parsed.version) == ours)
    else {
        return Err(HashError::Stored);
    };
    let used = Params::try_from(&parsed).map_err(|_| HashError::Stored)?;
    // This comparison takes constant time.
    if digest(&used, password, salt, scratch)? != expected {
        return Ok(Verdict::Wrong);
    }
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
    async fn memory_is_used_again_and_the_hash_is_what_everybody_else_calls_one() {
        use argon2::password_hash::PasswordVerifier as _;
        let hasher = PasswordHasher::new(CHEAP, 2).unwrap();
        let larger = PasswordHasher::new(HashParams { memory_kib: 128, ..CHEAP }, 2).unwrap();
        let old = larger.hash("correct horse").await.unwrap();
        for _ in 0..3 {
            let stored = hasher.hash("correct horse").await.unwrap();
            assert_eq!(
                Argon2::default().verify_password(b"correct horse", &PasswordHash::new(&stored).unwrap()),
                Ok(())
            );
            assert_eq!(hasher.verify("correct horse", Some(&old)).await.unwrap(), Verdict::RightButOutdated);
        }
        assert_eq!(hasher.scratch.0.lock().unwrap().len(), 1, "one after the other need one buffer");
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

//! Nobody signs in to the simulated store.

use adagent_domain::{Timestamp, UserId};
use adagent_store::{
    AccountToken, BrowserSession, FailedSignIns, HttpSession, Identity, SecondFactor, SignInAttempt, SignInReads,
    SignInWrites, StoreResult, TokenPurpose,
};
use async_trait::async_trait;

use super::{SimStore, Unit, writes::not_simulated};

#[async_trait]
impl SignInReads for SimStore {
    async fn find_identity(&self, _: &str, _: &str) -> StoreResult<Option<Identity>> {
        not_simulated()
    }

    async fn list_identities(&self, _: UserId) -> StoreResult<Vec<Identity>> {
        not_simulated()
    }

    async fn find_account_token_of(
        &self,
        _: UserId,
        _: TokenPurpose,
        _: Timestamp,
    ) -> StoreResult<Option<AccountToken>> {
        not_simulated()
    }

    async fn find_account_token(&self, _: &str, _: TokenPurpose, _: Timestamp) -> StoreResult<Option<AccountToken>> {
        not_simulated()
    }

    async fn find_second_factor(&self, _: UserId) -> StoreResult<Option<SecondFactor>> {
        not_simulated()
    }

    async fn count_recovery_codes(&self, _: UserId) -> StoreResult<u64> {
        not_simulated()
    }

    async fn list_browser_sessions(&self, _: UserId, _: Timestamp, _: u32) -> StoreResult<Vec<BrowserSession>> {
        not_simulated()
    }

    async fn list_failed_sign_ins(&self, _: UserId, _: Timestamp, _: u32) -> StoreResult<Vec<FailedSignIns>> {
        not_simulated()
    }
}

#[async_trait]
impl SignInWrites for Unit {
    async fn set_email_verified(&mut self, _: UserId, _: Timestamp) -> StoreResult<()> {
        not_simulated()
    }

    async fn set_email(&mut self, _: UserId, _: &str, _: &str, _: Option<Timestamp>) -> StoreResult<()> {
        not_simulated()
    }

    async fn insert_identity(&mut self, _: &Identity) -> StoreResult<()> {
        not_simulated()
    }

    async fn touch_identity(&mut self, _: &str, _: &str, _: Timestamp, _: &str) -> StoreResult<()> {
        not_simulated()
    }

    async fn delete_identity(&mut self, _: UserId, _: &str) -> StoreResult<bool> {
        not_simulated()
    }

    async fn replace_account_token(&mut self, _: &AccountToken, _: &str) -> StoreResult<()> {
        not_simulated()
    }

    async fn take_account_token(&mut self, _: &str, _: TokenPurpose) -> StoreResult<Option<AccountToken>> {
        not_simulated()
    }

    async fn delete_account_tokens(&mut self, _: UserId, _: TokenPurpose) -> StoreResult<()> {
        not_simulated()
    }

    async fn put_second_factor(&mut self, _: UserId, _: &str, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }

    async fn confirm_second_factor(&mut self, _: UserId, _: &str, _: &str, _: Timestamp, _: i64) -> StoreResult<bool> {
        not_simulated()
    }

    async fn count_second_factor_attempt(
        &mut self,
        _: UserId,
        _: Timestamp,
        _: Timestamp,
        _: u32,
    ) -> StoreResult<Option<u64>> {
        not_simulated()
    }

    async fn use_totp_step(&mut self, _: UserId, _: i64) -> StoreResult<bool> {
        not_simulated()
    }

    async fn forgive_second_factor(&mut self, _: UserId) -> StoreResult<()> {
        not_simulated()
    }

    async fn delete_second_factor(&mut self, _: UserId) -> StoreResult<bool> {
        not_simulated()
    }

    async fn replace_recovery_codes(&mut self, _: UserId, _: &[String]) -> StoreResult<()> {
        not_simulated()
    }

    async fn use_recovery_code(&mut self, _: UserId, _: &str) -> StoreResult<bool> {
        not_simulated()
    }

    async fn insert_sign_in_attempt(&mut self, _: &SignInAttempt) -> StoreResult<()> {
        not_simulated()
    }

    async fn take_sign_in_attempt(&mut self, _: &str, _: &str) -> StoreResult<Option<SignInAttempt>> {
        not_simulated()
    }

    async fn renew_http_session(&mut self, _: &HttpSession) -> StoreResult<bool> {
        not_simulated()
    }

    async fn own_http_session(&mut self, _: &BrowserSession) -> StoreResult<()> {
        not_simulated()
    }

    async fn end_browser_session(&mut self, _: UserId, _: &str) -> StoreResult<bool> {
        not_simulated()
    }

    async fn end_oldest_sessions(&mut self, _: UserId, _: u32, _: &str, _: Timestamp) -> StoreResult<u64> {
        not_simulated()
    }

    async fn count_failed_sign_in(&mut self, _: UserId, _: &str, _: Timestamp, _: u32) -> StoreResult<FailedSignIns> {
        not_simulated()
    }

    async fn note_failed_sign_in(&mut self, _: UserId, _: &str, _: Timestamp, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }

    async fn end_other_sessions(&mut self, _: UserId, _: &str) -> StoreResult<u64> {
        not_simulated()
    }
}

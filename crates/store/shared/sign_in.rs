//! How people prove who they are.

use adagent_domain::{Timestamp, UserId};
use adagent_store::{
    AccountToken, BrowserSession, FailedSignIns, HttpSession, Identity, SecondFactor, SignInAttempt, SignInReads,
    SignInWrites, StoreResult, TokenPurpose,
};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean},
    engine::{Database, Row, Unit},
    run::{execute, execute_maybe, execute_one, fetch_all, fetch_one, fetch_optional, sql},
};

fn identity(row: &Row) -> StoreResult<Identity> {
    let columns = Columns::new("identities", row);
    Ok(Identity {
        issuer: columns.text("issuer")?,
        subject: columns.text("subject")?,
        user: UserId(columns.uuid("user_id")?),
        email: columns.text("email")?,
        created_at: columns.at("created_at")?,
        used_at: columns.at_opt("used_at")?,
    })
}

fn account_token(row: &Row) -> StoreResult<AccountToken> {
    let columns = Columns::new("account_tokens", row);
    let purpose = |word: &str| TokenPurpose::ALL.into_iter().find(|purpose| purpose.as_str() == word);
    Ok(AccountToken {
        user: UserId(columns.uuid("user_id")?),
        purpose: columns.word("purpose", purpose)?,
        email: columns.text("email")?,
        created_at: columns.at("created_at")?,
        expires_at: columns.at("expires_at")?,
    })
}

fn second_factor(row: &Row) -> StoreResult<SecondFactor> {
    let columns = Columns::new("second_factors", row);
    Ok(SecondFactor {
        user: UserId(columns.uuid("user_id")?),
        sealed: columns.text("sealed")?,
        confirmed_at: columns.at_opt("confirmed_at")?,
        last_step: columns.get("last_step")?,
        failures: columns.count("failures")?,
        blocked_until: columns.at_opt("blocked_until")?,
        created_at: columns.at("created_at")?,
    })
}

fn attempt(row: &Row) -> StoreResult<SignInAttempt> {
    let columns = Columns::new("sign_in_attempts", row);
    Ok(SignInAttempt {
        state_hash: columns.text("state_hash")?,
        binding_hash: columns.text("binding_hash")?,
        user: columns.get::<Option<uuid::Uuid>>("user_id")?.map(UserId),
        return_to: columns.get("return_to")?,
        expires_at: columns.at("expires_at")?,
    })
}

fn browser_session(row: &Row) -> StoreResult<BrowserSession> {
    let columns = Columns::new("http_sessions", row);
    Ok(BrowserSession {
        id: columns.text("id")?,
        user: UserId(columns.uuid("user_id")?),
        created_at: columns.at("created_at")?,
        seen_at: columns.at("seen_at")?,
        agent: columns.text("agent")?,
        address: columns.text("address")?,
    })
}

fn failed(row: &Row) -> StoreResult<FailedSignIns> {
    let columns = Columns::new("failed_sign_ins", row);
    Ok(FailedSignIns {
        address: columns.text("address")?,
        attempts: columns.count("attempts")?,
        first_at: columns.at("first_at")?,
        last_at: columns.at("last_at")?,
    })
}

#[async_trait]
impl SignInReads for Database {
    async fn find_identity(&self, issuer: &str, subject: &str) -> StoreResult<Option<Identity>> {
        let query = sql(include_str!("../sql/sign_in/find_identity.sql")).bind(clean(issuer)).bind(clean(subject));
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(identity).transpose()
    }

    async fn list_identities(&self, user: UserId) -> StoreResult<Vec<Identity>> {
        let query = sql(include_str!("../sql/sign_in/list_identities.sql")).bind(user.0);
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(identity).collect()
    }

    async fn find_account_token_of(
        &self,
        user: UserId,
        purpose: TokenPurpose,
        now: Timestamp,
    ) -> StoreResult<Option<AccountToken>> {
        let query = sql(include_str!("../sql/sign_in/find_account_token_of.sql"))
            .bind(user.0)
            .bind(purpose.as_str())
            .bind(now.as_micros());
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(account_token).transpose()
    }

    async fn find_account_token(
        &self,
        secret_hash: &str,
        purpose: TokenPurpose,
        now: Timestamp,
    ) -> StoreResult<Option<AccountToken>> {
        let query = sql(include_str!("../sql/sign_in/find_account_token.sql"))
            .bind(clean(secret_hash))
            .bind(purpose.as_str())
            .bind(now.as_micros());
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(account_token).transpose()
    }

    async fn find_second_factor(&self, user: UserId) -> StoreResult<Option<SecondFactor>> {
        let query = sql(include_str!("../sql/sign_in/find_second_factor.sql")).bind(user.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(second_factor).transpose()
    }

    async fn count_recovery_codes(&self, user: UserId) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/sign_in/count_recovery_codes.sql")).bind(user.0);
        let row = fetch_one(&mut *self.reader().await?, query).await?;
        Columns::new("recovery_codes", &row).count("codes")
    }

    async fn list_browser_sessions(
        &self,
        user: UserId,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<BrowserSession>> {
        let query = sql(include_str!("../sql/sign_in/list_sessions.sql"))
            .bind(user.0)
            .bind(now.as_micros())
            .bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(browser_session).collect()
    }

    async fn list_failed_sign_ins(
        &self,
        user: UserId,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<FailedSignIns>> {
        let query = sql(include_str!("../sql/sign_in/list_failed.sql"))
            .bind(user.0)
            .bind(since.as_micros())
            .bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(failed).collect()
    }
}

#[async_trait]
impl SignInWrites for Unit {
    async fn set_email_verified(&mut self, user: UserId, at: Timestamp) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/set_email_verified.sql")).bind(user.0).bind(at.as_micros());
        execute(self.connection(), query).await.map(drop)
    }

    async fn set_email(
        &mut self,
        user: UserId,
        email: &str,
        email_key: &str,
        verified_at: Option<Timestamp>,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/set_email.sql"))
            .bind(user.0)
            .bind(clean(email))
            .bind(clean(email_key))
            .bind(verified_at.map(Timestamp::as_micros));
        execute_one(self.connection(), query, "set e-mail").await
    }

    async fn insert_identity(&mut self, identity: &Identity) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/insert_identity.sql"))
            .bind(clean(&identity.issuer))
            .bind(clean(&identity.subject))
            .bind(identity.user.0)
            .bind(clean(&identity.email))
            .bind(identity.created_at.as_micros())
            .bind(identity.used_at.map(Timestamp::as_micros));
        execute_one(self.connection(), query, "insert identity").await
    }

    async fn touch_identity(&mut self, issuer: &str, subject: &str, at: Timestamp, email: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/touch_identity.sql"))
            .bind(clean(issuer))
            .bind(clean(subject))
            .bind(at.as_micros())
            .bind(clean(email));
        execute_one(self.connection(), query, "touch identity").await
    }

    async fn delete_identity(&mut self, user: UserId, issuer: &str) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/delete_identity.sql")).bind(user.0).bind(clean(issuer));
        execute_maybe(self.connection(), query).await
    }

    async fn replace_account_token(&mut self, token: &AccountToken, secret_hash: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/insert_account_token.sql"))
            .bind(clean(secret_hash))
            .bind(token.user.0)
            .bind(token.purpose.as_str())
            .bind(clean(&token.email))
            .bind(token.created_at.as_micros())
            .bind(token.expires_at.as_micros());
        execute_one(self.connection(), query, "insert account token").await
    }

    async fn take_account_token(
        &mut self,
        secret_hash: &str,
        purpose: TokenPurpose,
    ) -> StoreResult<Option<AccountToken>> {
        let query =
            sql(include_str!("../sql/sign_in/take_account_token.sql")).bind(clean(secret_hash)).bind(purpose.as_str());
        fetch_optional(self.connection(), query).await?.as_ref().map(account_token).transpose()
    }

    async fn delete_account_tokens(&mut self, user: UserId, purpose: TokenPurpose) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/delete_account_tokens.sql")).bind(user.0).bind(purpose.as_str());
        execute(self.connection(), query).await.map(drop)
    }

    async fn put_second_factor(&mut self, user: UserId, sealed: &str, at: Timestamp) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/put_second_factor.sql"))
            .bind(user.0)
            .bind(clean(sealed))
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn confirm_second_factor(
        &mut self,
        user: UserId,
        seen: &str,
        sealed: &str,
        at: Timestamp,
        step: i64,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/confirm_second_factor.sql"))
            .bind(user.0)
            .bind(clean(seen))
            .bind(clean(sealed))
            .bind(at.as_micros())
            .bind(step);
        execute_maybe(self.connection(), query).await
    }

    async fn count_second_factor_attempt(
        &mut self,
        user: UserId,
        now: Timestamp,
        block_until: Timestamp,
        every: u32,
    ) -> StoreResult<Option<u64>> {
        let query = sql(include_str!("../sql/sign_in/count_attempt.sql"))
            .bind(user.0)
            .bind(now.as_micros())
            .bind(block_until.as_micros())
            .bind(i64::from(every));
        let row = fetch_optional(self.connection(), query).await?;
        row.map(|row| Columns::new("second_factors", &row).count("failures")).transpose()
    }

    async fn use_totp_step(&mut self, user: UserId, step: i64) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/use_step.sql")).bind(user.0).bind(step);
        execute_maybe(self.connection(), query).await
    }

    async fn forgive_second_factor(&mut self, user: UserId) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/forgive.sql")).bind(user.0);
        execute(self.connection(), query).await.map(drop)
    }

    async fn delete_second_factor(&mut self, user: UserId) -> StoreResult<bool> {
        let codes = sql(include_str!("../sql/sign_in/delete_recovery_codes.sql")).bind(user.0);
        execute(self.connection(), codes).await?;
        let query = sql(include_str!("../sql/sign_in/delete_second_factor.sql")).bind(user.0);
        execute_maybe(self.connection(), query).await
    }

    async fn replace_recovery_codes(&mut self, user: UserId, hashes: &[String]) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/delete_recovery_codes.sql")).bind(user.0);
        execute(self.connection(), query).await?;
        for hash in hashes {
            let query = sql(include_str!("../sql/sign_in/insert_recovery_code.sql")).bind(user.0).bind(clean(hash));
            execute_one(self.connection(), query, "insert recovery code").await?;
        }
        Ok(())
    }

    async fn use_recovery_code(&mut self, user: UserId, hash: &str) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/use_recovery_code.sql")).bind(user.0).bind(clean(hash));
        execute_maybe(self.connection(), query).await
    }

    async fn insert_sign_in_attempt(&mut self, attempt: &SignInAttempt) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/insert_attempt.sql"))
            .bind(clean(&attempt.state_hash))
            .bind(clean(&attempt.binding_hash))
            .bind(attempt.user.map(|user| user.0))
            .bind(attempt.return_to.as_deref().map(clean))
            .bind(attempt.expires_at.as_micros());
        execute_one(self.connection(), query, "insert sign-in attempt").await
    }

    async fn take_sign_in_attempt(
        &mut self,
        state_hash: &str,
        binding_hash: &str,
    ) -> StoreResult<Option<SignInAttempt>> {
        let query =
            sql(include_str!("../sql/sign_in/take_attempt.sql")).bind(clean(state_hash)).bind(clean(binding_hash));
        fetch_optional(self.connection(), query).await?.as_ref().map(attempt).transpose()
    }

    async fn renew_http_session(&mut self, session: &HttpSession) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/renew_session.sql"))
            .bind(clean(&session.id))
            .bind(clean(&session.data))
            .bind(session.expires_at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn own_http_session(&mut self, session: &BrowserSession) -> StoreResult<()> {
        let query = sql(include_str!("../sql/sign_in/own_session.sql"))
            .bind(clean(&session.id))
            .bind(session.user.0)
            .bind(session.created_at.as_micros())
            .bind(session.seen_at.as_micros())
            .bind(clean(&session.agent))
            .bind(clean(&session.address));
        execute_one(self.connection(), query, "own browser session").await
    }

    async fn end_browser_session(&mut self, user: UserId, id: &str) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/end_session.sql")).bind(user.0).bind(clean(id));
        execute_maybe(self.connection(), query).await
    }

    async fn end_other_sessions(&mut self, user: UserId, but: &str) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/sign_in/end_other_sessions.sql")).bind(user.0).bind(clean(but));
        execute(self.connection(), query).await
    }

    async fn end_oldest_sessions(&mut self, user: UserId, keep: u32, but: &str, now: Timestamp) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/sign_in/end_oldest_sessions.sql"))
            .bind(user.0)
            .bind(i64::from(keep))
            .bind(now.as_micros())
            .bind(clean(but));
        execute(self.connection(), query).await
    }

    async fn count_failed_sign_in(
        &mut self,
        user: UserId,
        address: &str,
        at: Timestamp,
        places: u32,
    ) -> StoreResult<FailedSignIns> {
        let query = sql(include_str!("../sql/sign_in/count_failed.sql"))
            .bind(user.0)
            .bind(clean(address))
            .bind(at.as_micros())
            .bind(i64::from(places));
        failed(&fetch_one(self.connection(), query).await?)
    }

    async fn note_failed_sign_in(
        &mut self,
        user: UserId,
        address: &str,
        at: Timestamp,
        since: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/sign_in/note_failed.sql"))
            .bind(user.0)
            .bind(clean(address))
            .bind(at.as_micros())
            .bind(since.as_micros());
        execute_maybe(self.connection(), query).await
    }
}

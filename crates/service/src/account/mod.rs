//! A person's own account: how they prove who they are, and everything about sign-in that they see and change.
//!
//! Every use case here is about the person who asks, so there is no role to check. Actions for which a stolen session must not be enough
//! ask for [`Proof`]. A secret goes only to the person it was made for, and none goes into the audit log.

pub(crate) mod browsers;
mod email;
mod failures;
mod google;
pub(crate) mod letters;
mod password;
mod recovery;
mod second_factor;
mod view;

use std::net::IpAddr;

use adagent_domain::{Actor, Role, Timestamp, UserId};
use adagent_identity::{Verdict, email_key};
use adagent_store::{UnitOfWork, User};
use serde_json::{Value as Json, json};

use crate::{ClientInfo, Service, ServiceError, ServiceResult, SessionHash};

pub use google::{Arrival, GoogleTrip};

/// For how long after signing in a person without a password needs no other proof.
const FRESH_SECONDS: i64 = 10 * 60;

/// When the session of a request was signed in. The session layer puts it into the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedInAt(pub Timestamp);

/// The proof that it is still the same person: the password, or, for an account without one, that they signed in just now.
#[derive(Clone, Copy, Default)]
pub struct Proof<'a> {
    pub password: Option<&'a str>,
    pub signed_in_at: Option<Timestamp>,
    pub address: Option<IpAddr>,
}

/// The result of signing in with a password.
#[derive(Debug, Clone, PartialEq)]
pub enum SignInStep {
    Done(adagent_contract::UserView),
    /// The password is right, but the person is signed in only after the code is right, too.
    NeedsCode(UserId),
}

impl Service {
    async fn user(&self, id: UserId) -> ServiceResult<User> {
        self.store.find_user(id).await?.ok_or(ServiceError::Unauthenticated)
    }

    /// Checks the proof. `pointer` names the field of the form that holds the password.
    pub(crate) async fn prove(&self, user: &User, proof: Proof<'_>, pointer: &str) -> ServiceResult<()> {
        let Some(stored) = user.password() else {
            let now = self.clock.now();
            let fresh = proof.signed_in_at.is_some_and(|at| at.plus_seconds(FRESH_SECONDS) > now);
            return if fresh { Ok(()) } else { Err(ServiceError::SignInAgain) };
        };
        let given = proof.password.unwrap_or_default();
        if given.is_empty() {
            return Err(ServiceError::field(pointer, "Enter your password."));
        }
        // The limits of a sign-in apply here too, so that a stolen session does not help to guess faster.
        self.limits.sign_in(&email_key(&user.email), proof.address)?;
        let verdict = self.hasher.verify(given, Some(stored)).await;
        match verdict.map_err(|error| ServiceError::Internal(error.to_string()))? {
            Verdict::Right | Verdict::RightButOutdated => Ok(()),
            Verdict::Wrong => {
                self.note_wrong_password(user, proof.address);
                Err(ServiceError::field(pointer, "Incorrect password."))
            }
        }
    }

    /// Notes an action in the person's own workspace, where they look for it.
    pub(crate) async fn audit_account(
        &self,
        work: &mut dyn UnitOfWork,
        user: &User,
        action: &str,
        detail: Json,
    ) -> ServiceResult<()> {
        let actor = Actor { user: user.id, workspace: user.personal_workspace, role: Role::Owner, personal: true };
        self.audit(work, &actor, action, user.id, detail).await
    }

    /// Notes that a person has signed in with a new session. It replaces the session that this browser had before, if any. If the person
    /// has too many sessions, those used longest ago end.
    pub async fn signed_in(
        &self,
        user: UserId,
        method: &'static str,
        client: ClientInfo,
        before: Option<&SessionHash>,
    ) -> ServiceResult<()> {
        let user = self.user(user).await?;
        let mut work = self.store.begin().await?;
        let before = before.map_or("", |before| before.0.as_str());
        let ended = work.end_oldest_sessions(user.id, browsers::MOST - 1, before, self.clock.now()).await?;
        let from = client.ip.map(|ip| ip.to_string());
        let mut detail = json!({"method": method, "from": from});
        if ended > 0 {
            detail["ended_sessions"] = json!(ended);
        }
        self.audit_account(&mut *work, &user, "account.signed_in", detail).await?;
        Ok(work.commit().await?)
    }

    /// Notes that a person has signed out.
    pub async fn signed_out(&self, user: UserId) -> ServiceResult<()> {
        let user = self.user(user).await?;
        let mut work = self.store.begin().await?;
        self.audit_account(&mut *work, &user, "account.signed_out", json!({})).await?;
        Ok(work.commit().await?)
    }
}

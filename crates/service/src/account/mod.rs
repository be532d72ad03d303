//! A person's own account: proving who they are, and everything about signing in that they see and change.
//!
//! Every use case here is about the one who asks, so there is no role to check; what a stolen session must not be enough for
//! asks for [`Proof`]. No secret leaves but to the one it was made for, and none goes into the log of what was done.

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

/// How long after signing in somebody without a password needs no other proof.
const FRESH_SECONDS: i64 = 10 * 60;

/// When the session of a request was signed in; put into its extensions by the session layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedInAt(pub Timestamp);

/// What shows that it is still the person: the password, or for accounts without one that they signed in just now.
#[derive(Clone, Copy, Default)]
pub struct Proof<'a> {
    pub password: Option<&'a str>,
    pub signed_in_at: Option<Timestamp>,
    pub address: Option<IpAddr>,
}

/// What signing in with a password leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum SignInStep {
    Done(adagent_contract::UserView),
    /// The password is right. The person is signed in only when the code is right, too.
    NeedsCode(UserId),
}

impl Service {
    async fn user(&self, id: UserId) -> ServiceResult<User> {
        self.store.find_user(id).await?.ok_or(ServiceError::Unauthenticated)
    }

    /// `pointer` is where the form has the password.
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
        // A thief with a stolen session guesses no faster than one without.
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

    /// Notes it where its person looks: in their own workspace.
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

    /// Notes that somebody has signed in, in a session that begins now; the one this browser had before, if any, it takes the place
    /// of. Where there are too many, those that were used longest ago end.
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

    /// Notes that somebody has signed out.
    pub async fn signed_out(&self, user: UserId) -> ServiceResult<()> {
        let user = self.user(user).await?;
        let mut work = self.store.begin().await?;
        self.audit_account(&mut *work, &user, "account.signed_out", json!({})).await?;
        Ok(work.commit().await?)
    }
}

//! Revokes access at networks after the connections were removed here, even if the process that removed them has died.
//!
//! The transaction that removes a connection also writes the job. So a crash in between loses nothing, and a refused removal revokes
//! nothing. The job holds one token, sealed for the job; the connection's row is gone. If the job never succeeds, we tell the workspace
//! that a person must revoke the access at the network. We do not revoke replaced credentials: at Google a person has one consent for this
//! server, so revoking the old one would revoke the new one too. `consents` knows which connections share one.

use std::collections::BTreeSet;

use adagent_contract::RevocationView;
use adagent_domain::{
    Granted, JobId, Network, Role, WorkspaceId,
    rights::{DeleteOrganization, ManageConnections, ViewConnections},
};
use adagent_identity::{Owner, Purpose};
use adagent_oauth::OauthError;
use adagent_store::{
    AuditEntry, ClaimedJob, Connection, JobOutcome, Membership, NewRevocation, Queue, Revocation, UnitOfWork, User,
    audit,
};
use async_trait::async_trait;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::consents::{Left, Rests};
use crate::{
    Service, ServiceError, ServiceResult,
    queue::{Course, Errand, Failure, WorkedOff},
    rights::still_granted,
};

/// How we try: for about two and a half days. A claim lasts longer than a network may take.
const COURSE: Course =
    Course { lease_seconds: 60, attempts: 18, first_wait_seconds: 30, longest_wait_seconds: 6 * 60 * 60, keeps: false };
/// How many failed revocations a page shows.
const MOST: u32 = 50;
const MAYBE_USED: &str =
    "another connection may still use this access, so we left it; remove it if nothing else needs it";

/// What happens to the access of a removed connection, in the words of the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// We revoke it as soon as the network answers.
    BeingTakenBack,
    /// There is nothing to revoke: keys (only the network itself can make them invalid), or a simulated connection that nobody can open.
    None,
    /// This server cannot open the token, so a person must revoke the access.
    ByHand,
}

impl Consent {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::BeingTakenBack => "being_taken_back",
            Self::None => "none",
            Self::ByHand => "by_hand",
        }
    }
}

fn owner(network: Network, id: JobId) -> Owner {
    Owner::of("revocation", network, Purpose::Revocation, id)
}

impl Service {
    /// Writes the job for a connection into the transaction that removes it. Call [`Self::revocations_were_queued`] after the commit. The
    /// job checks whether other connections use the same consent when it runs, after everything else has been removed.
    pub(crate) async fn take_consent_back(
        &self,
        work: &mut dyn UnitOfWork,
        connection: &Connection,
    ) -> ServiceResult<Consent> {
        if !connection.network.uses_oauth() {
            return Ok(Consent::None);
        }
        let id = JobId::new(&*self.ids);
        let sealed = match self.connections.source.open(connection) {
            Ok(tokens) => {
                let token = tokens.refresh().unwrap_or_else(|| tokens.access());
                let sealed =
                    Left::of(connection, &token).seal(self.connections.vault(), &owner(connection.network, id));
                Ok(sealed.map_err(|error| ServiceError::Internal(error.to_string()))?)
            }
            // Nobody can revoke it, and there is nothing to revoke.
            Err(_) if connection.sandbox => return Ok(Consent::None),
            Err(closed) => Err(closed.message),
        };
        let consent = if sealed.is_ok() { Consent::BeingTakenBack } else { Consent::ByHand };
        let revocation = NewRevocation {
            id,
            workspace: connection.workspace,
            connection: connection.id,
            network: connection.network,
            sandbox: connection.sandbox,
            sealed,
            created_at: self.clock.now(),
        };
        work.insert_revocation(&revocation).await?;
        Ok(consent)
    }

    /// Wakes the worker, so that it does not wait for its next turn.
    pub(crate) fn revocations_were_queued(&self) {
        self.revocations.notify_one();
    }

    /// Revokes access until `stop`; the server runs this.
    pub async fn take_consents_back(&self, stop: CancellationToken) {
        self.keep_working_off(&TakingBack(self), &self.revocations, &stop).await;
    }

    /// Revokes everything that is due now. After `stop`, finishes only what has begun.
    pub async fn take_due_consents_back(&self, stop: &CancellationToken) -> ServiceResult<WorkedOff> {
        self.work_off(&TakingBack(self), stop).await
    }

    /// Lists what a person must revoke at the network, because this server could not.
    pub async fn failed_revocations(&self, actor: &Granted<ViewConnections>) -> ServiceResult<Vec<RevocationView>> {
        let failed = self.store.list_failed_revocations(actor.workspace, MOST).await?;
        let view = |one: Revocation| RevocationView {
            id: one.id,
            network: one.network,
            display_name: one.network.display_name().to_owned(),
            disconnected_at: one.created_at,
            sandbox: one.sandbox,
            message: one.last_error.unwrap_or_default(),
        };
        Ok(failed.into_iter().map(view).collect())
    }

    /// Lists the networks at which our access remains if this organization is deleted. The person who deletes it sees them first.
    pub async fn consents_left(&self, actor: &Granted<DeleteOrganization>) -> ServiceResult<Vec<Network>> {
        let mut left = self.given_up_at(actor.workspace).await?;
        left.extend(self.store.list_connections(actor.workspace).await?.iter().filter_map(|one| self.by_hand(one)));
        Ok(left.into_iter().collect())
    }

    /// Does the same for what is deleted with an account: its personal workspace, and organizations without other members.
    pub(crate) async fn consents_left_of(&self, user: &User) -> ServiceResult<Vec<Network>> {
        let mut left = BTreeSet::new();
        for Membership { workspace, role, .. } in self.store.list_memberships(user.id).await? {
            let goes = workspace.id == user.personal_workspace
                || role == Role::Owner && self.store.count_members(workspace.id).await? == 1;
            if goes {
                left.extend(self.given_up_at(workspace.id).await?);
                left.extend(
                    self.store.list_connections(workspace.id).await?.iter().filter_map(|one| self.by_hand(one)),
                );
            }
        }
        Ok(left.into_iter().collect())
    }

    /// Lists the networks of revocations that we gave up and that nobody has done yet.
    pub(crate) async fn given_up_at(&self, workspace: WorkspaceId) -> ServiceResult<BTreeSet<Network>> {
        let failed = self.store.list_failed_revocations(workspace, MOST).await?;
        Ok(failed.into_iter().map(|one| one.network).collect())
    }

    /// Returns the network of a connection whose access [`Self::take_consent_back`] would leave to a person.
    fn by_hand(&self, connection: &Connection) -> Option<Network> {
        let real = connection.network.uses_oauth() && !connection.sandbox;
        (real && self.connections.source.open(connection).is_err()).then_some(connection.network)
    }

    /// Notes that a person has revoked the access at the network.
    pub async fn forget_revocation(&self, actor: &Granted<ManageConnections>, id: JobId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        if !work.forget_revocation(actor.workspace, id).await? {
            return Err(ServiceError::NotFound("revocation"));
        }
        self.audit(&mut *work, actor, "connection.consent_taken_back_by_hand", id, json!({})).await?;
        Ok(work.commit().await?)
    }
}

struct TakingBack<'s>(&'s Service);

/// How a revocation ended without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    TakenBack,
    /// Another connection uses the consent; we revoke it with the last one.
    InUse,
    /// A simulated consent, which does not exist; or a person has already revoked it.
    Forgotten,
}

impl TakingBack<'_> {
    async fn take_back(&self, revocation: &Revocation, job: &ClaimedJob) -> Result<Found, Failure> {
        let Self(service) = self;
        let later = |error: &dyn std::fmt::Display| Failure::Later(error.to_string());
        let source = &service.connections.source;
        let Some(endpoints) = source.endpoints.oauth(revocation.network, revocation.sandbox) else {
            return if revocation.sandbox {
                Ok(Found::Forgotten)
            } else {
                Err(Failure::Later("this server can't reach the network".into()))
            };
        };
        // Another process may hold the key, or this one after its configuration is fixed.
        let left = Left::open(&source.vault, &owner(revocation.network, revocation.id), &job.sealed);
        let left = left.map_err(|error| later(&error))?;
        match service.rests_on(revocation, &left).await.map_err(|error| later(&error))? {
            Rests::No => {}
            Rests::Yes => return Ok(Found::InUse),
            Rests::Maybe if revocation.sandbox => return Ok(Found::Forgotten),
            Rests::Maybe => return Err(Failure::Never(MAYBE_USED.into())),
        }
        source.oauth.revoke(&endpoints.revoke, &left.token()).await.map_err(|error| match error {
            OauthError::Unavailable(why) => Failure::Later(format!("the network didn't revoke it: {why}")),
            other => later(&other),
        })?;
        Ok(Found::TakenBack)
    }
}

#[async_trait]
impl Errand for TakingBack<'_> {
    type Found = Found;

    fn queue(&self) -> Queue {
        Queue::Revocations
    }

    fn course(&self) -> Course {
        COURSE
    }

    async fn attempt(&self, job: &ClaimedJob) -> Result<Found, Failure> {
        let found = self.0.store.find_revocation(JobId(job.id)).await;
        let found = found.map_err(|error| Failure::Later(error.to_string()))?;
        let Some(revocation) = found else { return Ok(Found::Forgotten) };
        match self.take_back(&revocation, job).await {
            // Do not ask a person to revoke a consent that no network has.
            Err(_) if revocation.sandbox && job.attempts >= COURSE.attempts => Ok(Found::Forgotten),
            outcome => outcome,
        }
    }

    /// Notes the result in the connection's workspace, without a person; the entry about the removal names who removed it.
    async fn settled(
        &self,
        work: &mut dyn UnitOfWork,
        job: &ClaimedJob,
        outcome: &JobOutcome,
        found: Option<&Found>,
    ) -> ServiceResult<()> {
        let Self(service) = self;
        let Some(revocation) = work.revocation(JobId(job.id)).await? else { return Ok(()) };
        let Some(workspace) = revocation.workspace else { return Ok(()) };
        let (action, error) = match (outcome, found) {
            (JobOutcome::Again { .. }, _) | (JobOutcome::Done, None | Some(Found::Forgotten)) => return Ok(()),
            (JobOutcome::Done, Some(Found::InUse)) => ("connection.consent_in_use_again", None),
            (JobOutcome::Done, Some(Found::TakenBack)) => ("connection.consent_taken_back", None),
            (JobOutcome::GivenUp { error, .. }, _) => ("connection.consent_not_taken_back", Some(error)),
        };
        let entry = AuditEntry {
            workspace,
            user: audit::NOBODY,
            action: action.to_owned(),
            target: revocation.connection.to_string(),
            detail: json!({"network": revocation.network, "attempts": job.attempts, "error": error}),
            at: service.clock.now(),
        };
        Ok(work.insert_audit(&entry).await?)
    }

    fn told(&self, job: &ClaimedJob, outcome: &JobOutcome) {
        let (id, network, attempts) = (JobId(job.id), &job.kind, job.attempts);
        let word = match outcome {
            JobOutcome::Done => "done",
            JobOutcome::Again { at, error } => {
                tracing::warn!(job = %id, network, attempts, again = %at, error, "a consent could not be taken back yet");
                "again"
            }
            JobOutcome::GivenUp { error, .. } => {
                tracing::error!(job = %id, network, attempts, error, "a consent was not taken back: it must be done at the network");
                "given_up"
            }
        };
        metrics::counter!("adagent_revocations_total", "outcome" => word).increment(1);
    }
}

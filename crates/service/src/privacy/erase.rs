//! Erasure: deletes an account with everything about its person. Only counts stay.
//!
//! `docs/security.md` says table by table what is deleted, what stays without the person, and why.

use std::collections::BTreeSet;

use adagent_contract::{ErasureReason, ErasureRequest, codes};
use adagent_domain::{Network, Timestamp, UserId, WorkspaceId};
use adagent_identity::{Verdict, email_key};
use adagent_store::{AuditEntry, DeletedUser, DeletionReason, Owned, User, WorkspaceKind, audit};
use jiff::tz::TimeZone;
use serde_json::json;

use crate::{
    ClientInfo, Proof, Service, ServiceError, ServiceResult, account::letters::Letter,
    connections::revocations::Consent, validate::Fields,
};

impl Service {
    /// Erases the account; nobody can undo this. Asks for the address, the password, and a code if the account has two-factor
    /// authentication. A person without a password must have signed in just now. Returns the networks at which the person must now revoke
    /// our access, and also tells them in a last email, because no page can show it afterwards.
    pub async fn erase_account(
        &self,
        id: UserId,
        request: &ErasureRequest,
        client: ClientInfo,
        signed_in_at: Option<Timestamp>,
    ) -> ServiceResult<Vec<Network>> {
        let user = self.store.find_user(id).await?.ok_or(ServiceError::Unauthenticated)?;
        self.confirmed(&user, request, client, signed_in_at).await?;
        if self.asks_for_code(id).await? {
            self.check_own_code(id, &request.code).await?;
        }
        let (mut workspaces, mut given_up) = (Vec::new(), Vec::new());
        for membership in self.store.list_memberships(id).await? {
            workspaces.push((membership.workspace.id, membership.workspace.kind));
            given_up.push((membership.workspace.id, self.given_up_at(membership.workspace.id).await?));
        }
        let mut work = self.store.begin().await?;
        for (workspace, kind) in &workspaces {
            if *kind == WorkspaceKind::Organization {
                // A person who is joining waits, so that no member stays in an organization without an owner.
                work.lock_organization(*workspace).await?;
            }
        }
        if work.stop_runs_of(id).await? > 0 {
            return Err(conflict(
                "One of your changes is being sent to a network right now. Delete your account when that's done.",
            ));
        }
        let alone = alone_in(work.owned_organizations(id).await?)?;
        let mut go: Vec<WorkspaceId> = alone.iter().copied().chain([user.personal_workspace]).collect();
        go.sort_unstable();
        for workspace in &go {
            // This waits for writes into the workspace, so that no row arrives after the deletion.
            if !work.close_workspace(*workspace).await? && *workspace == user.personal_workspace {
                // The same request came twice, and the other one was faster: the account is already erased.
                return Ok(Vec::new());
            }
        }
        let gone_with_it = given_up.into_iter().filter(|(workspace, _)| go.contains(workspace));
        let mut left: BTreeSet<Network> = gone_with_it.flat_map(|(_, networks)| networks).collect();
        let mut connections = Vec::new();
        for workspace in &go {
            connections.extend(work.connections_of(*workspace).await?);
        }
        for connection in &connections {
            // We write jobs, so that a refusal below leaves everything as it is and no crash loses one. The jobs outlive the workspace,
            // without an owner.
            if self.take_consent_back(&mut *work, connection).await? == Consent::ByHand {
                left.insert(connection.network);
            }
        }
        let left: Vec<Network> = left.into_iter().collect();
        for workspace in &alone {
            work.delete_audit(*workspace).await?;
            work.delete_organization(*workspace).await?;
        }
        let now = self.clock.now();
        for (workspace, kind) in &workspaces {
            if *kind == WorkspaceKind::Organization && !alone.contains(workspace) {
                self.close_ways_back(&mut *work, *workspace, id).await?;
            }
        }
        work.hand_agents_over(id, None, now).await?;
        let address = self.address_of(&user);
        work.erase_user(&user, address.as_deref(), &self.record(&user, request.reason, now)).await?;
        if !left.is_empty() && address.is_some() {
            let networks = left.iter().map(|network| network.display_name()).collect::<Vec<_>>().join(", ");
            let letter = Letter::ConsentsLeft { name: &user.name, networks: &networks };
            self.tell(&mut *work, &user.email, letter).await?;
        }
        for (workspace, kind) in workspaces {
            if kind == WorkspaceKind::Organization && !alone.contains(&workspace) {
                let nobody = audit::NOBODY;
                let (action, target, detail) = ("member.account_erased".to_owned(), String::new(), json!({}));
                work.insert_audit(&AuditEntry { workspace, user: nobody, action, target, detail, at: now }).await?;
            }
        }
        work.durable();
        self.sent_off(work).await?;
        self.connections.forget_all(&connections);
        self.revocations_were_queued();
        Ok(left)
    }

    async fn confirmed(
        &self,
        user: &User,
        request: &ErasureRequest,
        client: ClientInfo,
        signed_in_at: Option<Timestamp>,
    ) -> ServiceResult<()> {
        let key = email_key(&user.email);
        let mut fields = Fields::default();
        if email_key(&request.email) != key {
            fields.wrong("/email", "Type this account's email.");
        }
        if request.password.is_empty() && user.password().is_some() {
            fields.wrong("/password", "Enter your password.");
        } else if request.password.chars().count() > 1000 {
            fields.wrong("/password", "A password has at most 256 characters.");
        }
        fields.done()?;
        let Some(stored) = user.password() else {
            let proof = Proof { password: None, signed_in_at, address: client.ip };
            return self.prove(user, proof, "/password").await;
        };
        // Guesses count like those of a sign-in.
        let slowed = self.limits.sign_in(&key, client.ip)?;
        if !slowed.is_zero() {
            tokio::time::sleep(slowed).await;
        }
        let verdict = self.hasher.verify(&request.password, Some(stored)).await;
        match verdict.map_err(|error| ServiceError::Internal(error.to_string()))? {
            Verdict::Right | Verdict::RightButOutdated => Ok(()),
            Verdict::Wrong => {
                self.note_wrong_password(user, client.ip);
                Err(ServiceError::field("/password", "Incorrect password."))
            }
        }
    }

    fn record(&self, user: &User, reason: ErasureReason, now: Timestamp) -> DeletedUser {
        let day = |at: Timestamp| at.to_jiff().to_zoned(TimeZone::UTC).date().to_string();
        let days = now.millis_since(user.created_at) / (24 * 3_600_000);
        DeletedUser {
            id: self.ids.next_uuid(),
            anonymous_id: format!("deleted-{}", self.ids.next_uuid().simple()),
            created_on: day(user.created_at),
            deleted_on: day(now),
            lifetime_days: u32::try_from(days).unwrap_or_default(),
            reason: match reason {
                ErasureReason::UserRequested => DeletionReason::UserRequested,
                ErasureReason::GdprRequest => DeletionReason::GdprRequest,
            },
        }
    }
}

/// Returns the organizations that are deleted with their last person. Refuses if other members would be left without an owner.
fn alone_in(owned: Vec<Owned>) -> ServiceResult<Vec<WorkspaceId>> {
    if let Some(shared) = owned.iter().find(|owned| owned.others > 0) {
        let (name, others) = (&shared.name, shared.others);
        return Err(conflict(format!(
            "You own {name}, and {others} other {} in it. Transfer ownership or delete the organization first (/settings/team).",
            if others == 1 { "person is" } else { "people are" }
        )));
    }
    Ok(owned.into_iter().map(|owned| owned.workspace).collect())
}

fn conflict(detail: impl Into<String>) -> ServiceError {
    ServiceError::Conflict { code: codes::CONFLICT, detail: detail.into() }
}

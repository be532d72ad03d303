//! The members: lists them, changes roles, removes members, leaves.

use adagent_contract::{MemberView, Page, RolePatch};
use adagent_domain::{
    Actor, Granted, Role, UserId,
    rights::{ChangeRoles, LeaveOrganization, RemoveMembers, ViewTeam},
};
use adagent_runtime::stop_open_runs;
use adagent_store::{Member, UnitOfWork};
use serde_json::json;

use super::{MOST_PEOPLE, conflict};
use crate::{Service, ServiceError, ServiceResult};

const MEMBER: &str = "member";

impl Service {
    /// Lists the members: the owner first, then admins, then the others.
    pub async fn members(&self, actor: &Granted<ViewTeam>) -> ServiceResult<Page<MemberView>> {
        let members = self.store.list_members(actor.workspace, MOST_PEOPLE).await?;
        Ok(Page::last(members.into_iter().map(view).collect()))
    }

    pub async fn count_members(&self, actor: &Granted<ViewTeam>) -> ServiceResult<u64> {
        Ok(self.store.count_members(actor.workspace).await?)
    }

    /// Changes a member's role between member and admin. Only a transfer changes the owner's role.
    pub async fn change_role(
        &self,
        actor: &Granted<ChangeRoles>,
        user: UserId,
        patch: RolePatch,
    ) -> ServiceResult<MemberView> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        let locked = self.lock(&mut *work, actor).await?;
        let of = role_of(&mut *work, actor, user).await?;
        locked.role.may_change(of, patch.role, user == actor.user).map_err(ServiceError::Forbidden)?;
        if of != patch.role {
            if !work.change_role(actor.workspace, user, of, patch.role).await? {
                return Err(conflict("The role changed in the meantime. Reload the team page."));
            }
            let mut detail = json!({"from": of, "to": patch.role});
            if of == Role::Admin {
                // Otherwise a demoted admin could leave and come back as an admin.
                detail["ended"] = json!(self.close_ways_back(&mut *work, actor.workspace, user).await?);
            }
            self.audit(&mut *work, actor, "member.role_changed", user, detail).await?;
            work.durable();
            work.commit().await?;
        }
        let members = self.store.list_members(actor.workspace, MOST_PEOPLE).await?;
        members.into_iter().find(|member| member.user == user).map(view).ok_or(ServiceError::NotFound(MEMBER))
    }

    /// Removes a member. From the next request on they have no access here, and their open runs stop.
    pub async fn remove_member(&self, actor: &Granted<RemoveMembers>, user: UserId) -> ServiceResult<()> {
        let by_name = self.name_of(actor.user).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        let locked = self.lock(&mut *work, actor).await?;
        let of = role_of(&mut *work, actor, user).await?;
        if user == actor.user {
            return Err(conflict("To remove yourself, leave the organization."));
        }
        locked.role.may_remove(of).map_err(ServiceError::Forbidden)?;
        let reason = "The person who asked for this change was removed from the organization.";
        self.depart(&mut *work, actor, user, &by_name, reason).await?;
        let ended = self.close_ways_back(&mut *work, actor.workspace, user).await?;
        self.audit(&mut *work, actor, "member.removed", user, json!({"role": of, "ended": ended})).await?;
        work.durable();
        Ok(work.commit().await?)
    }

    pub async fn leave_organization(&self, actor: &Granted<LeaveOrganization>) -> ServiceResult<()> {
        let by_name = self.name_of(actor.user).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        let locked = self.lock(&mut *work, actor).await?;
        let reason = "The person who asked for this change left the organization.";
        self.depart(&mut *work, actor, actor.user, &by_name, reason).await?;
        let mut detail = json!({"role": locked.role});
        if locked.role == Role::Admin {
            // An admin who leaves must not keep a link or invitation that lets in more than a member.
            detail["ended"] = json!(self.close_ways_back(&mut *work, actor.workspace, actor.user).await?);
        }
        self.audit(&mut *work, actor, "member.left", actor.user, detail).await?;
        work.durable();
        Ok(work.commit().await?)
    }

    /// Removes the membership, access tokens, settings and OAuth attempts, gives agents to the owner, withdraws approvals and stops runs.
    /// Chats stay with the organization; only the person can see them, if they come back.
    async fn depart(
        &self,
        work: &mut dyn UnitOfWork,
        actor: &Actor,
        user: UserId,
        by_name: &str,
        reason: &str,
    ) -> ServiceResult<()> {
        if !work.delete_member(actor.workspace, user).await? {
            return Err(conflict("The team changed in the meantime. Reload the page."));
        }
        work.hand_agents_over(user, Some(actor.workspace), self.clock.now()).await?;
        stop_open_runs(&self.runtime, work, actor.workspace, Some(user), actor.user, by_name, reason).await?;
        Ok(())
    }
}

async fn role_of(work: &mut dyn UnitOfWork, actor: &Actor, user: UserId) -> ServiceResult<Role> {
    let membership = work.membership(actor.workspace, user).await?;
    Ok(membership.ok_or(ServiceError::NotFound(MEMBER))?.role)
}

fn view(member: Member) -> MemberView {
    let Member { user, name, email, role, joined_at } = member;
    MemberView { user_id: user, name, email, role, joined_at }
}

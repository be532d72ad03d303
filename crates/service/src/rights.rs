//! Checks again, under the workspace's lock, whether people still have the right that they had at the start. Their request may have waited
//! for a network or a password check, and somebody may have removed or demoted them meanwhile.

use adagent_domain::{Actor, Right};
use adagent_store::UnitOfWork;

use crate::{ServiceError, ServiceResult};

/// Locks the workspace until the end of this transaction, and refuses people who are no longer members or have lost the right. Removing and
/// demoting lock the same row, so that one of the two comes first.
pub(crate) async fn still_granted<P: Right>(work: &mut dyn UnitOfWork, actor: &Actor) -> ServiceResult<()> {
    let gone = || ServiceError::NotFound("organization");
    if !work.lock_workspace(actor.workspace).await? {
        return Err(gone());
    }
    let membership = work.membership(actor.workspace, actor.user).await?.ok_or_else(gone)?;
    Actor { role: membership.role, ..*actor }.grant::<P>()?;
    Ok(())
}

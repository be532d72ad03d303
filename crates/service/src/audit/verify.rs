//! Holds a workspace's chain against itself: for admins on the page, for operators over all workspaces.

use adagent_contract::AuditVerdict;
use adagent_domain::{Granted, WorkspaceId, rights::ViewAuditLog};
use adagent_store::{AuditBreak, AuditCheck, AuditHead, Store, StoreResult};

use crate::{Service, ServiceResult};

const STEP: u32 = 500;

impl Service {
    pub async fn verify_audit(&self, actor: &Granted<ViewAuditLog>) -> ServiceResult<AuditVerdict> {
        Ok(of(&*self.store, actor.workspace).await?)
    }
}

/// Every chain there is, with whose it is.
pub async fn verify_audit(store: &dyn Store) -> StoreResult<Vec<(WorkspaceId, AuditVerdict)>> {
    let (mut verdicts, mut after) = (Vec::new(), None);
    loop {
        let workspaces = store.list_audit_workspaces(after, STEP).await?;
        if workspaces.is_empty() {
            return Ok(verdicts);
        }
        after = workspaces.last().copied();
        for workspace in workspaces {
            verdicts.push((workspace, of(store, workspace).await?));
        }
    }
}

async fn of(store: &dyn Store, workspace: WorkspaceId) -> StoreResult<AuditVerdict> {
    let mut head = store.find_audit_head(workspace).await?;
    loop {
        let verdict = held(store, workspace, head.as_ref()).await?;
        let now = store.find_audit_head(workspace).await?;
        // Appending and letting go move the end while it is read; only what is wrong although nothing moved is wrong.
        if verdict.holds || now == head {
            return Ok(verdict);
        }
        head = now;
    }
}

async fn held(store: &dyn Store, workspace: WorkspaceId, head: Option<&AuditHead>) -> StoreResult<AuditVerdict> {
    let unchained = store.count_unchained_audit(workspace).await?;
    let Some(head) = head.filter(|head| head.number > 0) else {
        let chained = !store.list_audit_chain(workspace, 0, 1).await?.is_empty();
        let noted = head.map(|head| head.unchained);
        let broken = if chained {
            Some("the end of the chain is gone, and rows of it are there".to_owned())
        } else if noted.unwrap_or_default() == unchained {
            None
        } else {
            Some(AuditBreak::Unchained { expected: noted.unwrap_or_default(), found: unchained }.to_string())
        };
        return Ok(AuditVerdict { holds: broken.is_none(), broken, rows: 0, erased: 0, unchained, head: None });
    };
    let mut check = AuditCheck::new(workspace, head);
    let outcome = follow(store, workspace, head, &mut check).await?;
    let broken = outcome.and_then(|()| check.end(head, unchained)).err();
    Ok(AuditVerdict {
        holds: broken.is_none(),
        broken: broken.map(|broken| broken.to_string()),
        rows: check.rows,
        erased: check.erased,
        unchained,
        head: Some(head.hash.clone()),
    })
}

async fn follow(
    store: &dyn Store,
    workspace: WorkspaceId,
    head: &AuditHead,
    check: &mut AuditCheck,
) -> StoreResult<Result<(), AuditBreak>> {
    while check.number() < head.number {
        let records = store.list_audit_chain(workspace, check.number(), STEP).await?;
        if records.is_empty() {
            break;
        }
        for record in records {
            if record.link.as_ref().is_some_and(|link| link.number > head.number) {
                break;
            }
            if let Err(broken) = check.follow(&record) {
                return Ok(Err(broken));
            }
        }
    }
    Ok(Ok(()))
}

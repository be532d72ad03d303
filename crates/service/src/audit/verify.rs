//! Verifies a workspace's chain: on the page for its owner and admins, and over all workspaces for the administrator of the server.
//!
//! The page verifies only the rows since the last check. The whole chain is verified when a person asks for it on the page, and when the
//! administrator verifies all workspaces. The database stores how far the last check came: this saves reading, and proves nothing against a
//! person who can write there.

use adagent_contract::AuditVerdict;
use adagent_domain::{Granted, WorkspaceId, rights::ViewAuditLog};
use adagent_store::{AuditBreak, AuditCheck, AuditHead, Store, StoreResult};

use crate::{Service, ServiceResult};

const STEP: u32 = 500;
/// From this many new rows on, we store how far the check came, so that the next one does not read them again.
const WORTH_KEEPING: u64 = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Whole,
    /// Only the rows after the last check.
    New,
}

impl Service {
    /// Verifies the whole chain.
    pub async fn verify_audit(&self, actor: &Granted<ViewAuditLog>) -> ServiceResult<AuditVerdict> {
        Ok(of(&*self.store, actor.workspace, Depth::Whole).await?)
    }

    /// Verifies the rows since the last check.
    pub async fn look_at_audit(&self, actor: &Granted<ViewAuditLog>) -> ServiceResult<AuditVerdict> {
        Ok(of(&*self.store, actor.workspace, Depth::New).await?)
    }
}

/// Verifies every chain from its beginning. Returns each result with its workspace.
pub async fn verify_audit(store: &dyn Store) -> StoreResult<Vec<(WorkspaceId, AuditVerdict)>> {
    let (mut verdicts, mut after) = (Vec::new(), None);
    loop {
        let workspaces = store.list_audit_workspaces(after, STEP).await?;
        if workspaces.is_empty() {
            return Ok(verdicts);
        }
        after = workspaces.last().copied();
        for workspace in workspaces {
            verdicts.push((workspace, of(store, workspace, Depth::Whole).await?));
        }
    }
}

async fn of(store: &dyn Store, workspace: WorkspaceId, depth: Depth) -> StoreResult<AuditVerdict> {
    let mut head = store.find_audit_head(workspace).await?;
    loop {
        let verdict = held(store, workspace, head.as_ref(), depth).await?;
        let now = store.find_audit_head(workspace).await?;
        // Appending and retention move the end of the chain while we read it. Only a fault that appears although nothing moved is real.
        if verdict.holds || now == head {
            return Ok(verdict);
        }
        head = now;
    }
}

async fn held(
    store: &dyn Store,
    workspace: WorkspaceId,
    head: Option<&AuditHead>,
    depth: Depth,
) -> StoreResult<AuditVerdict> {
    let unchained = store.count_unchained_audit(workspace).await?;
    let Some(head) = head.filter(|head| head.number > 0) else {
        let chained = !store.list_audit_chain(workspace, 0, 1).await?.is_empty();
        let expected = head.map(AuditHead::unchained_left).unwrap_or_default();
        let broken = if chained {
            Some("the end of the chain is missing, but some of its rows exist".to_owned())
        } else if expected == unchained {
            None
        } else {
            Some(AuditBreak::Unchained { expected, found: unchained }.to_string())
        };
        let holds = broken.is_none();
        return Ok(AuditVerdict { holds, broken, rows: 0, looked_at: 0, erased: 0, unchained, head: None });
    };
    let whole = AuditCheck::new(workspace, head);
    let before = whole.number();
    let mut check = match depth {
        Depth::Whole => whole,
        Depth::New => AuditCheck::resumed(workspace, head),
    };
    let outcome = follow(store, workspace, head, &mut check).await?;
    let broken = outcome.and_then(|()| check.end(head, unchained)).err();
    let known = head.verified.as_ref().map(|(number, _)| *number).unwrap_or_default();
    if broken.is_none() && check.number().saturating_sub(known.max(before)) >= WORTH_KEEPING {
        keep(store, workspace, &check).await;
    }
    Ok(AuditVerdict {
        holds: broken.is_none(),
        broken: broken.map(|broken| broken.to_string()),
        rows: check.number() - before,
        looked_at: check.rows,
        erased: check.erased,
        unchained,
        head: Some(head.hash.clone()),
    })
}

/// Stores how far the check came. If this fails, the next check reads more rows but still gives its answer.
async fn keep(store: &dyn Store, workspace: WorkspaceId, check: &AuditCheck) {
    let kept = async {
        let mut work = store.begin_in(workspace).await?;
        work.set_audit_verified(workspace, check.number(), check.hash()).await?;
        work.commit().await
    };
    if let Err(error) = kept.await {
        tracing::warn!(%workspace, %error, "how far an audit log was followed could not be kept");
    }
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

#[cfg(test)]
mod tests {
    use adagent_store::AuditEntry;
    use adagent_testkit::fixtures::{Must as _, World};

    use super::*;

    async fn noted(world: &World, workspace: WorkspaceId, lines: u64) {
        let mut work = world.begin().await;
        for number in 0..lines {
            let (action, target, detail) = ("x.y".to_owned(), number.to_string(), serde_json::json!({}));
            let user = adagent_store::audit::NOBODY;
            work.insert_audit(&AuditEntry { workspace, user, action, target, detail, at: world.now() }).await.must();
        }
        work.commit().await.must();
    }

    #[tokio::test]
    async fn the_page_reads_what_is_new_and_not_the_whole_log_each_time() {
        let store = adagent_testkit::sqlite_store().await;
        let world = World::new(store.store());
        let workspace = world.person("ann").await.personal_workspace;
        let seen = async |depth| {
            let verdict = of(&*world.store, workspace, depth).await.must();
            assert!(verdict.holds, "{verdict:?}");
            (verdict.rows, verdict.looked_at)
        };
        noted(&world, workspace, 1200).await;
        assert_eq!(seen(Depth::New).await, (1200, 1200));
        assert_eq!(seen(Depth::New).await, (1200, 0));
        noted(&world, workspace, 10).await;
        assert_eq!(seen(Depth::New).await, (1210, 10));
        assert_eq!(seen(Depth::New).await, (1210, 10), "so few are read again rather than written down");
        assert_eq!(seen(Depth::Whole).await, (1210, 1210));
        // We do not verify rows that retention has deleted.
        let mut work = world.begin().await;
        work.prune_audit(workspace, world.now().plus_seconds(1), 1205).await.must();
        work.commit().await.must();
        assert_eq!((seen(Depth::New).await, seen(Depth::Whole).await), ((5, 5), (5, 5)));
    }
}

//! Deletes old turns and checkpoints that only serve time travel. Works in small steps, so that nobody waits for it.

use std::time::Duration;

use adagent_domain::{Timestamp, WorkspaceId};
use adagent_store::{Store, StoreResult};
use tokio_util::sync::CancellationToken;

use crate::{Service, ServiceResult};

const DAY_MS: i64 = 24 * 3_600_000;
/// How many runs one transaction deletes. On an engine with one writer, all others wait for it.
const STEP: u32 = 10;
/// How many transactions one sweep makes; the next sweep does the rest.
const STEPS: u32 = 500;
/// How many rows of an audit log one transaction deletes.
const AUDIT_STEP: u32 = 200;
/// How many workspaces one read returns.
const WORKSPACES: u32 = 100;
/// The pause before each transaction, so that others can write.
const PAUSE: Duration = Duration::from_millis(20);

/// How long we keep data, in days; 0 means without end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// How long we keep turns with their runs, counted from the end of the run.
    pub runs_days: u32,
    /// How long we keep checkpoints of a run except the last one, counted from the end of the run.
    pub checkpoints_days: u32,
    /// How long we keep rows of the audit log.
    pub audit_days: u32,
}

/// What one sweep deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub turns: u64,
    pub thinned_runs: u64,
    pub audit_lines: u64,
}

impl Service {
    /// Applies the policy to ended runs, until `stop`. Never touches runs that wait or work, or chats that are kept.
    pub async fn forget_old(&self, policy: &RetentionPolicy, stop: &CancellationToken) -> ServiceResult<Forgotten> {
        Ok(forget(&*self.store, policy, self.clock.now(), stop).await?)
    }
}

/// Applies the administrator's policy everywhere, then the shorter times of workspaces.
async fn forget(
    store: &dyn Store,
    policy: &RetentionPolicy,
    now: Timestamp,
    stop: &CancellationToken,
) -> StoreResult<Forgotten> {
    let mut sweep = Sweep { store, now, stop, forgotten: Forgotten::default() };
    sweep.runs(policy, None).await?;
    let mut after = None;
    loop {
        let chosen = store.list_retention(after, WORKSPACES).await?;
        let Some((last, _)) = chosen.last() else { break };
        after = Some(*last);
        for (workspace, kept) in chosen {
            let of_workspace = RetentionPolicy {
                runs_days: kept.runs_days.unwrap_or_default(),
                checkpoints_days: kept.checkpoints_days.unwrap_or_default(),
                audit_days: kept.audit_days.unwrap_or_default(),
            };
            sweep.runs(&of_workspace, Some(workspace)).await?;
            sweep.audit(workspace, of_workspace.audit_days).await?;
        }
    }
    sweep.audit_of_all(policy.audit_days).await?;
    sweep.audit_of_nobody().await?;
    Ok(sweep.forgotten)
}

struct Sweep<'s> {
    store: &'s dyn Store,
    now: Timestamp,
    stop: &'s CancellationToken,
    forgotten: Forgotten,
}

impl Sweep<'_> {
    const fn before(&self, days: u32) -> Timestamp {
        self.now.plus_millis(-(days as i64) * DAY_MS)
    }

    async fn runs(&mut self, policy: &RetentionPolicy, of: Option<WorkspaceId>) -> StoreResult<()> {
        if policy.runs_days > 0 {
            let (before, mut after) = (self.before(policy.runs_days), None);
            for _ in 0..STEPS {
                if is_over(self.stop).await {
                    break;
                }
                let mut work = self.store.begin().await?;
                let swept = work.delete_runs(before, of, after, STEP).await?;
                work.commit().await?;
                self.forgotten.turns += swept.done;
                after = swept.next;
                if after.is_none() {
                    break;
                }
            }
        }
        if policy.checkpoints_days > 0 {
            let (before, mut after) = (self.before(policy.checkpoints_days), None);
            for _ in 0..STEPS {
                if is_over(self.stop).await {
                    break;
                }
                let mut work = self.store.begin().await?;
                let swept = work.thin_checkpoints(before, of, after, STEP).await?;
                work.commit().await?;
                self.forgotten.thinned_runs += swept.done;
                after = swept.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Deletes the beginning of each workspace's chain, as far as it is older than the administrator's limit.
    async fn audit_of_all(&mut self, days: u32) -> StoreResult<()> {
        if days == 0 {
            return Ok(());
        }
        let mut after = None;
        loop {
            let workspaces = self.store.list_audit_workspaces(after, WORKSPACES).await?;
            let Some(last) = workspaces.last() else { break };
            after = Some(*last);
            for workspace in workspaces {
                self.audit(workspace, days).await?;
            }
        }
        Ok(())
    }

    /// Deletes all rows of a deleted organization's log except the last one, which says who deleted it. Nobody can read the other rows any
    /// longer, and they are about people. With the hash in the last row, a person who kept a file of the log can still prove that the file
    /// is genuine.
    async fn audit_of_nobody(&mut self) -> StoreResult<()> {
        let mut after = None;
        loop {
            let workspaces = self.store.list_ownerless_audits(after, WORKSPACES).await?;
            let Some(last) = workspaces.last() else { return Ok(()) };
            after = Some(*last);
            for workspace in workspaces {
                while !is_over(self.stop).await {
                    let mut work = self.store.begin().await?;
                    let gone = work.entomb_audit(workspace, AUDIT_STEP).await?;
                    work.commit().await?;
                    self.forgotten.audit_lines += gone;
                    if gone == 0 {
                        break;
                    }
                }
            }
        }
    }

    async fn audit(&mut self, workspace: WorkspaceId, days: u32) -> StoreResult<()> {
        while days > 0 && !is_over(self.stop).await {
            let mut work = self.store.begin_in(workspace).await?;
            let gone = work.prune_audit(workspace, self.before(days), AUDIT_STEP).await?;
            work.commit().await?;
            self.forgotten.audit_lines += gone;
            // Stop only after deleting nothing: fewer rows than a step may only mean that no rows from before the chain are left.
            if gone == 0 {
                break;
            }
        }
        Ok(())
    }
}

/// Pauses. Returns whether the server stops meanwhile.
async fn is_over(stop: &CancellationToken) -> bool {
    tokio::time::timeout(PAUSE, stop.cancelled()).await.is_ok()
}

#[cfg(test)]
mod tests {
    use adagent_contract::RunStatus;
    use adagent_store::RunUpdate;
    use adagent_testkit::fixtures::{Must as _, World};

    use super::*;

    async fn ended_long_ago(world: &World) {
        let (_, _, lease) = world.held_run().await;
        let mut work = world.begin().await;
        for step in 1..=2 {
            work.insert_checkpoint(&lease, &world.checkpoint(lease.run, step)).await.must();
        }
        let update = RunUpdate {
            status: Some(RunStatus::Completed),
            finished_at: Some(world.now()),
            release: true,
            ..RunUpdate::default()
        };
        work.update_run(&lease, &update).await.must();
        work.commit().await.must();
        world.clock.advance_millis(3 * DAY_MS);
    }

    #[tokio::test]
    async fn a_server_that_stops_forgets_no_more_and_the_next_one_goes_on() {
        let store = adagent_testkit::sqlite_store().await;
        let world = World::new(store.store());
        ended_long_ago(&world).await;
        let policy = RetentionPolicy { runs_days: 0, checkpoints_days: 1, audit_days: 0 };
        let stopping = CancellationToken::new();
        stopping.cancel();
        let swept =
            async |policy, stop: &CancellationToken| forget(&*world.store, &policy, world.now(), stop).await.must();
        assert_eq!(swept(policy, &stopping).await, Forgotten::default());
        let goes_on = CancellationToken::new();
        assert_eq!(swept(policy, &goes_on).await, Forgotten { turns: 0, thinned_runs: 1, audit_lines: 0 });
        let policy = RetentionPolicy { runs_days: 1, checkpoints_days: 1, audit_days: 0 };
        assert_eq!(swept(policy, &stopping).await, Forgotten::default());
        assert_eq!(swept(policy, &goes_on).await, Forgotten { turns: 1, thinned_runs: 0, audit_lines: 0 });
    }

    #[tokio::test]
    async fn a_workspace_lets_go_sooner_and_others_keep() {
        let store = adagent_testkit::sqlite_store().await;
        let world = World::new(store.store());
        ended_long_ago(&world).await;
        let of_all = world.store.list_audit_workspaces(None, 10).await.must();
        assert!(of_all.is_empty());
        let (ann, bob) = (world.person("ann2").await, world.person("bob2").await);
        for user in [&ann, &bob] {
            let mut work = world.begin().await;
            let (workspace, action, target) = (user.personal_workspace, "x.y".to_owned(), String::new());
            let entry = adagent_store::AuditEntry {
                workspace,
                user: user.id,
                action,
                target,
                detail: serde_json::json!({}),
                at: world.now(),
            };
            work.insert_audit(&entry).await.must();
            work.commit().await.must();
        }
        let mut work = world.begin().await;
        let kept = adagent_store::WorkspaceRetention { audit_days: Some(2), ..Default::default() };
        work.put_retention(ann.personal_workspace, &kept, world.now()).await.must();
        work.commit().await.must();
        world.clock.advance_millis(3 * DAY_MS);
        let (policy, stop) = (RetentionPolicy::default(), CancellationToken::new());
        let swept = forget(&*world.store, &policy, world.now(), &stop).await.must();
        assert_eq!(swept, Forgotten { turns: 0, thinned_runs: 0, audit_lines: 1 });
        let left =
            async |user: &adagent_store::User| world.store.list_audit(user.personal_workspace, 9).await.must().len();
        assert_eq!((left(&ann).await, left(&bob).await), (0, 1));
    }
}

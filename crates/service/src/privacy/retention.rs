//! How long a workspace keeps its data, within the administrator's limits: a workspace can shorten the time, never extend it.

use adagent_contract::{RetentionSettings, RetentionView};
use adagent_domain::{Actor, Granted, rights::ManageRetention};
use adagent_store::WorkspaceRetention;
use serde_json::json;

use crate::{RetentionPolicy, Service, ServiceResult, validate::Fields};

/// The administrator's limits. 0 days means without end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionBounds {
    pub policy: RetentionPolicy,
    /// The shortest time for an audit log, because one that is deleted at once would be useless.
    pub shortest_audit_days: u32,
}

impl Service {
    pub async fn retention(&self, actor: &Actor) -> ServiceResult<RetentionView> {
        let kept = self.store.find_retention(actor.workspace).await?;
        let WorkspaceRetention { runs_days, checkpoints_days, audit_days } = kept;
        let RetentionBounds { policy, shortest_audit_days } = self.retention;
        Ok(RetentionView {
            settings: RetentionSettings { runs_days, checkpoints_days, audit_days },
            longest_runs_days: policy.runs_days,
            longest_checkpoints_days: policy.checkpoints_days,
            longest_audit_days: policy.audit_days,
            shortest_audit_days,
        })
    }

    /// Sets the times. The next sweep applies them; deleted data does not come back.
    pub async fn set_retention(
        &self,
        actor: &Granted<ManageRetention>,
        settings: RetentionSettings,
    ) -> ServiceResult<RetentionView> {
        let RetentionBounds { policy, shortest_audit_days } = self.retention;
        let mut fields = Fields::default();
        within(&mut fields, "/runs_days", settings.runs_days, 1, policy.runs_days);
        within(&mut fields, "/checkpoints_days", settings.checkpoints_days, 1, policy.checkpoints_days);
        within(&mut fields, "/audit_days", settings.audit_days, shortest_audit_days.max(1), policy.audit_days);
        fields.done()?;
        let RetentionSettings { runs_days, checkpoints_days, audit_days } = settings;
        let kept = WorkspaceRetention { runs_days, checkpoints_days, audit_days };
        let mut work = self.store.begin_in(actor.workspace).await?;
        work.put_retention(actor.workspace, &kept, self.clock.now()).await?;
        self.audit(&mut *work, actor, "retention.changed", actor.workspace, json!(settings)).await?;
        work.commit().await?;
        self.retention(actor).await
    }
}

/// Checks a number of days. 0 means without end, which is possible only if the administrator sets no limit.
fn within(fields: &mut Fields, pointer: &str, days: Option<u32>, shortest: u32, longest: u32) {
    let Some(days) = days else { return };
    let fits = match days {
        0 => longest == 0,
        days => days >= shortest && (longest == 0 || days <= longest),
    };
    if !fits {
        let most = if longest == 0 { "or 0 to keep it forever".to_owned() } else { format!("and at most {longest}") };
        fields.wrong(pointer, format!("Enter at least {shortest} day(s), {most}. Leave it out for the default."));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_keeps_for_less_than_the_operator_and_never_for_longer() {
        let refused = |days, shortest, longest| {
            let mut fields = Fields::default();
            within(&mut fields, "/runs_days", days, shortest, longest);
            fields.done().is_err()
        };
        assert!(!refused(None, 1, 30) && !refused(Some(30), 1, 30) && !refused(Some(1), 1, 30));
        assert!(refused(Some(31), 1, 30) && refused(Some(0), 1, 30) && refused(Some(89), 90, 0));
        assert!(!refused(Some(0), 1, 0) && !refused(Some(9999), 1, 0));
    }
}

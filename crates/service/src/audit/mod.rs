//! The audit log: who changed what. We write it in the transaction of the change, show it to people with the right, and verify its chain.

mod csv;
mod list;
mod verify;

pub use csv::AuditCsv;
pub use verify::verify_audit;

use adagent_domain::Actor;
use adagent_store::{AuditEntry, UnitOfWork};
use serde_json::Value as Json;

use crate::{Service, ServiceResult};

impl Service {
    /// Notes an action. `detail` must hold no secret.
    pub(crate) async fn audit(
        &self,
        work: &mut dyn UnitOfWork,
        actor: &Actor,
        action: &str,
        target: impl std::fmt::Display + Send,
        detail: Json,
    ) -> ServiceResult<()> {
        let entry = AuditEntry {
            workspace: actor.workspace,
            user: actor.user,
            action: action.to_owned(),
            target: target.to_string(),
            detail,
            at: self.clock.now(),
        };
        Ok(work.insert_audit(&entry).await?)
    }
}

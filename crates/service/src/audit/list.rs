//! The audit log, page by page.

use adagent_contract::{AuditPerson, AuditQuery, AuditView, Page};
use adagent_domain::{Granted, rights::ViewAuditLog};
use adagent_store::{AuditFilter, AuditRecord};

use crate::{Service, ServiceError, ServiceResult, cursor};

const MAX_ACTION: usize = 100;

impl Service {
    /// Lists the entries, newest first.
    pub async fn audit_log(
        &self,
        actor: &Granted<ViewAuditLog>,
        query: &AuditQuery,
        after: Option<&str>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<AuditView>> {
        let limit = cursor::limit(limit)?;
        let filter = AuditFilter { before: cursor::to_id::<i64>(after)?, ..filter(query)? };
        let found = self.store.list_audit_records(actor.workspace, &filter, limit + 1).await?;
        let (records, more) = cursor::cut(found, limit);
        let next_cursor = records.last().filter(|_| more).map(|last| cursor::of_id(last.id));
        Ok(Page { items: records.into_iter().map(view).collect(), next_cursor })
    }
}

pub(super) fn filter(query: &AuditQuery) -> ServiceResult<AuditFilter> {
    let action = query.action.trim();
    let plain = action.len() <= MAX_ACTION
        && action.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_'));
    if !plain {
        return Err(ServiceError::field(
            "/action",
            "Write an action as `connection` or `connection.connected`, in lowercase.",
        ));
    }
    Ok(AuditFilter { action: action.to_owned(), user: query.person, from: query.from, until: query.to, before: None })
}

pub(super) fn view(record: AuditRecord) -> AuditView {
    let AuditRecord { user, user_name, action, target, detail, at, link, .. } = record;
    AuditView {
        at,
        action,
        person: user.zip(user_name).map(|(id, name)| AuditPerson { id, name }),
        target,
        detail: serde_json::from_str(&detail).unwrap_or_default(),
        number: link.as_ref().map(|link| link.number),
        hash: link.map(|link| link.hash),
    }
}

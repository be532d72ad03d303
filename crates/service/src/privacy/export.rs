//! Exports everything that we hold about a person, in all workspaces, as one JSON document that we write while we read.
//!
//! It contains no secret. Of connections and tokens it says only that they exist, and of browser sessions only their addresses. It must
//! never hold more than a page of rows in memory.

use std::{fmt::Write as _, sync::Arc};

use adagent_domain::UserId;
use adagent_store::{ExportMark, ExportSection, User};
use futures::stream::{BoxStream, StreamExt as _, try_unfold};
use serde_json::json;
use uuid::Uuid;

use crate::{Service, ServiceError, ServiceResult};

/// How many rows one read returns; a row may be as big as a network's report.
const STEP: u32 = 25;

/// The text of the file in pieces.
pub type Export = BoxStream<'static, ServiceResult<String>>;

/// How far the document is written.
enum Place {
    Head,
    Within { section: usize, after: ExportMark, first: bool },
    End,
}

const START: ExportMark = (Uuid::nil(), 0);

impl Service {
    /// Exports the account. The export is noted before the first piece leaves.
    pub async fn export_account(self: &Arc<Self>, id: UserId) -> ServiceResult<Export> {
        let user = self.store.find_user(id).await?.ok_or(ServiceError::Unauthenticated)?;
        let actor = self.resolve_actor(id, None).await?;
        let mut work = self.store.begin().await?;
        self.audit(&mut *work, &actor, "account.exported", "", json!({})).await?;
        work.commit().await?;
        let service = Arc::clone(self);
        let pieces = try_unfold(Place::Head, move |place| {
            let (service, user) = (Arc::clone(&service), user.clone());
            async move { service.piece(&user, place).await }
        });
        Ok(pieces.boxed())
    }

    async fn piece(&self, user: &User, place: Place) -> ServiceResult<Option<(String, Place)>> {
        let (section, after, first) = match place {
            Place::End => return Ok(None),
            Place::Head => {
                let person = json!({
                    "id": user.id, "email": user.email, "name": user.name, "created_at": user.created_at,
                    "personal_workspace_id": user.personal_workspace, "sign_in": self.how_they_sign_in(user).await?,
                });
                let head = format!("{{\"exported_at\":{},\"person\":{person}", json!(self.clock.now()));
                return Ok(Some((head, Place::Within { section: 0, after: START, first: true })));
            }
            Place::Within { section, after, first } => (section, after, first),
        };
        let Some(part) = ExportSection::ALL.get(section) else {
            return Ok(Some(("}\n".to_owned(), Place::End)));
        };
        let rows = self.store.export_page(user.id, *part, after, STEP).await?;
        let mut text = String::new();
        if first {
            // Writing to a String cannot fail.
            let _ = write!(text, ",\"{}\":[", part.name());
        }
        let Some(last) = rows.last().map(|row| row.mark) else {
            text.push(']');
            return Ok(Some((text, Place::Within { section: section + 1, after: START, first: true })));
        };
        for (place, row) in rows.into_iter().enumerate() {
            if !(first && place == 0) {
                text.push(',');
            }
            let row = serde_json::to_string(&row.row).map_err(|error| ServiceError::Internal(error.to_string()))?;
            text.push_str(&row);
        }
        Ok(Some((text, Place::Within { section, after: last, first: false })))
    }
}

//! Rectification: a person's name.

use adagent_contract::{ProfilePatch, UserView};
use adagent_domain::UserId;
use adagent_identity::validate_name;
use serde_json::json;

use crate::{Service, ServiceError, ServiceResult, validate::Fields};

impl Service {
    /// Changes the name. Earlier records keep the name of their time.
    pub async fn change_profile(&self, user: UserId, request: &ProfilePatch) -> ServiceResult<UserView> {
        let mut fields = Fields::default();
        let name = fields.take("/name", validate_name(&request.name));
        fields.done()?;
        let name = name.ok_or_else(|| ServiceError::Internal("validated name is missing".into()))?;
        let actor = self.resolve_actor(user, None).await?;
        let mut work = self.store.begin().await?;
        work.rename_user(user, &name).await?;
        self.audit(&mut *work, &actor, "account.renamed", "", json!({})).await?;
        work.commit().await?;
        Ok(self.me(user).await?.user)
    }
}

//! Personal access tokens. Their person creates, lists and revokes them; we check the token of every request that has one.
//!
//! A token acts for its person in one workspace only: we look up the membership and its role each time.

use adagent_contract::{CreatedToken, NewToken, TokenScope, TokenView};
use adagent_domain::{AccessTokenId, Actor, Clock, Granted, Timestamp, UserId, WorkspaceId, rights::MakeTokens};
use adagent_identity::{TokenSecret, token_hash};
use adagent_store::{AccessToken, Store, StoreError};
use serde_json::json;

use crate::{
    ClientInfo, Proof, Service, ServiceError, ServiceResult,
    rights::still_granted,
    validate::{self, Fields},
};

/// How many tokens one person can have in one workspace.
const MOST: u32 = 50;
const MAX_NAME: usize = 100;
/// The limit of the form; the API accepts any time.
const MAX_DAYS: i64 = 3_660;
/// We note the last use at most this often, so that a busy program does not write at every call.
const TOUCH_AFTER_SECONDS: i64 = 60;

/// What a valid token allows: who, where, for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenGrant {
    pub id: AccessTokenId,
    pub user: UserId,
    pub workspace: WorkspaceId,
    pub scopes: Vec<TokenScope>,
}

impl Service {
    pub async fn tokens(&self, actor: &Actor) -> ServiceResult<Vec<TokenView>> {
        let tokens = self.store.list_access_tokens(actor.workspace, actor.user, MOST).await?;
        Ok(tokens.into_iter().map(view).collect())
    }

    /// Creates a token. Only this answer contains the secret. A token outlives the session that creates it, so this asks for a proof, as
    /// changes to the account do; the password of `proof` is the one in the request.
    pub async fn create_token(
        &self,
        actor: &Granted<MakeTokens>,
        request: NewToken,
        proof: Proof<'_>,
    ) -> ServiceResult<CreatedToken> {
        let now = self.clock.now();
        let NewToken { name, mut scopes, expires_at, password } = request;
        let mut fields = Fields::default();
        let name = fields.take("/name", validate::line(&name, "The name", MAX_NAME));
        scopes.sort();
        scopes.dedup();
        if scopes.is_empty() {
            fields.wrong("/scopes", "Choose at least one scope: api, mcp or both.");
        }
        if expires_at.is_some_and(|end| end <= now) {
            fields.wrong("/expires_at", "The expiration is in the past. Choose a later time, or none.");
        }
        fields.done()?;
        let name = name.ok_or_else(|| ServiceError::Internal("validated name is missing".into()))?;
        let user = self.store.find_user(actor.user).await?.ok_or(ServiceError::Unauthenticated)?;
        let given = password.as_ref().map(|password| password.0.as_str());
        self.prove(&user, Proof { password: given, ..proof }, "/password").await?;
        let secret = TokenSecret::generate().map_err(|error| ServiceError::Internal(error.to_string()))?;
        let token = AccessToken {
            id: AccessTokenId::new(&*self.ids),
            workspace: actor.workspace,
            user: actor.user,
            name,
            hint: secret.hint.clone(),
            scopes,
            created_at: now,
            expires_at,
            last_used_at: None,
        };
        let detail = json!({"name": token.name, "scopes": token.scopes, "expires_at": token.expires_at});
        let mut work = self.store.begin_in(actor.workspace).await?;
        // Checking the password takes a while, and removing a member deletes only the tokens that exist then.
        still_granted::<MakeTokens>(&mut *work, actor).await?;
        if !work.insert_access_token(&token, &secret.hash, MOST).await? {
            return Err(ServiceError::Conflict {
                code: adagent_contract::codes::CONFLICT,
                detail: format!(
                    "You already have {MOST} access tokens in this workspace, the maximum. Revoke one first."
                ),
            });
        }
        self.audit(&mut *work, actor, "token.created", token.id, detail).await?;
        work.durable();
        work.commit().await?;
        Ok(CreatedToken { token: secret.token.to_string(), view: view(token) })
    }

    /// Like [`Self::create_token`], with the lifetime in days from the form; empty means that it never expires.
    pub async fn create_token_for(
        &self,
        actor: &Granted<MakeTokens>,
        request: NewToken,
        days: &str,
        proof: Proof<'_>,
    ) -> ServiceResult<CreatedToken> {
        let expires_at = match days.trim() {
            "" => None,
            text => {
                let days = text.parse::<i64>().ok().filter(|days| (1..=MAX_DAYS).contains(days));
                let days = days.ok_or_else(|| {
                    ServiceError::field(
                        "/days",
                        format!("Enter when the token expires: 1 to {MAX_DAYS} days from now."),
                    )
                })?;
                Some(self.clock.now().plus_seconds(days * 24 * 60 * 60))
            }
        };
        self.create_token(actor, NewToken { expires_at, ..request }, proof).await
    }

    /// Returns the address at which programs find the tools.
    pub fn mcp_url(&self) -> String {
        format!("{}/mcp", self.connections.public_url().as_str().trim_end_matches('/'))
    }

    /// Revokes a token. From the next request on, it is invalid.
    pub async fn revoke_token(&self, actor: &Actor, id: AccessTokenId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.delete_access_token(actor.workspace, actor.user, id).await? {
            return Err(ServiceError::NotFound("access token"));
        }
        self.audit(&mut *work, actor, "token.revoked", id, json!({})).await?;
        work.durable();
        Ok(work.commit().await?)
    }

    /// Returns whose token this is. Unknown, expired and revoked tokens get the same answer.
    pub async fn check_token(&self, given: &str, scope: TokenScope, client: ClientInfo) -> ServiceResult<TokenGrant> {
        let now = self.clock.now();
        let Some(token) = self.usable_token(given, now).await? else {
            self.limits.token_guess(client.ip)?;
            return Err(ServiceError::InvalidToken);
        };
        if !token.scopes.contains(&scope) {
            return Err(ServiceError::InsufficientScope(scope));
        }
        let noted = token.last_used_at.is_some_and(|at| at.plus_seconds(TOUCH_AFTER_SECONDS) > now);
        if !noted {
            self.touch(token.id, now).await;
        }
        Ok(TokenGrant { id: token.id, user: token.user, workspace: token.workspace, scopes: token.scopes })
    }

    /// Returns the person of a grant with their current role. A person who left the workspace has no access there.
    pub async fn actor_of(&self, grant: &TokenGrant) -> ServiceResult<Actor> {
        match self.resolve_actor(grant.user, Some(grant.workspace)).await {
            Err(ServiceError::NotFound(_)) => Err(ServiceError::InvalidToken),
            other => other,
        }
    }

    /// Checks whether a grant is still valid, for work that continues long after its request.
    pub async fn grant_holds(&self, grant: &TokenGrant) -> ServiceResult<bool> {
        Ok(stands(&*self.store, &*self.clock, grant).await?)
    }

    async fn usable_token(&self, given: &str, now: Timestamp) -> ServiceResult<Option<AccessToken>> {
        let Some(hash) = token_hash(given) else { return Ok(None) };
        let token = self.store.find_access_token(&hash).await?;
        Ok(token.filter(|token| token.expires_at.is_none_or(|end| end > now)))
    }

    /// Notes a use. A failure here must not fail the request.
    async fn touch(&self, id: AccessTokenId, now: Timestamp) {
        let noted = async {
            let mut work = self.store.begin().await?;
            work.touch_access_token(id, now).await?;
            work.commit().await
        };
        if let Err(error) = noted.await {
            tracing::warn!(token = %id, %error, "the use of an access token could not be noted");
        }
    }
}

/// Checks whether a grant was neither revoked nor has expired.
pub(crate) async fn stands(store: &dyn Store, clock: &dyn Clock, grant: &TokenGrant) -> Result<bool, StoreError> {
    let held = store.list_access_tokens(grant.workspace, grant.user, MOST).await?;
    let now = clock.now();
    Ok(held.iter().any(|token| token.id == grant.id && token.expires_at.is_none_or(|end| end > now)))
}

fn view(token: AccessToken) -> TokenView {
    let AccessToken { id, name, hint, scopes, created_at, expires_at, last_used_at, .. } = token;
    TokenView { id, name, hint, scopes, created_at, expires_at, last_used_at }
}

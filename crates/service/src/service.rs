//! The facade: what it is made of, and what every use case starts with.

use std::sync::Arc;

use adagent_domain::{Clock, Ids, UserId};
use adagent_identity::{OpenId, PasswordHasher};
use adagent_runtime::RuntimeDeps;
use adagent_store::Store;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    ClientInfo, LimitSettings, RetentionBounds, ServiceError, ServiceResult, connections::ConnectionParts,
    hub::WakeHub, limits::Limits, mail::Mailing, tool_servers::parts::ToolServerParts,
};

/// What the server hands in.
pub struct Parts {
    /// The same database that `runtime` has: here the whole of it.
    pub store: Arc<dyn Store>,
    /// Networks, clock and ids, as the engine uses them too.
    pub runtime: Arc<RuntimeDeps>,
    pub hasher: PasswordHasher,
    /// Ids of the models a person may choose; the first is the default and answers unless another is chosen.
    pub models: Vec<String>,
    pub connections: ConnectionParts,
    pub tool_servers: ToolServerParts,
    pub limits: LimitSettings,
    pub sign_in: SignInParts,
    /// What workspaces may choose within.
    pub retention: RetentionBounds,
    pub mail: Mailing,
}

/// How people come in.
#[derive(Debug, Default)]
pub struct SignInParts {
    /// Signing in with a provider, where one is configured.
    pub openid: Option<Arc<OpenId>>,
    /// A person is signed in only after they follow the link in an email, so that sign-up doesn't reveal who has an account.
    pub confirm_first: bool,
}

/// Every use case hangs here; share it in an `Arc`.
pub struct Service {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) runtime: Arc<RuntimeDeps>,
    pub(crate) hasher: PasswordHasher,
    pub(crate) models: Vec<String>,
    pub(crate) connections: ConnectionParts,
    pub(crate) tool_servers: ToolServerParts,
    pub(crate) limits: Limits,
    pub(crate) openid: Option<Arc<OpenId>>,
    pub(crate) confirm_first: bool,
    pub(crate) mail: Mailing,
    /// Says that consents are to be taken back.
    pub(crate) revocations: Notify,
    pub(crate) retention: RetentionBounds,
    pub(crate) hub: Arc<WakeHub>,
    /// What goes on when the request that began it does not.
    pub(crate) tasks: TaskTracker,
}

impl Service {
    pub fn new(parts: Parts) -> Arc<Self> {
        Arc::new(Self {
            store: parts.store,
            clock: Arc::clone(&parts.runtime.clock),
            ids: Arc::clone(&parts.runtime.ids),
            runtime: parts.runtime,
            hasher: parts.hasher,
            models: parts.models,
            connections: parts.connections,
            tool_servers: parts.tool_servers,
            limits: Limits::new(&parts.limits),
            openid: parts.sign_in.openid,
            confirm_first: parts.sign_in.confirm_first,
            mail: parts.mail,
            revocations: Notify::new(),
            retention: parts.retention,
            hub: Arc::new(WakeHub::default()),
            tasks: TaskTracker::new(),
        })
    }

    /// Passes the store's wakes on to the readers of each run and to the pages of each person; the server runs it until `stop`.
    pub async fn pass_wakes_on(&self, stop: CancellationToken) {
        self.hub.run(self.store.subscribe(), stop).await;
    }

    /// Forgets what is no longer needed: expired browser sessions, used keys, idle rate limits.
    pub async fn sweep(&self) -> ServiceResult<u64> {
        self.limits.forget_idle();
        let mut work = self.store.begin().await?;
        let removed = work.sweep(self.clock.now()).await?;
        work.commit().await?;
        Ok(removed)
    }

    /// Waits for what goes on after its request; the server calls it when it takes nothing new.
    pub async fn come_to_rest(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Whether the database answers.
    pub async fn ready(&self) -> ServiceResult<()> {
        Ok(self.store.ping().await?)
    }

    /// Counts a request of any kind, by where it comes from.
    pub fn admit_address(&self, client: ClientInfo) -> ServiceResult<()> {
        self.limits.request_from(client.ip)
    }

    /// Counts a request of any kind, by whose it is.
    pub fn admit_person(&self, user: UserId) -> ServiceResult<()> {
        self.limits.request_of(user)
    }

    /// "Built-in assistant", or provider and model.
    pub fn model_label(&self) -> String {
        model_label(self.default_model())
    }

    /// What [`adagent_contract::ContextSettings::model`] may be.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    pub(crate) fn default_model(&self) -> &str {
        self.models.first().map_or("local", String::as_str)
    }

    /// What a person is called in events and records.
    pub(crate) async fn name_of(&self, user: UserId) -> ServiceResult<String> {
        Ok(self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?.name)
    }
}

fn model_label(id: &str) -> String {
    if id == "local" { "Built-in assistant".into() } else { id.to_owned() }
}

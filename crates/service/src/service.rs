//! The service: its parts, and what every use case begins with.

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

/// What the server supplies.
pub struct Parts {
    /// The same database that `runtime` has, but with all its reads and writes.
    pub store: Arc<dyn Store>,
    /// Networks, clock and IDs, which the engine uses too.
    pub runtime: Arc<RuntimeDeps>,
    pub hasher: PasswordHasher,
    /// The IDs of the models that a person may choose. The first one is the default.
    pub models: Vec<String>,
    pub connections: ConnectionParts,
    pub tool_servers: ToolServerParts,
    pub limits: LimitSettings,
    pub sign_in: SignInParts,
    /// The limits for the workspaces' own choices.
    pub retention: RetentionBounds,
    pub mail: Mailing,
}

/// How people sign in.
#[derive(Debug, Default)]
pub struct SignInParts {
    /// Sign-in with a provider, if one is configured.
    pub openid: Option<Arc<OpenId>>,
    /// A person is signed in only after they follow the link in an email, so that sign-up doesn't reveal who has an account.
    pub confirm_first: bool,
}

/// All use cases are methods of this type; share it in an `Arc`.
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
    /// Wakes the worker that revokes access.
    pub(crate) revocations: Notify,
    pub(crate) retention: RetentionBounds,
    pub(crate) hub: Arc<WakeHub>,
    /// Work that continues after the request that began it.
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

    /// Passes the store's wakes on to the readers of each run and to the pages of each person; the server runs this until `stop`.
    pub async fn pass_wakes_on(&self, stop: CancellationToken) {
        self.hub.run(self.store.subscribe(), stop).await;
    }

    /// Removes what is no longer needed: expired browser sessions, used keys, idle rate limits.
    pub async fn sweep(&self) -> ServiceResult<u64> {
        self.limits.forget_idle();
        let mut work = self.store.begin().await?;
        let removed = work.sweep(self.clock.now()).await?;
        work.commit().await?;
        Ok(removed)
    }

    /// Waits for work that continues after its request. The server calls this after it has stopped accepting requests.
    pub async fn come_to_rest(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Checks that the database answers.
    pub async fn ready(&self) -> ServiceResult<()> {
        Ok(self.store.ping().await?)
    }

    /// Counts a request of any kind by its address.
    pub fn admit_address(&self, client: ClientInfo) -> ServiceResult<()> {
        self.limits.request_from(client.ip)
    }

    /// Counts a request of any kind by its person.
    pub fn admit_person(&self, user: UserId) -> ServiceResult<()> {
        self.limits.request_of(user)
    }

    /// Returns "Built-in assistant", or the provider and model.
    pub fn model_label(&self) -> String {
        model_label(self.default_model())
    }

    /// Lists the possible values of [`adagent_contract::ContextSettings::model`].
    pub fn models(&self) -> &[String] {
        &self.models
    }

    pub(crate) fn default_model(&self) -> &str {
        self.models.first().map_or("local", String::as_str)
    }

    /// Returns a person's name for events and records.
    pub(crate) async fn name_of(&self, user: UserId) -> ServiceResult<String> {
        Ok(self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?.name)
    }
}

fn model_label(id: &str) -> String {
    if id == "local" { "Built-in assistant".into() } else { id.to_owned() }
}

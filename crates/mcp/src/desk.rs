//! The server as the SDK calls it: its capabilities, and where each request goes.

use std::{borrow::Cow, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
        GetTaskResult, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter,
        UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use crate::{
    Shared, call, completions,
    narrow::Narrow,
    own, pass, prompts, resources, tasks,
    tools::{self, Paged},
    watch::Watch,
    who,
};

const INSTRUCTIONS: &str = "Numbers, apps, ad units and mediation of the ad networks connected to this workspace. Tools whose names \
    begin with a network read or change that network; ids must come from its list tools. Calling a tool that makes a change doesn't make it: the call asks for approval, which only a person can give in ADAgentAI, at the address in the answer. \
    adagent_ask answers plain-language questions across all networks. Never add up amounts in different currencies.";

/// How many resources one subscription can follow.
const MOST_WATCHED: usize = 50;

/// The methods that clients can call here.
const METHODS: [&str; 15] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// How long a client may cache a list. We notify it if the list changes earlier.
const LIST_TTL_MS: u64 = 30_000;

/// The handler: one for each session, and one for each request without a session. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Desk {
    shared: Arc<Shared>,
    watch: Watch,
}

impl Desk {
    pub fn new(shared: Arc<Shared>, watch: Watch) -> Self {
        Self { shared, watch }
    }
}

type Context = RequestContext<RoleServer>;

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        let mut about = Implementation::new("adagent", env!("CARGO_PKG_VERSION"));
        about.title = Some("ADAgentAI".into());
        about.website_url = Some(self.shared.public_url.to_string());
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    /// Returns all versions except 2025-03-26, which requires servers to accept batches: this one accepts one message per request.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known.filter(|version| **version != ProtocolVersion::V_2025_03_26).cloned().collect()
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.watch.tell(context.peer);
    }

    /// Initializes a session. Older revisions subscribe in a way that this server does not support, so it does not offer subscriptions to
    /// them.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        if let Some(resources) = &mut result.capabilities.resources {
            resources.subscribe = None;
        }
        Ok(result)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.supported_by(&self.get_info().capabilities);
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| resources::is_watched(uri));
            uris.truncate(MOST_WATCHED);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.watch.listen(&context).await;
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let actor = who::actor(&context.extensions)?;
        let narrow = Narrow::of(&context.extensions)?;
        let usable =
            self.shared.service.usable_tools(&who::granted(&actor)?).await.map_err(|error| who::failed(&error))?;
        let usable = usable.iter().filter(|tool| narrow.shows(tool));
        let mut names: Vec<String> = usable.map(|tool| tools::name_here(tool)).collect();
        names.sort_unstable();
        let cursor = cursor(request);
        let Paged { names, next } = tools::page(&names, cursor.as_deref())?;
        // This program's own tools come first, on the first page.
        let mut listed = if cursor.is_none() { own::listed() } else { Vec::new() };
        #[cfg(feature = "fixtures")]
        if cursor.is_none() {
            listed.extend(crate::fixtures::tools(&actor));
        }
        listed.extend(names.iter().filter_map(|name| self.shared.catalogue.get(name)).cloned());
        let mut result =
            ListToolsResult::with_all_items(listed).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private);
        result.next_cursor = next;
        Ok(result)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        call::call(&self.shared, request, context).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let actor = who::actor(&context.extensions)?;
        #[cfg(feature = "fixtures")]
        if let Some(answer) = crate::fixtures::prompt(&actor, &request) {
            return Ok(answer.into());
        }
        tracing::debug!(user = %actor.user, prompt = who::quoted(&request.name), "a prompt was taken");
        prompts::get(&request).map(Into::into)
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Result<CompleteResult, ErrorData> {
        let actor = who::actor(&context.extensions)?;
        #[cfg(feature = "fixtures")]
        if let Some(answer) = crate::fixtures::completion(&actor, &request) {
            return Ok(answer);
        }
        completions::complete(&self.shared, &actor, &request).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let actor = who::actor(&context.extensions)?;
        resources::list(&self.shared, &actor, cursor(request)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let actor = who::actor(&context.extensions)?;
        #[cfg(feature = "fixtures")]
        if let Some(answer) = crate::fixtures::resource(&actor, &request.uri) {
            return Ok(answer.into());
        }
        let read = resources::read(&self.shared, &actor, &request.uri);
        pass::while_it_holds(&self.shared, &context.extensions, read).await.map(Into::into)
    }

    /// Answers what the SDK could not read: an unknown method, or a known one with params that do not fit.
    async fn on_custom_request(&self, request: CustomRequest, _: Context) -> Result<CustomResult, ErrorData> {
        let method = who::quoted(&request.method);
        if METHODS.contains(&request.method.as_str()) {
            let told = format!("The params of {method} aren't valid: a field is missing or has the wrong type.");
            return Err(ErrorData::invalid_params(told, None));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("This server doesn't support the method {method}."),
            None,
        ))
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        let actor = who::actor(&context.extensions)?;
        let grant = who::grant(&context.extensions)?;
        tasks::get(&self.shared, &actor, grant.id, &request.task_id).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        // A client's answer approves nothing: the run says what happened to the approval.
        let actor = who::actor(&context.extensions)?;
        let grant = who::grant(&context.extensions)?;
        let keys = request.input_responses.into_keys();
        tasks::update(&self.shared, &actor, grant.id, &request.task_id, keys).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        let actor = who::actor(&context.extensions)?;
        tasks::cancel(&self.shared, &actor, &request.task_id).await
    }
}

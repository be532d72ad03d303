//! A hosted model behind the port, through `genai`. This module must never log or return a key, a header or a whole request.

mod error;
mod meter;
mod reply;
mod request;

use async_trait::async_trait;
use futures::StreamExt as _;
use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatOptions, ChatRequest, ChatStream, ChatStreamEvent},
    resolver::{AuthData, Endpoint, ServiceTargetResolver},
};
use secrecy::ExposeSecret as _;

use self::meter::Meter;
use crate::{
    Delta, Model, ModelError, ModelReply, ModelRequest, ModelsConfig, Prices, Provider, Quote, TextSink,
    prompt::system_prompt,
};

/// One model of one provider.
pub struct HostedModel {
    id: String,
    name: String,
    client: Client,
    prices: Prices,
    patience: std::time::Duration,
}

impl HostedModel {
    pub fn new(provider: Provider, model: &str, config: &ModelsConfig) -> Result<Self, ModelError> {
        let settings = config.provider(provider);
        let Some(key) = settings.and_then(|settings| settings.api_key.clone()) else {
            return Err(ModelError::Rejected(format!(
                "{}/{model} is configured, but there is no key; set {} or use local",
                provider.id(),
                provider.key_variable()
            )));
        };
        let configured = settings.and_then(|settings| settings.base_url.as_deref());
        let base = base_url(configured.unwrap_or(provider.default_base_url()));
        let kind = match provider {
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::OpenAi => AdapterKind::OpenAI,
            Provider::Gemini => AdapterKind::Gemini,
            Provider::Xai => AdapterKind::Xai,
            Provider::DeepSeek => AdapterKind::DeepSeek,
        };
        let target = ServiceTargetResolver::from_resolver_fn(
            move |asked: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
                Ok(ServiceTarget {
                    endpoint: Endpoint::from_owned(base),
                    auth: AuthData::Key(key.expose_secret().to_owned()),
                    model: ModelIden::new(kind, asked.model.model_name),
                })
            },
        );
        let unbuilt =
            |why: String| ModelError::Rejected(format!("the client of {} cannot be built: {why}", provider.id()));
        // Follow no redirect, because the headers contain keys, which a redirect could send to any host.
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true)
            .build()
            .map_err(|error| unbuilt(error.to_string()))?;
        let client = Client::builder()
            .with_reqwest(http)
            .with_service_target_resolver(target)
            .build()
            .map_err(|error| unbuilt(error::short(&error)))?;
        Ok(Self {
            id: format!("{}/{model}", provider.id()),
            name: model.to_owned(),
            client,
            prices: config.prices.clone(),
            patience: config.patience,
        })
    }
}

/// Returns the base address with one slash at its end, because paths are appended to it.
fn base_url(configured: &str) -> String {
    let trimmed = configured.trim().trim_end_matches('/');
    format!("{trimmed}/")
}

/// Returns the request to send, and its meter.
fn metered(request: &ModelRequest) -> (ChatRequest, Meter) {
    let system =
        if request.system.trim().is_empty() { system_prompt(&request.planner) } else { request.system.clone() };
    let chat = request::chat(&system, request);
    let meter = Meter::new(&chat, request.max_output_tokens);
    (chat, meter)
}

impl HostedModel {
    /// Reads the stream until it ends. The final event may be missing.
    async fn listen(
        mut stream: ChatStream,
        meter: &mut Meter,
        sink: &mut dyn TextSink,
    ) -> Result<reply::Gathered, ModelError> {
        let mut gathered = reply::Gathered::default();
        let mut calls = 0;
        while let Some(event) = stream.next().await {
            match event.map_err(|error| error::read(&error))? {
                ChatStreamEvent::Chunk(chunk) => {
                    meter.heard += chunk.content.len() as u64;
                    gathered.text.push_str(&chunk.content);
                    sink.push(Delta::Text(chunk.content)).await;
                }
                ChatStreamEvent::ReasoningChunk(chunk) => {
                    meter.heard += chunk.content.len() as u64;
                    sink.push(Delta::Thinking(chunk.content)).await;
                }
                // Each chunk repeats the arguments received so far.
                ChatStreamEvent::ToolCallChunk(chunk) => {
                    let length = chunk.tool_call.fn_name.len() + chunk.tool_call.fn_arguments.to_string().len();
                    let grown = (length as u64).saturating_sub(calls);
                    meter.heard += grown;
                    sink.unshown(grown);
                    calls = length as u64;
                }
                ChatStreamEvent::End(end) => gathered.end = Some(end),
                ChatStreamEvent::Start | ChatStreamEvent::ThoughtSignatureChunk(_) | ChatStreamEvent::Heartbeat => {}
            }
        }
        Ok(gathered)
    }
}

#[async_trait]
impl Model for HostedModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn quote(&self, request: &ModelRequest) -> Quote {
        metered(request).1.quote(&self.id, &self.prices)
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
        let (chat, mut meter) = metered(request);
        let options = ChatOptions::default()
            .with_max_tokens(request.max_output_tokens)
            .with_capture_usage(true)
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_stream_header_timeout(self.patience)
            .with_stream_read_timeout(self.patience);
        let answer = self
            .client
            .exec_chat_stream(self.name.as_str(), chat, Some(&options))
            .await
            .map_err(|error| error::read(&error))?;
        let gathered = match Self::listen(answer.stream, &mut meter, sink).await {
            Ok(gathered) => gathered,
            Err(error) => {
                // If the provider refused before its first word, the call cost nothing.
                if meter.heard > 0 {
                    sink.wasted(meter.reckoned(&self.id, &self.prices));
                }
                return Err(error);
            }
        };
        let usage = meter.usage(&self.id, &self.prices, gathered.usage());
        let mut reply = gathered.into_reply(&self.id, usage);
        let known = |wire: &str| request.tools.iter().find(|tool| request::wire_name(&tool.name) == wire);
        for call in reply.iter_mut().flat_map(|reply| &mut reply.calls) {
            if let Some(tool) = known(&call.name) {
                call.name.clone_from(&tool.name);
            }
            // The steps of a plan name tools, too.
            let steps = call.args.get_mut("steps").and_then(serde_json::Value::as_array_mut);
            for step in steps.into_iter().flatten() {
                if let Some(name) = step.get_mut("tool")
                    && let Some(tool) = name.as_str().and_then(known)
                {
                    *name = tool.name.clone().into();
                }
            }
        }
        if reply.is_err() {
            sink.wasted(usage);
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_end_in_one_slash() {
        for given in ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/", " http://127.0.0.1:1/v1// "] {
            assert_eq!(base_url(given), "http://127.0.0.1:1/v1/");
        }
    }
}

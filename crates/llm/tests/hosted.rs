//! Both providers through an independent mock server that speaks their wire formats: a question with a tool call, a
//! proposed write, and what goes wrong. Needs the packages of `end2end`.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use adagent_contract::ModelTier;
use adagent_domain::{Ids as _, SequentialIds, ToolCallId};
use adagent_llm::{
    Delta, HostedModel, Model, ModelError, ModelMessage, ModelReply, ModelRequest, ModelsConfig, PlannerContext,
    ProposedCall, Provider, StopReason, TextSink, ToolSpec,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};

struct Mock {
    child: Child,
    base: String,
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

impl Mock {
    async fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let modules = repository().join("end2end/node_modules");
        let program = modules.join("@copilotkit/aimock/dist/cli.js");
        assert!(
            program.exists(),
            "the model mock server is not installed: run `cargo xtask test`, or `npm ci` in end2end/"
        );
        // The packaged Node is new enough wherever the machine's own is not.
        let packaged = modules.join("node/bin/node");
        let node = if packaged.exists() { packaged } else { PathBuf::from("node") };
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let child = Command::new(node)
            .arg(program)
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &port.to_string(),
                "--strict",
                "--validate-on-load",
                "--log-level",
                "warn",
                "-f",
            ])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hosted.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("node starts");
        let mock = Self { child, base: format!("http://127.0.0.1:{port}/v1") };
        for _ in 0..200 {
            if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return mock;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the model mock server does not answer on port {port}");
    }

    fn config(&self) -> ModelsConfig {
        let mut config = ModelsConfig { patience: Duration::from_secs(10), ..ModelsConfig::default() };
        for provider in [&mut config.anthropic, &mut config.openai] {
            provider.api_key = Some("test-key".to_owned().into());
            provider.base_url = Some(self.base.clone());
        }
        config
    }

    async fn journal(&self) -> Vec<Json> {
        let url = format!("{}/__aimock/journal", self.base.trim_end_matches("/v1"));
        let body = reqwest::get(url).await.expect("the journal").text().await.expect("its text");
        match serde_json::from_str(&body).expect("JSON") {
            Json::Array(entries) => entries,
            Json::Object(mut object) => ["entries", "items", "requests"]
                .iter()
                .find_map(|key| object.remove(*key).and_then(|v| v.as_array().cloned()))
                .unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

#[derive(Default)]
struct Heard {
    text: String,
    pieces: usize,
}

#[async_trait]
impl TextSink for Heard {
    async fn push(&mut self, delta: Delta) {
        if let Delta::Text(text) = delta {
            self.text += &text;
            self.pieces += 1;
        }
    }
}

fn request(text: &str) -> ModelRequest {
    let tool = |name: &str, read_only| ToolSpec {
        name: name.into(),
        description: "An AdMob operation.".into(),
        input_schema: json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"account_id": {"type": "string"}, "body": {"type": "object"}},
            "required": ["account_id", "body"],
        }),
        read_only,
    };
    ModelRequest {
        tier: ModelTier::Fast,
        system: String::new(),
        messages: vec![ModelMessage::User { content: text.into() }],
        tools: vec![tool("admob_generate_mediation_report", true), tool("admob_create_mediation_group", false)],
        max_output_tokens: 1024,
        planner: PlannerContext { today: "2026-11-21".into(), question: text.into(), ..PlannerContext::default() },
    }
}

/// Gives every proposed call an id and its result, as the engine does.
fn go_on(request: &mut ModelRequest, reply: &ModelReply, result: &Json) {
    let ids = SequentialIds::default();
    let calls: Vec<ProposedCall> =
        reply.calls.iter().map(|call| ProposedCall { id: Some(ToolCallId(ids.next_uuid())), ..call.clone() }).collect();
    request.messages.push(ModelMessage::Assistant { content: reply.text.clone(), calls: calls.clone() });
    for call in calls {
        let call_id = call.id.expect("given above");
        request.messages.push(ModelMessage::Tool { call_id, name: call.name, ok: true, content: result.clone() });
    }
}

async fn complete(model: &HostedModel, request: &ModelRequest) -> (Result<ModelReply, ModelError>, Heard) {
    let mut heard = Heard::default();
    let reply = model.complete(request, &mut heard).await;
    (reply, heard)
}

async fn question_with_a_tool_call_then_a_proposed_write(provider: Provider, name: &str, price: (i64, i64)) {
    let mock = Mock::start().await;
    let model = HostedModel::new(provider, name, &mock.config()).expect("a model");

    let mut question = request("What was my revenue yesterday?");
    let (first, _) = complete(&model, &question).await;
    let first = first.expect("a reply");
    assert_eq!(first.stop, StopReason::ToolCalls);
    let [call] = first.calls.as_slice() else { panic!("one call, not {:?}", first.calls) };
    assert_eq!((call.id, call.name.as_str()), (None, "admob_generate_mediation_report"));
    assert_eq!(call.args["account_id"], "pub-1111111111111111");
    assert_eq!((first.usage.input_tokens, first.usage.output_tokens), (800, 60));
    assert_eq!(first.usage.cost_micros, (800 * price.0 + 60 * price.1 + 999_999) / 1_000_000);
    assert_eq!(first.model, format!("{}/{name}", provider.id()));

    go_on(&mut question, &first, &json!({"kind": "report", "rows": []}));
    let (answer, heard) = complete(&model, &question).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.text, "AdMob earned **$4,212.40** on 20 Nov 2026.");
    assert_eq!((answer.stop, answer.calls.len()), (StopReason::End, 0));
    assert_eq!(heard.text, answer.text);
    assert!(heard.pieces > 1, "streamed, not at once");

    let mut change = request("Create the mediation group");
    let (proposal, _) = complete(&model, &change).await;
    let proposal = proposal.expect("a proposal");
    let [write] = proposal.calls.as_slice() else { panic!("one write, not {:?}", proposal.calls) };
    assert_eq!(write.args["body"]["displayName"], "Puzzle Game Android · Banner");
    go_on(&mut change, &proposal, &json!({"kind": "object", "item": {"mediationGroupId": "3300000099"}}));
    let (done, _) = complete(&model, &change).await;
    assert_eq!(done.expect("an end").text, "Done: the group 3300000099 is created.");

    let sent = mock.journal().await;
    assert_eq!(sent.len(), 4, "nothing was asked twice");
    let all = serde_json::to_string(&sent).expect("JSON");
    assert!(all.contains("Today is 2026-11-21") && all.contains("<data source=") && !all.contains("json-schema.org"));

    let (busy, _) = complete(&model, &request("Please be busy")).await;
    assert!(matches!(busy, Err(ModelError::RateLimited { .. })), "{busy:?}");
    let (down, _) = complete(&model, &request("Please be down")).await;
    let down = down.expect_err("529");
    assert!(
        matches!(&down, ModelError::Unavailable(text) if text.contains("Overloaded")) && down.is_retryable(),
        "{down:?}"
    );
    let (cut, _) = complete(&model, &request("Please break off")).await;
    let cut = cut.expect_err("half an answer is none");
    assert!(cut.is_retryable(), "{cut:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropic_answers_a_question_with_a_tool_call_and_proposes_a_write() {
    question_with_a_tool_call_then_a_proposed_write(Provider::Anthropic, "claude-sonnet-4-5", (3_000_000, 15_000_000))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_answers_a_question_with_a_tool_call_and_proposes_a_write() {
    question_with_a_tool_call_then_a_proposed_write(Provider::OpenAi, "gpt-5-mini", (250_000, 2_000_000)).await;
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_unavailable_and_the_key_stays_out_of_the_error() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
    let mut config = ModelsConfig::default();
    config.openai.api_key = Some("sk-hunter2".to_owned().into());
    config.openai.base_url = Some(format!("http://127.0.0.1:{port}/v1"));
    let model = HostedModel::new(Provider::OpenAi, "gpt-5-mini", &config).expect("a model");
    let (reply, _) = complete(&model, &request("hello")).await;
    let error = reply.expect_err("nobody listens");
    assert!(matches!(error, ModelError::Unavailable(_)), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

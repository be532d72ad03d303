//! Tests every provider against an independent mock server that speaks their wire formats: a question with a tool call, a proposed write,
//! and failures. All tests of this program share one server. Needs the packages of `end2end`.

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
    ProposedCall, Provider, ProviderConfig, StopReason, TextSink, ToolSpec, Usage,
};
use async_trait::async_trait;
use serde_json::{Value as Json, json};
use tokio::sync::OnceCell;

struct Mock {
    /// Ends when its standard input closes, that is, with this program.
    _child: Child,
    base: String,
}

/// Runs the server and ends it when standard input closes.
const WRAPPER: &str = "process.stdin.resume(); process.stdin.on('end', () => process.exit()); \
                       await import(process.env.MOCK_PROGRAM);";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

async fn mock() -> &'static Mock {
    static MOCK: OnceCell<Mock> = OnceCell::const_new();
    MOCK.get_or_init(Mock::start).await
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
        // The packaged Node is new enough, even if the machine's own is not.
        let packaged = modules.join("node/bin/node");
        let node = if packaged.exists() { packaged } else { PathBuf::from("node") };
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        // Fixtures are not validated on load, because some are wrong on purpose.
        let child = Command::new(node)
            .args(["--input-type=module", "-e", WRAPPER, "--"])
            .env("MOCK_PROGRAM", program)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "--strict", "--log-level", "warn", "-f"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hosted.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("node starts");
        let mock = Self { _child: child, base: format!("http://127.0.0.1:{port}") };
        for _ in 0..200 {
            if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return mock;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the model mock server does not answer on port {port}");
    }

    fn config(&self, patience: Duration) -> ModelsConfig {
        let provider = |provider| {
            let version = if provider == Provider::Gemini { "v1beta" } else { "v1" };
            let base_url = Some(format!("{}/{version}", self.base));
            (provider, ProviderConfig { api_key: Some("test-key".to_owned().into()), base_url })
        };
        let providers = Provider::ALL.into_iter().map(provider).collect();
        ModelsConfig { patience, providers, ..ModelsConfig::default() }
    }

    fn model(&self, provider: Provider, name: &str) -> HostedModel {
        HostedModel::new(provider, name, &self.config(Duration::from_secs(10))).expect("a model")
    }

    /// Returns the requests to this model, in order.
    async fn journal(&self, name: &str) -> Vec<Json> {
        let url = format!("{}/__aimock/journal", self.base);
        let body = reqwest::get(url).await.expect("the journal").text().await.expect("its text");
        let all = match serde_json::from_str(&body).expect("JSON") {
            Json::Array(entries) => entries,
            Json::Object(mut object) => ["entries", "items", "requests"]
                .iter()
                .find_map(|key| object.remove(*key).and_then(|v| v.as_array().cloned()))
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        all.into_iter().filter(|entry| entry.to_string().contains(name)).collect()
    }
}

#[derive(Default)]
struct Heard {
    text: String,
    pieces: usize,
    wasted: Usage,
}

#[async_trait]
impl TextSink for Heard {
    async fn push(&mut self, delta: Delta) {
        if let Delta::Text(text) = delta {
            self.text += &text;
            self.pieces += 1;
        }
    }

    fn wasted(&mut self, usage: Usage) {
        self.wasted = self.wasted.plus(usage);
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
        })
        .into(),
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

/// Adds the proposed calls with IDs and the result of each to the request, as the engine does.
fn go_on(request: &mut ModelRequest, reply: &ModelReply, result: &Json) {
    let ids = SequentialIds::default();
    let calls: Vec<ProposedCall> =
        reply.calls.iter().map(|call| ProposedCall { id: Some(ToolCallId(ids.next_uuid())), ..call.clone() }).collect();
    request.messages.push(ModelMessage::Assistant { content: reply.text.clone(), calls: calls.clone() });
    for call in calls {
        let call_id = call.id.expect("given above");
        request.messages.push(ModelMessage::Tool {
            call_id,
            name: call.name,
            ok: true,
            content: result.clone().into(),
        });
    }
}

async fn complete(model: &HostedModel, request: &ModelRequest) -> (Result<ModelReply, ModelError>, Heard) {
    let mut heard = Heard::default();
    let reply = model.complete(request, &mut heard).await;
    (reply, heard)
}

async fn question_with_a_tool_call_then_a_proposed_write(provider: Provider, name: &str, price: (i64, i64)) {
    let mock = mock().await;
    let model = mock.model(provider, name);

    let mut question = request("What was my revenue yesterday?");
    let (first, _) = complete(&model, &question).await;
    let first = first.expect("a reply");
    assert_eq!(first.stop, StopReason::ToolCalls);
    let [call] = first.calls.as_slice() else { panic!("one call, not {:?}", first.calls) };
    assert_eq!((call.id, call.name.as_str()), (None, "admob_generate_mediation_report"));
    assert_eq!(call.args["account_id"], "pub-1111111111111111");
    assert_eq!((first.usage.input_tokens, first.usage.output_tokens, first.usage.estimated), (800, 60, false));
    let quote = model.quote(&question);
    assert!(quote.cost_micros >= first.usage.cost_micros && quote.input_tokens >= 800, "{quote:?}");
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

    let sent = mock.journal(name).await;
    assert_eq!(sent.len(), 4, "nothing was asked twice");
    let all = serde_json::to_string(&sent).expect("JSON");
    assert!(all.contains("Today is 2026-11-21") && all.contains("<data source=") && !all.contains("json-schema.org"));

    let (busy, heard) = complete(&model, &request("Please be busy")).await;
    assert_eq!(busy.expect_err("429"), ModelError::RateLimited { retry_after_ms: Some(2000) });
    assert_eq!(heard.wasted, Usage::default(), "what is refused at the door costs nothing");
    let (down, _) = complete(&model, &request("Please be down")).await;
    let down = down.expect_err("529");
    assert!(down.to_string().contains("Overloaded") && down.is_retryable(), "{down:?}");
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

#[tokio::test(flavor = "multi_thread")]
async fn gemini_answers_a_question_with_a_tool_call_and_proposes_a_write() {
    question_with_a_tool_call_then_a_proposed_write(Provider::Gemini, "gemini-2.5-flash", (300_000, 2_500_000)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn xai_answers_a_question_with_a_tool_call_and_proposes_a_write() {
    question_with_a_tool_call_then_a_proposed_write(Provider::Xai, "grok-4", (3_000_000, 15_000_000)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deepseek_answers_a_question_with_a_tool_call_and_proposes_a_write() {
    question_with_a_tool_call_then_a_proposed_write(Provider::DeepSeek, "deepseek-chat", (280_000, 420_000)).await;
}

/// Makes a model of each provider that no other test uses.
async fn each() -> Vec<HostedModel> {
    let mock = mock().await;
    let models = [
        (Provider::Anthropic, "claude-faults"),
        (Provider::OpenAi, "gpt-faults"),
        (Provider::Gemini, "gemini-faults"),
        (Provider::Xai, "grok-faults"),
        (Provider::DeepSeek, "deepseek-faults"),
    ];
    models.into_iter().map(|(provider, name)| mock.model(provider, name)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_off_is_none_and_what_it_cost_is_told() {
    for model in each().await {
        let (cut, heard) = complete(&model, &request("Please break off")).await;
        let cut = cut.expect_err("half an answer is none");
        assert!(matches!(cut, ModelError::Unavailable { .. }) && cut.is_retryable(), "{}: {cut:?}", model.id());
        assert!(!heard.text.is_empty() && heard.wasted.estimated && heard.wasted.cost_micros > 0, "{}", model.id());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_call_is_never_one() {
    for model in each().await.into_iter().filter(|model| !model.id().starts_with("gemini/")) {
        let (cut, _) = complete(&model, &request("Please cut the call")).await;
        let cut = cut.expect_err("half a call is none");
        assert!(cut.is_retryable(), "{}: {cut:?}", model.id());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_calls_of_one_turn_come_in_order() {
    for model in each().await {
        let (reply, _) = complete(&model, &request("Do several things")).await;
        let reply = reply.expect("calls");
        let told: Vec<_> = reply.calls.iter().map(|call| call.args["account_id"].as_str().expect("an id")).collect();
        assert_eq!(told, ["pub-1", "pub-2", "pub-3"], "{}", model.id());
        assert_eq!(reply.stop, StopReason::ToolCalls);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_no_json_are_the_models_mistake_and_cost_what_they_cost() {
    for model in each()
        .await
        .into_iter()
        .filter(|model| !["gemini", "anthropic"].contains(&model.id().split('/').next().unwrap()))
    {
        let (reply, heard) = complete(&model, &request("Write nonsense arguments")).await;
        let error = reply.expect_err("not to be guessed");
        assert!(matches!(&error, ModelError::Malformed(text) if text.contains("not a JSON object")), "{error:?}");
        assert_eq!((heard.wasted.input_tokens, heard.wasted.estimated), (500, false), "{}", model.id());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_that_cannot_be_true_is_reckoned_and_says_so() {
    for model in each().await {
        for question in ["Report negative usage", "Report huge usage", "Report no usage"] {
            let (reply, _) = complete(&model, &request(question)).await;
            let usage = reply.expect("an answer").usage;
            assert!(usage.estimated, "{} {question}: {usage:?}", model.id());
            assert!((100..20_000).contains(&usage.input_tokens), "{} {question}: {usage:?}", model.id());
            assert!((1..1000).contains(&usage.output_tokens) && usage.cost_micros > 0, "{question}: {usage:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_as_one() {
    for model in each().await {
        let (reply, _) = complete(&model, &request("Please decline")).await;
        assert_eq!(reply.expect("a refusal").stop, StopReason::Refusal, "{}", model.id());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_stands_still_is_not_waited_for() {
    let mock = mock().await;
    let impatient = mock.config(Duration::from_millis(300));
    let model = HostedModel::new(Provider::OpenAi, "gpt-stall", &impatient).expect("a model");
    let (reply, _) = complete(&model, &request("Please stall")).await;
    let error = reply.expect_err("no answer in time");
    assert!(matches!(&error, ModelError::Unavailable { .. }) && error.to_string().contains("in time"), "{error:?}");
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_unavailable_and_the_key_stays_out_of_the_error() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
    let mut config = ModelsConfig::default();
    let base_url = Some(format!("http://127.0.0.1:{port}/v1"));
    let openai = ProviderConfig { api_key: Some("sk-hunter2".to_owned().into()), base_url };
    config.providers.insert(Provider::OpenAi, openai);
    let model = HostedModel::new(Provider::OpenAi, "gpt-5-mini", &config).expect("a model");
    let (reply, _) = complete(&model, &request("hello")).await;
    let error = reply.expect_err("nobody listens");
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

/// If a provider, or a server in its place, redirects a request to another host, that host gets no key.
#[tokio::test]
async fn a_key_follows_no_redirect() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let _ = rustls::crypto::ring::default_provider().install_default();
    for (provider, name) in [(Provider::Anthropic, "claude-haiku-4-5"), (Provider::Gemini, "gemini-2.5-flash")] {
        let (first, other) = (
            tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port"),
            tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port"),
        );
        let elsewhere = format!("http://{}/", other.local_addr().expect("an address"));
        let base_url = Some(format!("http://{}/v1", first.local_addr().expect("an address")));
        let serving = tokio::spawn(async move {
            let (mut stream, _) = first.accept().await.expect("a caller");
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).await.expect("a request");
            let answer =
                format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.expect("written");
        });
        let mut config = ModelsConfig { patience: Duration::from_secs(5), ..ModelsConfig::default() };
        config.providers.insert(provider, ProviderConfig { api_key: Some("sk-hunter2".to_owned().into()), base_url });
        let model = HostedModel::new(provider, name, &config).expect("a model");
        let (reply, _) = complete(&model, &request("hello")).await;
        assert!(reply.is_err(), "a redirect is no answer");
        serving.await.expect("it was asked");
        // No connection arrived at the other host, so there is nothing to accept.
        let knocked = tokio::select! {
            biased;
            caller = other.accept() => caller.is_ok(),
            () = std::future::ready(()) => false,
        };
        assert!(!knocked, "{provider:?} was followed elsewhere");
    }
}

//! Drives our client for the protocol's conformance suite: signs in at the given server as a person would, lists its tools, and calls each.
//! `docs/decisions/0018-tool-servers.md` says how to run it.

use std::sync::{Arc, Mutex};

use adagent_contract::{ContextSettings, Grants, Progress, ServerAccess, ToolServerSignIn};
use adagent_domain::{ManualClock, SequentialIds, Timestamp, ToolCallId, ToolServerId, UserId, WorkspaceId};
use adagent_outgoing::WayOut;
use adagent_sources::mcp::{Door, Listing, MORE_WANTED, McpServers, Registered, Server, Setup, Shelf, SignIns};
use adagent_tools::{CallScope, ProgressSink, Provider as _, ToolError};
use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::{Value as Json, json};
use url::Url;

/// Returns what the suite says about the scenario.
#[expect(clippy::disallowed_methods, reason = "the suite speaks through the environment, and this is no server")]
fn said(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

type Failed = Box<dyn std::error::Error>;

const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
const BACK: &str = "http://localhost:3000/api/mcp-servers/callback/conformance";

#[derive(Default)]
struct One {
    servers: Mutex<Vec<Server>>,
    token: Mutex<Option<SecretString>>,
    wanted: Mutex<Vec<String>>,
}

impl One {
    fn token(&self) -> Option<SecretString> {
        self.token.lock().ok().and_then(|token| token.clone())
    }
}

#[async_trait]
impl Shelf for One {
    async fn servers(&self, _: WorkspaceId) -> Result<Vec<Server>, ToolError> {
        Ok(self.servers.lock().map(|all| all.clone()).unwrap_or_default())
    }

    async fn secret(&self, _: WorkspaceId, _: ToolServerId) -> Result<Option<SecretString>, ToolError> {
        Ok(self.token())
    }

    async fn renewed(&self, _: WorkspaceId, _: ToolServerId, token: &SecretString) -> Result<SecretString, ToolError> {
        Ok(token.clone())
    }

    async fn wants(&self, _: WorkspaceId, _: ToolServerId, scopes: &str) -> Result<(), ToolError> {
        if let Ok(mut wanted) = self.wanted.lock() {
            wanted.extend(scopes.split_whitespace().map(str::to_owned));
        }
        Ok(())
    }

    async fn changed(&self, _: &CallScope, _: ToolServerId, _: Listing) -> Result<(), ToolError> {
        Ok(())
    }
}

struct Unheard;

#[async_trait]
impl ProgressSink for Unheard {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}

/// Does what a person does in a browser. Returns the code.
async fn consent(address: Url) -> Result<String, Failed> {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    let answer = http.get(address).send().await?;
    let to = answer.headers().get("location").ok_or("nobody was sent back")?.to_str()?;
    let code = Url::parse(to)?.query_pairs().find(|(name, _)| name == "code").map(|(_, code)| code.into_owned());
    Ok(code.ok_or("there is no code")?)
}

async fn sign_in(sign_ins: &SignIns, url: &Url, wanted: &[String]) -> Result<SecretString, Failed> {
    let told = |trouble: adagent_sources::mcp::Trouble| trouble.told("The server");
    let at = sign_ins.find(url, wanted).await.map_err(told)?;
    let back = Url::parse(BACK)?;
    let context: Json = serde_json::from_str(&said("MCP_CONFORMANCE_CONTEXT")).unwrap_or_default();
    let client = match context["client_id"].as_str() {
        Some(id) => Registered::known(&at, id.to_owned(), context["client_secret"].as_str().map(str::to_owned)),
        // Where the suite says that its sign-in reads documents, this is ours.
        None if at.documents => Registered::known(&at, DOCUMENT.to_owned(), None),
        None => sign_ins.register(&at, &back).await.map_err(told)?,
    };
    let begun = sign_ins.begin(&at, &client, &back).map_err(told)?;
    let code = consent(begun.url).await?;
    Ok(sign_ins.exchange(&at, &client, &back, &code, &begun.verifier).await.map_err(told)?.access_token)
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = Url::parse(&std::env::args().next_back().ok_or("no address")?)?;
    let scenario = said("MCP_CONFORMANCE_SCENARIO");
    let allowed = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let (shelf, ids) = (Arc::new(One::default()), SequentialIds::default());
    let clock = Arc::new(ManualClock::at(Timestamp::EPOCH));
    let setup = Setup { shelf: Arc::clone(&shelf) as _, allowed: allowed.clone(), way: WayOut::default(), clock };
    let mcp = McpServers::new(setup)?;
    let mut sign_in_kind = ToolServerSignIn::None;
    let sign_ins = SignIns::new(allowed, WayOut::default())?;
    if scenario.starts_with("auth/") {
        let token = sign_in(&sign_ins, &url, &[]).await?;
        *shelf.token.lock().map_err(|error| error.to_string())? = Some(token);
        sign_in_kind = ToolServerSignIn::Oauth { client_id: None };
    }
    let door = Door { url: url.clone(), sign_in: sign_in_kind.clone(), secret: shelf.token() };
    let listing = mcp.look(&door).await.map_err(|trouble| trouble.told("The server"))?;
    let mut tools = listing.first();
    for tool in &mut tools {
        tool.reading = true;
    }
    let access = ServerAccess::SignedIn { since: Timestamp::EPOCH };
    let (id, handle, name) = (ToolServerId::new(&ids), "it".to_owned(), "The server".to_owned());
    let server = Server { id, handle, name, url: url.clone(), sign_in: sign_in_kind, access, on: true, tools };
    shelf.servers.lock().map_err(|error| error.to_string())?.push(server);
    let scope = CallScope {
        workspace: WorkspaceId::new(&ids),
        user: UserId::new(&ids),
        call: ToolCallId::new(&ids),
        settings: ContextSettings::default(),
        grants: Grants::everything(),
        connection: None,
    };
    for tool in mcp.own_tools(scope.workspace).await? {
        let fields = tool.input_schema["properties"].as_object().into_iter().flatten();
        let args: Json = fields.map(|(name, _)| (name.clone(), json!(2))).collect::<serde_json::Map<_, _>>().into();
        // A person signs in again once where the server wants more.
        for _ in 0..2 {
            match mcp.execute(&scope, &tool, &args, None, &mut Unheard).await {
                Ok(output) => println!("{}: {}", tool.name, output.summary),
                Err(error) if error.code == MORE_WANTED => {
                    println!("{}: {}", tool.name, error.message);
                    let wanted = shelf.wanted.lock().map(|all| all.clone()).unwrap_or_default();
                    let token = sign_in(&sign_ins, &url, &wanted).await?;
                    *shelf.token.lock().map_err(|error| error.to_string())? = Some(token);
                    continue;
                }
                Err(error) => println!("{}: {} {}", tool.name, error.code, error.message),
            }
            break;
        }
    }
    Ok(())
}

//! Tests a server that others wrote. `docs/decisions/0018-tool-servers.md` says how to start one and run this.

use std::sync::Arc;

use adagent_contract::ToolServerSignIn;
use adagent_domain::{ManualClock, Timestamp, ToolServerId, WorkspaceId};
use adagent_outgoing::WayOut;
use adagent_sources::mcp::{Door, Listing, McpServers, Server, Setup, Shelf};
use adagent_tools::{CallScope, ToolError};
use async_trait::async_trait;
use secrecy::SecretString;

struct Empty;

#[async_trait]
impl Shelf for Empty {
    async fn servers(&self, _: WorkspaceId) -> Result<Vec<Server>, ToolError> {
        Ok(Vec::new())
    }

    async fn secret(&self, _: WorkspaceId, _: ToolServerId) -> Result<Option<SecretString>, ToolError> {
        Ok(None)
    }

    async fn renewed(
        &self,
        _: WorkspaceId,
        _: ToolServerId,
        refused: &SecretString,
    ) -> Result<SecretString, ToolError> {
        Ok(refused.clone())
    }

    async fn wants(&self, _: WorkspaceId, _: ToolServerId, _: &str) -> Result<(), ToolError> {
        Ok(())
    }

    async fn changed(&self, _: &CallScope, _: ToolServerId, _: Listing) -> Result<(), ToolError> {
        Ok(())
    }
}

#[tokio::test]
#[ignore = "needs a reference server on port 4301"]
async fn a_reference_server_is_listed() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let clock = Arc::new(ManualClock::at(Timestamp::EPOCH));
    let allowed = vec!["127.0.0.1".to_owned()];
    let setup = Setup { shelf: Arc::new(Empty), allowed, way: WayOut::default(), clock };
    let mcp = McpServers::new(setup).expect("builds");
    let door = Door {
        url: "http://127.0.0.1:4301/mcp".parse().expect("an address"),
        sign_in: ToolServerSignIn::None,
        secret: None,
    };
    let listing = mcp.look(&door).await.expect("listed");
    let names: Vec<&str> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
    println!("{} tools, {} left out: {}", names.len(), listing.left_out, names.join(", "));
    assert!(!names.is_empty() && listing.left_out == 0);
    // The same server gives the same list, so nothing counts as a change.
    assert_eq!(mcp.look(&door).await.expect("listed again"), listing);
}

//! MCP on a running server: lists and calls per second. Each is a separate request, as the current revision of the protocol has it.

use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::{Client, header};
use serde_json::{Value as Json, json};

use crate::{
    Figure,
    machine::{cpu_seconds, percentile},
};

const VERSION: &str = "2026-07-28";
const REQUESTS: u32 = 3_000;
const AT_ONCE: usize = 32;

/// Measures the load. `token` has the scope `mcp`, and AdMob is connected in its workspace.
pub async fn measure(base_url: &str, pid: u32, token: &str) -> Result<Vec<Figure>> {
    let load = Load { client: Client::builder().build()?, url: format!("{base_url}/mcp"), token: token.to_owned() };
    let call = json!({"name": "admob_list_accounts", "arguments": {}});
    let mut figures = Vec::new();
    for (what, method, params) in
        [("tools/list", "tools/list", json!({})), ("tools/call, kept read", "tools/call", call)]
    {
        // The first request fills the caches.
        load.request(method, &params).await?;
        let spent = cpu_seconds(Some(pid));
        let began = Instant::now();
        let answers = stream::iter(0..REQUESTS).map(|_| load.request(method, &params)).buffer_unordered(AT_ONCE);
        let mut took: Vec<f64> = answers.try_collect().await?;
        let seconds = began.elapsed().as_secs_f64();
        let cpu = cpu_seconds(Some(pid)) - spent;
        let count = f64::from(REQUESTS);
        figures.push(Figure::new(format!("MCP: {what}, {AT_ONCE} at a time"), count / seconds, "/s"));
        figures.push(Figure::new(format!("MCP: {what}, p50 then"), percentile(&mut took, 0.5), "ms"));
        figures.push(Figure::new(format!("MCP: {what}, the server's CPU for 1,000"), cpu * 1000.0 / count, "s"));
    }
    Ok(figures)
}

struct Load {
    client: Client,
    url: String,
    token: String,
}

impl Load {
    /// Returns the milliseconds until the whole answer arrived. An answer without a result ends the measurement.
    async fn request(&self, method: &str, params: &Json) -> Result<f64> {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = self
            .client
            .post(&self.url)
            .bearer_auth(&self.token)
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("mcp-protocol-version", VERSION)
            .header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
        let began = Instant::now();
        let answer = request.json(&body).send().await?.error_for_status()?;
        let text = answer.text().await?;
        let took = began.elapsed().as_secs_f64() * 1000.0;
        let answer: Json = serde_json::from_str(&text).context("an answer that is no JSON")?;
        if answer["result"].is_null() || answer["result"]["isError"] == true {
            bail!("{method} was refused: {answer}");
        }
        Ok(took)
    }
}

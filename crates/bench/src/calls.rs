//! Our own cost of a network call, without the network's: compares the gateway with a bare client, both against a server in this process
//! that has its answer ready. Also measures the cost of reading the catalog.

use std::{num::NonZeroU32, sync::Arc, time::Instant};

use adagent_contract::{ContextSettings, NetworkState, Progress};
use adagent_domain::{ConnectionId, ManualClock, Network, ToolCallId, UserId, WorkspaceId};
use adagent_networks::{
    Catalogue, Connected, ConnectionMark, CredentialSource, Credentials, Networks, Parts, SecretFields, Tuning, Via,
    http_client,
};
use adagent_tools::{CallScope, ProgressSink, Provider as _, ToolError};
use anyhow::{Context as _, Result, ensure};
use async_trait::async_trait;
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::{
    Figure,
    machine::{percentile, resident_megabytes},
    stores::GrowingIds,
};

const ACCOUNT: &str = "pub-3940256099942544";
/// Rows of the report: one for each day of a month.
const ROWS: u32 = 30;

/// Measures each read right after the same read by a bare client, so that a change in the machine's speed affects both.
pub async fn measure(calls: u32) -> Result<Vec<Figure>> {
    let mut figures = catalogue()?;
    let served = serve().await?;
    let tuning =
        Tuning { requests_per_second: NonZeroU32::MAX, calls_per_minute: NonZeroU32::MAX, ..Tuning::default() };
    let client = http_client(&tuning)?;
    let ids = GrowingIds::default();
    let clock = Arc::new(ManualClock::at("2026-11-22T09:00:00Z".parse().context("a time")?));
    let source = Arc::new(Fixed { base: served.clone(), connection: ConnectionId::new(&ids) });
    let networks = Networks::new(Parts {
        client: client.clone(),
        credentials: source,
        clock: Arc::clone(&clock) as _,
        jitter: Arc::new(|| 0.0),
        tuning,
    })?;
    let scope = CallScope {
        workspace: WorkspaceId::new(&ids),
        user: UserId::new(&ids),
        call: ToolCallId::new(&ids),
        settings: ContextSettings::default(),
        grants: adagent_contract::Grants::everything(),
        connection: None,
    };
    for (tool, what) in [("admob_list_apps", "a list of one"), ("admob_generate_network_report", "a report of 30 rows")]
    {
        let info = networks.tool(tool).with_context(|| format!("{tool} is not offered"))?;
        let (mut bare, mut whole, mut again) = (Vec::new(), Vec::new(), Vec::new());
        // The first calls open connections, compile the schema and load the accounts.
        for round in 0..calls + 50 {
            let args = arguments(tool, round);
            let start = Instant::now();
            let answer = ask(&client, &served, tool).await?;
            let plain = start.elapsed();
            ensure!(answer > 0, "the server said nothing");
            let start = Instant::now();
            let output = networks.execute(&scope, &info, &args, None, &mut Nobody).await?;
            let gateway = start.elapsed();
            ensure!(!output.cached, "{tool} was not asked again");
            let start = Instant::now();
            let output = networks.execute(&scope, &info, &args, None, &mut Nobody).await?;
            let kept = start.elapsed();
            ensure!(output.cached, "{tool} was asked again");
            if round >= 50 {
                bare.push(plain.as_secs_f64() * 1e6);
                whole.push(gateway.as_secs_f64() * 1e6);
                again.push(kept.as_secs_f64() * 1e6);
            }
            // Advance the clock, so that no window of calls fills up.
            clock.advance_millis(100);
        }
        let (bare, whole) = (percentile(&mut bare, 0.5), percentile(&mut whole, 0.5));
        figures.push(Figure::new(format!("{what}: bare client, p50"), bare, "µs"));
        figures.push(Figure::new(format!("{what}: pipeline over the bare client, p50"), whole - bare, "µs"));
        figures.push(Figure::new(format!("{what}: answered from the cache, p50"), percentile(&mut again, 0.5), "µs"));
    }
    Ok(figures)
}

/// Measures the first read of the catalog in this process.
fn catalogue() -> Result<Vec<Figure>> {
    let before = resident_megabytes(None);
    let start = Instant::now();
    let catalogue = Catalogue::built_in()?;
    let took = start.elapsed();
    ensure!(!catalogue.tools().is_empty(), "an empty catalogue");
    Ok(vec![
        Figure::new(
            format!("catalogue of {} operations: reading", catalogue.tools().len()),
            took.as_secs_f64() * 1e3,
            "ms",
        ),
        Figure::new("catalogue: memory", resident_megabytes(None) - before, "MB"),
    ])
}

/// Returns arguments that differ in every round, because the cache would answer a repeat.
fn arguments(tool: &str, round: u32) -> Json {
    if tool == "admob_list_apps" {
        return json!({"account_id": ACCOUNT, "pageSize": round + 1});
    }
    let day = json!({"year": 2026, "month": 10, "day": 1});
    json!({"account_id": ACCOUNT, "body": {"reportSpec": {
        "dateRange": {"startDate": day, "endDate": day}, "dimensions": ["DATE"],
        "metrics": ["ESTIMATED_EARNINGS", "IMPRESSIONS"], "maxReportRows": round + 1,
    }}})
}

async fn ask(client: &reqwest::Client, base: &str, tool: &str) -> Result<usize> {
    let request = if tool == "admob_list_apps" {
        client.get(format!("{base}/v1beta/accounts/{ACCOUNT}/apps?pageSize=1"))
    } else {
        let url = format!("{base}/v1beta/accounts/{ACCOUNT}/networkReport:generate");
        client.post(url).json(&arguments(tool, 0)["body"])
    };
    Ok(request.bearer_auth("token").send().await?.error_for_status()?.bytes().await?.len())
}

/// Starts a server that reads a request and writes the answer for its path.
async fn serve() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(converse(stream));
        }
    });
    Ok(format!("http://{address}"))
}

async fn converse(mut stream: TcpStream) -> Option<()> {
    let answers = [
        (":generate", answer(&report())),
        (
            "/apps",
            answer(&json!({"apps": [{"name": format!("accounts/{ACCOUNT}/apps/1"),
            "appId": "ca-app-pub-3940256099942544~1", "platform": "IOS", "manualAppInfo": {"displayName": "Puzzle Game"}}]})),
        ),
        (
            "/accounts",
            answer(&json!({"account": [{"name": format!("accounts/{ACCOUNT}"), "publisherId": ACCOUNT,
            "reportingTimeZone": "America/Los_Angeles", "currencyCode": "USD"}]})),
        ),
    ];
    let mut read = Vec::new();
    loop {
        let (end, length) = loop {
            if let Some(found) = whole(&read) {
                break found;
            }
            if stream.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        };
        while read.len() < end + length {
            if stream.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        }
        let target = String::from_utf8_lossy(&read).split(' ').nth(1)?.split('?').next()?.to_owned();
        let (_, answer) = answers.iter().find(|(ending, _)| target.ends_with(ending))?;
        stream.write_all(answer).await.ok()?;
        read.drain(..end + length);
    }
}

/// Returns where the head ends and how long the body is. `None` if the head is not complete yet.
fn whole(read: &[u8]) -> Option<(usize, usize)> {
    let end = read.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    Some((end, length.unwrap_or(0)))
}

fn answer(body: &Json) -> Vec<u8> {
    let body = body.to_string();
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

fn report() -> Json {
    let header = json!({"header": {"dateRange": {"startDate": {"year": 2026, "month": 10, "day": 1},
        "endDate": {"year": 2026, "month": 10, "day": 30}}, "localizationSettings": {"currencyCode": "USD"}}});
    let rows = (1..=ROWS).map(|day| {
        json!({"row": {"dimensionValues": {"DATE": {"value": format!("202610{day:02}")}},
            "metricValues": {"ESTIMATED_EARNINGS": {"microsValue": format!("{}", 1_000_003 * day)},
                "IMPRESSIONS": {"integerValue": format!("{}", 1007 * day)}}}})
    });
    let footer = json!({"footer": {"matchingRowCount": ROWS.to_string()}});
    Json::Array(std::iter::once(header).chain(rows).chain([footer]).collect())
}

/// A single, fixed connection.
struct Fixed {
    base: String,
    connection: ConnectionId,
}

#[async_trait]
impl CredentialSource for Fixed {
    async fn credentials(&self, _: Via, network: Network) -> Result<Credentials, ToolError> {
        Ok(Credentials {
            fields: SecretFields::bearer("token".to_owned().into()),
            base_url: self.base.parse().map_err(|_| ToolError::not_connected(network))?,
            sandbox: true,
            accounts: Vec::new(),
            connection: Some(self.connection),
            version: 1,
            made: 1,
        })
    }

    async fn renew(&self, via: Via, network: Network, _: &Credentials) -> Result<Credentials, ToolError> {
        self.credentials(via, network).await
    }

    async fn report_auth_failure(&self, _: Via, _: Network, _: &Credentials) {}

    async fn connections(&self, _: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        let mark = ConnectionMark {
            id: self.connection,
            version: 1,
            selected: Vec::new(),
            sandbox: true,
            made: 1,
            abilities: None,
            label: "AdMob".to_owned(),
        };
        Ok(vec![Connected { network: Network::AdMob, state: NetworkState::Connected, accounts: Vec::new(), mark }])
    }
}

struct Nobody;

#[async_trait]
impl ProgressSink for Nobody {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}

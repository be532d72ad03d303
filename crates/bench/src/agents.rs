//! Turns in a workspace with few and with many agents, and the list of them.

use std::time::Instant;

use adagent_contract::{AgentBody, JournalSharing, Sharing};
use adagent_domain::AgentId;
use adagent_llm::LOCAL_MODEL;
use adagent_store::{Agent, Engine, Principal};
use anyhow::{Result, ensure};

use crate::{
    Figure,
    engine::Desk,
    machine::percentile,
    stores::{Opened, name},
};

/// How many agents the workspace has when we measure.
const COUNTS: [u32; 3] = [0, 20, 1_000];
const LISTS: u32 = 100;
/// About as long as the instructions of our templates times four.
const INSTRUCTIONS: &str =
    "Begin with the total of the period and its change against the same period before. Name the networks that moved. ";

/// How a turn reaches the agents.
#[derive(Clone, Copy)]
enum Asked {
    /// By `@desk`, without a word about agents.
    Plain,
    /// The run works as the first agent.
    OfAgent,
    /// The message names an agent inside.
    Naming,
}

impl Asked {
    const ALL: [Self; 3] = [Self::Plain, Self::OfAgent, Self::Naming];

    const fn label(self) -> &'static str {
        match self {
            Self::Plain => "a plain turn",
            Self::OfAgent => "a turn of an agent",
            Self::Naming => "a turn that names an agent",
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Plain | Self::OfAgent => "What was my revenue yesterday?",
            Self::Naming => "Is agent @team-3 on?",
        }
    }
}

pub async fn measure(engine: Engine, turns: u32) -> Result<Vec<Figure>> {
    let desk = Desk::planned_by(LOCAL_MODEL, Opened::new(engine).await?, None).await?;
    let label = name(engine);
    let mut figures = Vec::new();
    let mut made: Vec<AgentId> = Vec::new();
    for _ in 0..turns / 4 {
        desk.ask(&desk.chat().await?).await?;
    }
    for count in COUNTS {
        fill(&desk, &mut made, count).await?;
        // The kinds of turns take turns, so that what else the machine does hits each of them.
        let mut spent = [0.0; 3];
        let rounds = 10;
        for _ in 0..rounds {
            for (at, asked) in Asked::ALL.into_iter().enumerate() {
                let agent = made.first().copied().filter(|_| matches!(asked, Asked::OfAgent));
                if matches!(asked, Asked::OfAgent) && agent.is_none() {
                    continue;
                }
                let before = desk.cpu();
                for _ in 0..turns / rounds {
                    let chat = desk.chat().await?;
                    let principal = Principal { agent, ..Principal::person(chat.user) };
                    desk.ask_as(&chat, principal, asked.message()).await?;
                }
                spent[at] += desk.cpu() - before;
            }
        }
        for (at, asked) in Asked::ALL.into_iter().enumerate().filter(|(at, _)| spent[*at] > 0.0) {
            let each = spent[at] * 1000.0 / f64::from(turns / rounds * rounds);
            figures.push(Figure::new(format!("{label}, {count} agents: CPU of {}", asked.label()), each, "ms"));
        }
    }
    let (workspace, user) = (desk.person.personal_workspace, desk.person.id);
    let mut took = Vec::new();
    for _ in 0..LISTS {
        let began = Instant::now();
        let listed = desk.store().list_agents(workspace, user, 1_000).await?.len();
        took.push(began.elapsed().as_secs_f64() * 1000.0);
        ensure!(listed == made.len(), "{listed} agents are listed");
    }
    figures.push(Figure::new(format!("{label}: list of 1,000 agents, p50"), percentile(&mut took, 0.5), "ms"));
    desk.workers.drain().await;
    Ok(figures)
}

/// Stores agents until there are `count`.
async fn fill(desk: &Desk, made: &mut Vec<AgentId>, count: u32) -> Result<()> {
    let mut unit = desk.store().begin().await?;
    while made.len() < count as usize {
        let number = made.len();
        let body = AgentBody {
            handle: format!("team-{number}"),
            name: format!("Team {number}"),
            position: "Reporting".into(),
            description: "Tells what revenue did and why. Reads every network, changes nothing.".into(),
            instructions: INSTRUCTIONS.repeat(16),
            color: 1,
            model: None,
            grants: serde_json::from_str(r#"[{"on": "everything", "may": ["read", "list", "update"]}]"#)?,
            sharing: Sharing::Private,
            journal: JournalSharing::Own,
            active: true,
        };
        let agent = Agent {
            id: AgentId(desk.new_id().0),
            workspace: desk.person.personal_workspace,
            owner: desk.person.id,
            owner_name: String::new(),
            body,
            version: 1,
            created_at: desk.now(),
            updated_at: desk.now(),
        };
        ensure!(unit.insert_agent(&agent, 1_000).await?, "an agent is not kept");
        made.push(agent.id);
    }
    Ok(unit.commit().await?)
}

//! The program that `cargo xtask eval --run` starts: asks a running desk every question of a set, and judges what a person meets.
//!
//! It knows no sentence of any set, and never asks how a question was understood: only calls, cards and figures count.

mod arguments;
mod desk;
mod judge;
mod play;
mod report;
mod shown;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use adagent_contract::TurnView;
use adagent_eval::{Case, Sets};
use anyhow::{Context as _, Result};
use clap::Parser;
use futures::{StreamExt as _, stream};
use serde::Deserialize;

use crate::{
    desk::Desk,
    judge::{Verdict, judge},
    play::{Played, play},
    report::Report,
};

#[derive(Debug, Parser)]
#[command(about = "Ask a running desk the questions of a set, and judge what a person meets")]
struct Arguments {
    /// A JSONL file, or a folder of them; may be given several times.
    #[arg(long, required = true)]
    data: Vec<PathBuf>,
    /// The day on which the questions are asked.
    #[arg(long, default_value = "2026-11-21")]
    today: String,
    /// Take only each n-th question and script of a file.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// Write what the desk did, one JSON object per line.
    #[arg(long)]
    turns: Option<PathBuf>,
    /// Judge the turns of an earlier trial again, written with --turns, and ask nothing.
    #[arg(long)]
    again: Option<PathBuf>,
    /// How many people use the desk at the same time.
    #[arg(long, default_value_t = 2)]
    people: usize,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let sets = Sets::read(&arguments.data, &arguments.today)?;
    let mut report = Report::default();
    let mut lines = String::new();
    let source = match &arguments.again {
        Some(path) => Source::Kept(kept(path)?),
        None => Source::Desk(Arc::new(Desk::start(&arguments.today).await?)),
    };
    for (file, scripts) in sets.scripts() {
        let chosen: Vec<Vec<Case>> =
            scripts.into_iter().step_by(usize::from(arguments.every)).map(<[Case]>::to_vec).collect();
        eprintln!("{file}: {} asked", chosen.len());
        for played in source.play(chosen, arguments.people).await? {
            let verdict = match &played.met {
                Ok(turn) => judge(&played.case, turn),
                Err(why) => Verdict::Wrong("the desk could not be asked", why.clone()),
            };
            lines += &Report::line(&played, &verdict);
            report.add(file, &played, verdict);
        }
    }
    println!("{}", report.text());
    if let Some(path) = &arguments.turns {
        std::fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Source::Desk(desk) = source
        && let Ok(desk) = Arc::try_unwrap(desk)
    {
        desk.stop().await;
    }
    Ok(())
}

/// Where the turns come from.
enum Source {
    Desk(Arc<Desk>),
    /// The turns of an earlier trial, by the ID of their question.
    Kept(HashMap<String, TurnView>),
}

impl Source {
    /// Plays these scripts, each in a workspace of its own, and brings the networks back to the start.
    async fn play(&self, chosen: Vec<Vec<Case>>, people: usize) -> Result<Vec<Played>> {
        let desk = match self {
            Self::Desk(desk) => desk,
            Self::Kept(turns) => {
                let again = |case: Case| {
                    let met = turns.get(&case.id).cloned().ok_or_else(|| "it was not asked then".to_owned());
                    Played { case, met }
                };
                return Ok(chosen.into_iter().flatten().map(again).collect());
            }
        };
        let played: Vec<Vec<Played>> = stream::iter(chosen)
            .map(|turns| {
                let desk = Arc::clone(desk);
                async move { play(&desk, turns).await }
            })
            .buffered(people)
            .collect()
            .await;
        desk.reset().await?;
        Ok(played.into_iter().flatten().collect())
    }
}

/// A line of an earlier trial.
#[derive(Deserialize)]
struct Line {
    id: String,
    turn: Option<TurnView>,
}

fn kept(path: &Path) -> Result<HashMap<String, TurnView>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut turns = HashMap::new();
    for (at, line) in text.lines().enumerate() {
        let line: Line = serde_json::from_str(line)
            .with_context(|| format!("{}, line {}: no turn of a trial", path.display(), at + 1))?;
        turns.extend(line.turn.map(|turn| (line.id, turn)));
    }
    Ok(turns)
}

//! The program that `cargo xtask eval --run` starts: asks a running desk every question of a set, and judges what a person meets.

mod arguments;
mod desk;
mod judge;
mod play;
mod report;
mod shown;

use std::{path::PathBuf, sync::Arc};

use adagent_eval::{Case, Sets};
use anyhow::{Context as _, Result};
use clap::Parser;
use futures::{StreamExt as _, stream};

use crate::{
    desk::Desk,
    judge::{Verdict, judge},
    play::play,
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
    /// How many people use the desk at the same time.
    #[arg(long, default_value_t = 2)]
    people: usize,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let sets = Sets::read(&arguments.data, &arguments.today)?;
    let desk = Arc::new(Desk::start(&arguments.today).await?);
    let (mut lines, mut report) = (String::new(), Report::default());
    for (file, scripts) in sets.scripts() {
        let chosen: Vec<Vec<Case>> =
            scripts.into_iter().step_by(usize::from(arguments.every)).map(<[Case]>::to_vec).collect();
        eprintln!("{file}: {} asked", chosen.len());
        let played: Vec<_> = stream::iter(chosen)
            .map(|turns| {
                let desk = Arc::clone(&desk);
                async move { play(&desk, turns).await }
            })
            .buffered(arguments.people)
            .collect()
            .await;
        desk.reset().await?;
        for played in played.iter().flatten() {
            let verdict = match &played.met {
                Ok(message) => judge(&played.case, &message.turn),
                Err(why) => Verdict::Wrong("the desk could not be asked", why.clone()),
            };
            lines += &Report::line(played, &verdict);
            report.add(file, played, verdict);
        }
    }
    println!("{}", report.text());
    if let Some(path) = &arguments.turns {
        std::fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Ok(desk) = Arc::try_unwrap(desk) {
        desk.stop().await;
    }
    Ok(())
}

//! Whether a run costs more when many runs are stored: sends the same paced load before and after it fills the database.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use adagent_store::Engine;
use anyhow::{Context as _, Result};
use tokio::time::MissedTickBehavior;

use crate::{Figure, engine::Desk, fill, machine::percentile, stores::name};

/// The cost of a paced load.
struct Load {
    cpu_per_thousand: f64,
    p50: f64,
    p99: f64,
}

pub async fn measure(engine: Engine, stored: u32, per_second: u32, seconds: u32) -> Result<Vec<Figure>> {
    let desk = Arc::new(Desk::open(engine).await?);
    paced(&desk, per_second, 2).await?;
    let empty = paced(&desk, per_second, seconds).await?;
    let began = Instant::now();
    fill::fill(&desk, stored).await?;
    eprintln!("filled with {stored} runs in {:.0} s", began.elapsed().as_secs_f64());
    paced(&desk, per_second, 2).await?;
    let full = paced(&desk, per_second, seconds).await?;
    desk.workers.drain().await;
    let label = format!("{}, {stored} stored runs", name(engine));
    Ok(vec![
        Figure::new(format!("{label}: CPU per 1,000 runs, empty"), empty.cpu_per_thousand, "s"),
        Figure::new(format!("{label}: CPU per 1,000 runs, full"), full.cpu_per_thousand, "s"),
        Figure::new(
            format!("{label}: CPU, full over empty"),
            full.cpu_per_thousand / empty.cpu_per_thousand.max(f64::MIN_POSITIVE),
            "x",
        ),
        Figure::new(format!("{label}: p50, empty"), empty.p50, "ms"),
        Figure::new(format!("{label}: p50, full"), full.p50, "ms"),
        Figure::new(format!("{label}: p99, empty"), empty.p99, "ms"),
        Figure::new(format!("{label}: p99, full"), full.p99, "ms"),
    ])
}

async fn paced(desk: &Arc<Desk>, per_second: u32, seconds: u32) -> Result<Load> {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / per_second.max(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let spent = desk.cpu();
    let mut under_way = Vec::new();
    for _ in 0..per_second * seconds {
        ticks.tick().await;
        let desk = Arc::clone(desk);
        under_way.push(tokio::spawn(async move {
            let chat = desk.chat().await?;
            desk.ask(&chat).await
        }));
    }
    let mut took = Vec::new();
    for run in under_way {
        took.push(run.await.context("a person panicked")??.1.whole.as_secs_f64() * 1000.0);
    }
    Ok(Load {
        cpu_per_thousand: (desk.cpu() - spent) * 1000.0 / f64::from(per_second * seconds),
        p50: percentile(&mut took, 0.5),
        p99: percentile(&mut took, 0.99),
    })
}

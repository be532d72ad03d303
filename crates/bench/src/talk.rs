//! A growing chat: the cost of a turn must not depend on the number of earlier turns.

use std::time::Instant;

use adagent_store::Engine;
use anyhow::Result;

use crate::{Figure, engine::Desk, machine::percentile, stores::name};

pub async fn measure(engine: Engine, turns: u32) -> Result<Vec<Figure>> {
    let desk = Desk::open(engine).await?;
    for _ in 0..50 {
        let warm = desk.chat().await?;
        desk.ask(&warm).await?;
    }
    let chat = desk.chat().await?;
    let tenth = (turns / 10).max(1);
    let mut parts = Vec::new();
    for _ in 0..10 {
        let (began, spent) = (Instant::now(), desk.cpu());
        let mut took = Vec::new();
        for _ in 0..tenth {
            took.push(desk.ask(&chat).await?.1.whole.as_secs_f64() * 1000.0);
        }
        let cpu = (desk.cpu() - spent) * 1000.0 / f64::from(tenth);
        eprintln!("{tenth} turns in {:.2} s, {cpu:.2} CPU-ms a turn", began.elapsed().as_secs_f64());
        parts.push((percentile(&mut took, 0.5), cpu));
    }
    desk.workers.drain().await;
    let (first, last) = (parts[0], parts[9]);
    let label = format!("{}, {turns} turns", name(engine));
    Ok(vec![
        Figure::new(format!("{label}: a turn of the first tenth, p50"), first.0, "ms"),
        Figure::new(format!("{label}: a turn of the last tenth, p50"), last.0, "ms"),
        Figure::new(format!("{label}: last over first"), last.0 / first.0.max(f64::MIN_POSITIVE), "x"),
    ])
}

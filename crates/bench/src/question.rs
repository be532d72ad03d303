//! A whole question: the local planner answers it from the cached numbers of the previous question. The sandbox runs in another process.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::{
    Figure,
    machine::{cpu_seconds, cpu_seconds_of_threads, percentile, resident_megabytes},
    served::{Asked, Visitor},
};

const QUESTION: &str = "What was my AdMob revenue yesterday?";
const WARM: u32 = 30;
const PAGES: u32 = 100;
const SQLITE: &str = "sqlx-sqlite-worker";

/// The CPU time of a server: in total, and of its SQLite thread.
struct Spent {
    all: f64,
    sqlite: f64,
}

impl Spent {
    fn now(pid: u32) -> Self {
        Self { all: cpu_seconds(Some(pid)), sqlite: cpu_seconds_of_threads(pid, SQLITE) }
    }

    /// Returns the CPU milliseconds since `then`, divided by `count`.
    fn each_since(pid: u32, then: &Self, count: u32) -> Self {
        let (now, each) = (Self::now(pid), 1000.0 / f64::from(count));
        Self { all: (now.all - then.all) * each, sqlite: (now.sqlite - then.sqlite) * each }
    }
}

pub async fn measure(base_url: &str, pid: u32, questions: u32, parallel: u32) -> Result<Vec<Figure>> {
    let visitor = Arc::new(Visitor::signed_up(base_url).await?);
    visitor.post("/api/sandbox/explore", &json!({})).await?.error_for_status().context("explore")?;
    for _ in 0..WARM {
        ask(&visitor).await?;
    }
    let mut figures = alone(&visitor, pid, questions).await?;
    figures.extend(at_once(&visitor, pid, questions, parallel).await?);
    figures.extend(page(&visitor, pid).await?);
    figures.push(Figure::new("question: memory after the load", resident_megabytes(Some(pid)), "MB"));
    Ok(figures)
}

async fn ask(visitor: &Visitor) -> Result<Asked> {
    let asked = visitor.ask_to_the_end(QUESTION, None).await?;
    ensure!(asked.status == "completed", "a question ended as {:?}", asked.status);
    Ok(asked)
}

async fn alone(visitor: &Visitor, pid: u32, questions: u32) -> Result<Vec<Figure>> {
    let (mut whole, mut bytes) = (Vec::new(), 0);
    let before = Spent::now(pid);
    for _ in 0..questions {
        let asked = ask(visitor).await?;
        whole.push(asked.whole.as_secs_f64() * 1000.0);
        bytes = asked.bytes;
    }
    let cpu = Spent::each_since(pid, &before, questions);
    #[expect(clippy::cast_precision_loss, reason = "kilobytes")]
    Ok(vec![
        Figure::new("question: CPU", cpu.all, "ms"),
        Figure::new("question: SQLite's thread of that", cpu.sqlite, "ms"),
        Figure::new("question: whole, p50", percentile(&mut whole, 0.5), "ms"),
        Figure::new("question: events as a reader gets them", bytes as f64 / 1000.0, "kB"),
    ])
}

async fn at_once(visitor: &Arc<Visitor>, pid: u32, questions: u32, parallel: u32) -> Result<Vec<Figure>> {
    let each = questions.div_ceil(parallel.max(1));
    let (began, before) = (Instant::now(), Spent::now(pid));
    let people = (0..parallel).map(|_| {
        let visitor = Arc::clone(visitor);
        tokio::spawn(async move {
            let mut first = Vec::<Duration>::new();
            for _ in 0..each {
                first.push(ask(&visitor).await?.first);
            }
            anyhow::Ok(first)
        })
    });
    let mut first = Vec::new();
    for person in futures::future::join_all(people).await {
        first.extend(person.context("a person panicked")??.into_iter().map(|took| took.as_secs_f64() * 1000.0));
    }
    let count = each * parallel;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), Spent::each_since(pid, &before, count));
    Ok(vec![
        Figure::new(format!("question: {parallel} at a time"), f64::from(count) / wall, "/s"),
        Figure::new(format!("question: {parallel} at a time, CPU of one"), cpu.all, "ms"),
        Figure::new(format!("question: {parallel} at a time, first event, p50"), percentile(&mut first, 0.5), "ms"),
        Figure::new(format!("question: {parallel} at a time, first event, p99"), percentile(&mut first, 0.99), "ms"),
    ])
}

async fn page(visitor: &Visitor, pid: u32) -> Result<Vec<Figure>> {
    let path = format!("/chat/{}", ask(visitor).await?.session);
    visitor.page(&path).await?;
    let (mut bytes, before) = (0, Spent::now(pid));
    for _ in 0..PAGES {
        bytes = visitor.page(&path).await?;
    }
    let cpu = Spent::each_since(pid, &before, PAGES);
    #[expect(clippy::cast_precision_loss, reason = "kilobytes")]
    Ok(vec![
        Figure::new("question: its chat page, CPU", cpu.all, "ms"),
        Figure::new("question: its chat page, not compressed", bytes as f64 / 1000.0, "kB"),
    ])
}

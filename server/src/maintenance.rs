//! What an administrator does besides running servers. These commands use the servers' configuration and database but listen
//! nowhere.

use std::fmt::Write as _;

use adagent_config::Config;
use adagent_domain::Clock as _;
use anyhow::{Context as _, Result, bail};

use crate::{SystemClock, database, keys};

/// Seals every secret again with the first key. Returns what it did; an error if some secrets could not be sealed again.
pub async fn rotate_keys(config: &Config) -> Result<String> {
    keys::expect_given(config)?;
    let vault = keys::vault(config)?;
    let store = database::open_existing(config).await?;
    let done = adagent_service::rotate_keys(&*store, &vault).await.context("the rotation stopped; run it again")?;
    let mut told = format!(
        "{}\nre-encrypted: {}; already encrypted with the first key: {}; changed by others in the meantime: {}; not readable with any key: {}",
        database::place(config),
        done.resealed,
        done.current,
        done.missed,
        done.closed.len()
    );
    if done.closed.is_empty() && done.missed == 0 {
        return Ok(told);
    }
    for (table, row, error) in &done.closed {
        write!(told, "\n{table} {row}: {error}")?;
    }
    if !done.closed.is_empty() {
        told.push_str(
            "\nthese were not changed: add the secrets that encrypted them to ENCRYPTION_SECRET_PREVIOUS, then run this again",
        );
    }
    if done.missed > 0 {
        told.push_str(
            "\nsome servers still encrypt with an earlier key: give all of them the new one, then run this again",
        );
    }
    bail!("{told}")
}

/// Queues mails again that we gave up on, for use after the administrator fixed the cause. Returns how many.
pub async fn resend_mails(config: &Config) -> Result<String> {
    let store = database::open_existing(config).await?;
    let now = match store.shared_time().await.context("the database does not tell the time")? {
        Some(now) => now,
        None => SystemClock.now(),
    };
    let revived = adagent_service::resend_mails(&*store, now).await.context("the email queue could not be read")?;
    let place = database::place(config);
    Ok(format!(
        "{place}\nemails to resend: {revived}; running servers send them within seconds, others when they start"
    ))
}

/// Verifies every audit log. Returns a line for each workspace with the end of its chain, to be kept elsewhere; an error if a
/// chain is broken.
pub async fn verify_audit(config: &Config) -> Result<String> {
    let store = database::open_existing(config).await?;
    let verdicts = adagent_service::verify_audit(&*store).await.context("the audit log could not be read")?;
    let mut told = format!("{}\n{} audit log(s)", database::place(config), verdicts.len());
    for (workspace, verdict) in &verdicts {
        let (rows, erased) = (verdict.rows, verdict.erased);
        let head = verdict.head.as_deref().unwrap_or("-");
        let word = verdict.broken.as_deref().unwrap_or("holds");
        write!(told, "\n{workspace}: {word}; {rows} row(s), {erased} of them erased in part, end {head}")?;
    }
    if verdicts.iter().all(|(_, verdict)| verdict.holds) { Ok(told) } else { bail!("{told}") }
}

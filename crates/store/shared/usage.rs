//! Reserves and books the cost of hosted models. Locks the run's row first, then the day's row, never the other way around.

use adagent_domain::{RunId, Timestamp, WorkspaceId};
use adagent_store::{
    DayUsage, Held, Lease, QuestionNumber, Reservation, Reserved, Settlement, StoreResult, UsageReads, UsageWrites,
};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, to_i64},
    engine::{Database, Query, Row, Unit},
    run::{execute, execute_one, fetch_all, fetch_one, fetch_optional, sql},
};

fn day(row: &Row, held_micros: i64) -> StoreResult<DayUsage> {
    let columns = Columns::new("workspace_usage", row);
    Ok(DayUsage {
        input_tokens: columns.count("input_tokens")?,
        output_tokens: columns.count("output_tokens")?,
        cost_micros: columns.get("cost_micros")?,
        calls: columns.count("calls")?,
        held_micros,
    })
}

fn set_aside(row: &Row) -> StoreResult<Held> {
    let columns = Columns::new("usage_reservations", row);
    let question = columns.count("question")?;
    let question = u32::try_from(question)
        .map_err(|_| columns.inconsistent("question", format!("{question} is no number of a question")))?;
    Ok(Held {
        question: QuestionNumber(question),
        model: columns.text("model")?,
        input_tokens: columns.count("input_tokens")?,
        output_tokens: columns.count("output_tokens")?,
        cost_micros: columns.get("cost_micros")?,
    })
}

/// Returns the query for the amounts that other questions have set aside, in this run and in others.
fn held(workspace: WorkspaceId, day: &str, (run, question): (RunId, QuestionNumber), now: Timestamp) -> Query {
    sql(include_str!("../sql/usage/held.sql"))
        .bind(workspace.0)
        .bind(clean(day).into_owned())
        .bind(run.0)
        .bind(i64::from(question.0))
        .bind(now.as_micros())
}

fn held_micros(row: &Row) -> StoreResult<i64> {
    Columns::new("usage_reservations", row).get("held_micros")
}

#[async_trait]
impl UsageReads for Database {
    async fn find_usage(&self, workspace: WorkspaceId, name: &str, now: Timestamp) -> StoreResult<DayUsage> {
        // One statement, so that a question that is settled meanwhile counts either as set aside or as spent, never as both.
        let query = sql(include_str!("../sql/usage/find_usage.sql"))
            .bind(workspace.0)
            .bind(clean(name).into_owned())
            .bind(now.as_micros());
        let row = fetch_one(self.reader_in(workspace).await?.connection(), query).await?;
        day(&row, held_micros(&row)?)
    }

    async fn list_held(&self, run: RunId) -> StoreResult<Vec<Held>> {
        let query = sql(include_str!("../sql/usage/list_held.sql")).bind(run.0);
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(set_aside).collect()
    }
}

#[async_trait]
impl UsageWrites for Unit {
    async fn reserve_usage(&mut self, lease: &Lease, wanted: &Reservation) -> StoreResult<Reserved> {
        self.fence(lease).await?;
        let name = clean(&wanted.day).into_owned();
        let query = sql(include_str!("../sql/usage/lock_day.sql")).bind(wanted.workspace.0).bind(name.clone());
        let row = fetch_one(self.connection(), query).await?;
        // Until this transaction ends, nobody else can reserve or book on this day.
        let others = held(wanted.workspace, &name, (lease.run, wanted.question), wanted.now);
        let others = held_micros(&fetch_one(self.connection(), others).await?)?;
        let today = day(&row, others)?;
        let taken = today.cost_micros.saturating_add(today.held_micros);
        if taken.saturating_add(wanted.cost_micros) > wanted.ceiling_micros {
            return Ok(Reserved::Refused(today));
        }
        let query = sql(include_str!("../sql/usage/reserve.sql"))
            .bind(lease.run.0)
            .bind(i64::from(wanted.question.0))
            .bind(wanted.workspace.0)
            .bind(name)
            .bind(wanted.cost_micros)
            .bind(wanted.expires_at.as_micros())
            .bind(clean(&wanted.model).into_owned())
            .bind(to_i64(wanted.input_tokens)?)
            .bind(to_i64(wanted.output_tokens)?);
        execute_one(self.connection(), query, "reserve usage").await?;
        Ok(Reserved::Granted)
    }

    async fn settle_usage(&mut self, lease: &Lease, settled: &Settlement) -> StoreResult<()> {
        self.fence(lease).await?;
        let query = sql(include_str!("../sql/usage/find_reservation.sql"))
            .bind(lease.run.0)
            .bind(i64::from(settled.question.0));
        let name = match fetch_optional(self.connection(), query).await? {
            Some(row) => Columns::new("usage_reservations", &row).text("day")?,
            None => clean(&settled.day).into_owned(),
        };
        let query = sql(include_str!("../sql/usage/settle.sql"))
            .bind(settled.workspace.0)
            .bind(name)
            .bind(to_i64(settled.input_tokens)?)
            .bind(to_i64(settled.output_tokens)?)
            .bind(settled.cost_micros)
            .bind(to_i64(settled.calls)?);
        execute_one(self.connection(), query, "book usage").await?;
        self.release_usage(lease.run, settled.question).await
    }

    async fn release_usage(&mut self, run: RunId, question: QuestionNumber) -> StoreResult<()> {
        let query = sql(include_str!("../sql/usage/release.sql")).bind(run.0).bind(i64::from(question.0));
        execute(self.connection(), query).await.map(drop)
    }
}

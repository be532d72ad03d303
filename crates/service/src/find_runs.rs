//! Runs of a person, searched by what they were asked and by what became of them.

use adagent_contract::{Page, RunFacts, RunFilter, RunRow};
use adagent_domain::{Actor, RunId};

use crate::{Service, ServiceResult, cursor};

/// Runs read at a time.
const BATCH: u32 = 50;
/// Runs looked at for one page; what is older is on the next one.
const LOOKED_AT: u32 = 500;

/// Which runs are wanted.
#[derive(Debug, Clone, Default)]
pub struct RunSearch {
    pub filter: RunFilter,
    /// In the question, in any case; everything if empty.
    pub text: String,
}

impl Service {
    /// Newest first. A page may hold fewer than `limit` and still have a next one.
    pub async fn find_runs(
        &self,
        actor: &Actor,
        search: &RunSearch,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<RunRow>> {
        let limit = cursor::limit(limit)?;
        let mut before = cursor::to_id::<RunId>(cursor.as_deref())?;
        let text = search.text.trim().to_lowercase();
        let (mut items, mut looked_at, mut more) = (Vec::new(), 0_u32, true);
        while more && looked_at < LOOKED_AT && items.len() < limit as usize {
            let rows = self.store.list_runs(actor.workspace, actor.user, before, BATCH + 1).await?;
            let (rows, older) = cursor::cut(rows, BATCH);
            more = older;
            let ids: Vec<RunId> = rows.iter().map(|run| run.id).collect();
            let events = self.store.list_events_of(&ids).await?;
            let Some(last) = ids.last().copied() else { break };
            for run in rows {
                let (id, status) = (run.id, run.status);
                let own: Vec<_> = events.iter().filter(|event| event.run_id == id).cloned().collect();
                let inherited = self.store.find_origin(id).await?.map_or(0, |origin| origin.inherited_seq);
                let facts = RunFacts::of(status, &own, inherited);
                before = Some(id);
                looked_at += 1;
                if run.turn().is_none() || !search.filter.takes(facts) {
                    continue;
                }
                let run = self.run_view(actor, run).await?;
                if text.is_empty() || run.question.to_lowercase().contains(&text) {
                    items.push(RunRow { run, facts });
                    if items.len() == limit as usize {
                        break;
                    }
                }
            }
            // A page that was full before the batch ended goes on behind its last row.
            more |= before != Some(last);
        }
        let next_cursor = before.filter(|_| more).map(cursor::of_id);
        Ok(Page { items, next_cursor })
    }
}

//! A transaction: its own view on top of the committed data, the rows it has locked, and what happens at its end.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use adagent_contract::RunEvent;
use adagent_domain::{ApprovalId, RunId, ToolCallId};
use adagent_store::{
    ApprovalRecord, CallRecord, CallStatus, ChatSession, Checkpoint, EngineUnit, HttpSession, Lease, NewMessage,
    Origin, StoreError, StoreResult, User, Wake,
};
use async_trait::async_trait;
use uuid::Uuid;

use super::{Db, Filed, Row, checks, unavailable};
use crate::{
    plan::{CommitFate, Planted},
    process::Process,
    sim::{Sim, lock},
};

/// The longest wait for a row.
const LOCK_PATIENCE: Duration = Duration::from_secs(20);

/// The changes of a transaction so far.
#[derive(Default, Clone)]
pub(crate) struct Changes {
    pub rows: BTreeMap<RunId, Row>,
    pub calls: BTreeMap<ToolCallId, CallRecord>,
    pub approvals: BTreeMap<ApprovalId, ApprovalRecord>,
    pub events: Vec<RunEvent>,
    pub checkpoints: Vec<Checkpoint>,
    pub prunes: Vec<(RunId, u32)>,
    pub users: Vec<User>,
    pub chats: Vec<ChatSession>,
    pub messages: Vec<NewMessage>,
    pub origins: Vec<Origin>,
    pub sessions: Vec<HttpSession>,
    pub wakes: Vec<Wake>,
    pub durable: bool,
    /// The leases under which this transaction wrote something.
    pub leases: Vec<Lease>,
}

pub(crate) struct Unit {
    pub sim: Arc<Sim>,
    pub process: Arc<Process>,
    id: u64,
    incarnation: u64,
    pub changes: Changes,
}

impl Unit {
    pub const fn id(&self) -> u64 {
        self.id
    }

    pub fn begin(sim: Arc<Sim>, process: Arc<Process>) -> Self {
        let mut db = lock(&sim.db);
        if let Some(late) = db.late.remove(&process.name) {
            let holds = |lease: &Lease| db.filed(lease.run).is_some_and(|filed| filed.row.is_held_by(lease));
            if late.leases.iter().all(holds) {
                apply(&sim, &mut db, late);
            }
        }
        db.units += 1;
        let (id, incarnation) = (db.units, db.incarnation);
        db.open.insert(id, process.name.clone());
        drop(db);
        Self { sim, process, id, incarnation, changes: Changes::default() }
    }

    /// Begins every statement of the transaction: time passes, and the store may be down or the connection lost.
    pub async fn cross(&self) -> StoreResult<()> {
        self.sim.cross(&self.process).await;
        if self.sim.store_is_down() {
            return Err(unavailable("it does not answer"));
        }
        self.still_there(&lock(&self.sim.db))
    }

    fn still_there(&self, db: &Db) -> StoreResult<()> {
        if db.incarnation == self.incarnation && db.open.contains_key(&self.id) {
            Ok(())
        } else {
            Err(unavailable("the connection was cut"))
        }
    }

    /// Waits until the row is locked for this transaction, which keeps the lock until its end.
    pub async fn lock(&self, key: Uuid) -> StoreResult<()> {
        loop {
            let freed = self.sim.freed.notified();
            {
                let mut db = lock(&self.sim.db);
                self.still_there(&db)?;
                match db.locks.get(&key) {
                    None => {
                        db.locks.insert(key, self.id);
                        return Ok(());
                    }
                    Some(holder) if *holder == self.id => return Ok(()),
                    Some(_) => {}
                }
            }
            if tokio::time::timeout(LOCK_PATIENCE, freed).await.is_err() {
                return Err(unavailable("a row was locked for too long"));
            }
            self.sim.cross(&self.process).await;
        }
    }

    /// Returns the row as this transaction sees it.
    pub fn row(&self, run: RunId) -> Option<Row> {
        self.changes.rows.get(&run).cloned().or_else(|| lock(&self.sim.db).filed(run).map(|filed| filed.row.clone()))
    }

    pub fn call(&self, run: RunId, id: ToolCallId) -> Option<CallRecord> {
        let own = self.changes.calls.get(&id).cloned();
        let found = own.or_else(|| {
            let db = lock(&self.sim.db);
            db.filed(run)?.calls.iter().find(|call| call.id == id).map(|call| (**call).clone())
        });
        found.filter(|call| call.run == run)
    }

    pub fn approval(&self, id: ApprovalId) -> Option<ApprovalRecord> {
        let own = self.changes.approvals.get(&id).cloned();
        own.or_else(|| lock(&self.sim.db).approval(id).map(|record| (**record).clone()))
    }

    /// Locks the row and returns it, if the lease still holds the row.
    pub async fn fence(&mut self, lease: &Lease) -> StoreResult<Row> {
        self.lock(lease.run.0).await?;
        let row = self.row(lease.run).ok_or(StoreError::StaleEpoch { epoch: lease.epoch })?;
        let forgets = self.sim.planted(Planted::ForgetEpoch);
        if !row.is_held_by(lease) && !forgets {
            return Err(StoreError::StaleEpoch { epoch: lease.epoch });
        }
        if !self.changes.leases.contains(lease) {
            self.changes.leases.push(lease.clone());
        }
        Ok(row)
    }

    fn end(&self, db: &mut Db) {
        db.open.remove(&self.id);
        let id = self.id;
        let before = db.locks.len();
        db.locks.retain(|_, holder| *holder != id);
        if db.locks.len() != before {
            self.sim.freed.notify_waiters();
        }
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        let mut db = lock(&self.sim.db);
        if db.open.contains_key(&self.id) {
            self.end(&mut db);
        }
    }
}

/// Carries out a transaction.
fn apply(sim: &Sim, db: &mut Db, changes: Changes) {
    let mut touched: BTreeMap<RunId, (Option<Arc<Filed>>, Filed)> = BTreeMap::new();
    {
        let mut file = |db: &Db, run: RunId, row: Option<Row>| {
            let entry = touched.entry(run).or_insert_with(|| {
                let before = db.filed(run).cloned();
                let after = before.as_deref().cloned().or_else(|| row.clone().map(Filed::new));
                (before, after.expect("only runs that exist or are inserted are written"))
            });
            if let Some(row) = row {
                entry.1.row = row;
            }
            run
        };
        for (run, row) in changes.rows {
            file(db, run, Some(row));
        }
        for call in changes.calls.values() {
            file(db, call.run, None);
        }
        for record in changes.approvals.values() {
            file(db, record.view.run_id, None);
        }
    }
    for call in changes.calls.into_values() {
        let Some((_, filed)) = touched.get_mut(&call.run) else { continue };
        match filed.calls.iter_mut().find(|known| known.id == call.id) {
            Some(known) => *known = Arc::new(call),
            None => filed.calls.push(Arc::new(call)),
        }
    }
    for record in changes.approvals.into_values() {
        let Some((_, filed)) = touched.get_mut(&record.view.run_id) else { continue };
        db.approvals.insert(record.view.id, record.view.run_id);
        match filed.approvals.iter_mut().find(|known| known.view.id == record.view.id) {
            Some(known) => *known = Arc::new(record),
            None => filed.approvals.push(Arc::new(record)),
        }
    }
    for event in changes.events {
        if let Some((_, filed)) = touched.get_mut(&event.run_id) {
            filed.events.push(Arc::new(event));
        }
    }
    for checkpoint in changes.checkpoints {
        if let Some((_, filed)) = touched.get_mut(&checkpoint.run) {
            filed.checkpoints.push(Arc::new(checkpoint));
        }
    }
    for (run, keep) in changes.prunes {
        if let Some((_, filed)) = touched.get_mut(&run) {
            let drop = filed.checkpoints.len().saturating_sub(keep as usize);
            filed.checkpoints.drain(..drop);
        }
    }
    db.origins.extend(changes.origins.into_iter().map(|origin| (origin.run, origin)));
    let mut lanes = BTreeSet::new();
    let mut undo = Vec::with_capacity(touched.len());
    for (run, (before, after)) in touched {
        if !sim.plan.exact {
            checks::commit(sim, db, before.as_deref(), &after, &changes.leases);
        }
        lanes.insert(after.row.run.lane);
        db.runs.insert(run, Arc::new(after));
        undo.push((run, before));
    }
    if !sim.plan.exact {
        for lane in lanes {
            checks::turns(sim, db, lane);
        }
        for (run, _) in &undo {
            checks::family(sim, db, *run);
        }
    }
    for user in changes.users {
        db.users.insert(user.id, user);
    }
    for chat in changes.chats {
        db.chats.insert(chat.id, chat);
    }
    for message in changes.messages {
        db.messages.insert(message.id, message);
    }
    for session in changes.sessions {
        db.sessions.insert(session.id.clone(), session);
    }
    if changes.durable {
        db.undo.clear();
    } else if !undo.is_empty() {
        db.undo.push(undo);
    }
    for wake in changes.wakes {
        sim.wake(wake);
    }
}

impl Filed {
    fn new(row: Row) -> Self {
        Self { row, calls: Vec::new(), approvals: Vec::new(), events: Vec::new(), checkpoints: Vec::new() }
    }
}

#[async_trait]
impl EngineUnit for Unit {
    fn wake(&mut self, wake: Wake) {
        if !self.changes.wakes.contains(&wake) {
            self.changes.wakes.push(wake);
        }
    }

    fn durable(&mut self) {
        self.changes.durable = true;
    }

    async fn commit(mut self: Box<Self>) -> StoreResult<()> {
        self.cross().await?;
        let fate = self.sim.next_commit();
        if fate == CommitFate::FailsBefore {
            self.sim.note(&self.process.name, || "commit fails".into());
            return Err(unavailable("it could not commit"));
        }
        {
            let mut db = lock(&self.sim.db);
            self.still_there(&db)?;
            let changes = std::mem::take(&mut self.changes);
            // The planted bug: the row with `sending` is written later than promised.
            let late = self.sim.planted(Planted::LateSending)
                && changes.calls.values().any(|call| call.status == CallStatus::Sending);
            self.sim.note(&self.process.name, || told(&changes));
            if late {
                db.late.insert(self.process.name.clone(), changes);
            } else {
                apply(&self.sim, &mut db, changes);
            }
            self.end(&mut db);
        }
        self.sim.cross(&self.process).await;
        if fate == CommitFate::ReplyLost {
            self.sim.note(&self.process.name, || "the reply of the commit is lost".into());
            return Err(unavailable("the connection was cut while it committed"));
        }
        Ok(())
    }
}

/// Describes a commit in one line.
fn told(changes: &Changes) -> String {
    use std::fmt::Write as _;
    let mut line = String::from("commit");
    if changes.durable {
        line.push_str(" durable");
    }
    for row in changes.rows.values() {
        let run = &row.run;
        let owner = row.owner.as_deref().unwrap_or("nobody");
        let _ = write!(line, "; run {} {} epoch {} held by {owner}", short(run.id.0), run.status.as_str(), run.epoch);
    }
    for call in changes.calls.values() {
        let _ = write!(line, "; call {} {}", short(call.id.0), call.status.as_str());
    }
    for record in changes.approvals.values() {
        let _ = write!(line, "; approval {} {:?}", short(record.view.id.0), record.view.status);
    }
    if let (Some(first), Some(last)) = (changes.events.first(), changes.events.last()) {
        let kinds: Vec<_> = changes.events.iter().map(|event| event.body.kind()).collect();
        let _ = write!(line, "; events {}-{} {}", first.seq, last.seq, kinds.join(" "));
    }
    for checkpoint in &changes.checkpoints {
        let _ = write!(line, "; state {} at {}", checkpoint.step, checkpoint.node);
    }
    line
}

/// Returns the end of an ID. IDs are counted here, so this is different for each.
pub(crate) fn short(id: Uuid) -> u64 {
    id.as_u64_pair().1 & 0xFFFF_FFFF
}

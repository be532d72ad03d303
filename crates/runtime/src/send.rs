//! Sends one approved write: checks again what it would replace, commits that the write is about to leave, and sends it once.

use std::sync::Arc;

use adagent_domain::ToolCallId;
use adagent_run_core::{CallInput, CallWork, Fault, FaultKind, Input, Machine, Work};

use crate::{
    attempts,
    authority::Authority,
    drive::DriveError,
    driver::Driver,
    journal::After,
    live::{Hearing, Written},
    panics::caught,
    performer::Performer,
    supervise::{Care, Watch, Watched},
    waits::waits_for,
    work,
};

/// The name of this step in metrics.
const SEND: &str = "send";

impl<P: Performer> Driver<'_, P> {
    /// Sends the write. Commits `sending` before the request leaves, and after that waits for the request to end.
    pub(crate) async fn send(&mut self, call: ToolCallId) -> Result<(), DriveError> {
        self.flush(After::Keep).await?;
        // The settings may have changed while a person decided.
        let authority = Authority::of(&*self.deps.store, &self.claim.run).await?;
        if let Some(changed) = Arc::make_mut(&mut self.claim).take(authority) {
            self.journal.push_event(self.deps.clock.now(), changed);
        }
        let wanted = CallWork::Send(call);
        let waits = waits_for(self.deps, self.ledger(), &wanted);
        let wanted = Work::Calls(wanted);
        let Ok(bound) = caught(SEND, work::bound(self.deps, &self.claim, self.ledger(), call)).await else {
            return self.broke(&wanted).await;
        };
        let mut bound = bound?;
        if let Ok(ready) = &bound {
            let left = attempts::by_family(self.deps, &self.claim.run).await?;
            let (deps, state) = (self.deps, Arc::clone(&self.state));
            let reviewed = work::review(deps, state.ledger(), ready, &left);
            match self.over(Care::MayBeDropped, reviewed, &waits, &mut Hearing::nothing()).await? {
                Watched::Done(Ok(None)) => {}
                Watched::Done(Ok(Some(reviewed))) => {
                    self.put(Input::Call(reviewed))?;
                    if self.state.outstanding().now.first() != Some(&wanted) {
                        return Ok(());
                    }
                }
                Watched::Done(Err(fault)) => bound = Err(Box::new(fault)),
                Watched::Deadline => return self.put(Input::DeadlineReached),
                Watched::Broke => return self.broke(&wanted).await,
                Watched::Cancelled => {
                    self.cancel = true;
                    return Ok(());
                }
                // The caller sees that the process shuts down, and gives the run back.
                Watched::Drained => return Ok(()),
            }
        }
        let baseline = match &bound {
            Err(_) => None,
            Ok(ready) => {
                let looked = work::baseline(self.deps, ready);
                match self.over(Care::MayBeDropped, looked, &waits, &mut Hearing::nothing()).await? {
                    Watched::Done(baseline) => baseline,
                    Watched::Deadline => None,
                    Watched::Broke => return self.broke(&wanted).await,
                    Watched::Cancelled => {
                        self.cancel = true;
                        return Ok(());
                    }
                    // The caller sees that the process shuts down, and gives the run back.
                    Watched::Drained => return Ok(()),
                }
            }
        };
        let run = self.deps.store.find_run_unscoped(self.claim.run.id).await?;
        if run.is_none_or(|run| run.cancel_requested) {
            self.cancel = true;
            return Ok(());
        }
        let bound = self.still_bound(call, bound).await?;
        let baseline = bound.as_ref().ok().and_then(|ready| ready.kept(baseline));
        self.put(Input::Call(CallInput::Sending(call, baseline)))?;
        self.flush(After::Keep).await?;
        let outcome = match bound {
            Err(fault) => Err(*fault),
            Ok(ready) => {
                let claim = Arc::clone(&self.claim);
                let (sender, mut hearing) = Hearing::new(Written::default());
                let sent = work::send(self.deps, &claim, ready, sender);
                match self.over(Care::MustFinish, sent, &waits, &mut hearing).await? {
                    Watched::Done(outcome) => outcome,
                    // The change may have left before the work broke, so the run checks at the network whether it arrived.
                    Watched::Broke => {
                        let why = "Something went wrong on our end while the change was being sent.";
                        Err(Fault::new(FaultKind::UnknownOutcome, "BROKE", why))
                    }
                    _ => return Err(DriveError::Defect("a write was dropped half-way".into())),
                }
            }
        };
        self.put(Input::Call(CallInput::Sent(call, Box::new(outcome))))?;
        self.flush(After::Keep).await
    }

    /// Watches one of the steps of sending.
    async fn over<T>(
        &mut self,
        care: Care,
        work: impl Future<Output = T>,
        waits: &str,
        hearing: &mut Hearing,
    ) -> Result<Watched<T>, DriveError> {
        let (claim, state) = (Arc::clone(&self.claim), Arc::clone(&self.state));
        let watch = Watch {
            deps: self.deps,
            run: &claim.run,
            state: &*state,
            journal: &mut self.journal,
            drain: self.drain,
            care,
            step: SEND,
            waits: waits.to_owned(),
        };
        watch.over(work, hearing).await
    }

    /// Checks again whether the write may be sent, because the settings may have changed while we waited for the network.
    async fn still_bound(
        &mut self,
        call: ToolCallId,
        bound: Result<work::Bound, Box<Fault>>,
    ) -> Result<Result<work::Bound, Box<Fault>>, DriveError> {
        let authority = Authority::of(&*self.deps.store, &self.claim.run).await?;
        let granted = authority.grants == self.claim.grants;
        let changed = Arc::make_mut(&mut self.claim).take(authority);
        if changed.is_none() && granted {
            return Ok(bound);
        }
        if let Some(changed) = changed {
            self.journal.push_event(self.deps.clock.now(), changed);
        }
        work::bound(self.deps, &self.claim, self.ledger(), call).await
    }
}

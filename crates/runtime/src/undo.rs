//! A change back: a new run of the same conversation that proposes what was there before. A person approves it as any other change.

use adagent_contract::ApprovalStatus;
use adagent_domain::{Actor, ApprovalId, RunId};
use adagent_run_core::State;
use adagent_store::CallStatus;

use crate::{
    ControlError,
    deps::RuntimeDeps,
    receipt::Receipt,
    seeded::{Place, seed_call},
};

/// Proposes the arguments that put back what an approved change replaced; at most once per receipt.
pub async fn undo_once(
    deps: &RuntimeDeps,
    actor: &Actor,
    approval: ApprovalId,
    receipt: Option<&Receipt>,
) -> Result<RunId, ControlError> {
    let refused = |detail: &str| ControlError::NotPossible(detail.into());
    let record = deps.store.find_approval(actor.workspace, actor.user, approval).await?;
    let view = record.ok_or(ControlError::NotFound)?.view;
    let calls = deps.store.list_calls(view.run_id).await?;
    let made = calls.iter().any(|call| call.id == view.tool_call_id && call.status == CallStatus::Succeeded);
    if view.status != ApprovalStatus::Approved || !made {
        return Err(refused("This change wasn't made, so there is nothing to undo."));
    }
    let title = view.title_now().to_owned();
    let preview = view.sent.map_or(view.preview, |sent| sent.preview);
    let back = preview.back.ok_or_else(|| {
        refused("We can't undo this change for you: what was there before can't be sent back. Ask for the change you want instead.")
    })?;
    let old = deps.store.find_run(actor.workspace, actor.user, view.run_id).await?.ok_or(ControlError::NotFound)?;
    let saved = deps.store.find_latest_checkpoint(old.id).await?.ok_or(ControlError::NotFound)?;
    // Two tabs: one proposal waits at a time.
    let asked = format!("undo:{approval}");
    let place = Place { from: None, asked: Some(&asked), ..Place::beside(&old, saved.step) };
    let content = format!("Undo: {title}");
    let state = State::load(&saved.state)?;
    match seed_call(deps, actor, place, &content, (&state, &view.tool_name, &back), receipt).await {
        Err(ControlError::AlreadyOpen) => Err(refused("The undo of this change is already under way in this chat.")),
        begun => begun,
    }
}

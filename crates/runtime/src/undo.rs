//! Undo: a new run in the same chat proposes the values from before a change. A person approves it like any other change.

use adagent_contract::{ApprovalStatus, ApprovalView, ChangeState};
use adagent_domain::{Actor, ApprovalId, ChatSessionId, MessageId, RunId, ToolCallId};
use adagent_run_core::{Turn, from_text};
use adagent_store::{CallRecord, CallStatus, Message, StoreResult, UNDO};
use serde_json::Value as Json;

use crate::{
    ControlError, children,
    deps::RuntimeDeps,
    overrides::{Place, seed_call},
    receipt::Receipt,
};

/// The most messages of a chat that we look through for earlier undos.
const MOST_MESSAGES: u32 = 500;

/// Returns the approval whose change a run was asked to undo.
#[must_use]
pub fn undone_by(asked: &str) -> Option<ApprovalId> {
    asked.strip_prefix(UNDO)?.parse().ok()
}

/// Begins a run that proposes to restore what an approved change replaced, at most once per receipt.
pub async fn undo_once(
    deps: &RuntimeDeps,
    actor: &Actor,
    approval: ApprovalId,
    receipt: Option<&Receipt>,
) -> Result<RunId, ControlError> {
    let refused = |detail: &str| ControlError::NotPossible(detail.into());
    let view = own(deps, actor, approval).await?;
    let made = made_by(deps, &view).await?;
    let made = made.ok_or_else(|| refused("This change wasn't made, so there is nothing to undo."))?;
    let title = view.title_now().to_owned();
    let (tool, back) = way_back(deps, &view, &made).ok_or_else(|| {
        refused("We can't undo this change for you: what was there before can't be sent back. Ask for the change you want instead.")
    })?;
    let old = deps.store.find_run(actor.workspace, actor.user, view.run_id).await?.ok_or(ControlError::NotFound)?;
    if is_undone(deps, actor, view.session_id, approval).await? {
        return Err(refused("This change is already undone."));
    }
    let saved = deps.store.find_latest_checkpoint(old.id).await?.ok_or(ControlError::NotFound)?;
    // A person may click in two tabs. Only one proposal may wait at a time.
    let asked = format!("{UNDO}{approval}");
    // The person undoes the change, so the rights of the agent that made it do not matter.
    let place = Place { agent: None, from: None, asked: Some(&asked), ..Place::beside(&old, saved.step)? };
    let content = format!("Undo: {title}");
    let state = from_text::<Turn>(&saved.state)?;
    match seed_call(deps, actor, place, &content, (&state, &tool, &back), receipt).await {
        Err(ControlError::AlreadyOpen) => Err(refused("This change is already being undone in this chat.")),
        begun => begun,
    }
}

/// Answers "undo that" right after a change was sent. Returns the run that proposes to undo it, with its message. `None` if the text asks
/// for something else, or if the run of the chat's last message made no change that we can undo.
pub async fn undo_said(
    deps: &RuntimeDeps,
    actor: &Actor,
    chat: ChatSessionId,
    text: &str,
) -> Result<Option<(RunId, MessageId)>, ControlError> {
    if !deps.understanding.asks_undo(text) {
        return Ok(None);
    }
    let newest = deps.store.list_messages(actor.workspace, chat, None, 1).await?;
    let Some(last) = newest.last() else { return Ok(None) };
    let mut made = None;
    let agents = children::below(&*deps.store, last.run).await?;
    // What an agent changed that was asked counts as well.
    for run in std::iter::once(last.run).chain(agents.iter().map(|run| run.id)) {
        for record in deps.store.list_approvals_of_run(run).await? {
            if made_by(deps, &record.view).await?.is_some() {
                made = made.max(Some(record.view.id));
            }
        }
    }
    let Some(approval) = made else { return Ok(None) };
    let run = match undo_once(deps, actor, approval, None).await {
        Ok(run) => run,
        // The answer to the message says what the person can do instead.
        Err(ControlError::NotPossible(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    let begun = deps.store.find_run(actor.workspace, actor.user, run).await?;
    Ok(begun.and_then(|begun| begun.turn().map(|turn| (run, turn.message))))
}

/// Returns an approval of the person's own change. Nobody can undo another person's change.
async fn own(deps: &RuntimeDeps, actor: &Actor, approval: ApprovalId) -> Result<ApprovalView, ControlError> {
    let record = deps.store.find_approval(actor.workspace, approval).await?;
    Ok(record.filter(|record| record.user == actor.user).ok_or(ControlError::NotFound)?.view)
}

/// Returns whether a change was made, and whether it is undone.
pub async fn change_state(
    deps: &RuntimeDeps,
    actor: &Actor,
    approval: ApprovalId,
) -> Result<ChangeState, ControlError> {
    let view = own(deps, actor, approval).await?;
    if made_by(deps, &view).await?.is_none() {
        return Ok(ChangeState::NotMade);
    }
    let undone = is_undone(deps, actor, view.session_id, approval).await?;
    Ok(if undone { ChangeState::Undone } else { ChangeState::Made })
}

/// Returns the operation that restores what a change replaced or removes what it created, with its arguments.
fn way_back(deps: &RuntimeDeps, view: &ApprovalView, made: &CallRecord) -> Option<(String, Json)> {
    let preview = view.sent.as_ref().map_or(&view.preview, |sent| &sent.preview);
    if let Some(back) = &preview.back {
        return Some((view.tool_name.clone(), Json::clone(back)));
    }
    // Only the operation that the card offered, and only if the network accepts it for this result.
    let offered = preview.unmade_by.as_deref()?;
    let tool = deps.tools.tool(&made.name)?;
    let sent = view.edited_args.as_ref().unwrap_or(&view.tool_input);
    deps.tools.unmade(&tool, sent, made.outcome.result.as_ref()?).filter(|(name, _)| name == offered)
}

/// Returns the call that made an approved change. `None` if the change was not made.
async fn made_by(deps: &RuntimeDeps, view: &ApprovalView) -> Result<Option<CallRecord>, ControlError> {
    if view.status != ApprovalStatus::Approved {
        return Ok(None);
    }
    Ok(made_call(deps, view.run_id, view.tool_call_id).await?)
}

/// Returns a call of a run if the network has made it.
async fn made_call(deps: &RuntimeDeps, run: RunId, call: ToolCallId) -> StoreResult<Option<CallRecord>> {
    let calls = deps.store.list_calls(run).await?;
    Ok(calls.into_iter().find(|one| one.id == call && one.status == CallStatus::Succeeded))
}

/// Checks whether a change is undone now. If its undo was undone too, the change holds again.
async fn is_undone(
    deps: &RuntimeDeps,
    actor: &Actor,
    chat: Option<ChatSessionId>,
    approval: ApprovalId,
) -> Result<bool, ControlError> {
    // A change can only be undone in its own chat.
    let Some(chat) = chat else { return Ok(false) };
    let messages = deps.store.list_messages(actor.workspace, chat, None, MOST_MESSAGES).await?;
    let (mut looked_at, mut undone) = (approval, false);
    // Each step finds the undo of the one before. An undo is always newer, so this ends.
    loop {
        let mut next = None;
        for message in messages.iter().filter(|message| asks_to_undo(message, looked_at)) {
            for record in deps.store.list_approvals_of_run(message.run).await? {
                if made_call(deps, message.run, record.view.tool_call_id).await?.is_some() {
                    next = Some(record.view.id);
                }
            }
        }
        match next {
            Some(undo) => (looked_at, undone) = (undo, !undone),
            None => return Ok(undone),
        }
    }
}

fn asks_to_undo(message: &Message, approval: ApprovalId) -> bool {
    message.asked.as_deref().and_then(undone_by) == Some(approval)
}

//! The plan of a chat: reads it, approves it as a whole, skips a step, continues after a failed step.

use adagent_contract::{
    AnswerRequest, ApprovePlanRequest, ChatRequest, Plan, PlanStatus, PlanStepStatus, PlanView, Risk, TurnView, codes,
    fold,
};
use adagent_domain::{
    Actor, ApprovalId, ChatSessionId, Granted, RunId,
    rights::{ApproveWrites, Chat},
};

use crate::{Service, ServiceError, ServiceResult, send::Started};

/// How many of a chat's messages we search for its last plan.
const LOOKED_AT: u32 = 50;
/// How many approvals one request can name; a plan has fewer.
const MOST_APPROVALS: usize = 100;

/// A plan as its run stands now.
struct Found {
    plan: Plan,
    turn: TurnView,
    /// The run of the message that led to it: the plan's own, or one that asked the agent whose plan it is.
    asked: RunId,
}

impl Service {
    /// Returns the current state of the last plan in the person's own chat.
    pub async fn plan(&self, actor: &Actor, chat: ChatSessionId) -> ServiceResult<PlanView> {
        let Found { plan, turn, .. } = self.find_plan(actor, chat, None).await?;
        Ok(plan.view(chat, &turn))
    }

    /// Approves every pending change, in the order of the steps. Does not approve a change that the reader did not see.
    pub async fn approve_plan(
        &self,
        actor: &Granted<ApproveWrites>,
        chat: ChatSessionId,
        request: &ApprovePlanRequest,
    ) -> ServiceResult<PlanView> {
        if request.approval_ids.len() > MOST_APPROVALS {
            return Err(ServiceError::field("/approval_ids", format!("Name up to {MOST_APPROVALS} approvals.")));
        }
        let seen = sorted(&request.approval_ids);
        let Found { plan, turn, .. } = self.find_plan(actor, chat, Some(&seen)).await?;
        let waiting: Vec<ApprovalId> = plan.waiting(&turn).iter().map(|card| card.approval_id).collect();
        if waiting.is_empty() {
            return Err(conflict("No step of this plan is waiting for approval."));
        }
        if plan.waiting(&turn).iter().any(|card| card.risk == Risk::Destructive) {
            return Err(conflict("A step deletes something. Approve deletions one by one."));
        }
        if seen != sorted(&waiting) {
            return Err(conflict("The plan changed since you read it. Read it again, then approve what it says now."));
        }
        for (at, approval_id) in waiting.into_iter().enumerate() {
            let request =
                AnswerRequest { approval_id, approved: true, edited_args: None, reason: None, remember: None };
            match self.answer_approval(actor, request).await {
                // A step that was just approved has already failed, and ended the later ones.
                Err(ServiceError::Conflict { .. }) if at > 0 => break,
                other => other?,
            };
        }
        let turn = self.turn(actor, turn.run_id).await?;
        Ok(plan.view(chat, &turn))
    }

    /// Skips a step; the later ones continue.
    pub async fn skip_plan_step(
        &self,
        actor: &Granted<ApproveWrites>,
        chat: ChatSessionId,
        step: u32,
    ) -> ServiceResult<PlanView> {
        let Found { plan, turn, .. } = self.find_plan(actor, chat, None).await?;
        let at = usize::try_from(step).ok().and_then(|step| step.checked_sub(1));
        let found = at.and_then(|at| plan.steps.get(at)).ok_or(ServiceError::NotFound("step"))?;
        let waits = plan.waiting(&turn).into_iter().find(|card| Some(card.tool_call_id) == found.tool_call_id);
        let Some(card) = waits else {
            return Err(conflict("Only a step that is waiting for approval can be skipped."));
        };
        let request = AnswerRequest {
            approval_id: card.approval_id,
            approved: false,
            edited_args: None,
            reason: None,
            remember: None,
        };
        self.answer_approval(actor, request).await?;
        self.plan(actor, chat).await
    }

    /// Asks in a new message for the steps that were not done. The run plans them again; finished steps stay as they are.
    pub async fn execute_plan(
        &self,
        actor: &Granted<Chat>,
        chat: ChatSessionId,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<Started> {
        let Found { plan, turn, asked } = self.find_plan(actor, chat, None).await?;
        let newest = self.store.list_messages(actor.workspace, chat, None, 1).await?;
        if newest.first().is_none_or(|message| message.run != asked) {
            return Err(conflict("The chat went on after this plan. Ask for what is left of it."));
        }
        let statuses = plan.statuses(&turn);
        match plan.status(&turn) {
            PlanStatus::AwaitingApproval => return Err(conflict("Approve or skip the steps that are waiting first.")),
            PlanStatus::Executing => return Err(conflict("The plan is already running.")),
            PlanStatus::Completed => return Err(conflict("Every step of this plan is done or was skipped.")),
            PlanStatus::Failed => {}
        }
        let open = |(step, status): (&adagent_contract::PlanStep, PlanStepStatus)| {
            let open = matches!(status, PlanStepStatus::Failed | PlanStepStatus::NotRun) && !step.unmade;
            open.then(|| step.says.clone())
        };
        let rest: Vec<String> = plan.steps.iter().zip(statuses).filter_map(open).collect();
        if rest.is_empty() {
            return Err(conflict("The steps that are left can't be done, so trying again changes nothing."));
        }
        let request = ChatRequest {
            // The steps are a model's words. With "Please" before them, they cannot address an agent.
            message: format!("Please {}", inside(&rest.join("; then "))),
            session_id: Some(chat),
            context: None,
            agent: turn.agent.as_ref().map(|agent| agent.handle.clone()),
        };
        // A second click does not ask again.
        let once = format!("plan-{}", turn.run_id);
        self.send(actor, request, Some(idempotency_key.unwrap_or(&once))).await
    }

    /// Finds the last plan of the chat: of a message, or of an agent that its run asked. With `waiting`, finds the last one whose pending
    /// approvals are these, if there is one.
    async fn find_plan(
        &self,
        actor: &Actor,
        chat: ChatSessionId,
        waiting: Option<&[ApprovalId]>,
    ) -> ServiceResult<Found> {
        self.find_chat(actor, chat).await?;
        let messages = self.store.list_messages(actor.workspace, chat, None, LOOKED_AT).await?;
        let mut last = None;
        for message in messages.into_iter().rev() {
            let mut open = vec![message.run];
            while let Some(run) = open.pop() {
                let turn = fold(run, &self.store.list_events_of(&[run]).await?);
                open.extend(turn.tasks());
                let Some(plan) = turn.plan.clone() else { continue };
                let ids: Vec<ApprovalId> = plan.waiting(&turn).iter().map(|card| card.approval_id).collect();
                let found = Found { plan, turn, asked: message.run };
                if waiting.is_none_or(|waiting| waiting == sorted(&ids)) {
                    return Ok(found);
                }
                last = last.or(Some(found));
            }
        }
        last.ok_or(ServiceError::NotFound("plan"))
    }
}

/// Returns the text for the middle of a sentence; a name keeps its capitals.
fn inside(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.chars().skip(1).any(char::is_uppercase) {
        return text.to_owned();
    }
    let mut rest = text.chars();
    rest.next().map(|initial| initial.to_lowercase().chain(rest).collect()).unwrap_or_default()
}

fn sorted(ids: &[ApprovalId]) -> Vec<ApprovalId> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn conflict(detail: &str) -> ServiceError {
    ServiceError::Conflict { code: codes::CONFLICT, detail: detail.into() }
}

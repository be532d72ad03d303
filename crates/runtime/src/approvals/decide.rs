//! Who may answer an approval, and what an answer does. This module is pure: the caller has already asked the network.

use adagent_contract::{ApprovalStatus, NOTHING_TO_SEND, SentChange};
use adagent_domain::{Actor, Permission, Timestamp};
use adagent_store::{ApprovalAnswer, ApprovalRecord, Run};
use serde_json::Value as Json;

use super::error::AnswerError;

const LONGEST_REASON: usize = 1000;

/// Checks whether a person may see and answer a card. This is the only such rule: the person whose run asks may, and in an organization
/// also people who may answer for others. A card that changes only the person's own things here is for nobody else.
pub fn may_answer(actor: &Actor, record: &ApprovalRecord) -> bool {
    let for_others = actor.may(Permission::AnswerForOthers) && record.view.source.network().is_some();
    record.workspace == actor.workspace && (record.user == actor.user || for_others)
}

/// Checks whether an answer can still count. After its expiry time, an approval counts as `Expired` even before its row says so.
pub(crate) fn is_open(record: &ApprovalRecord, now: Timestamp) -> Result<(), AnswerError> {
    match record.view.status {
        ApprovalStatus::Pending if record.view.expires_at.is_some_and(|at| at <= now) => Err(AnswerError::Expired),
        ApprovalStatus::Pending => Ok(()),
        ApprovalStatus::Expired => Err(AnswerError::Expired),
        answered => Err(AnswerError::AlreadyAnswered(answered)),
    }
}

/// The arguments that may be sent after an approval.
pub(crate) struct Approved {
    pub args: Json,
    pub digest: String,
    /// What the arguments do, in words, if a person edited them.
    pub edited: Option<SentChange>,
}

/// A person's answer about a change.
pub(crate) enum Said {
    Approve(Approved),
    /// The person approved, but the network already has these values. We send nothing and do not record the change as approved.
    ApproveInVain,
    Deny {
        reason: Option<String>,
    },
}

/// Returns the answer to store.
pub(crate) fn decide(
    record: &ApprovalRecord,
    (actor, by_name): (&Actor, &str),
    said: &Said,
    at: Timestamp,
) -> Result<ApprovalAnswer, AnswerError> {
    if !may_answer(actor, record) {
        return Err(AnswerError::NotFound);
    }
    is_open(record, at)?;
    let (status, approved, reason) = match said {
        Said::Approve(approved) => (ApprovalStatus::Approved, Some(approved), None),
        Said::ApproveInVain => (ApprovalStatus::Cancelled, None, Some(NOTHING_TO_SEND.to_owned())),
        Said::Deny { reason } => (ApprovalStatus::Denied, None, reason.as_deref().and_then(shortened)),
    };
    let edited = approved.filter(|approved| approved.edited.is_some());
    Ok(ApprovalAnswer {
        status,
        by: actor.user,
        by_name: by_name.to_owned(),
        at,
        edited_args: edited.map(|approved| approved.args.clone()),
        sent: edited.and_then(|approved| approved.edited.clone()),
        digest: approved.map_or(&record.digest, |approved| &approved.digest).clone(),
        reason,
    })
}

fn shortened(reason: &str) -> Option<String> {
    let reason: String = reason.trim().chars().take(LONGEST_REASON).collect();
    (!reason.is_empty()).then_some(reason)
}

/// Why a run does not accept an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunRefuses {
    Over,
    /// Somebody asked the run to stop, so it accepts no approval.
    Stopping,
}

/// Checks whether the run still accepts such an answer in its current state.
pub(crate) fn takes(run: &Run, answer: ApprovalStatus) -> Result<(), RunRefuses> {
    if run.status.is_final() {
        return Err(RunRefuses::Over);
    }
    if answer == ApprovalStatus::Approved && run.cancel_requested {
        return Err(RunRefuses::Stopping);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use adagent_contract::{ApprovalView, Preview, PreviewKind, Risk, UiHints};
    use adagent_domain::{ApprovalId, Network, Role, RunId, SequentialIds, Source, ToolCallId, UserId, WorkspaceId};
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::EPOCH;

    fn asked(ids: &SequentialIds, status: ApprovalStatus) -> ApprovalRecord {
        let id = ApprovalId::new(ids);
        let view = ApprovalView {
            id,
            approval_id: id,
            run_id: RunId::new(ids),
            session_id: None,
            asked_by: None,
            status,
            tool_call_id: ToolCallId::new(ids),
            tool_name: "admob_create_mediation_group".into(),
            source: Source::Network(Network::AdMob),
            title: "Create mediation group".into(),
            tool_input: json!({"name": "Puzzle"}),
            parameter_schema: json!({"type": "object"}),
            ui_hints: UiHints::default(),
            risk: Risk::Write,
            warnings: Vec::new(),
            preview: Preview::new(PreviewKind::Create, Vec::new()),
            created_at: NOW,
            expires_at: Some(NOW.plus_seconds(60)),
            answered_at: None,
            answered_by: None,
            edited_args: None,
            sent: None,
            reason: None,
            undone: false,
            asked_again: false,
        };
        let (workspace, user) = (WorkspaceId::new(ids), UserId::new(ids));
        ApprovalRecord { view, workspace, user, digest: "asked".into() }
    }

    fn member(ids: &SequentialIds, record: &ApprovalRecord, role: Role) -> Actor {
        Actor { user: UserId::new(ids), workspace: record.workspace, role, personal: false }
    }

    #[test]
    fn the_person_answers_and_in_an_organization_who_answers_for_others() {
        let ids = SequentialIds::default();
        let record = asked(&ids, ApprovalStatus::Pending);
        let own = Actor { user: record.user, ..member(&ids, &record, Role::Member) };
        assert!(may_answer(&own, &record));
        let roles = [(Role::Member, false), (Role::Admin, true), (Role::Owner, true)];
        for (role, may) in roles {
            let other = member(&ids, &record, role);
            assert_eq!(may_answer(&other, &record), may, "{role:?}");
            let elsewhere = Actor { workspace: WorkspaceId::new(&ids), ..other };
            assert!(!may_answer(&elsewhere, &record), "{role:?} of another organization");
            let given = decide(&record, (&other, "Bo"), &Said::Deny { reason: None }, NOW);
            assert_eq!(given.is_ok(), may, "{role:?}");
        }
        let mut native = record.clone();
        native.view.source = Source::Native;
        assert!(may_answer(&own, &native) && !may_answer(&member(&ids, &record, Role::Owner), &native));
    }

    #[test]
    fn only_what_is_pending_and_in_time_is_decided() {
        let ids = SequentialIds::default();
        let record = asked(&ids, ApprovalStatus::Pending);
        let own = Actor { user: record.user, ..member(&ids, &record, Role::Member) };
        let said = || Said::Deny { reason: None };
        assert!(decide(&record, (&own, "Ann"), &said(), NOW.plus_seconds(59)).is_ok());
        let late = decide(&record, (&own, "Ann"), &said(), NOW.plus_seconds(60));
        assert!(matches!(late, Err(AnswerError::Expired)), "{late:?}");
        for status in [ApprovalStatus::Approved, ApprovalStatus::Denied, ApprovalStatus::Cancelled] {
            let mut record = record.clone();
            record.view.status = status;
            let again = decide(&record, (&own, "Ann"), &said(), NOW);
            assert!(matches!(again, Err(AnswerError::AlreadyAnswered(was)) if was == status), "{again:?}");
        }
    }

    #[test]
    fn what_is_written_is_what_was_said() {
        let ids = SequentialIds::default();
        let record = asked(&ids, ApprovalStatus::Pending);
        let own = Actor { user: record.user, ..member(&ids, &record, Role::Member) };
        let told = |said: Said| decide(&record, (&own, "Ann"), &said, NOW).expect("it is decided");

        let plain = Approved { args: json!({"name": "Puzzle"}), digest: "asked".into(), edited: None };
        let given = told(Said::Approve(plain));
        assert_eq!((given.status, given.edited_args, given.digest.as_str()), (ApprovalStatus::Approved, None, "asked"));

        let sent =
            SentChange { title: "Create “Two”".into(), preview: Preview::new(PreviewKind::Create, Vec::new()) };
        let args = json!({"name": "Two"});
        let edited = Approved { args: args.clone(), digest: "edited".into(), edited: Some(sent.clone()) };
        let given = told(Said::Approve(edited));
        assert_eq!((given.edited_args, given.sent, given.digest.as_str()), (Some(args), Some(sent), "edited"));

        let vain = told(Said::ApproveInVain);
        assert_eq!((vain.status, vain.reason.as_deref()), (ApprovalStatus::Cancelled, Some(NOTHING_TO_SEND)));

        let why = told(Said::Deny { reason: Some(format!("  {}", "x".repeat(2000))) });
        assert_eq!((why.status, why.reason.map(|text| text.len())), (ApprovalStatus::Denied, Some(LONGEST_REASON)));
        assert_eq!(told(Said::Deny { reason: Some("  ".into()) }).reason, None);
    }
}

//! People, chats, runs and approvals for tests.

use std::{fmt::Display, sync::Arc};

use adagent_contract::{ApprovalStatus, ApprovalView, CallResult, EventBody, Preview, PreviewKind, Risk, UiHints};
use adagent_domain::{
    ApprovalId, ChatSessionId, CheckpointId, Clock as _, ConnectionId, DefinitionId, InvitationId, LaneId, MailId,
    ManualClock, MessageId, Network, Role, RunId, SequentialIds, Source, Timestamp, ToolCallId, UserId, WorkspaceId,
};
use serde_json::json;

use crate::{
    AccountWrites as _, ApprovalRecord, CallRecord, CallStatus, ChatSession, ChatWrites as _, Checkpoint, ClaimedJob,
    ClaimedRun, Connection, ConnectionState, EngineStore, EngineUnit, Invitation, InvitationStatus, JobOutcome, Lease,
    MessageRef, NewMessage, NewRun, NewUser, Principal, Queue, RunClass, RunWrites as _, Store, StoreResult, Subject,
    UnitOfWork, User, Workspace, WorkspaceKind,
};

/// Unwraps a result that must be good.
pub trait Must<T> {
    /// Returns the value, or panics with the error.
    fn must(self) -> T;
}

impl<T> Must<T> for StoreResult<T> {
    #[track_caller]
    fn must(self) -> T {
        match self {
            Ok(value) => value,
            Err(error) => panic!("the store refused: {error} ({error:?})"),
        }
    }
}

/// Starts all works at once and returns the results.
pub async fn together<T: Send + 'static>(
    works: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let started: Vec<_> = works.into_iter().map(tokio::spawn).collect();
    let mut ended = Vec::new();
    for work in started {
        ended.push(work.await.expect("no work panics"));
    }
    ended
}

/// Where transactions begin: in the whole store, or in the part that the engine needs.
pub trait Begins: EngineStore {
    type Unit: EngineUnit + ?Sized + 'static;

    fn begins(&self) -> impl Future<Output = StoreResult<Box<Self::Unit>>> + Send;
}

impl Begins for dyn Store + '_ {
    type Unit = dyn UnitOfWork;

    async fn begins(&self) -> StoreResult<Box<dyn UnitOfWork>> {
        self.begin().await
    }
}

impl Begins for dyn EngineStore + '_ {
    type Unit = dyn EngineUnit;

    async fn begins(&self) -> StoreResult<Box<dyn EngineUnit>> {
        self.engine_unit().await
    }
}

/// A store, with a clock and IDs that the test controls.
pub struct World<S: ?Sized = dyn Store> {
    pub store: Arc<S>,
    pub ids: Arc<SequentialIds>,
    pub clock: Arc<ManualClock>,
}

/// The part of a store that the engine needs.
pub type EngineWorld = World<dyn EngineStore>;

impl<S: ?Sized> Clone for World<S> {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), ids: Arc::clone(&self.ids), clock: Arc::clone(&self.clock) }
    }
}

impl EngineWorld {
    pub fn over(store: Arc<dyn EngineStore>) -> Self {
        Self::at_the_start(store)
    }
}

/// What only the whole store offers.
impl World {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::at_the_start(store)
    }

    pub fn new_message(run: &NewRun, content: &str) -> NewMessage {
        message_of(run, content)
    }

    /// Makes an organization with this owner.
    pub async fn organization(&self, owner: &User, slug: &str) -> Workspace {
        let organization = Workspace {
            id: WorkspaceId::new(&*self.ids),
            kind: WorkspaceKind::Organization,
            name: format!("The {slug}"),
            slug: slug.to_owned(),
            created_at: self.now(),
        };
        let mut unit = self.begin().await;
        unit.insert_organization(&organization, owner.id).await.must();
        unit.commit().await.must();
        organization
    }

    pub async fn invite(&self, invitation: &Invitation) {
        let mut unit = self.begin().await;
        unit.insert_invitation(invitation).await.must();
        unit.commit().await.must();
    }

    /// Claims the next job of a queue for a minute.
    pub async fn claim_job(&self, queue: Queue) -> Option<ClaimedJob> {
        let mut unit = self.begin().await;
        let claimed = unit.claim_job(queue, self.now(), self.now().plus_seconds(60)).await.must();
        unit.commit().await.must();
        claimed
    }

    pub async fn settle_job(&self, queue: Queue, claimed: &ClaimedJob, outcome: JobOutcome) -> bool {
        let mut unit = self.begin().await;
        let settled = unit.settle_job(queue, claimed, &outcome, self.now()).await.must();
        unit.commit().await.must();
        settled
    }
}

impl<S: Begins + ?Sized> World<S> {
    fn at_the_start(store: Arc<S>) -> Self {
        let start = Timestamp::from_micros(1_795_254_060_000_000);
        Self { store, ids: Arc::default(), clock: Arc::new(ManualClock::at(start)) }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub async fn begin(&self) -> Box<S::Unit> {
        self.store.begins().await.must()
    }

    /// Makes a person with a personal workspace and the address `name@example.com`.
    pub async fn person(&self, name: &str) -> User {
        let user = User {
            id: UserId::new(&*self.ids),
            email: format!("{name}@Example.com"),
            name: name.to_owned(),
            password_hash: "$argon2id$none".to_owned(),
            personal_workspace: WorkspaceId::new(&*self.ids),
            created_at: self.now(),
            email_verified_at: None,
        };
        let mut unit = self.begin().await;
        unit.insert_user(&NewUser { user: user.clone(), email_key: user.email.to_lowercase() }).await.must();
        unit.commit().await.must();
        user
    }

    pub fn invitation(&self, workspace: WorkspaceId, by: &User, address: &str) -> Invitation {
        Invitation {
            id: InvitationId::new(&*self.ids),
            workspace,
            email: address.to_owned(),
            email_key: address.to_lowercase(),
            role: Role::Member,
            status: InvitationStatus::Pending,
            invited_by: by.id,
            created_at: self.now(),
            expires_at: self.now().plus_seconds(100),
            mail: MailId::new(&*self.ids),
            mailed_at: self.now(),
            mails: 1,
        }
    }

    pub async fn chat(&self, person: &User, title: &str) -> ChatSession {
        let chat = ChatSession {
            id: ChatSessionId::new(&*self.ids),
            workspace: person.personal_workspace,
            user: person.id,
            title: title.to_owned(),
            chat_only: false,
            created_at: self.now(),
            updated_at: self.now(),
            busy: false,
            awaiting_approval: false,
            kept: false,
            shared: false,
        };
        let mut unit = self.begin().await;
        unit.insert_chat(&chat).await.must();
        unit.commit().await.must();
        chat
    }

    pub fn new_run(&self, chat: &ChatSession) -> NewRun {
        let id = RunId::new(&*self.ids);
        let turn = MessageRef { session: chat.id, message: MessageId::new(&*self.ids) };
        NewRun::of_turn(id, chat.workspace, chat.user, turn, "local".to_owned(), self.now())
    }

    /// Makes a background run of a flow, in its own lane.
    pub fn new_flow(&self, workspace: WorkspaceId, user: UserId) -> NewRun {
        let id = RunId::new(&*self.ids);
        NewRun {
            id,
            workspace,
            principal: Principal::person(user),
            subject: Subject::Flow {
                definition: DefinitionId::new(&*self.ids),
                hash: "h1".to_owned(),
                inputs: json!({"day": "Monday"}),
            },
            class: RunClass::Background,
            lane: LaneId::from(id),
            parent: None,
            model: "local".to_owned(),
            created_at: self.now(),
            context: None,
            ready_at: self.now(),
        }
    }

    /// Inserts a run without a message. Returns whether its lane is free.
    pub async fn begin_run(&self, run: &NewRun) -> bool {
        let mut unit = self.begin().await;
        let free = unit.insert_run(run).await.must();
        unit.commit().await.must();
        free
    }

    /// Inserts a message and the queued run that answers it.
    pub async fn ask(&self, chat: &ChatSession, content: &str) -> NewRun {
        let run = self.new_run(chat);
        let mut unit = self.begin().await;
        unit.insert_run(&run).await.must();
        unit.insert_message(&message_of(&run, content)).await.must();
        unit.commit().await.must();
        run
    }

    /// Claims the next run for a minute.
    pub async fn claim(&self, owner: &str) -> Option<ClaimedRun> {
        self.claim_of(owner, &RunClass::ALL).await
    }

    pub async fn claim_of(&self, owner: &str, classes: &[RunClass]) -> Option<ClaimedRun> {
        let mut unit = self.begin().await;
        let claimed = unit.claim_run(owner, self.now(), self.now().plus_seconds(60), classes).await.must();
        unit.commit().await.must();
        claimed
    }

    /// Makes a person, a chat, and a run that `worker` holds.
    pub async fn held_run(&self) -> (User, ChatSession, Lease) {
        let person = self.person("ann").await;
        let chat = self.chat(&person, "Revenue").await;
        self.ask(&chat, "What was my revenue yesterday?").await;
        let claimed = self.claim("worker").await.expect("a run is ready");
        (person, chat, claimed.lease)
    }

    pub fn checkpoint(&self, run: RunId, step: i64) -> Checkpoint {
        Checkpoint {
            id: CheckpointId::new(&*self.ids),
            run,
            step,
            seq: step.unsigned_abs(),
            node: "router".to_owned(),
            state: format!(r#"{{"step":{step}}}"#),
            created_at: self.now(),
        }
    }

    pub fn call(&self, workspace: WorkspaceId, run: RunId) -> CallRecord {
        CallRecord {
            id: ToolCallId::new(&*self.ids),
            run,
            workspace,
            name: "admob_create_mediation_group".to_owned(),
            read_only: false,
            args: json!({"displayName": "Puzzle"}),
            digest: "d1".to_owned(),
            status: CallStatus::Prepared,
            outcome: CallResult::default(),
            created_at: self.now(),
            updated_at: self.now(),
        }
    }

    pub fn approval(&self, person: &User, chat: &ChatSession, run: RunId) -> ApprovalRecord {
        let id = ApprovalId::new(&*self.ids);
        let view = ApprovalView {
            asked_by: None,
            id,
            approval_id: id,
            run_id: run,
            session_id: Some(chat.id),
            status: ApprovalStatus::Pending,
            tool_call_id: ToolCallId::new(&*self.ids),
            tool_name: "admob_create_mediation_group".to_owned(),
            source: Source::Network(Network::AdMob),
            title: "Create mediation group".to_owned(),
            tool_input: json!({"displayName": "Puzzle"}),
            parameter_schema: json!({"type": "object"}),
            ui_hints: UiHints::default(),
            risk: Risk::Write,
            warnings: Vec::new(),
            preview: Preview::new(PreviewKind::Create, Vec::new()),
            created_at: self.now(),
            expires_at: Some(self.now().plus_seconds(3600)),
            answered_at: None,
            answered_by: None,
            edited_args: None,
            sent: None,
            reason: None,
            undone: false,
            asked_again: false,
        };
        ApprovalRecord { view, workspace: person.personal_workspace, user: person.id, digest: "d1".to_owned() }
    }

    pub fn connection(&self, person: &User, network: Network) -> Connection {
        Connection {
            id: ConnectionId::new(&*self.ids),
            workspace: person.personal_workspace,
            network,
            label: network.display_name().to_owned(),
            state: ConnectionState::Connected,
            enabled: true,
            sandbox: true,
            sealed: "sealed-1".to_owned(),
            accounts: json!([]),
            message: None,
            version: 1,
            created_by: person.id,
            consented_by: Some(person.id),
            created_at: self.now(),
            last_verified_at: None,
            abilities: None,
            made: 1,
        }
    }
}

/// Makes the message that a run answers.
pub fn message_of(run: &NewRun, content: &str) -> NewMessage {
    let turn = turn_of(run);
    NewMessage {
        id: turn.message,
        workspace: run.workspace,
        session: turn.session,
        run: run.id,
        author: run.principal.user,
        content: content.to_owned(),
        created_at: run.created_at,
    }
}

/// Returns the chat and message that a run answers.
pub fn turn_of(run: &NewRun) -> MessageRef {
    run.turn().expect("it answers a message")
}

/// Makes an event with this label.
pub fn status(label: impl Display) -> EventBody {
    EventBody::Status { label: format!("{label}") }
}

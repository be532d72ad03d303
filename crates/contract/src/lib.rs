//! Wire types, run events, problem details, and `fold`, which turns events into the view of a chat turn.
//!
//! The server and the browser share this crate, so it must not do I/O and must stay wasm-safe. Everything in it is public:
//! `docs/api/openapi.json` describes it.

mod abilities;
mod accounts;
mod activity;
mod agents;
mod app_selection;
mod approval;
mod artifact;
mod audit;
mod brief;
mod chat;
mod connections;
mod context;
mod delegation;
mod diff;
mod documents;
mod edits;
mod entity_kind;
mod event;
mod fold;
mod home;
mod journal;
mod lines;
pub mod links;
mod organizations;
mod outcome;
mod page;
mod plan;
mod problem;
mod report;
mod reporting;
mod revocations;
mod run;
mod sandbox;
mod shared;
mod sign_in;
mod timings;
mod title;
mod todos;
mod tokens;
mod tool_servers;
mod usage;
mod workspaces;

pub use abilities::{Abilities, Ability, AbilityView};
pub use accounts::{Me, SignInRequest, SignUpRequest, UserEnvelope, UserView};
pub use activity::Activity;
pub use agents::{
    Access, AgentBody, AgentRef, AgentTemplate, AgentUpdate, AgentVersion, AgentView, DEFAULT_AGENT, Grant,
    GrantTarget, Grants, JournalSharing, MOST_AGENTS, MOST_INSTRUCTIONS, Sharing, grants_of_boxes, handle_of,
    handle_problem, is_refusal, mention, unaddressed,
};
pub use app_selection::AppSelection;
pub use approval::{
    ALREADY_WAITING, AnswerRequest, ApprovalStatus, ApprovalView, ChangeRow, ChangeState, EntityOption, FieldHint,
    LINES, NOTHING_TO_SEND, OnlyIf, Preview, PreviewKind, Risk, SentChange, UiHints, Widget, came_too_late,
};
pub use artifact::{
    Artifact, BarItem, Column, ColumnKind, Covers, KpiTile, Point, Series, TableArtifact, TimeseriesArtifact, Tone,
    Value, with_method, without_method,
};
pub use audit::{
    AuditPerson, AuditQuery, AuditVerdict, AuditView, ErasureReason, ErasureRequest, ProfilePatch, RetentionSettings,
    RetentionView,
};
pub use brief::{CallResult, STEP_ROWS, omitted};
pub use chat::{
    ChatRequest, CreateSessionRequest, DRAFTED, FeedbackRequest, FeedbackView, HistoryEntry, MessageView, Rating,
    SessionMessages, SessionPatch, SessionView, UNANSWERED, UNCHANGED,
};
pub use connections::{
    AccountChoice, CONNECTION, ConnectRequest, ConnectResponse, ConnectTarget, ConnectionName, Dependents,
    EnableRequest, EntityItem, KeyField, KeyNetworkView, KeyPlace, NetworkState, Paused, ProviderKind, ProviderView,
    RenameConnectionRequest,
};
pub use context::{ContextMode, ContextOverlay, ContextSettings, ResponseStyle};
pub use delegation::{ASK_AGENT, Delegation, MOST_DEPTH, MOST_TASK, TaskArgs};
pub use diff::{StateChange, diff};
pub use documents::{
    DOCUMENT_VERSIONS, DocumentDraft, DocumentUpdate, DocumentVersionView, DocumentView, MOST_DOCUMENT,
    MOST_DOCUMENT_TITLE, MOST_DOCUMENTS, MOST_FOLDER, ROOT_FOLDER, TRASH_DAYS, WrittenView, folder_path, is_inside,
};
pub use edits::{edits, lowered, plain, words};
pub use entity_kind::EntityKind;
pub use event::{ActionKind, DecidedBy, EventBody, ModelTier, Path, Progress, RunEvent};
pub use fold::{ActionView, RoutingView, StepState, StepView, StopView, TurnApproval, TurnView, fold, fold_into};
pub use home::{
    HomeAnswer, HomeFigures, HomeView, MOST_PINNED, MOST_QUESTION, MOST_SAVED, SavedQuestionView, SharedChatView,
};
pub use journal::{
    AgentCount, DayCount, JournalCount, JournalDay, JournalEntry, JournalLine, JournalPage, JournalQuery,
    JournalSummary, PersonCount, summary_of,
};
pub use lines::{Hunk, Line, hunks, line_diff};
pub use organizations::{
    DeleteOrganization, InvitationMail, InvitationState, InvitationView, InviteLinkState, InviteLinkView, InviteState,
    InviteView, MemberView, NewInvitation, NewInviteLink, NewOrganization, OrganizationName, OrganizationPatch,
    OrganizationSummary, ReceivedInvitationView, RolePatch, TransferOwnershipRequest,
};
pub use outcome::{RunFacts, RunFilter, RunOutcome, RunRow};
pub use page::Page;
pub use plan::{ApprovePlanRequest, Plan, PlanStatus, PlanStep, PlanStepStatus, PlanStepView, PlanView};
pub use problem::{FieldError, Problem, codes};
pub use report::ReportData;
pub use reporting::{ReportingSettings, ReportingView};
pub use revocations::{ConsentsLeft, GOOGLE_CONNECTIONS, RevocationView};
pub use run::{
    CheckpointComparison, CheckpointDetail, CheckpointView, ForkRequest, OverrideRequest, RunFork, RunLimits,
    RunOrigin, RunStatus, RunView, StepKind, StepTiming, UsageView,
};
pub use sandbox::{ExploreRequest, SandboxInfo, SandboxNetwork};
pub use shared::SharedJson;
pub use sign_in::{
    AccountView, BrowserSessionView, ChangeEmailRequest, ChangePasswordRequest, CodeRequest,
    DisableSecondFactorRequest, EndedSessions, EnrolmentView, FailedSignInsView, ForgotPasswordRequest, GoogleView,
    LinkRequest, LinkStart, LinkedView, ProofRequest, QrView, RecoveryCodesView, RenewCodesRequest,
    ResetPasswordRequest, SecondFactorView,
};
pub use timings::timings;
pub use title::{NEW_TITLE, capital, title_of};
pub use todos::{MOST_TODO, MOST_TODOS, PersonRef, TodoDraft, TodoUpdate, TodoView};
pub use tokens::{CreatedToken, NewToken, TokenScope, TokenView, Typed};
pub use tool_servers::{
    AcceptedChanges, MCP_PREFIX, MOST_SERVER_TOOLS, MOST_TOOL_SERVERS, NewToolServer, OauthClientDocument,
    ServerAccess, ServerSignIn, ServerTool, ServerToolName, ToolChange, ToolServerSignIn, ToolServerUpdate,
    ToolServerView, ToolSetting, server_handle_of, server_handle_problem, source_name,
};
pub use usage::{UsageCeilings, UsageToday};
pub use workspaces::WorkspaceView;

//! What the pages ask the server: server functions of a few lines each. Functions that read use GET, so that pages can be
//! prefetched.
//!
//! No rule lives here. Each function finds out who asks, calls the service and passes its answer on.

mod account;
mod agents;
mod appearance;
mod approvals;
mod arguments;
mod audit;
mod chat;
mod client;
mod context;
mod documents;
mod error;
mod home;
mod journal;
mod library;
mod networks;
mod place;
mod reporting;
mod revocations;
mod runs;
mod seen_tools;
mod team;
mod tokens;
mod tool_servers;
mod try_keys;
mod usage;
mod who;

#[cfg(feature = "ssr")]
pub use account::kept_field;
pub use account::{AccountOverview, ConfirmLater, Renewed, account, sign_in_options};
#[cfg(feature = "ssr")]
pub use agents::posted_agent;
pub use agents::{
    AgentForm, AgentName, AgentOverview, AgentPage, AgentPosted, DeleteAgent, DuplicateAgent, SaveAgent, agent,
    agent_names, agents,
};
#[cfg(feature = "ssr")]
pub use appearance::theme_of_page;
pub use appearance::{ChooseTheme, Theme, chosen_theme};
pub use approvals::{
    PendingThere, UndoChange, approval, approval_choices, approvals, pending_count, pending_elsewhere,
    read_change_state, undo_change,
};
pub use arguments::{Asked, Desk, Sent, SentJson};
pub use audit::{AuditOverview, SetRetention, audit_log, retention};
pub use chat::{
    ChatOnly, DeleteSession, KeepSession, RenameSession, ShareSession, rate, read_feedback, read_step, sessions, thread,
};
pub use client::DeskClient;
pub use context::{PutContext, context, context_entities};
pub use documents::{
    DeleteDocument, DocumentForm, DocumentPage, DocumentPosted, RestoreDocument, RestoreVersion, SaveDocument,
    ShelfView, document, documents,
};
pub use error::{ApiError, Told, settled};
pub use home::{DeleteQuestion, PinQuestion, RefreshHome, home, refresh_home, save_question};
pub use journal::{JournalAsked, journal};
pub use library::{AddTodo, ChangeTodo, DeleteTodo, LibraryView, MarkTodo, library};
pub use networks::{
    ChooseAccounts, ConnectKeys, ConnectNetwork, Disconnect, EnableNetwork, Explore, NetworkOverview, RenameConnection,
    TestNetwork, TurnOnNetwork, key_networks, networks, safe_return,
};
#[cfg(feature = "ssr")]
pub use place::server::{PageWorkspace, SecureCookies, Standing, of_page};
pub use place::{Missing, PERSONAL, QUERY, Sought, SwitchWorkspace, in_workspace, or_elsewhere};
pub use reporting::{ReportingChoice, SetReporting, reporting};
pub use revocations::{ForgetRevocation, revocations};
pub use runs::{CheckpointPair, ForkRun, RunPage, read_checkpoint, read_run, read_turn, runs};
pub use seen_tools::{Argument, SeenServer, SeenTool};
pub use team::{
    AcceptInviteLink, AnswerInvitation, ChangeRole, CreateInviteLink, CreateOrganization, DeactivateInviteLink,
    DeleteOrganization, Invite, InviteMember, LeaveOrganization, RemoveMember, RenameOrganization, ResendInvitation,
    RevokeInvitation, Team, TransferOwnership, read_invite, read_team,
};
pub use tokens::{CreateToken, Minted, RevokeToken, TokenForm, TokenOverview, tokens};
pub use tool_servers::{
    AcceptToolChanges, ConnectToolServer, DeleteToolServer, SaveToolServer, SignInForm, SignInPosted, TestToolServer,
    ToolServersView, tool_server_names, tool_servers,
};
pub use try_keys::TryKeys;
pub use usage::read_usage;
pub use who::{Viewer, read_viewer};

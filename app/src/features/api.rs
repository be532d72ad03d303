//! What the desk asks the server: server functions of a few lines each. Reads are GET, so that pages can be prefetched.
//!
//! No rule lives here: each function finds out who asks, calls the service and passes its answer on.

mod account;
mod approvals;
mod chat;
mod context;
mod error;
mod networks;
mod runs;
mod tokens;
mod who;

pub use account::{AccountOverview, account, sign_in_options};
pub use approvals::{approval, approvals, pending_count};
pub use chat::{DeleteSession, KeepSession, RenameSession, rate, sessions, thread};
pub use context::{PutContext, context, context_entities};
pub use error::ApiError;
pub use networks::{
    ChooseAccounts, ConnectKeys, ConnectNetwork, Disconnect, EnableNetwork, Explore, NetworkOverview, TestNetwork,
    key_networks, networks, safe_return,
};
pub use runs::{CheckpointPair, ForkRun, RunPage, read_checkpoint, read_run, runs};
pub use tokens::{CreateToken, Minted, RevokeToken, TokenForm, TokenOverview, tokens};
pub use who::{Viewer, read_viewer};

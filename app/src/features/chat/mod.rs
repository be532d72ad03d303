//! The thread: turns with their steps, approvals, answers and artifacts.

pub mod artifacts;
pub mod client;
mod composer;
mod correct;
mod delegated;
mod examples;
mod going_on;
mod mention;
mod options;
mod page;
mod plan;
mod shared;
mod side;
mod steps;
pub mod stream;
pub mod summary;
mod thread;
pub mod trail;
mod turn;
mod welcome;

pub use artifacts::ArtifactView;
pub use composer::CONTEXT;
pub use page::{ChatPage, WithoutScript};
pub use side::RunPanel;
pub use steps::Steps;
pub use summary::{agent_name as node_name, model_name};
pub use turn::{Entry, Turn, TurnCallbacks};

//! The thread: turns with their steps, approvals, answers and artifacts.

pub mod artifacts;
mod steps;
pub mod summary;
mod turn;

pub use artifacts::ArtifactView;
pub use steps::Steps;
pub use turn::{Entry, Turn, TurnCallbacks};

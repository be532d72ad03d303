//! Runs: the list, and the page of one run with its timeline, checkpoints, events and usage.

mod axis;
mod changes;
mod checkpoint;
mod event_rows;
mod fork;
mod list;
mod outcome;
mod state_words;
mod timeline;
mod timeline_view;
mod viewer;

pub use list::RunsPage;
pub use outcome::StatusBadge;
pub use viewer::RunViewerPage;

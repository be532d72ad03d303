//! Runs: the list, and the viewer with a run's timeline, events, usage.

mod list;
mod timeline;
mod viewer;

pub use list::RunsPage;
pub use viewer::RunViewerPage;

//! Runs: the list, and the viewer with a run's timeline, saved states, events, usage.

mod axis;
mod changes;
mod checkpoint;
mod list;
mod timeline;
mod timeline_view;
mod viewer;

pub use list::{RunsPage, StatusBadge};
pub use viewer::RunViewerPage;

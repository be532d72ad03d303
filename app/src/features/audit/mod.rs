//! Sections for the page of a workspace: its audit log with a filter and a file, and how long it keeps things.
//!
//! Both are parts that a page places; neither knows which page that is but for the address of its filter form.

mod log;
mod retention;
mod words;

pub use log::AuditSection;
pub use retention::RetentionSection;

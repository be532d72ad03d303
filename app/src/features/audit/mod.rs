//! Sections for the page of a workspace: its audit log with a filter and a file, and how long it keeps data.
//!
//! A page places both sections. They do not know which page that is, except for the address of the filter form.

mod log;
mod retention;
mod words;

pub use log::AuditSection;
pub use retention::RetentionSection;

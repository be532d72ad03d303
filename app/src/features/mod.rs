//! One folder per area of the desk: its page, its parts and what it asks the server.

pub mod approval;
pub mod chat;
pub mod dev_ui;

//! One folder per area of the desk: its page, its parts and what it asks the server.

pub mod account;
pub mod api;
pub mod approval;
pub mod approvals;
pub mod auth;
pub mod chat;
pub mod desk;
pub mod dev_ui;
pub mod networks;
pub mod runs;
pub mod settings;
pub mod tokens;

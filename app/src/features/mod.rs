//! One folder per area of the web app: its page, its parts and its calls to the server.

pub mod account;
pub mod agents;
pub mod answers;
pub mod api;
pub mod approval;
pub mod approvals;
pub mod audit;
pub mod auth;
pub mod chat;
pub mod desk;
pub mod dev_ui;
pub mod document;
pub mod form;
pub mod home;
pub mod invitation;
pub mod invite;
pub mod journal;
pub mod library;
pub mod networks;
pub mod reporting;
pub mod runs;
pub mod settings;
pub mod team;
pub mod tokens;
pub mod tool_servers;

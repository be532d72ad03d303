//! The outside contract over real HTTP, against the very server people start, on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects fails right there")]

mod abilities;
mod activity;
mod agents;
mod audit;
mod bad_input;
mod context;
mod doors;
mod files;
mod harness;
mod home;
mod hosted;
mod hostile;
mod injection;
mod journey;
mod late;
mod leftover_consents;
mod mail;
mod matrix;
mod mcp;
mod mcp_clients;
mod mcp_narrow;
mod natives;
mod networks;
mod observability;
mod organizations;
mod plain_approvals;
mod privacy;
mod reporting;
mod results;
mod runs;
mod safety;
mod schemathesis;
mod secrets;
mod sentences;
mod several;
mod sign_in;
mod streams;
mod strictness;
mod todos;
mod tokens;
mod travel;
mod try_keys;
mod undo;
mod workspaces;

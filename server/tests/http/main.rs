//! The outside contract over real HTTP, against the very server people start, on both engines.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects fails right there")]

mod audit;
mod bad_input;
mod files;
mod harness;
mod hosted;
mod journey;
mod mail;
mod mcp;
mod mcp_clients;
mod networks;
mod organizations;
mod privacy;
mod safety;
mod secrets;
mod seen;
mod tokens;
mod travel;

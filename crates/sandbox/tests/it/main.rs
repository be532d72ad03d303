//! The sandbox over HTTP. One binary for all of it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they serve")]

mod control;
mod figures;
mod oauth;
mod official_client;
mod operations;
mod support;

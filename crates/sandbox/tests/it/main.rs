//! Tests of the sandbox over HTTP, in one binary.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they serve")]

mod admanager;
mod admanager_reports;
mod applovin;
mod control;
mod dtexchange;
mod figures;
mod inmobi;
mod keyed;
mod liftoff;
mod mintegral;
mod oauth;
mod official_client;
mod operations;
mod pangle;
mod support;
mod unity;
mod world;

//! The sandbox over HTTP. One binary for all of it.

mod control;
mod figures;
mod oauth;
mod official_client;
mod operations;
mod support;

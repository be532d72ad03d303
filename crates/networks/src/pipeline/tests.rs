//! The pipeline against a small server of its own that answers, breaks off, stalls and lies as told.

mod bindings;
mod cases;
mod faults;
mod limits;
mod long;
mod replies;
mod sandbox;
mod secrets;
pub mod server;
mod sessions;
mod support;

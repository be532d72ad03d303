//! Tests of the pipeline against a small server that answers, breaks off, stalls and lies as each test says.

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

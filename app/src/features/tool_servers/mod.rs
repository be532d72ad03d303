//! Tool servers: connect one, decide about its tools, review what changed.

mod connect;
mod page;
mod server;
mod sign_in;

pub use page::ToolServersPage;

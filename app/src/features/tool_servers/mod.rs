//! Tool servers: connect one, decide about its tools, look at what changed.

mod connect;
mod page;
mod server;

pub use page::ToolServersPage;

//! Tools from outside. `mcp`: servers of others that speak the Model Context Protocol. It must not know the database nor decide what
//! is granted, and it believes nothing that a source says of itself.

pub mod mcp;

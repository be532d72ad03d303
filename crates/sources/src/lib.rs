//! Tools from outside. `mcp` has the tool servers, which speak the Model Context Protocol. This crate must not know the database or decide
//! what is granted, and it trusts nothing that a source says about itself.

pub mod mcp;

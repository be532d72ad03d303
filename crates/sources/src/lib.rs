//! Tools from outside. `mcp`: servers of others that speak the Model Context Protocol. This crate must not know the database nor decide
//! what is granted, and it trusts nothing that a source says about itself.

pub mod mcp;

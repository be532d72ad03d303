//! Tests of what the catalog holds, and tests that its checks find planted mistakes.

mod built_in;
mod full;
mod mistakes;
mod schema;

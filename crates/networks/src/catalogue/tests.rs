//! What the catalogue holds, and that its checks find planted mistakes.

mod built_in;
mod full;
mod mistakes;
mod schema;

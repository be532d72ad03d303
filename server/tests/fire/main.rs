//! Servers under fire: real processes that are killed, several of them on one database, cut from database and network.
//!
//! The short versions run with all tests. `cargo test -p server --test fire -- --ignored` runs the long ones. What chance decides
//! follows from a seed that is printed at the start; `FIRE_SEED=n` takes it again, `FIRE_MOMENTS=n` says how many kills, and
//! `FIRE_SECONDS=n` how long a long one lasts at most.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects fails right there")]

mod chance;
mod cuts;
mod judge;
mod kills;
mod nodes;
mod outside;
mod person;
mod process;
mod secrets;
mod story;
mod world;

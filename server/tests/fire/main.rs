//! Servers under fire: real processes that are killed, that share one database, and that are cut off from the database and the
//! networks.
//!
//! The short versions run with all tests. `cargo test -p server --test fire -- --ignored` runs the long ones. A seed decides all
//! random choices; it is printed at the start. `FIRE_SEED=n` replays a seed, `FIRE_MOMENTS=n` sets the number of kills, and
//! `FIRE_SECONDS=n` limits the length of a long run.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects fails right there")]

mod agents;
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

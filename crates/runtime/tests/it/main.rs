//! The driver on real databases, with a scripted model and a network that remembers what reached it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod cut;
mod flows;
mod measure;
mod network;
mod races;
mod scenario;
mod world;

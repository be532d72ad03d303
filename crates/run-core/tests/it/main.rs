//! Tests of the machine, with inputs by hand and at random.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod broke;
mod children;
mod direct_calls;
mod doubt;
mod flows;
mod graph;
mod plans;
mod property;
mod support;
mod versions;

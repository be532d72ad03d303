//! Tests of the simulation, and tests that use it: its store against the engines' suite, thousands of seeds, and planted bugs.

mod conformance;
mod planted;
mod regressions;
mod seeds;

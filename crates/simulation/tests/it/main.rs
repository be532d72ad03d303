//! Tests of the simulation, and tests by it: its store against the engines' suite, thousands of seeds, planted bugs.

mod conformance;
mod planted;
mod regressions;
mod seeds;

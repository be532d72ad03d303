//! The simulation itself is tested, and then it tests: its store against the engines' suite, thousands of seeds, planted bugs.

mod conformance;
mod planted;
mod regressions;
mod seeds;

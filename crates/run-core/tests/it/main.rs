//! The machine, driven by hand and by chance.

mod flows;
mod graph;
mod property;
mod support;
mod versions;

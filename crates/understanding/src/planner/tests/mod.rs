//! Tests of the planner: hand-made requests, a small world that answers its calls, and properties over both.

mod across;
mod changing;
mod fleet;
mod freeform;
mod journey;
mod kept;
mod money;
mod reporting;
mod several;
mod talking;
mod unserved;
mod world;
mod writing;

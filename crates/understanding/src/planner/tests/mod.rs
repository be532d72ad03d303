//! The planner on hand-made requests, a small world that answers its calls, and properties over both.

mod freeform;
mod journey;
mod reporting;
mod talking;
mod unserved;
mod world;
mod writing;

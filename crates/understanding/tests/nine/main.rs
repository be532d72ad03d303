//! Sends real questions through router, retriever, planner and gateway to the sandbox of all nine networks. Numbers must match the
//! sandbox's own, and changes must be there afterwards.

mod asked;
mod changes;
mod chips;
mod days;
mod figures;
mod floors;
mod letters;
mod lines;
mod met;
mod parts;
mod several;
mod silence;
mod strangers;
mod totals;
mod whole;
mod wishes;
mod world;

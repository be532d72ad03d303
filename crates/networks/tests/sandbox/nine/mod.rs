//! Tests of all nine networks through the gateway, against the sandbox over real HTTP.

mod cards;
mod connect;
mod entities;
mod every_operation;
mod faults;
mod probes;
mod settings;
mod sketches;
mod world;

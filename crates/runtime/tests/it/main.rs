//! The driver on real databases, with a scripted model and a network that remembers what reached it.

mod broke;
mod budget;
mod counters;
mod cut;
mod delegation;
mod doubt;
mod flows;
mod forks;
mod late;
mod measure;
mod network;
mod providers;
mod races;
mod routes;
mod scenario;
mod second_kind;
mod world;

//! The driver on real databases, with a scripted model and a network that remembers what reached it.

mod cut;
mod flows;
mod measure;
mod network;
mod races;
mod routes;
mod scenario;
mod world;

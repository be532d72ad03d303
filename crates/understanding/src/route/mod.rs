//! The route of a question: which networks, what it is about, and how we serve it.

pub(crate) mod about;
mod ad_manager;
mod assign;
mod called;
pub(crate) mod implied;
pub(crate) mod mediated;
pub mod reading;
pub(crate) mod services;
pub(crate) mod signals;
mod supposed;
mod tables;
mod things;
mod trial;
mod wish;

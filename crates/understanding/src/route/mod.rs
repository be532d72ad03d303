//! The route of a question: which networks, what it is about, how it will be served.

pub(crate) mod about;
mod assign;
pub(crate) mod implied;
pub mod reading;
pub(crate) mod services;
pub(crate) mod signals;
mod wish;

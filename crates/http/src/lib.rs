//! The public API over HTTP: routes, problem details, event streams, OpenAPI.
//!
//! This crate translates between the wire and [`adagent_service`]. It holds no rule of the product and knows neither the interface nor a
//! database. Each operation or small family has its own file, and every route is in the table that also makes the OpenAPI document.

mod around;
mod bearer;
mod deadline;
mod error;
mod extract;
mod files;
mod flash;
mod forwarded;
mod headers;
mod host;
mod method;
mod often;
mod openapi;
mod origin;
mod rest;
mod routes;
mod seen;
mod session;
mod sse;
mod state;

pub use around::around;
pub use bearer::require_mcp_token;
pub use error::ApiError;
pub use extract::RequestId;
pub use files::SiteFiles;
pub use forwarded::{Proxies, was_forwarded};
pub use host::is_ours;
pub use openapi::document;
pub use origin::is_same_origin;
pub use routes::{Metrics, Scrape, api, metrics_router};
pub use state::{Health, HttpState, Settings};

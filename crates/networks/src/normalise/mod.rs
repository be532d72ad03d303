//! From a network's answer to the one shape the desk works with: reports, lists, objects. Never adds a figure.

pub mod csv;
mod list;
mod report;
mod rows;
pub mod shapes;
mod words;

pub use list::{counted, list, object, table as list_table};
pub use report::{ReportContext, report, table as report_table};
pub use rows::{micros, report as rows_report};
pub use words::{human, platform_name, region_name};

//! The planner on hand-made requests and reports.

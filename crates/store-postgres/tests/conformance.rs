//! Runs the suite that every adapter must pass, on PostgreSQL.

use adagent_testkit::postgres_store;

adagent_store::conformance_suite!(postgres_store);

//! The suite that every adapter passes, on PostgreSQL.

use adagent_testkit::postgres_store;

adagent_store::conformance_suite!(postgres_store);

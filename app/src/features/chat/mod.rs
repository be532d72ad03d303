//! The thread: turns with their steps, approvals, answers and artifacts.

//! The approval card: what will happen, the form to change it, and the record of the answer.

//! Objects of the networks other than `AdMob`, in the form that each network shows, by network, kind and ID.
//!
//! They are in the order of their creation. Only effects from the journal change them.

use std::collections::HashMap;

use serde_json::Value;

use crate::networks::{NETWORKS, Seeds};

#[derive(Default)]
pub struct Shelves {
    by: HashMap<(String, String), Vec<(String, Value)>>,
}

impl Shelves {
    /// Returns the objects that every sandbox starts with.
    pub fn seeded(seeds: &Seeds) -> Self {
        let mut shelves = Self::default();
        for network in NETWORKS {
            for (kind, id, object) in network.seed(seeds) {
                shelves.put(network.id(), kind, id, object);
            }
        }
        shelves
    }

    /// Adds an object, or replaces the one with this ID.
    pub fn put(&mut self, network: &str, kind: &str, id: String, object: Value) {
        let list = self.by.entry((network.to_owned(), kind.to_owned())).or_default();
        match list.iter().position(|(known, _)| *known == id) {
            Some(at) => list[at].1 = object,
            None => list.push((id, object)),
        }
    }

    pub fn remove(&mut self, network: &str, kind: &str, id: &str) {
        if let Some(list) = self.by.get_mut(&(network.to_owned(), kind.to_owned())) {
            list.retain(|(known, _)| known != id);
        }
    }

    pub fn get(&self, network: &str, kind: &str, id: &str) -> Option<&Value> {
        self.list(network, kind).find(|(known, _)| *known == id).map(|(_, object)| object)
    }

    /// Returns all objects of a kind, oldest first.
    pub fn list(&self, network: &str, kind: &str) -> impl Iterator<Item = (&str, &Value)> {
        let list = self.by.get(&(network.to_owned(), kind.to_owned()));
        list.into_iter().flatten().map(|(id, object)| (id.as_str(), object))
    }
}

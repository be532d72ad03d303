//! JSON that many owners hold and few change: results, schemas, entities as a network sent them.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

/// JSON that is cheap to clone. An owner that changes it while others hold it gets a copy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedJson(Arc<Json>);

impl SharedJson {
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl Deref for SharedJson {
    type Target = Json;

    fn deref(&self) -> &Json {
        &self.0
    }
}

impl DerefMut for SharedJson {
    fn deref_mut(&mut self) -> &mut Json {
        Arc::make_mut(&mut self.0)
    }
}

impl From<Json> for SharedJson {
    fn from(json: Json) -> Self {
        Self(Arc::new(json))
    }
}

impl From<Arc<Json>> for SharedJson {
    fn from(json: Arc<Json>) -> Self {
        Self(json)
    }
}

impl PartialEq<Json> for SharedJson {
    fn eq(&self, other: &Json) -> bool {
        *self.0 == *other
    }
}

impl Serialize for SharedJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(Self::from)
    }
}

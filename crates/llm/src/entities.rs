//! Known entities for questions and requests. They are shared, because each list has hundreds of entities with the network's data.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use adagent_contract::EntityItem;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list that is cheap to clone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entities(Arc<Vec<EntityItem>>);

impl Deref for Entities {
    type Target = Vec<EntityItem>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Entities {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(&mut self.0)
    }
}

impl From<Vec<EntityItem>> for Entities {
    fn from(items: Vec<EntityItem>) -> Self {
        Self(Arc::new(items))
    }
}

impl From<Arc<Vec<EntityItem>>> for Entities {
    fn from(items: Arc<Vec<EntityItem>>) -> Self {
        Self(items)
    }
}

impl<'a> IntoIterator for &'a Entities {
    type Item = &'a EntityItem;
    type IntoIter = std::slice::Iter<'a, EntityItem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Serialize for Entities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Entities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

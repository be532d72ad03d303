//! Keys that are sent as they are. The binding says which header or parameter holds which field of the connection.

use super::{Material, Missing, Outgoing, Scheme};

/// The scheme for bindings with `header_auth` and `query_auth`.
pub struct Keys {
    /// Every field that the network's bindings may name.
    pub fields: &'static [&'static str],
}

impl Scheme for Keys {
    fn sign(&self, out: &mut Outgoing, material: &Material<'_>) -> Result<(), Missing> {
        let value = |field: &str| {
            let known = self.fields.iter().copied().find(|known| *known == field).ok_or(Missing("a known key"))?;
            material.field(known).map(str::to_owned)
        };
        for (name, field) in &material.binding.header_auth {
            out.header(name, value(field)?);
        }
        for (name, field) in &material.binding.query_auth {
            out.parameter(name, value(field)?);
        }
        // Without a key in the binding, the request would be sent unsigned.
        if material.binding.header_auth.is_empty() && material.binding.query_auth.is_empty() {
            return Err(Missing("a key in the binding"));
        }
        Ok(())
    }
}

//! The operations `adUnitMappings.create` and `batchCreate`; a batch creates all mappings or none.

use serde_json::json as value;

use super::{Done, Objects, json};
use crate::journal::Effect;
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::networks::admob::wire::{AdUnitMapping, account_of};
use crate::world::sources;

const LARGEST_BATCH: usize = 100;

pub fn create(objects: &Objects, context: &Context) -> Done {
    let parent = format!("accounts/{}/adUnits/{}", context.call.account, context.call.parent);
    let body = Fields::root(&context.body)?;
    let mapping = make(objects, &body, &parent, 0).map_err(|wrong| match wrong {
        Wrong::Parent => ApiError::not_found(format!("Ad unit {parent} was not found.")),
        Wrong::Field(error) => error,
    })?;
    Ok((json(&mapping)?, vec![Effect::Mapping(mapping)]))
}

pub fn batch(objects: &Objects, context: &Context) -> Done {
    let body = Fields::root(&context.body)?;
    body.known(&["requests"])?;
    let requests = body.items("requests")?;
    if requests.is_empty() || requests.len() > LARGEST_BATCH {
        return Err(
            body.invalid("requests", format!("1 to {LARGEST_BATCH} requests are expected, {} came", requests.len()))
        );
    }
    let mut made: Vec<AdUnitMapping> = Vec::new();
    for request in &requests {
        request.known(&["parent", "adUnitMapping"])?;
        let parent = request.need_text("parent", 120)?;
        if account_of(&parent) != context.call.account {
            return Err(request.invalid("parent", "must be an ad unit of the account in the path"));
        }
        let mapping = make(objects, &request.need_object("adUnitMapping")?, &parent, made.len() as u64 + 1);
        made.push(mapping.map_err(|wrong| match wrong {
            Wrong::Parent => request.invalid("parent", format!("Ad unit {parent} was not found")),
            Wrong::Field(error) => error,
        })?);
    }
    Ok((value!({ "adUnitMappings": json(&made)? }), made.into_iter().map(Effect::Mapping).collect()))
}

enum Wrong {
    Parent,
    Field(ApiError),
}

impl From<ApiError> for Wrong {
    fn from(error: ApiError) -> Self {
        Self::Field(error)
    }
}

fn make(objects: &Objects, fields: &Fields<'_>, parent: &str, salt: u64) -> Result<AdUnitMapping, Wrong> {
    let unit = objects.ad_units.iter().find(|unit| unit.name == parent).ok_or(Wrong::Parent)?;
    fields.known(&["name", "adapterId", "state", "displayName", "adUnitConfigurations"])?;
    let id = fields.int64("adapterId")?.ok_or_else(|| fields.invalid("adapterId", "is required"))?.to_string();
    let adapter =
        sources::adapter(&id).ok_or_else(|| fields.invalid("adapterId", format!("Adapter {id} was not found")))?;
    let platform = objects.app(&unit.app_id).map_or("", |app| app.platform.as_str());
    if adapter.platform != platform || adapter.format != unit.ad_format {
        let message = format!(
            "adapter {id} serves {} on {}, the ad unit is {} on {platform}",
            adapter.format, adapter.platform, unit.ad_format
        );
        return Err(fields.invalid("adapterId", message).into());
    }
    let config = fields.need_object("adUnitConfigurations")?;
    let given = config.texts(255)?;
    if let Some((key, _)) = given.iter().find(|(key, _)| !adapter.keys.iter().any(|(id, _)| id == key)) {
        return Err(config.invalid(key, format!("is no configuration key of adapter {id}")).into());
    }
    if let Some((key, label)) = adapter.keys.iter().find(|(key, _)| !given.iter().any(|(it, _)| it == key)) {
        return Err(config.invalid(key, format!("is required by adapter {id}: {label}")).into());
    }
    let taken = |id: &str| objects.mappings.iter().any(|it| it.name.ends_with(id));
    Ok(AdUnitMapping {
        name: format!("{parent}/adUnitMappings/{}", objects.fresh_id(1000 + salt, taken)),
        adapter_id: id,
        state: "ENABLED".to_owned(),
        display_name: fields.text("displayName", 255)?,
        ad_unit_configurations: given.into_iter().map(|(key, text)| (key.to_owned(), text)).collect(),
    })
}

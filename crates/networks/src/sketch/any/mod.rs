//! Approvals of every network except AdMob, from what the catalog says of the operation: what it is about, what it creates or changes, and
//! what it removes. IDs are shown as names. The current values are read again for every question.

mod gone;
mod hints;
mod lists;
pub(crate) mod parts;
mod preview;
mod title;
mod warnings;
pub(crate) mod words;

use adagent_contract::{EntityItem, EntityKind, Risk};
use serde_json::Value as Json;

use crate::{
    Operation, Via,
    catalogue::NetworkFacts,
    entities::{Items, Place},
    grounding::parent_kind,
    networks::Networks,
};
use adagent_tools::{ApprovalSketch, ToolError};

use parts::{Act, Part};

/// Everything that the sketch of an approval needs, loaded once. The functions that make its title, warnings, preview and hints are pure.
struct Scene<'a> {
    tool: &'a Operation,
    args: &'a Json,
    facts: &'a NetworkFacts,
    act: Act,
    /// The kind that is created, changed or removed.
    kind: Option<EntityKind>,
    parts: Vec<Part<'a>>,
    /// Every entity that the arguments name, as the network describes it.
    named: Vec<EntityItem>,
    /// The entities that the operation is about, with their current values, in the order of the parts.
    now: Vec<Option<EntityItem>>,
    /// The parents of those entities, each once, such as the apps of ad units.
    above: Vec<EntityItem>,
    /// Existing entities of the same kind in the same place; only for a create.
    beside: Items,
    /// Choices for the form.
    choices: Vec<EntityItem>,
}

impl Networks {
    pub(super) async fn draw_any(&self, via: Via, tool: &Operation, args: &Json) -> Result<ApprovalSketch, ToolError> {
        let facts = self.facts(tool.network)?;
        let scene = self.any_scene(via, tool, args, &facts).await?;
        Ok(ApprovalSketch {
            title: title::title(&scene),
            risk: if tool.destructive { Risk::Destructive } else { Risk::Write },
            warnings: warnings::warnings(&scene),
            preview: preview::preview(&scene),
            ui_hints: hints::hints(&scene),
            parameter_schema: Json::clone(&tool.input_schema),
        })
    }

    async fn any_scene<'a>(
        &self,
        via: Via,
        tool: &'a Operation,
        args: &'a Json,
        facts: &'a NetworkFacts,
    ) -> Result<Scene<'a>, ToolError> {
        let operation = self.operation(&tool.name)?;
        let (act, kind) = (parts::act(tool), parts::kind(&operation));
        let grounded = self.resolve(via, tool, args).await?;
        let account =
            grounded.resolved.iter().find(|item| item.kind == EntityKind::Account).map(|item| item.id.clone());
        let place = Place { via, network: tool.network, account: account.as_deref().unwrap_or_default() };
        let parts = parts::parts(tool, args, facts, act, kind);
        let parent = kind.and_then(|kind| parent_kind(facts, kind));
        let parent = grounded.resolved.iter().find(|item| Some(item.kind) == parent).map(|item| item.id.clone());
        let mut now = Vec::new();
        let mut beside = Items::default();
        if let (Some(kind), true) = (kind, account.is_some()) {
            for part in &parts {
                now.push(match &part.id {
                    Some(id) if act != Act::Create => self.as_it_is(place, kind, id, parent.as_deref()).await?,
                    _ => None,
                });
            }
            if act == Act::Create {
                beside = self.alike(place, kind, &grounded.resolved).await?;
            }
        }
        let mut named = grounded.resolved;
        for item in now.iter_mut().flatten().filter(|item| item.name == item.id) {
            if let Some(name) = self.called(place, item).await? {
                for other in named.iter_mut().filter(|other| other.kind == item.kind && other.id == item.id) {
                    other.name.clone_from(&name);
                }
                item.name = name;
            }
        }
        let above = self.above(place, facts, kind, &now).await;
        let mut choices: Vec<EntityItem> = Vec::new();
        for kind in hints::chosen(tool, args, act, kind) {
            choices.extend(self.alike(place, kind, &named).await?.iter().cloned());
        }
        Ok(Scene { tool, args, facts, act, kind, parts, named, now, above, beside, choices })
    }

    /// Loads the parents of the entities, because several apps may have an entity of the same name. Parents that cannot be read are not
    /// shown.
    async fn above(
        &self,
        place: Place<'_>,
        facts: &NetworkFacts,
        kind: Option<EntityKind>,
        now: &[Option<EntityItem>],
    ) -> Vec<EntityItem> {
        let parent = kind.and_then(|kind| parent_kind(facts, kind)).filter(|parent| *parent != EntityKind::Account);
        let Some(parent) = parent else { return Vec::new() };
        let mut ids: Vec<&str> = now.iter().flatten().filter_map(|item| item.parent.as_deref()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Vec::new();
        }
        let all = self.alike(place, parent, &[]).await.unwrap_or_default();
        all.iter().filter(|item| ids.contains(&item.id.as_str())).cloned().collect()
    }

    /// Returns a name for an entity that has none, from the entities it refers to: "Winter premium inventory, Blue Harbor DSP (880001)".
    async fn called(&self, place: Place<'_>, item: &EntityItem) -> Result<Option<String>, ToolError> {
        const MOST: usize = 3;
        let mut names: Vec<String> = Vec::new();
        for (field, value) in item.raw.as_object().into_iter().flatten() {
            let Some((stem, of)) = field.strip_suffix("Ids").or_else(|| field.strip_suffix("Id")).map(|stem| {
                let one = value.as_array().map_or(value, |all| all.first().unwrap_or(&Json::Null));
                (stem, one.as_str().unwrap_or_default())
            }) else {
                continue;
            };
            // The network may return the name next to the ID.
            let told = item.raw[format!("{stem}DisplayName")].as_str();
            let name = match (told, kind_of(stem)) {
                (Some(name), _) => Some(name.to_owned()),
                (None, Some(kind)) if kind != item.kind && !of.is_empty() && self.can_list(place.network, kind) => {
                    self.as_it_is(place, kind, of, None).await?.map(|item| item.name)
                }
                _ => None,
            };
            if let Some(name) = name.filter(|name| !name.is_empty() && *name != of && names.len() < MOST) {
                names.push(name);
            }
        }
        Ok((!names.is_empty()).then(|| format!("{} ({})", names.join(", "), item.id)))
    }

    /// Loads entities of a kind to compare with or choose from: all if they can be listed at once, otherwise some.
    async fn alike(&self, place: Place<'_>, kind: EntityKind, named: &[EntityItem]) -> Result<Items, ToolError> {
        let above = self.listed_for(place.network, kind);
        let parent = above.and_then(|above| named.iter().find(|item| item.kind == above));
        match (above, parent) {
            (Some(_), Some(parent)) => self.inside(place, kind, &parent.id).await,
            (Some(_), None) => Ok(Items::default()),
            (None, _) if self.is_asked_for(place.network, kind) => self.some(place, kind).await,
            (None, _) => self.of_account(place, kind).await,
        }
    }
}

/// Returns the kind of entity whose ID a field holds: `taxonomyCategory`, `buyerAccount`.
fn kind_of(field: &str) -> Option<EntityKind> {
    let snake = field.chars().fold(String::new(), |mut out, c| {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
        out
    });
    EntityKind::parse(&snake)
}

impl Scene<'_> {
    fn named(&self, kind: EntityKind, id: &str) -> Option<&EntityItem> {
        let last = id.rsplit('/').next().unwrap_or(id);
        let mut known = self.named.iter().chain(&self.choices).chain(self.beside.iter());
        known.find(|item| item.kind == kind && (item.id == id || item.id == last))
    }

    /// Returns the name of an entity that the operation is about, or its ID if the name is unknown.
    fn target(&self, i: usize) -> String {
        let part = &self.parts[i];
        let now = self.now.get(i).and_then(Option::as_ref);
        let known = now.or_else(|| self.named(self.kind?, part.id.as_deref()?));
        match (known, &part.name, &part.id) {
            (Some(item), _, _) => item.name.clone(),
            (None, Some(name), _) => name.clone(),
            (None, None, Some(id)) => id.clone(),
            (None, None, None) => String::new(),
        }
    }

    /// Returns the names of all entities that the operation is about, in quotes.
    fn targets(&self) -> Vec<String> {
        let names = (0..self.parts.len()).map(|i| self.target(i)).filter(|name| !name.is_empty());
        names.map(|name| format!("“{name}”")).collect()
    }
}

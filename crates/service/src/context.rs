//! Context settings: what the assistant may read and do, per person and workspace.

use adagent_contract::{AccountChoice, AppSelection, ContextOverlay, ContextSettings};
use adagent_domain::{Actor, Granted, rights::ChangeOwnContext};
use serde_json::json;

use crate::{
    Service, ServiceResult,
    validate::{self, Fields},
};

const MAX_IDS: usize = 5000;
const MAX_ID: usize = 200;

impl Service {
    pub async fn context(&self, actor: &Actor) -> ServiceResult<ContextSettings> {
        let kept = self.store.find_context(actor.workspace, actor.user).await?;
        self.without_gone(actor, kept.clone(), &kept).await
    }

    /// Replaces the settings. Returns what was stored.
    pub async fn put_context(
        &self,
        actor: &Granted<ChangeOwnContext>,
        settings: ContextSettings,
    ) -> ServiceResult<ContextSettings> {
        // We refuse connections that the settings never contained.
        let had = self.store.find_context(actor.workspace, actor.user).await?;
        let settings = self.without_gone(actor, settings, &had).await?;
        let settings = self.checked_context(actor, settings, "").await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        work.put_context(actor.workspace, actor.user, &settings, self.clock.now()).await?;
        // The audit log tells later readers which settings applied. It does not repeat the IDs of apps.
        let detail = json!({"settings": settings.in_words()});
        self.audit(&mut *work, actor, "context.changed", actor.user, detail).await?;
        work.commit().await?;
        Ok(settings)
    }

    /// Removes deleted connections from a selection, so that they do not block a change of other settings.
    async fn without_gone(
        &self,
        actor: &Actor,
        mut settings: ContextSettings,
        had: &ContextSettings,
    ) -> ServiceResult<ContextSettings> {
        if !settings.enabled_connections.is_empty() {
            let there = self.store.list_connections(actor.workspace).await?;
            settings.forget_connections(|network, id| {
                had.enabled_connections.get(&network).is_some_and(|had| had.contains(&id))
                    && !there.iter().any(|one| one.id == id)
            });
        }
        Ok(settings)
    }

    /// Checks settings and removes duplicates. `base` is the pointer to the settings in the request.
    pub(crate) async fn checked_context(
        &self,
        actor: &Actor,
        settings: ContextSettings,
        base: &str,
    ) -> ServiceResult<ContextSettings> {
        let overlay = ContextOverlay {
            enabled_networks: settings.enabled_networks.clone(),
            enabled_connections: Some(settings.enabled_connections.clone()),
            enabled_accounts: Some(settings.enabled_accounts.clone()),
            enabled_apps: settings.enabled_apps.clone(),
            model: settings.model.clone(),
            ..ContextOverlay::default()
        };
        let checked = self.checked_overlay(actor, overlay, base).await?;
        Ok(ContextSettings {
            enabled_networks: checked.enabled_networks,
            enabled_connections: checked.enabled_connections.unwrap_or_default(),
            enabled_accounts: checked.enabled_accounts.unwrap_or_default(),
            enabled_apps: checked.enabled_apps,
            ..settings
        })
    }

    /// Does the same for the settings of one run.
    pub(crate) async fn checked_overlay(
        &self,
        actor: &Actor,
        mut settings: ContextOverlay,
        base: &str,
    ) -> ServiceResult<ContextOverlay> {
        let mut fields = Fields::default();
        if let Some(networks) = &mut settings.enabled_networks {
            networks.sort();
            networks.dedup();
        }
        if let Some(model) = &settings.model
            && !self.models.contains(model)
        {
            fields
                .wrong(format!("{base}/model"), format!("Unknown model; this server has {}.", self.models.join(", ")));
        }
        match &mut settings.enabled_apps {
            None => {}
            Some(AppSelection::Listed(apps)) => check_ids(&mut fields, &format!("{base}/enabled_apps"), apps),
            Some(AppSelection::Of(networks)) => {
                for (network, apps) in networks {
                    check_ids(&mut fields, &format!("{base}/enabled_apps/{network}"), apps);
                }
            }
        }
        let connections = self.store.list_connections(actor.workspace).await?;
        for (network, accounts) in settings.enabled_accounts.iter_mut().flatten() {
            let pointer = format!("{base}/enabled_accounts/{network}");
            check_ids(&mut fields, &pointer, accounts);
            let own: Vec<_> = connections.iter().filter(|connection| connection.network == *network).collect();
            let read =
                |accounts: &serde_json::Value| serde_json::from_value::<Vec<AccountChoice>>(accounts.clone()).ok();
            let known: Vec<AccountChoice> = own.iter().filter_map(|one| read(&one.accounts)).flatten().collect();
            if own.is_empty() {
                if !accounts.is_empty() {
                    fields.wrong(pointer, format!("{} is not connected in this workspace.", network.display_name()));
                }
                continue;
            }
            for (index, account) in accounts.iter().enumerate() {
                if !known.iter().any(|choice| choice.id == *account) {
                    fields.wrong(format!("{pointer}/{index}"), "This connection has no account with that ID.");
                }
            }
        }
        // A connection of another network or workspace, or a deleted one, selects nothing.
        for (network, chosen) in settings.enabled_connections.iter_mut().flatten() {
            let pointer = format!("{base}/enabled_connections/{network}");
            chosen.sort();
            chosen.dedup();
            for (index, id) in chosen.iter().enumerate() {
                let there = connections.iter().any(|one| one.network == *network && one.id == *id);
                if !there {
                    fields
                        .wrong(format!("{pointer}/{index}"), "This workspace has no such connection for this network.");
                }
            }
        }
        fields.done()?;
        Ok(settings)
    }
}

fn check_ids(fields: &mut Fields, pointer: &str, ids: &mut Vec<String>) {
    if ids.len() > MAX_IDS {
        fields.wrong(pointer, format!("You can give at most {MAX_IDS} IDs."));
        ids.clear();
        return;
    }
    for (index, id) in ids.iter_mut().enumerate() {
        if let Some(checked) = fields.take(&format!("{pointer}/{index}"), validate::line(id, "An ID", MAX_ID)) {
            *id = checked;
        }
    }
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
}

//! What is selected in the context tree, and what a tick changes. Plain rules without a page.

use std::collections::BTreeMap;

use adagent_contract::{AppSelection, ContextSettings, EntityItem, EntityKind};
use adagent_domain::{ConnectionId, Network};

/// Whether all, some or none of a box's apps are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    All,
    Some,
    None,
}

impl Tick {
    pub fn of(selected: usize, all: usize) -> Self {
        match selected {
            0 => Self::None,
            n if n == all => Self::All,
            _ => Self::Some,
        }
    }
}

/// The data of the tree: the connected networks, and their accounts and apps.
#[derive(Debug, Clone, PartialEq)]
pub struct Stock {
    pub networks: Vec<Network>,
    pub entities: Vec<EntityItem>,
    /// The connections of networks that have several.
    pub doors: Vec<Door>,
}

/// One of several connections of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Door {
    pub network: Network,
    pub id: ConnectionId,
    pub label: String,
    /// Whether it answers questions now.
    pub works: bool,
}

impl Door {
    /// Checks whether a thing came from this connection.
    pub fn has(&self, item: &EntityItem) -> bool {
        item.network == self.network && item.connection.as_ref() == Some(&self.label)
    }

    fn is_on(&self, settings: &ContextSettings) -> bool {
        is_on(settings, self.network) && settings.has_connection(self.network, self.id)
    }

    /// Returns the state of its box: from its apps if it has any, else whether it is used at all.
    pub fn tick(&self, settings: &ContextSettings, stock: &Stock) -> Tick {
        let apps = stock.apps(|item| self.has(item));
        let selected = apps.iter().filter(|id| is_selected(settings, self.network, id)).count();
        match (self.is_on(settings), apps.is_empty()) {
            (false, _) => Tick::None,
            (true, true) => Tick::All,
            (true, false) => Tick::of(selected, apps.len()),
        }
    }
}

/// Turns one of several connections on or off. Turning off the last one turns off its network.
pub fn switch_door(settings: &ContextSettings, stock: &Stock, door: &Door, on: bool) -> ContextSettings {
    let every: Vec<&Door> = stock.doors_of(door.network).collect();
    let was_on = |other: &&&Door| other.id != door.id && other.is_on(settings);
    let mut chosen: Vec<ConnectionId> = every.iter().filter(was_on).map(|other| other.id).collect();
    let mut next = if on {
        chosen.push(door.id);
        let apps = stock.apps(|item| door.has(item));
        select(settings, stock, door.network, &apps, true)
    } else {
        settings.clone()
    };
    chosen.sort();
    next.enabled_connections.remove(&door.network);
    if chosen.is_empty() {
        return with_network(next, stock, door.network, false);
    }
    if chosen.len() < every.len() {
        next.enabled_connections.insert(door.network, chosen);
    }
    next
}

impl Stock {
    pub fn doors_of(&self, network: Network) -> impl Iterator<Item = &Door> {
        self.doors.iter().filter(move |door| door.network == network)
    }

    pub fn apps(&self, keep: impl Fn(&EntityItem) -> bool) -> Vec<String> {
        let apps = self.entities.iter().filter(|item| item.kind == EntityKind::App && keep(item));
        apps.map(|item| item.id.clone()).collect()
    }

    pub fn names(&self, keep: impl Fn(&EntityItem) -> bool) -> Vec<String> {
        let apps = self.entities.iter().filter(|item| item.kind == EntityKind::App && keep(item));
        apps.map(|item| item.name.clone()).collect()
    }

    /// Returns the name of the account that an app belongs to.
    pub fn account_of(&self, app: &EntityItem) -> Option<String> {
        let mut accounts = self.entities.iter().filter(|item| item.kind == EntityKind::Account);
        accounts.find(|account| is_of(app, account)).map(|account| account.name.clone())
    }
}

fn is_on(settings: &ContextSettings, network: Network) -> bool {
    settings.enabled_networks.as_ref().is_none_or(|networks| networks.contains(&network))
}

pub fn is_selected(settings: &ContextSettings, network: Network, app: &str) -> bool {
    is_on(settings, network) && settings.enabled_apps.as_ref().is_none_or(|apps| apps.has(network, app))
}

/// Counts the apps in the context.
pub fn apps_in_context(entities: &[EntityItem], settings: &ContextSettings) -> usize {
    let apps = entities.iter().filter(|item| item.kind == EntityKind::App);
    apps.filter(|app| is_selected(settings, app.network, &app.id)).count()
}

/// Counts the accounts in the context: those with a selected app, and those without apps whose network is used.
pub fn accounts_in_context(entities: &[EntityItem], settings: &ContextSettings) -> usize {
    let accounts = entities.iter().filter(|item| item.kind == EntityKind::Account);
    let counts = |account: &&EntityItem| {
        let mut apps = entities.iter().filter(|item| item.kind == EntityKind::App && is_of(item, account)).peekable();
        match apps.peek() {
            Some(_) => apps.any(|app| is_selected(settings, app.network, &app.id)),
            None => is_on(settings, account.network),
        }
    };
    accounts.filter(counts).count()
}

/// Returns the state of a network's box: from its apps if it has any, else whether it is used at all.
pub fn network_tick(settings: &ContextSettings, stock: &Stock, network: Network) -> Tick {
    let doors: Vec<Tick> = stock.doors_of(network).map(|door| door.tick(settings, stock)).collect();
    if let Some(first) = doors.first() {
        return if doors.iter().all(|tick| tick == first) { *first } else { Tick::Some };
    }
    let apps = stock.apps(|item| item.network == network);
    let selected = apps.iter().filter(|id| is_selected(settings, network, id)).count();
    match (is_on(settings, network), apps.is_empty()) {
        (false, _) => Tick::None,
        (true, true) => Tick::All,
        (true, false) => Tick::of(selected, apps.len()),
    }
}

/// Turns a network on or off with everything in it.
pub fn switch(settings: &ContextSettings, stock: &Stock, network: Network, on: bool) -> ContextSettings {
    let apps = stock.apps(|item| item.network == network);
    let mut next = if on { select(settings, stock, network, &apps, true) } else { settings.clone() };
    next.enabled_connections.remove(&network);
    with_network(next, stock, network, on)
}

fn with_network(mut settings: ContextSettings, stock: &Stock, network: Network, on: bool) -> ContextSettings {
    let known = settings.enabled_networks.take().unwrap_or_else(|| stock.networks.clone());
    let mut networks: Vec<Network> = known.into_iter().filter(|other| *other != network).collect();
    if on {
        networks.push(network);
    }
    networks.sort();
    // If every network is on, store "all", so that a network connected later is included too.
    settings.enabled_networks = (!stock.networks.iter().all(|network| networks.contains(network))).then_some(networks);
    settings
}

/// Selects or deselects apps of a network. If every app of the network is selected, the selection becomes "all", so that new apps
/// are included too. The selection of other networks stays.
pub fn select(
    settings: &ContextSettings,
    stock: &Stock,
    network: Network,
    apps: &[String],
    on: bool,
) -> ContextSettings {
    let every = stock.apps(|item| item.network == network);
    // An app may be missing because its network does not answer right now; its selection stays.
    let before = settings.apps_of(network);
    let unseen = before.into_iter().flatten().filter(|id| !every.contains(id) && is_own(settings, stock, network, id));
    let unseen: Vec<String> = unseen.cloned().collect();
    let kept = |id: &String| before.is_none_or(|apps| apps.contains(id));
    let chosen: Vec<String> =
        every.iter().filter(|id| if apps.contains(id) { on } else { kept(id) }).cloned().chain(unseen).collect();
    let mut next = if on { with_network(settings.clone(), stock, network, true) } else { settings.clone() };
    let mut selected = by_network(settings, stock);
    next.enabled_accounts.remove(&network);
    if every.iter().all(|id| chosen.contains(id)) {
        selected.remove(&network);
    } else {
        // Accounts follow their apps: an account without a selected app is out, unless it has no apps to select.
        let accounts = stock.entities.iter().filter(|item| item.kind == EntityKind::Account && item.network == network);
        for account in accounts {
            let of_account = stock.apps(|app| is_of(app, account));
            if of_account.is_empty() || of_account.iter().any(|id| chosen.contains(id)) {
                next.enabled_accounts.entry(network).or_default().push(account.id.clone());
            }
        }
        selected.insert(network, chosen);
    }
    next.enabled_apps = (!selected.is_empty()).then_some(AppSelection::Of(selected));
    next
}

/// Returns the selection of each network, even if it was stored as one list for all of them.
fn by_network(settings: &ContextSettings, stock: &Stock) -> BTreeMap<Network, Vec<String>> {
    match &settings.enabled_apps {
        None => BTreeMap::new(),
        Some(AppSelection::Of(networks)) => networks.clone(),
        Some(AppSelection::Listed(ids)) => stock
            .networks
            .iter()
            .filter_map(|network| {
                let every = stock.apps(|item| item.network == *network);
                let own: Vec<String> = ids.iter().filter(|id| is_own(settings, stock, *network, id)).cloned().collect();
                (every.is_empty() || !every.iter().all(|id| own.contains(id))).then_some((*network, own))
            })
            .collect(),
    }
}

/// Checks whether an ID of the selection may belong to this network. In one list for all networks, an ID that another network is
/// known to have belongs to that one.
fn is_own(settings: &ContextSettings, stock: &Stock, network: Network, id: &str) -> bool {
    if !matches!(settings.enabled_apps, Some(AppSelection::Listed(_))) {
        return true;
    }
    let of = |item: &EntityItem| item.kind == EntityKind::App && item.id == id;
    stock.entities.iter().any(|item| of(item) && item.network == network)
        || (stock.apps(|item| item.network == network).is_empty() && !stock.entities.iter().any(of))
}

pub fn is_of(app: &EntityItem, account: &EntityItem) -> bool {
    let owner = app.account.as_deref().or(app.parent.as_deref());
    app.network == account.network && app.connection == account.connection && owner == Some(&*account.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(network: Network, kind: EntityKind, id: &str, parent: Option<&str>) -> EntityItem {
        EntityItem {
            network,
            kind,
            id: id.into(),
            name: id.into(),
            parent: parent.map(Into::into),
            account: None,
            platform: None,
            format: None,
            status: None,
            connection: None,
            raw: serde_json::Value::Null.into(),
        }
    }

    const A: Network = Network::AdMob;

    fn stock() -> Stock {
        Stock {
            doors: Vec::new(),
            networks: vec![A, Network::AppLovin, Network::Unity],
            entities: vec![
                item(A, EntityKind::Account, "a", None),
                item(A, EntityKind::Account, "b", None),
                item(A, EntityKind::App, "a1", Some("a")),
                item(A, EntityKind::App, "a2", Some("a")),
                item(A, EntityKind::App, "b1", Some("b")),
                item(Network::AppLovin, EntityKind::Account, "max", None),
                item(Network::Unity, EntityKind::Account, "u", None),
                item(Network::Unity, EntityKind::App, "u1", Some("u")),
            ],
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with a setting that may be none")]
    fn of(chosen: &[(Network, &[&str])]) -> Option<AppSelection> {
        let each = chosen.iter().map(|(network, ids)| (*network, ids.iter().map(|id| (*id).to_owned()).collect()));
        Some(AppSelection::Of(each.collect()))
    }

    #[test]
    fn accounts_without_an_app_in_scope_are_not_counted() {
        let all = stock().entities;
        let settings = ContextSettings::default();
        assert_eq!((accounts_in_context(&all, &settings), apps_in_context(&all, &settings)), (4, 4));
        let next = select(&settings, &stock(), A, &["b1".into()], false);
        assert_eq!((accounts_in_context(&all, &next), apps_in_context(&all, &next)), (3, 3));
        let only = ContextSettings { enabled_networks: Some(vec![A]), ..next };
        assert_eq!((accounts_in_context(&all, &only), apps_in_context(&all, &only)), (1, 2), "networks that are off");
    }

    #[test]
    fn unticking_the_last_app_of_an_account_takes_the_account_out() {
        let next = select(&ContextSettings::default(), &stock(), A, &["b1".into()], false);
        assert_eq!(next.enabled_apps, of(&[(A, &["a1", "a2"])]));
        assert_eq!(next.enabled_accounts[&A], vec!["a".to_owned()]);
        // The selection of other networks stays.
        assert_eq!(next.enabled_accounts.len(), 1);
        assert!(is_selected(&next, Network::Unity, "u1"));
    }

    #[test]
    fn of_several_connections_each_has_its_box() {
        let network = Network::Unity;
        let door = |number: u8, label: &str| Door {
            network,
            id: format!("00000000-0000-0000-0000-00000000000{number}").parse().unwrap(),
            label: label.to_owned(),
            works: true,
        };
        let through = |id: &str, label: &str| EntityItem {
            connection: Some(label.to_owned()),
            ..item(network, EntityKind::App, id, Some("unity"))
        };
        let (games, words) = (door(1, "Games"), door(2, "Words"));
        let stock = Stock {
            networks: vec![network],
            entities: vec![through("g1", "Games"), through("g2", "Games"), through("w1", "Words")],
            doors: vec![games.clone(), words.clone()],
        };
        let all = ContextSettings::default();
        assert_eq!((games.tick(&all, &stock), network_tick(&all, &stock, network)), (Tick::All, Tick::All));
        let without = switch_door(&all, &stock, &games, false);
        assert_eq!(without.enabled_connections[&network], [words.id]);
        assert_eq!((games.tick(&without, &stock), words.tick(&without, &stock)), (Tick::None, Tick::All));
        assert_eq!(network_tick(&without, &stock, network), Tick::Some);
        // Turning off the last connection turns off its network. Turning the network on again turns on all connections.
        let none = switch_door(&without, &stock, &words, false);
        assert!(none.enabled_connections.is_empty() && !is_on(&none, network));
        assert_eq!(network_tick(&none, &stock, network), Tick::None);
        let again = switch(&none, &stock, network, true);
        assert_eq!(network_tick(&again, &stock, network), Tick::All);
        // Selecting all of them stores "all".
        assert_eq!(switch_door(&without, &stock, &games, true).enabled_connections.len(), 0);
        // A broken connection that was never selected stays out when the others are turned on or off.
        let ill = Door { works: false, ..door(3, "Ill") };
        let three = Stock { doors: vec![games.clone(), words.clone(), ill.clone()], ..stock.clone() };
        let two = switch_door(&all, &three, &ill, false);
        let back = switch_door(&switch_door(&two, &three, &games, false), &three, &games, true);
        assert_eq!(back.enabled_connections[&network], [games.id, words.id]);
        let fewer = select(&all, &stock, network, &["g1".into()], false);
        assert_eq!((games.tick(&fewer, &stock), words.tick(&fewer, &stock)), (Tick::Some, Tick::All));
    }

    #[test]
    fn one_list_for_all_networks_is_taken_apart() {
        let listed = vec!["a1".to_owned(), "u1".into()].into();
        let settings = ContextSettings { enabled_apps: Some(listed), ..ContextSettings::default() };
        assert!(is_selected(&settings, A, "a1") && !is_selected(&settings, A, "b1"));
        let next = select(&settings, &stock(), A, &["b1".into()], true);
        // The list held every app of Unity. No app of AppLovin is visible, so none is selected, as before.
        assert_eq!(next.enabled_apps, of(&[(A, &["a1", "b1"]), (Network::AppLovin, &[])]));
    }

    #[test]
    fn ticking_everything_again_means_everything() {
        let some = select(&ContextSettings::default(), &stock(), A, &["a1".into()], false);
        let all = select(&some, &stock(), A, &["a1".into()], true);
        assert_eq!((all.enabled_apps, all.enabled_accounts.len()), (None, 0));
        assert_eq!((Tick::of(0, 2), Tick::of(1, 2), Tick::of(2, 2)), (Tick::None, Tick::Some, Tick::All));
    }

    #[test]
    fn a_network_is_switched_off_and_on_with_everything_in_it() {
        let settings = ContextSettings::default();
        let off = switch(&settings, &stock(), Network::AppLovin, false);
        assert_eq!(off.enabled_networks, Some(vec![A, Network::Unity]));
        assert_eq!(network_tick(&off, &stock(), Network::AppLovin), Tick::None);
        assert_eq!(network_tick(&off, &stock(), A), Tick::All);
        assert_eq!(switch(&off, &stock(), Network::AppLovin, true), settings);
        let off = switch(&settings, &stock(), A, false);
        assert!(!is_selected(&off, A, "a1") && is_selected(&off, Network::Unity, "u1"));
        // Selecting one app turns its network on again.
        let one = select(&off, &stock(), A, &["a1".into()], true);
        assert_eq!(one.enabled_networks, None);
    }

    #[test]
    fn what_was_chosen_of_a_network_that_does_not_answer_stays_chosen() {
        let settings = ContextSettings {
            enabled_apps: of(&[(A, &["a1", "a9"]), (Network::Pangle, &["p9"])]),
            ..ContextSettings::default()
        };
        let next = select(&settings, &stock(), A, &["a2".into()], true);
        assert_eq!(next.enabled_apps, of(&[(A, &["a1", "a2", "a9"]), (Network::Pangle, &["p9"])]));
    }
}

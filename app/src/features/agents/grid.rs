//! The grid of grants: what an agent may do, and where. It consists of plain checkboxes, which browsers post without JavaScript.

use adagent_contract::{Access, Grant, GrantTarget, ProviderView};
use adagent_domain::{ConnectionId, Network, Source};
use leptos::prelude::*;

use super::{parts::target_id, words};
use crate::ui::{Glyph, Icon, SourceMark};

/// Returns the connections to choose from, with their names. Empty if the network has fewer than two and the agent is limited to
/// none. A connection that no longer exists stays listed until a person removes it; without it, the agent could use every
/// connection.
fn choices(item: Option<&ProviderView>, bound: &[ConnectionId]) -> Vec<(ConnectionId, String)> {
    let known = item.map(|item| item.connections.as_slice()).unwrap_or_default();
    let named = |one: &ProviderView| Some((one.id?, one.label.clone().unwrap_or_else(|| one.display_name.clone())));
    let mut all: Vec<_> = known.iter().filter_map(named).collect();
    if all.len() < 2 && bound.is_empty() {
        return Vec::new();
    }
    for id in bound {
        if !all.iter().any(|(known, _)| known == id) {
            let only = item.filter(|item| item.id == Some(*id)).map(|item| item.display_name.clone());
            all.push((*id, only.unwrap_or_else(|| "A connection that no longer exists".to_owned())));
        }
    }
    all
}

/// Splits the networks into those that are connected or granted, which the table shows at once, and the others, which are folded
/// away.
fn parted(grants: &[Grant], connected: &[ProviderView]) -> (Vec<Network>, Vec<Network>) {
    let granted = |network: Network| grants.iter().any(|grant| grant.on == GrantTarget::Source(network.into()));
    let has = |network: Network| connected.iter().any(|item| item.network == network && item.id.is_some());
    Network::ALL.into_iter().partition(|network| granted(*network) || has(*network))
}

fn may(grants: &[Grant], on: &GrantTarget, access: Access) -> bool {
    grants.iter().any(|grant| grant.on == *on && grant.may.contains(&access))
}

#[component]
pub fn Grid(grants: Vec<Grant>, connected: Vec<ProviderView>, servers: Vec<(String, String)>) -> impl IntoView {
    let servers = servers_of(&grants, servers);
    let (near, far) = parted(&grants, &connected);
    let (granted, of_far) = (grants.clone(), grants.clone());
    let folded = format!("{} more networks", far.len());
    let row = move |network: Network| {
        let item = connected.iter().find(|item| item.network == network).cloned();
        view! { <Row on=GrantTarget::Source(network.into()) grants=granted.clone() item/> }
    };
    view! {
        <div class="grants">
            <div class="table-wrap">
                <table class="table">
                    <Head/>
                    <tbody>
                        <Row on=GrantTarget::Everything grants=grants.clone() item=None/>
                        <Row on=GrantTarget::Source(Source::Native) grants=grants.clone() item=None/>
                        {near.into_iter().map(row).collect_view()}
                        {servers.into_iter().map(|(handle, name)| view! {
                            <ServerRow handle name grants=grants.clone()/>
                        }).collect_view()}
                        <Tools grants/>
                    </tbody>
                </table>
            </div>
            {(!far.is_empty()).then(|| view! {
                <details class="grants-more">
                    <summary><Icon glyph=Glyph::ChevronRight small=true/>{folded}</summary>
                    <div class="table-wrap">
                        <table class="table">
                            <Head/>
                            <tbody>
                                {far.into_iter().map(|network| view! {
                                    <Row on=GrantTarget::Source(network.into()) grants=of_far.clone() item=None/>
                                }).collect_view()}
                            </tbody>
                        </table>
                    </div>
                </details>
            })}
        </div>
    }
}

/// Returns the tool servers to choose from, by handle and name. A granted server that no longer exists stays until a person
/// removes it.
fn servers_of(grants: &[Grant], mut known: Vec<(String, String)>) -> Vec<(String, String)> {
    for grant in grants {
        if let GrantTarget::Server(handle) = &grant.on
            && !known.iter().any(|(one, _)| one == handle)
        {
            known.push((handle.clone(), format!("{handle} (no longer exists)")));
        }
    }
    known
}

/// Draws the row of a tool server. Its tools read or change something, so the row has no other boxes.
#[component]
fn ServerRow(handle: String, name: String, grants: Vec<Grant>) -> impl IntoView {
    let on = GrantTarget::Server(handle);
    let id = target_id(&on);
    let boxes = Access::ALL.map(|access| {
        let knows = matches!(access, Access::Read | Access::Update);
        let (value, label) = (format!("{id}/{}", access.as_str()), format!("{} {name}", access.label()));
        let checked = may(&grants, &on, access);
        view! {
            <td>
                {knows.then(|| view! {
                    <label class="check">
                        <input type="checkbox" name="form[grants][]" value=value checked=checked data-access=access.as_str()/>
                        <span class="unseen">{label}</span>
                    </label>
                })}
            </td>
        }
    });
    view! {
        <tr>
            <th scope="row"><span class="grant-name"><SourceMark source=Source::Mcp size="small"/><span>{name}<small>"Tool server"</small></span></span></th>
            {boxes.into_iter().collect_view()}
        </tr>
    }
}

#[component]
fn Head() -> impl IntoView {
    view! {
        <thead>
            <tr>
                <th scope="col"><span class="unseen">"Where"</span></th>
                {Access::ALL.map(|access| view! { <th scope="col">{access.label()}</th> }).into_iter().collect_view()}
            </tr>
        </thead>
    }
}

#[component]
fn Row(on: GrantTarget, grants: Vec<Grant>, item: Option<ProviderView>) -> impl IntoView {
    let id = target_id(&on);
    let name = words::called(&on);
    let everything = on == GrantTarget::Everything;
    let mark = match on {
        GrantTarget::Source(source) => view! { <SourceMark source size="small"/> }.into_any(),
        _ => view! { <Icon glyph=Glyph::Layers/> }.into_any(),
    };
    let boxes = Access::ALL.map(|access| {
        let value = format!("{id}/{}", access.as_str());
        view! {
            <td>
                <label class="check">
                    <input
                        type="checkbox" name="form[grants][]" value=value checked=may(&grants, &on, access)
                        class:covers=everything data-access=access.as_str()
                    />
                    <span class="unseen">{format!("{} {name}", access.label())}</span>
                </label>
            </td>
        }
    });
    let hint = match &on {
        GrantTarget::Everything => Some("All rows below, and networks you connect later"),
        GrantTarget::Source(Source::Native) => Some("What this workspace keeps, such as saved questions"),
        _ => None,
    };
    let bound: Vec<_> =
        grants.iter().filter(|grant| grant.on == on).flat_map(|grant| grant.connections.clone()).collect();
    let choices = choices(item.as_ref(), &bound);
    view! {
        <tr>
            <th scope="row"><span class="grant-name">{mark}<span>{name.clone()}{hint.map(|hint| view! { <small>{hint}</small> })}</span></span></th>
            {boxes.into_iter().collect_view()}
        </tr>
        {(!choices.is_empty()).then(|| view! {
            <tr class="grant-connections">
                <td colspan="6">
                    <fieldset>
                        <legend>{format!("Connections of {name}")}</legend>
                        <div class="row wrap">
                            {choices.into_iter().map(|(connection, label)| view! {
                                <label class="check">
                                    <input
                                        type="checkbox" name="form[connections][]" value=format!("{id}/{connection}")
                                        checked=bound.contains(&connection)
                                    />
                                    {label}
                                </label>
                            }).collect_view()}
                        </div>
                        <p class="hint">"Check none to allow every connection, also new ones."</p>
                    </fieldset>
                </td>
            </tr>
        })}
    }
}

/// Shows grants that only the API can give: on single tools and on all tool servers. Here, a person can only remove them.
#[component]
fn Tools(grants: Vec<Grant>) -> impl IntoView {
    let by_api = |on: &GrantTarget| matches!(on, GrantTarget::Tool(_) | GrantTarget::Source(Source::Mcp));
    let single = grants.into_iter().filter(|grant| by_api(&grant.on));
    single
        .map(|grant| {
            let id = target_id(&grant.on);
            let name = words::called(&grant.on);
            let boxes = Access::ALL.map(|access| {
                let label = format!("{} {name}", access.label());
                let value = format!("{id}/{}", access.as_str());
                let held = grant.may.contains(&access);
                view! {
                    <td>
                        {held.then(|| view! {
                            <label class="check">
                                <input type="checkbox" name="form[grants][]" value=value checked=true/>
                                <span class="unseen">{label}</span>
                            </label>
                        })}
                    </td>
                }
            });
            let bound = grant.connections.iter().map(|connection| {
                view! { <input type="hidden" name="form[connections][]" value=format!("{id}/{connection}")/> }
            });
            view! {
                <tr>
                    <th scope="row"><code>{name}</code>{bound.collect_view()}</th>
                    {boxes.into_iter().collect_view()}
                </tr>
            }
        })
        .collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_chosen_where_there_are_several_or_where_the_agent_is_bound_to_one() {
        let id: ConnectionId = "019aa5c4-9a3e-7000-8000-000000000001".parse().expect("an id");
        assert!(choices(None, &[]).is_empty());
        let gone = choices(None, &[id]);
        assert!(gone[0].1.contains("no longer exists"), "without it the agent would have them all");
    }

    #[test]
    fn a_network_that_is_granted_is_seen_also_where_it_is_not_connected() {
        let grant =
            Grant { on: GrantTarget::Source(Network::Pangle.into()), may: vec![Access::Read], connections: vec![] };
        let (near, far) = parted(std::slice::from_ref(&grant), &[]);
        assert_eq!(near, [Network::Pangle]);
        assert_eq!(far.len(), Network::ALL.len() - 1);
        let (on, grants) = (grant.on.clone(), [grant]);
        assert!(may(&grants, &on, Access::Read) && !may(&grants, &on, Access::Update));
    }
}

//! One tool server: its state, its tools with their switches, and what changed.

use adagent_contract::ServerAccess;
use leptos::prelude::*;

use super::{page::Actions, sign_in::SignIn};
use crate::{
    features::{
        api::{Argument, SeenServer, SeenTool, SignInPosted},
        form::ActionForm,
    },
    ui::{Confirm, Glyph, Icon, format},
};

/// Counts the tools, such as `2 of 3 tools on, 1 reads only`.
fn counted(tools: &[SeenTool]) -> String {
    let on = tools.iter().filter(|tool| tool.is_usable()).count();
    let reading = tools.iter().filter(|tool| tool.is_usable() && tool.reading).count();
    let all = format::plural(tools.len(), "tool", "tools");
    let reads = if reading == 1 { "reads" } else { "read" };
    if reading == 0 { format!("{on} of {all} on") } else { format!("{on} of {all} on, {reading} {reads} only") }
}

#[component]
pub(super) fn Server(
    server: SeenServer,
    may_manage: bool,
    actions: Actions,
    posted: Option<SignInPosted>,
) -> impl IntoView {
    let SeenServer { id, handle, name, url, access, callback, on, problem, tools, left_out, version } = server;
    let signed_out = access == Some(ServerAccess::SignedOut);
    let whose = name.clone();
    let (head_id, confirm_id, menu) =
        (format!("server-{handle}"), format!("delete-{handle}"), format!("keep-{handle}"));
    let (test_id, delete_id, save_id, accept_id) = (id.to_string(), id.to_string(), id.to_string(), id.to_string());
    let [test_label, delete_label, save_label] = ["Test", "Delete", "Save"].map(|verb| format!("{verb} {name}"));
    let (delete_title, on_label) = (format!("Delete {name}?"), format!("{name} is on"));
    let facts = if signed_out { String::new() } else { counted(&tools) };
    let changed: Vec<SeenTool> = tools.iter().filter(|tool| tool.change.is_some()).cloned().collect();
    let (labelled, opens) = (head_id.clone(), confirm_id.clone());
    let (testing, saving, accepting) = (actions.test.pending(), actions.save.pending(), actions.accept.pending());
    view! {
        <section class="section" aria-labelledby=labelled>
            <div class="section-head">
                <h3 id=head_id>{name}</h3>
                {(!on).then(|| view! { <span class="badge">"Off"</span> })}
                <span class="grow"></span>
                {(may_manage && !signed_out).then(|| view! {
                    <ActionForm action=actions.test>
                        <input type="hidden" name="id" value=test_id/>
                        <button class="button small" type="submit" aria-label=test_label aria-busy=move || testing.get().then_some("true")>"Test"</button>
                    </ActionForm>
                })}
                {may_manage.then(|| view! {
                    <button class="button ghost small" type="button" popovertarget=opens aria-label=delete_label><Icon glyph=Glyph::Trash2 small=true/>"Delete"</button>
                    <Confirm id=confirm_id menu title=delete_title text="Its tools stop at once, also in work that isn’t finished. Its token or key is deleted.">
                        <ActionForm action=actions.delete>
                            <input type="hidden" name="id" value=delete_id/>
                            <button class="button danger" type="submit">"Delete"</button>
                        </ActionForm>
                    </Confirm>
                })}
            </div>
            <p class="quiet-text tool-facts"><span>{url}</span><span>{facts}</span></p>
            {access.map(|access| view! { <SignIn id name=whose access callback may_manage posted/> })}
            {problem.map(|text| view! { <div class="note bad" role="note"><Icon glyph=Glyph::CircleAlert/><p>{text}</p></div> })}
            {(!changed.is_empty()).then(|| view! {
                <div class="note wait" role="note">
                    <Icon glyph=Glyph::TriangleAlert/>
                    <div class="grow">
                        <p>{format!("{} changed since someone accepted them. They are off until you accept the changes.", format::plural(changed.len(), "tool", "tools"))}</p>
                        {changed.iter().cloned().map(|tool| view! { <Changed tool/> }).collect_view()}
                        {may_manage.then(|| view! {
                            <ActionForm action=actions.accept>
                                <input type="hidden" name="id" value=accept_id/>
                                <input type="hidden" name="version" value=version.to_string()/>
                                <button class="button small" type="submit" aria-busy=move || accepting.get().then_some("true")>"Accept changes"</button>
                            </ActionForm>
                        })}
                    </div>
                </div>
            })}
            {if signed_out {
                ().into_any()
            } else if may_manage {
                view! {
                    <ActionForm action=actions.save attr:class="card">
                        <input type="hidden" name="form[id]" value=save_id/>
                        <input type="hidden" name="form[version]" value=version.to_string()/>
                        <ul class="server-tools">{tools.into_iter().map(|tool| view! { <Tool tool/> }).collect_view()}</ul>
                        <div class="card-body row wrap between">
                            <label class="switch">
                                <input type="checkbox" role="switch" name="form[on]" value="true" checked=on/>
                                <span>{on_label}</span>
                            </label>
                            <button class="button" type="submit" aria-label=save_label aria-busy=move || saving.get().then_some("true")>"Save"</button>
                        </div>
                    </ActionForm>
                }.into_any()
            } else {
                view! {
                    <ul class="card server-tools">{tools.into_iter().map(|tool| view! { <Seen tool/> }).collect_view()}</ul>
                }.into_any()
            }}
            {(left_out > 0).then(|| view! {
                <p class="hint">{format!("{} left out: too many, too long, or with a form that we can’t check.", format::plural(left_out as usize, "tool", "tools"))}</p>
            })}
        </section>
    }
}

#[component]
fn Named(name: String, title: Option<String>, description: String, takes: Vec<Argument>) -> impl IntoView {
    let title = title.filter(|title| *title != name);
    view! {
        <div class="grow">
            <h4><code>{name}</code>{title.map(|title| view! { " "<span class="quiet-text">{title}</span> })}</h4>
            <p class="tool-says">{description}</p>
            {(!takes.is_empty()).then(|| view! {
                <details class="tool-change">
                    <summary>{format::plural(takes.len(), "argument", "arguments")}</summary>
                    <Takes takes/>
                </details>
            })}
        </div>
    }
}

/// Shows a tool with the switches that decide about it.
#[component]
fn Tool(tool: SeenTool) -> impl IntoView {
    let SeenTool { name, title, description, takes, reading, on, change } = tool;
    let waits = change.is_some();
    let (reads, switched) = (name.clone(), name.clone());
    let unseen = format!(": {name}");
    view! {
        <li class="server-tool row wrap" class:off=!on || waits>
            <Named name title description takes/>
            {if waits {
                view! { <span class="badge">"Changed"</span> }.into_any()
            } else {
                view! {
                    <label class="check">
                        <input type="checkbox" name="form[reading][]" value=reads checked=reading/>
                        "Reads only"<span class="unseen">{unseen.clone()}</span>
                    </label>
                    <label class="switch">
                        <input type="checkbox" role="switch" name="form[tools][]" value=switched checked=on/>
                        <span>"On"<span class="unseen">{unseen}</span></span>
                    </label>
                }.into_any()
            }}
        </li>
    }
}

/// Shows a tool as members see it.
#[component]
fn Seen(tool: SeenTool) -> impl IntoView {
    let usable = tool.is_usable();
    let state = match (usable, tool.reading) {
        (false, _) => "Off",
        (true, true) => "Reads only",
        (true, false) => "Asks first",
    };
    view! {
        <li class="server-tool row wrap" class:off=!usable>
            <Named name=tool.name title=tool.title description=tool.description takes=tool.takes/>
            <span class="badge">{state}</span>
        </li>
    }
}

/// Lists the arguments of a tool.
#[component]
fn Takes(takes: Vec<Argument>) -> impl IntoView {
    if takes.is_empty() {
        return view! { <p>"Nothing"</p> }.into_any();
    }
    let argument = |one: Argument| {
        let form = one.form();
        let says = (!one.says.is_empty()).then(|| view! { <br/><span class="quiet-text">{one.says}</span> });
        view! { <li><code>{one.name}</code>{format!(": {form}")}{says}</li> }
    };
    view! { <ul class="tool-takes">{takes.into_iter().map(argument).collect_view()}</ul> }.into_any()
}

/// Shows what the server said about a tool before and what it says now.
#[component]
fn Changed(tool: SeenTool) -> impl IntoView {
    let Some(change) = tool.change else { return ().into_any() };
    let new = change.new;
    let said = !new && tool.description != change.description;
    let differences = change.differences.into_iter().map(|text| view! { <li>{text}</li> }).collect::<Vec<_>>();
    view! {
        <details class="tool-change">
            <summary><code>{tool.name}</code>{if new { " is new" } else { " is described differently" }}</summary>
            <dl>
                {said.then(|| view! { <dt>"Before"</dt><dd>{tool.description}</dd> })}
                <dt>"Now"</dt><dd>{change.description}</dd>
                {(!differences.is_empty()).then(|| view! { <dt>"What changed"</dt><dd><ul class="tool-takes">{differences}</ul></dd> })}
                <dt>"Takes"</dt><dd><Takes takes=change.takes/></dd>
            </dl>
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_counted_in_words() {
        let tool = |on, reading| SeenTool {
            name: "x".into(),
            title: None,
            description: String::new(),
            takes: Vec::new(),
            reading,
            on,
            change: None,
        };
        assert_eq!(counted(&[tool(true, false)]), "1 of 1 tool on");
        assert_eq!(counted(&[tool(true, true), tool(false, true), tool(true, false)]), "2 of 3 tools on, 1 reads only");
    }
}

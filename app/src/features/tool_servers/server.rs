//! One tool server: its state, its tools with their switches, and what changed.

use adagent_contract::{ServerTool, ToolChange, ToolServerView};
use leptos::prelude::*;

use super::page::Actions;
use crate::{
    features::form::ActionForm,
    ui::{Confirm, Glyph, Icon, format},
};

/// `2 of 3 tools on, 1 reads only`.
fn counted(tools: &[ServerTool]) -> String {
    let on = tools.iter().filter(|tool| tool.is_usable()).count();
    let reading = tools.iter().filter(|tool| tool.is_usable() && tool.reading).count();
    let all = format::plural(tools.len(), "tool", "tools");
    let reads = if reading == 1 { "reads" } else { "read" };
    if reading == 0 { format!("{on} of {all} on") } else { format!("{on} of {all} on, {reading} {reads} only") }
}

#[component]
pub(super) fn Server(server: ToolServerView, may_manage: bool, actions: Actions) -> impl IntoView {
    let ToolServerView { id, handle, name, url, on, problem, tools, left_out, version, .. } = server;
    let (head_id, confirm_id, menu) =
        (format!("server-{handle}"), format!("delete-{handle}"), format!("keep-{handle}"));
    let (test_id, delete_id, save_id, accept_id) = (id.to_string(), id.to_string(), id.to_string(), id.to_string());
    let [test_label, delete_label, save_label] = ["Test", "Delete", "Save"].map(|verb| format!("{verb} {name}"));
    let (delete_title, on_label) = (format!("Delete {name}?"), format!("{name} is on"));
    let facts = counted(&tools);
    let changed: Vec<ServerTool> = tools.iter().filter(|tool| tool.change.is_some()).cloned().collect();
    let (labelled, opens) = (head_id.clone(), confirm_id.clone());
    let (testing, saving, accepting) = (actions.test.pending(), actions.save.pending(), actions.accept.pending());
    view! {
        <section class="section" aria-labelledby=labelled>
            <div class="section-head">
                <h3 id=head_id>{name}</h3>
                {(!on).then(|| view! { <span class="badge">"Off"</span> })}
                <span class="grow"></span>
                {may_manage.then(|| view! {
                    <ActionForm action=actions.test>
                        <input type="hidden" name="id" value=test_id/>
                        <button class="button small" type="submit" aria-label=test_label aria-busy=move || testing.get().then_some("true")>"Test"</button>
                    </ActionForm>
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
            {if may_manage {
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
fn Named(name: String, title: Option<String>, description: String) -> impl IntoView {
    let title = title.filter(|title| *title != name);
    view! {
        <div class="grow">
            <h4><code>{name}</code>{title.map(|title| view! { " "<span class="quiet-text">{title}</span> })}</h4>
            <p class="tool-says">{description}</p>
        </div>
    }
}

/// A tool with what is decided about it.
#[component]
fn Tool(tool: ServerTool) -> impl IntoView {
    let ServerTool { name, title, description, reading, on, change, .. } = tool;
    let waits = change.is_some();
    let (reads, switched) = (name.clone(), name.clone());
    let unseen = format!(": {name}");
    view! {
        <li class="server-tool row wrap" class:off=!on || waits>
            <Named name title description/>
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

/// A tool as members see it.
#[component]
fn Seen(tool: ServerTool) -> impl IntoView {
    let usable = tool.is_usable();
    let state = match (usable, tool.reading) {
        (false, _) => "Off",
        (true, true) => "Reads only",
        (true, false) => "Asks first",
    };
    view! {
        <li class="server-tool row wrap" class:off=!usable>
            <Named name=tool.name title=tool.title description=tool.description/>
            <span class="badge">{state}</span>
        </li>
    }
}

/// What a server said of a tool, and what it says now.
#[component]
fn Changed(tool: ServerTool) -> impl IntoView {
    let change = tool.change.map(|change| *change);
    let schema = change.as_ref().is_some_and(|change| change.input_schema != tool.input_schema);
    let (new, now) = change.map_or((false, String::new()), |ToolChange { new, description, .. }| (new, description));
    view! {
        <details class="tool-change">
            <summary><code>{tool.name}</code>{if new { " is new" } else { " is described differently" }}</summary>
            <dl>
                {(!new).then(|| view! { <dt>"Before"</dt><dd>{tool.description}</dd> })}
                <dt>"Now"</dt><dd>{now}</dd>
                {schema.then(|| view! { <dt>"Also"</dt><dd>"What it takes changed."</dd> })}
            </dl>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_counted_in_words() {
        let tool = |on, reading| ServerTool {
            name: "x".into(),
            title: None,
            description: String::new(),
            input_schema: adagent_contract::SharedJson::default(),
            digest: String::new(),
            reading,
            on,
            change: None,
        };
        assert_eq!(counted(&[tool(true, false)]), "1 of 1 tool on");
        assert_eq!(counted(&[tool(true, true), tool(false, true), tool(true, false)]), "2 of 3 tools on, 1 reads only");
    }
}

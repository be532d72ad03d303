//! The page at `/settings/tool-servers`. It consists of forms, so that it works without JavaScript.

use leptos::prelude::*;

use super::{connect::Connect, server::Server};
use crate::{
    features::{
        answers::Answers,
        api::{
            self, AcceptToolChanges, ConnectToolServer, DeleteToolServer, SaveToolServer, SeenServer, TestToolServer,
            ToolServersView,
        },
        settings::SettingsPage,
    },
    ui::{Empty, Glyph, Icon, Loading, Unread},
};

/// The actions of the page on tool servers.
#[derive(Clone, Copy)]
pub(super) struct Actions {
    pub connect: ServerAction<ConnectToolServer>,
    pub save: ServerAction<SaveToolServer>,
    pub test: ServerAction<TestToolServer>,
    pub accept: ServerAction<AcceptToolChanges>,
    pub delete: ServerAction<DeleteToolServer>,
}

fn tested(server: &SeenServer) -> String {
    match (&server.problem, server.tools.iter().filter(|tool| tool.change.is_some()).count()) {
        (Some(_), _) => format!("{} doesn’t work right now", server.name),
        (None, 0) => format!("{} works", server.name),
        (None, _) => format!("{} works. Its tools changed.", server.name),
    }
}

#[component]
pub fn ToolServersPage() -> impl IntoView {
    let actions = Actions {
        connect: ServerAction::new(),
        save: ServerAction::new(),
        test: ServerAction::new(),
        accept: ServerAction::new(),
        delete: ServerAction::new(),
    };
    let answers = Answers::of_page();
    let Answers { changed, refused, .. } = answers;
    let list = Resource::new(move || changed.get(), |_| api::tool_servers());
    answers.hear(move || actions.connect.value().get(), |server: &SeenServer| format!("{} connected", server.name));
    answers.hear(move || actions.save.value().get(), |_| "Saved".to_owned());
    answers.hear(move || actions.test.value().get(), tested);
    answers.hear(move || actions.accept.value().get(), |_| "Changes accepted".to_owned());
    answers.hear_done(move || actions.delete.value().get(), "Tool server deleted");
    let lead = || {
        "Let your agents use tools of other services, through servers that speak the Model Context Protocol (MCP). What a tool \
         answers is data, and a tool that may change something asks you first."
    };
    view! {
        <SettingsPage title="Tool servers" here="/settings/tool-servers" lead>
            {move || refused.get().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
            <Transition fallback=|| view! { <Loading/> }>
                {move || list.get().map(|answer| match answer {
                    Ok(overview) => view! { <Whole overview actions/> }.into_any(),
                    Err(error) => view! { <Unread error again=Callback::new(move |()| list.refetch())/> }.into_any(),
                })}
            </Transition>
        </SettingsPage>
    }
}

#[component]
fn Whole(overview: ToolServersView, actions: Actions) -> impl IntoView {
    let ToolServersView { servers, may_manage } = overview;
    let none = servers.is_empty();
    view! {
        {none.then(|| {
            let text = if may_manage { "Connect one below." } else { "An admin can connect one." };
            view! { <Empty glyph=Glyph::Wrench title="No tool servers" text/> }
        })}
        {servers.into_iter().map(|server| view! { <Server server may_manage actions/> }).collect_view()}
        {may_manage.then(|| view! { <Connect actions/> })}
    }
}

//! `/settings/tool-servers`. Forms, so that all of it works without script.

use leptos::prelude::*;

use super::{connect::Connect, server::Server};
use crate::{
    features::{
        api::{
            self, AcceptToolChanges, ApiError, ConnectToolServer, DeleteToolServer, SaveToolServer, SeenServer,
            TestToolServer, Told, ToolServersView, settled,
        },
        settings::SettingsPage,
    },
    ui::{Empty, Glyph, Icon, Loading, Toasts, Unread},
};

/// What a page does to a tool server.
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
    let kept = RwSignal::new(0_u32);
    let list = Resource::new(move || kept.get(), |_| api::tool_servers());
    let (toasts, refused) = (Toasts::get(), RwSignal::new(None::<String>));
    let told = move |answer: Option<Result<String, ApiError>>| match answer {
        Some(Ok(said)) => {
            refused.set(None);
            toasts.say(said);
            kept.update(|count| *count += 1);
        }
        Some(Err(error)) => {
            let first = error.0.errors.first().map(|field| field.message.clone());
            refused.set(Some(first.unwrap_or(error.0.detail)));
        }
        None => {}
    };
    let said = |answer: Option<Result<Told<SeenServer>, ApiError>>, words: fn(&SeenServer) -> String| {
        answer.map(|answer| settled(answer).map(|server| words(&server)))
    };
    Effect::new(move |_| told(said(actions.connect.value().get(), |server| format!("{} connected", server.name))));
    Effect::new(move |_| told(said(actions.save.value().get(), |_| "Saved".to_owned())));
    Effect::new(move |_| told(said(actions.test.value().get(), tested)));
    Effect::new(move |_| told(said(actions.accept.value().get(), |_| "Changes accepted".to_owned())));
    Effect::new(move |_| {
        told(actions.delete.value().get().map(|answer| answer.map(|()| "Tool server deleted".to_owned())));
    });
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

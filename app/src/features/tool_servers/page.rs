//! The page at `/settings/tool-servers`. It consists of forms, so that it works without JavaScript.

use adagent_contract::ServerAccess;
use leptos::prelude::*;

use leptos_router::hooks::use_query_map;

use super::{
    connect::Connect,
    server::Server,
    sign_in::{self, PAGE},
};
use crate::{
    features::{
        answers::Answers,
        api::{
            self, AcceptToolChanges, ConnectToolServer, DeleteToolServer, SaveToolServer, SeenServer, SignInPosted,
            TestToolServer, ToolServersView,
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

fn connected(server: &SeenServer) -> String {
    match server.access {
        Some(_) => format!("{} connected. Sign in to use it.", server.name),
        None => format!("{} connected", server.name),
    }
}

fn tested(server: &SeenServer) -> String {
    if matches!(server.access, Some(ServerAccess::Expired { .. })) {
        return format!("Sign in to {} again", server.name);
    }
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
    answers.hear(move || actions.connect.value().get(), connected);
    answers.hear(move || actions.save.value().get(), |_| "Saved".to_owned());
    answers.hear(move || actions.test.value().get(), tested);
    answers.hear(move || actions.accept.value().get(), |_| "Changes accepted".to_owned());
    answers.hear_done(move || actions.delete.value().get(), "Tool server deleted");
    let posted = Resource::new_blocking(|| (), |()| std::future::ready(sign_in::given()));
    let query = use_query_map();
    let came_back = move || {
        let query = query.read();
        if query.get("signed_in").is_some() {
            return Some(view! { <div class="note good" role="status"><Icon glyph=Glyph::Check/><p>"You’re signed in."</p></div> }.into_any());
        }
        query.get("error").map(|code| {
            view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{sign_in::explain(&code)}</p> }.into_any()
        })
    };
    let lead = || {
        "Let your agents use tools of other services, through servers that speak the Model Context Protocol (MCP). What a tool \
         answers is data, and a tool that may change something asks you first."
    };
    view! {
        <SettingsPage title="Tool servers" here=PAGE lead>
            {came_back}
            {move || refused.get().map(|text| view! { <p class="error-text" role="alert"><Icon glyph=Glyph::CircleAlert/>{text}</p> })}
            <Transition fallback=|| view! { <Loading/> }>
                {move || posted.get().and_then(|posted| Some((posted, list.get()?))).map(|(posted, answer)| match answer {
                    Ok(overview) => view! { <Whole overview actions posted/> }.into_any(),
                    Err(error) => view! { <Unread error again=Callback::new(move |()| list.refetch())/> }.into_any(),
                })}
            </Transition>
        </SettingsPage>
    }
}

#[component]
fn Whole(overview: ToolServersView, actions: Actions, posted: Option<SignInPosted>) -> impl IntoView {
    let ToolServersView { servers, may_manage, callback } = overview;
    let none = servers.is_empty();
    view! {
        {none.then(|| {
            let text = if may_manage { "Connect one below." } else { "An admin can connect one." };
            view! { <Empty glyph=Glyph::Wrench title="No tool servers" text/> }
        })}
        {servers.into_iter().map(|server| view! { <Server server may_manage actions posted=posted.clone()/> }).collect_view()}
        {may_manage.then(|| view! { <Connect actions callback/> })}
    }
}

//! Every address of the app and its page. The pages live in `features` and load as `parts`; this module holds nothing else.

use leptos::prelude::*;
use leptos_router::{
    Lazy, SsrMode,
    components::{ParentRoute, Redirect, Route, Routes},
    path,
};

use crate::{features::desk::DeskFrame, parts, shell::NotFoundPage};

/// Draws the routes. Pages are rendered completely (`Async`), so that they can be read without JavaScript.
#[component]
pub fn AppRoutes() -> impl IntoView {
    view! {
        <Routes fallback=NotFoundPage>
            <Route path=path!("/sign-in") view={Lazy::<parts::SignIn>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/sign-in/code") view={Lazy::<parts::Code>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/forgot-password") view={Lazy::<parts::ForgotPassword>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/reset-password") view={Lazy::<parts::ResetPassword>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/reset-password/:token") view={Lazy::<parts::ResetPassword>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/verify-email") view={Lazy::<parts::VerifyEmail>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/verify-email/:token") view={Lazy::<parts::VerifyEmail>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/sign-up") view={Lazy::<parts::SignUp>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/invite/:token") view={Lazy::<parts::Invite>::new()} ssr=SsrMode::Async/>
            <Route path=path!("/invitations/:id") view={Lazy::<parts::Invitation>::new()} ssr=SsrMode::Async/>
            <ParentRoute path=path!("") view=DeskFrame ssr=SsrMode::Async>
                <Route path=path!("/") view={Lazy::<parts::Home>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/chat/:id?") view={Lazy::<parts::Chat>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/approvals") view={Lazy::<parts::Approvals>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/agents") view={Lazy::<parts::Agents>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/agents/:id") view={Lazy::<parts::Agent>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/journal") view={Lazy::<parts::Journal>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/library") view={Lazy::<parts::Library>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/library/documents") view={Lazy::<parts::Documents>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/library/documents/:id") view={Lazy::<parts::Document>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/runs") view={Lazy::<parts::Runs>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/runs/:id") view={Lazy::<parts::RunViewer>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings") view={Lazy::<parts::SettingsOverview>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings/appearance") view={Lazy::<parts::Appearance>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings/networks") view={Lazy::<parts::Networks>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings/tool-servers") view={Lazy::<parts::ToolServers>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings/reporting") view={Lazy::<parts::Reporting>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings/team") view={Lazy::<parts::Team>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings/account") view={Lazy::<parts::Account>::new()} ssr=SsrMode::Async/>
                <Route path=path!("/settings/tokens") view={Lazy::<parts::Tokens>::new()} ssr=SsrMode::Async/>
                // The log is on the team page, but people look for it at this address.
                <Route path=path!("/settings/audit") view=|| view! { <Redirect path="/settings/team"/> }/>
                <Route path=path!("/settings/providers") view={Lazy::<parts::Networks>::new()} ssr=SsrMode::Async/>
            </ParentRoute>
            <Route path=path!("/dev/ui") view={Lazy::<parts::Gallery>::new()} ssr=SsrMode::Async/>
        </Routes>
    }
}

//! Every address of the desk and the page it leads to. Pages live in `features`; nothing else is in here.

use leptos::prelude::*;
use leptos_router::{
    SsrMode,
    components::{ParentRoute, Route, Routes},
    path,
};

use crate::{
    features::{
        account::AccountPage,
        approvals::ApprovalsPage,
        auth::{CodePage, ForgotPasswordPage, ResetPasswordPage, SignInPage, SignUpPage, VerifyEmailPage},
        chat::ChatPage,
        desk::DeskFrame,
        dev_ui::DevUiPage,
        invitation::InvitationPage,
        invite::InvitePage,
        networks::NetworksPage,
        reporting::ReportingPage,
        runs::{RunViewerPage, RunsPage},
        settings::{AppearancePage, SettingsOverviewPage},
        team::TeamPage,
        tokens::TokensPage,
    },
    shell::{NotFoundPage, StartPage},
};

/// Pages are rendered whole (`Async`), so that they read without JavaScript.
#[component]
pub fn AppRoutes() -> impl IntoView {
    view! {
        <Routes fallback=NotFoundPage>
            <Route path=path!("/") view=StartPage ssr=SsrMode::Async/>
            <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async/>
            <Route path=path!("/sign-in/code") view=CodePage ssr=SsrMode::Async/>
            <Route path=path!("/forgot-password") view=ForgotPasswordPage ssr=SsrMode::Async/>
            <Route path=path!("/reset-password") view=ResetPasswordPage ssr=SsrMode::Async/>
            <Route path=path!("/reset-password/:token") view=ResetPasswordPage ssr=SsrMode::Async/>
            <Route path=path!("/verify-email") view=VerifyEmailPage ssr=SsrMode::Async/>
            <Route path=path!("/verify-email/:token") view=VerifyEmailPage ssr=SsrMode::Async/>
            <Route path=path!("/sign-up") view=SignUpPage ssr=SsrMode::Async/>
            <Route path=path!("/invite/:token") view=InvitePage ssr=SsrMode::Async/>
            <Route path=path!("/invitations/:id") view=InvitationPage ssr=SsrMode::Async/>
            <ParentRoute path=path!("") view=DeskFrame ssr=SsrMode::Async>
                <Route path=path!("/chat/:id?") view=ChatPage ssr=SsrMode::Async/>
                <Route path=path!("/approvals") view=ApprovalsPage ssr=SsrMode::Async/>
                <Route path=path!("/runs") view=RunsPage ssr=SsrMode::Async/>
                <Route path=path!("/runs/:id") view=RunViewerPage ssr=SsrMode::Async/>
                <Route path=path!("/settings") view=SettingsOverviewPage ssr=SsrMode::Async/>
                <Route path=path!("/settings/appearance") view=AppearancePage ssr=SsrMode::Async/>
                <Route path=path!("/settings/networks") view=NetworksPage ssr=SsrMode::Async/>
                <Route path=path!("/settings/reporting") view=ReportingPage ssr=SsrMode::Async/>
                <Route path=path!("/settings/team") view=TeamPage ssr=SsrMode::Async/>
                <Route path=path!("/settings/account") view=AccountPage ssr=SsrMode::Async/>
                <Route path=path!("/settings/tokens") view=TokensPage ssr=SsrMode::Async/>
                <Route path=path!("/settings/providers") view=NetworksPage ssr=SsrMode::Async/>
            </ParentRoute>
            <Route path=path!("/dev/ui") view=dev_ui ssr=SsrMode::Async/>
        </Routes>
    }
}

/// The gallery is for development: a release build answers 404 and leaves its code out.
fn dev_ui() -> AnyView {
    if cfg!(debug_assertions) { view! { <DevUiPage/> }.into_any() } else { view! { <NotFoundPage/> }.into_any() }
}

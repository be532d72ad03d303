//! The pages, and the file that holds each one. Pages in the same file load together.

use leptos::prelude::*;
use leptos_router::LazyRoute;

use super::note;

/// Defines pages, each as `Page = function in file: its component;`.
macro_rules! pages {
    ($($page:ident = $draw:ident in $file:ident: $component:path;)*) => {
        $(
            pub struct $page;

            mod $draw {
                use leptos::prelude::IntoAny as _;

                #[leptos::wasm_split::wasm_split($file, wasm_split_path = ::leptos::wasm_split, fallible, preload(fetch))]
                pub(super) fn $draw() -> crate::parts::Drawn {
                    Ok($component().into_any())
                }
            }

            impl LazyRoute for $page {
                fn data() -> Self {
                    Self
                }

                async fn view(_page: Self) -> AnyView {
                    note(stringify!($file));
                    $draw::$draw().await.unwrap_or_else(|_lost| view! { <crate::shell::LostPage/> }.into_any())
                }
            }
        )*

        /// The file of each page; a file with several pages is repeated.
        #[cfg(feature = "hydrate")]
        pub(super) const FILES: &[&str] = &[$(stringify!($file)),*];

        /// Loads a file; after that, every page in it can be drawn at once.
        #[cfg(feature = "hydrate")]
        pub(super) async fn fetch(file: &str) -> Result<(), super::NotFetched> {
            $(if file == stringify!($file) {
                $draw::fetch().await?;
            })*
            Ok(())
        }
    };
}

pages! {
    SignIn = sign_in in door: crate::features::auth::SignInPage;
    SignUp = sign_up in door: crate::features::auth::SignUpPage;
    Code = code in door: crate::features::auth::CodePage;
    ForgotPassword = forgot_password in door: crate::features::auth::ForgotPasswordPage;
    ResetPassword = reset_password in door: crate::features::auth::ResetPasswordPage;
    VerifyEmail = verify_email in door: crate::features::auth::VerifyEmailPage;
    Invite = invite in door: crate::features::invite::InvitePage;
    Invitation = invitation in door: crate::features::invitation::InvitationPage;
    Home = home in home: crate::features::home::HomePage;
    Chat = chat in chat: crate::features::chat::ChatPage;
    Approvals = approvals in approvals: crate::features::approvals::ApprovalsPage;
    Agents = agents in agents: crate::features::agents::AgentsPage;
    Agent = agent in agent: crate::features::agents::AgentPage;
    Journal = journal in journal: crate::features::journal::JournalPage;
    Library = library in library: crate::features::library::LibraryPage;
    Documents = documents in library: crate::features::library::DocumentsPage;
    Document = document in document: crate::features::document::DocumentPage;
    Runs = runs in runs: crate::features::runs::RunsPage;
    RunViewer = run_viewer in run: crate::features::runs::RunViewerPage;
    Networks = networks in networks: crate::features::networks::NetworksPage;
    ToolServers = tool_servers in tool_servers: crate::features::tool_servers::ToolServersPage;
    Reporting = reporting in reporting: crate::features::reporting::ReportingPage;
    SettingsOverview = settings_overview in reporting: crate::features::settings::SettingsOverviewPage;
    Appearance = appearance in reporting: crate::features::settings::AppearancePage;
    Team = team in team: crate::features::team::TeamPage;
    Account = account in account: crate::features::account::AccountPage;
    Tokens = tokens in tokens: crate::features::tokens::TokensPage;
    Gallery = gallery in gallery: crate::parts::pages::gallery_page;
}

/// Draws the gallery, which is for development: a release build answers 404 and leaves the gallery's code out.
fn gallery_page() -> AnyView {
    if cfg!(debug_assertions) {
        view! { <crate::features::dev_ui::DevUiPage/> }.into_any()
    } else {
        view! { <crate::shell::NotFoundPage/> }.into_any()
    }
}

/// Returns the file of the page at a path; `None` if no page of the app has this path.
#[cfg_attr(not(any(feature = "hydrate", test)), expect(dead_code, reason = "asked by the browser"))]
pub(super) fn file_of(path: &str) -> Option<&'static str> {
    let mut names = path.trim_matches('/').split('/');
    Some(match (names.next()?, names.next()) {
        ("", None) => "home",
        ("chat", _) => "chat",
        ("approvals", None) => "approvals",
        ("agents", None) => "agents",
        ("agents", Some(_)) => "agent",
        ("journal", None) => "journal",
        ("library", None) => "library",
        ("library", Some("documents")) => {
            if names.next().is_some() {
                "document"
            } else {
                "library"
            }
        }
        ("dev", Some("ui")) => "gallery",
        ("runs", None) => "runs",
        ("runs", Some(_)) => "run",
        ("settings", Some("networks" | "providers")) => "networks",
        ("settings", None | Some("reporting" | "appearance")) => "reporting",
        ("settings", Some("tool-servers")) => "tool_servers",
        ("settings", Some("team")) => "team",
        ("settings", Some("account")) => "account",
        ("settings", Some("tokens")) => "tokens",
        (
            "sign-in" | "sign-up" | "forgot-password" | "reset-password" | "verify-email" | "invite" | "invitations",
            _,
        ) => "door",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::file_of;

    #[test]
    fn a_link_leads_to_the_file_of_its_page() {
        for (path, file) in [
            ("/", Some("home")),
            ("/chat/0198", Some("chat")),
            ("/agents", Some("agents")),
            ("/agents/new", Some("agent")),
            ("/journal", Some("journal")),
            ("/library", Some("library")),
            ("/library/documents", Some("library")),
            ("/library/documents/0198", Some("document")),
            ("/runs", Some("runs")),
            ("/runs/0198", Some("run")),
            ("/settings/providers", Some("networks")),
            ("/settings/tool-servers", Some("tool_servers")),
            ("/invite/abc", Some("door")),
            ("/api/auth/google", None),
            ("/settings", Some("reporting")),
            ("/settings/nothing", None),
        ] {
            assert_eq!(file_of(path), file, "{path}");
        }
    }
}

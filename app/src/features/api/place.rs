//! Which workspace a page belongs to, and every request that the page sends.
//!
//! A page belongs to one workspace for its whole life. Its address names the workspace (`?workspace=`). If it does not, we use
//! the workspace that this browser chose, which a cookie keeps, or else the personal one. Every request of the page names the
//! workspace again, in a header or in the address of a form. We refuse a request that does not: the workspace of an action must
//! never be guessed.

use adagent_contract::WorkspaceView;
use adagent_domain::{ChatSessionId, RunId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The query parameter that names a workspace.
pub const QUERY: &str = "workspace";
/// The name of the personal workspace in an address.
pub const PERSONAL: &str = "personal";

/// What a link leads to: a chat or a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sought {
    Chat(ChatSessionId),
    Run(RunId),
}

/// Why something was not found on the page where the person looked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    pub error: ApiError,
    /// The person's other workspace that has it, if any.
    pub elsewhere: Option<WorkspaceView>,
}

/// Returns the answer. If the thing was not found, returns the error and whether another workspace of the person has it.
pub async fn or_elsewhere<T>(answer: Result<T, ApiError>, sought: Sought) -> Result<T, Missing> {
    match answer {
        Ok(found) => Ok(found),
        Err(error) if error.is_not_found() => {
            let (chat, run) = match sought {
                Sought::Chat(id) => (Some(id), None),
                Sought::Run(id) => (None, Some(id)),
            };
            Err(Missing { elsewhere: whereabouts(chat, run).await.ok().flatten(), error })
        }
        Err(error) => Err(Missing { error, elsewhere: None }),
    }
}

/// Returns which other workspace of this person has the chat or run.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "whereabouts", client = super::DeskClient)]
pub async fn whereabouts(chat: Option<ChatSessionId>, run: Option<RunId>) -> Result<Option<WorkspaceView>, ApiError> {
    use super::who::server;
    use adagent_service::Thing;
    let (service, actor) = server::actor().await?;
    let Some(thing) = chat.map(Thing::Chat).or(run.map(Thing::Run)) else { return Ok(None) };
    service.whereabouts(actor.user, actor.workspace, thing).await.map_err(server::fail)
}

/// Switches to another workspace: this browser remembers it, and the next page belongs to it. This is a plain form even with
/// JavaScript, so that nothing of the previous page remains.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "switch-workspace", client = super::DeskClient)]
pub async fn switch_workspace(to: String, return_to: Option<String>) -> Result<(), ApiError> {
    use super::who::server;
    let service = server::service()?;
    let user = server::person()?;
    let to = self::server::parse(&to).map_err(server::fail)?;
    let actor = service.resolve_actor(user, to).await.map_err(server::fail)?;
    let page = return_to.as_deref().and_then(super::safe_return).unwrap_or_else(|| "/chat".to_owned());
    server::enter(&actor, &page);
    Ok(())
}

/// Returns the path with the workspace in its query, in place of any workspace it named before.
pub fn in_workspace(path: &str, name: &str) -> String {
    let (path, fragment) =
        path.split_once('#').map_or((path, String::new()), |(path, rest)| (path, format!("#{rest}")));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let named = format!("{QUERY}=");
    let others = query.split('&').filter(|part| !part.is_empty() && !part.starts_with(&named));
    let query: Vec<&str> = others.collect();
    let mark = if query.is_empty() { "" } else { "&" };
    format!("{path}?{}{mark}{named}{name}{fragment}", query.join("&"))
}

#[cfg(feature = "ssr")]
pub mod server {
    use adagent_contract::{Problem, codes};
    use adagent_domain::{Actor, WorkspaceId};
    use adagent_service::{CurrentUser, Service, ServiceError};
    use axum::http::{HeaderMap, Method, StatusCode, Uri, header, request::Parts};

    use super::{PERSONAL, QUERY};

    /// The cookie that keeps this browser's choice. It is no secret: we check the workspace it names like any other.
    pub const COOKIE: &str = "workspace";
    const HEADER: &str = "x-organization-id";

    /// The workspace of the page that the server renders, in the extensions of its request.
    #[derive(Debug, Clone)]
    pub struct PageWorkspace(pub Result<Standing, Box<Problem>>);

    impl PageWorkspace {
        /// Returns the status to answer with if the workspace could not be determined. A refusal is a determined answer, so it
        /// gives `None`.
        pub fn broke(&self) -> Option<StatusCode> {
            let problem = self.0.as_ref().err().filter(|problem| problem.status >= 500)?;
            Some(StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        }
    }

    /// Who a page acts for.
    #[derive(Debug, Clone, Copy)]
    pub struct Standing {
        pub actor: Actor,
        /// Whether the person has several workspaces; if so, addresses name the workspace.
        pub several: bool,
    }

    impl Standing {
        /// Returns the workspace's name in addresses.
        pub fn name(&self) -> String {
            if self.actor.personal { PERSONAL.to_owned() } else { self.actor.workspace.to_string() }
        }
    }

    /// Whether cookies may travel only over TLS, given how clients reach this server.
    #[derive(Debug, Clone, Copy)]
    pub struct SecureCookies(pub bool);

    /// Returns the workspace of a page; `None` if nobody is signed in.
    pub async fn of_page(service: &Service, parts: &Parts) -> Option<PageWorkspace> {
        let user = parts.extensions.get::<CurrentUser>()?.0?;
        let found = async {
            let several = service.workspaces(user).await?.len() > 1;
            let reads = matches!(parts.method, Method::GET | Method::HEAD);
            let actor = match (named(&parts.uri), reads) {
                (Some(name), _) => service.resolve_actor(user, parse(&name)?).await?,
                (None, true) => match chosen(&parts.headers, service.mcp_url().starts_with("https:")) {
                    // The chosen workspace is not one of this person's: somebody else chose it in this browser, or the person has
                    // left it.
                    Some(id) => match service.resolve_actor(user, Some(id)).await {
                        Err(ServiceError::NotFound(_)) => service.resolve_actor(user, None).await?,
                        other => other?,
                    },
                    None => service.resolve_actor(user, None).await?,
                },
                (None, false) if several => return Err(unnamed()),
                (None, false) => service.resolve_actor(user, None).await?,
            };
            Ok(Standing { actor, several })
        };
        Some(PageWorkspace(found.await.map_err(|error: ServiceError| Box::new(error.problem()))))
    }

    /// Returns the workspace that a page's request names: scripts name it in a header, forms in their address. `None` if the
    /// request names none.
    #[expect(clippy::option_option, reason = "named nothing, named Personal, named an organisation")]
    pub fn of_request(parts: &Parts) -> Result<Option<Option<WorkspaceId>>, ServiceError> {
        let in_header = match parts.headers.get(HEADER) {
            Some(value) => Some(parse(value.to_str().unwrap_or_default())?),
            None => None,
        };
        let in_address = match named(&parts.uri) {
            Some(name) => Some(parse(&name)?),
            None => None,
        };
        match (in_header, in_address) {
            (Some(one), Some(other)) if one != other => Err(ServiceError::NotFound("organization")),
            (one, other) => Ok(one.or(other)),
        }
    }

    /// Returns the error for a person with several workspaces whose request names none.
    pub fn unnamed() -> ServiceError {
        ServiceError::Conflict {
            code: codes::BAD_REQUEST,
            detail: "The request doesn't name a workspace, so nothing was changed. Reload the page and try again."
                .into(),
        }
    }

    /// Parses a workspace name. An invalid name is an error: it must never become the personal workspace.
    pub fn parse(name: &str) -> Result<Option<WorkspaceId>, ServiceError> {
        match name {
            PERSONAL => Ok(None),
            text => text.parse().map(Some).map_err(|_| ServiceError::NotFound("organization")),
        }
    }

    pub fn named(uri: &Uri) -> Option<String> {
        let parts = uri.query()?.split('&').filter_map(|part| part.split_once('='));
        parts.filter(|(name, _)| *name == QUERY).map(|(_, value)| value.to_owned()).next()
    }

    /// Returns the cookie's full name. Over TLS, the `__Host-` prefix makes browsers accept the cookie only from this very host,
    /// so a neighboring host cannot plant one.
    pub fn cookie_name(name: &str, secure: bool) -> String {
        if secure { format!("__Host-{name}") } else { name.to_owned() }
    }

    pub fn cookie_of(headers: &HeaderMap, wanted: &str) -> Option<String> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
    }

    fn chosen(headers: &HeaderMap, secure: bool) -> Option<WorkspaceId> {
        cookie_of(headers, &cookie_name(COOKIE, secure))?.parse().ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn parts(uri: &str, headers: &[(&'static str, &str)]) -> Parts {
            let mut request = axum::http::Request::get(uri);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            request.body(()).unwrap().into_parts().0
        }

        const A: &str = "019aa5c4-9a3e-7000-8000-00000000000a";
        const B: &str = "019aa5c4-9a3e-7000-8000-00000000000b";

        #[test]
        fn a_request_that_names_two_workspaces_is_of_none() {
            let a: WorkspaceId = A.parse().unwrap();
            let named = |uri: &str, headers: &[(&'static str, &str)]| of_request(&parts(uri, headers));
            assert_eq!(named("/desk/x", &[]).unwrap(), None);
            assert_eq!(named("/desk/x", &[(HEADER, A)]).unwrap(), Some(Some(a)));
            assert_eq!(named(&format!("/desk/x?{QUERY}={A}"), &[(HEADER, A)]).unwrap(), Some(Some(a)));
            assert_eq!(named("/desk/x?workspace=personal", &[]).unwrap(), Some(None));
            for (uri, header) in
                [(format!("/desk/x?workspace={B}"), A), ("/desk/x".into(), "acme"), ("/desk/x".into(), "")]
            {
                assert!(named(&uri, &[(HEADER, header)]).is_err(), "{uri} {header}");
            }
        }

        #[test]
        fn the_choice_is_found_among_other_cookies() {
            let of = |cookie: &str, secure| chosen(&parts("/chat", &[("cookie", cookie)]).headers, secure);
            let found = |cookie: &str| of(cookie, false);
            assert_eq!(found(&format!("a=b; workspace={A}; c=d")), A.parse().ok());
            assert_eq!(found("workspace=../../etc; a=b"), None);
            assert_eq!(found("my_workspace=x"), None);
            let both = format!("workspace={B}; __Host-workspace={A}");
            assert_eq!((of(&both, true), of(&both, false)), (A.parse().ok(), B.parse().ok()));
            assert_eq!(of(&format!("workspace={A}"), true), None, "what a neighbour may have planted");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_workspace;

    #[test]
    fn an_address_names_one_workspace() {
        assert_eq!(in_workspace("/chat", "personal"), "/chat?workspace=personal");
        assert_eq!(in_workspace("/runs/1?from=2#state", "w"), "/runs/1?from=2&workspace=w#state");
        assert_eq!(in_workspace("/chat?workspace=a&ask=x", "b"), "/chat?ask=x&workspace=b");
    }
}

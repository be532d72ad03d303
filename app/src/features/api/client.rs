//! How the page asks the server: as the browser does, saying in which workspace.
//!
//! Every server function names it (`client = DeskClient`); a test below finds those that forget.

use leptos::server_fn::{
    client::{Client, browser::BrowserClient},
    error::FromServerFnError,
    request::browser::BrowserRequest,
    response::browser::BrowserResponse,
};

pub struct DeskClient;

impl<E, I, O> Client<E, I, O> for DeskClient
where
    E: FromServerFnError,
    I: FromServerFnError,
    O: FromServerFnError,
{
    type Request = BrowserRequest;
    type Response = BrowserResponse;

    fn send(request: BrowserRequest) -> impl Future<Output = Result<BrowserResponse, E>> + Send {
        if let Some(workspace) = crate::platform::workspace() {
            request.headers().set("x-organization-id", &workspace);
        }
        <BrowserClient as Client<E, I, O>>::send(request)
    }

    fn open_websocket(
        path: &str,
    ) -> impl Future<
        Output = Result<
            (
                impl futures::Stream<Item = Result<leptos::server_fn::Bytes, leptos::server_fn::Bytes>> + Send + 'static,
                impl futures::Sink<leptos::server_fn::Bytes> + Send + 'static,
            ),
            E,
        >,
    > + Send {
        <BrowserClient as Client<E, I, O>>::open_websocket(path)
    }

    fn spawn(future: impl Future<Output = ()> + Send + 'static) {
        <BrowserClient as Client<E, I, O>>::spawn(future);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    /// Every Rust file below, with its text.
    fn sources(folder: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                found.extend(sources(&entry));
            } else if entry.extension().is_some_and(|ext| ext == "rs") {
                found.push((entry.display().to_string(), fs::read_to_string(&entry).unwrap()));
            }
        }
        found
    }

    #[test]
    fn every_server_function_and_every_form_says_in_which_workspace() {
        let sources = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
        let (mut functions, mut forms) = (0, 0);
        for (file, text) in sources.iter().filter(|(file, _)| !file.ends_with("client.rs")) {
            for attribute in text.match_indices("\n#[server(").map(|(at, _)| &text[at..]) {
                let attribute = attribute.split(")]").next().unwrap_or_default();
                assert!(attribute.contains("DeskClient"), "{file}: add `client = super::DeskClient` to {attribute}");
                functions += 1;
            }
            if text.contains("<ActionForm ") {
                assert!(
                    text.contains("features::form::ActionForm") || text.contains("form::ActionForm,"),
                    "{file}: use `crate::features::form::ActionForm`"
                );
                forms += 1;
            }
        }
        assert!(functions > 20 && forms > 5, "the test looks at the wrong place: {functions} {forms}");
    }
}

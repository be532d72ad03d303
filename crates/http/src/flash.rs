//! Carries the fields of a refused form to the page that shows the form again. Uses a cookie that the page removes, because histories and
//! logs keep addresses.

use adagent_service::KeptFields;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::Response,
};

use crate::state::HttpState;

const COOKIE: &str = "adagent_form";
const SECURE_COOKIE: &str = "__Host-adagent_form";
/// If the page does not open within this time, the person no longer wants it.
const SECONDS: u32 = 120;

/// Fields for the page at `path`, in the extensions of the redirect to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub path: String,
    pub fields: Vec<(String, String)>,
}

impl Kept {
    fn value(&self) -> String {
        let mut text = url::form_urlencoded::Serializer::new(String::new());
        text.append_pair("", &self.path);
        text.extend_pairs(&self.fields);
        text.finish()
    }

    fn parse(value: &str) -> Option<Self> {
        let mut pairs = url::form_urlencoded::parse(value.as_bytes()).into_owned();
        let (_, path) = pairs.next().filter(|(name, _)| name.is_empty())?;
        Some(Self { path, fields: pairs.collect() })
    }
}

/// Turns the [`Kept`] of a response into a cookie, and the cookie into the [`KeptFields`] of its page.
pub async fn across_redirect(State(state): State<HttpState>, mut request: Request, next: Next) -> Response {
    let secure = state.settings.public_url.scheme() == "https";
    let kept = if request.method() == Method::GET { find(request.headers(), name(secure)) } else { None };
    let kept = kept.filter(|kept| kept.path == request.uri().path());
    let used = kept.is_some();
    if let Some(kept) = kept {
        request.extensions_mut().insert(KeptFields(kept.fields));
    }
    let mut response = next.run(request).await;
    let cookie = match response.extensions_mut().remove::<Kept>() {
        Some(kept) => cookie(secure, &kept.value(), SECONDS),
        None if used => cookie(secure, "", 0),
        None => return response,
    };
    // Encoded text is always valid in a header.
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

const fn name(secure: bool) -> &'static str {
    if secure { SECURE_COOKIE } else { COOKIE }
}

fn cookie(secure: bool, value: &str, seconds: u32) -> String {
    let (name, secure) = (name(secure), if secure { "; Secure" } else { "" });
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

fn find(headers: &HeaderMap, name: &str) -> Option<Kept> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).and_then(|(_, value)| Kept::parse(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_whole_and_nothing_else_is_read() {
        let fields =
            vec![("name".to_owned(), "Zoë; =Ltd, \"x\"".to_owned()), ("email".to_owned(), "a+b@c.d".to_owned())];
        let kept = Kept { path: "/sign-up".into(), fields };
        let value = kept.value();
        assert!(!value.contains([';', ' ', ',', '"']), "{value}");
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_str(&format!("a=b; {COOKIE}={value}")).expect("a header"));
        assert_eq!(find(&headers, COOKIE), Some(kept));
        assert_eq!(find(&headers, SECURE_COOKIE), None);
        assert_eq!(Kept::parse("email=a"), None);
    }
}

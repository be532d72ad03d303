//! Headers of every response: pages, operations, files and errors.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// No page needs a device. Clipboard and full screen follow the browser's own rules.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), \
    geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), \
    xr-spatial-tracking=()";
/// The policy for responses without their own: they are not pages, so nothing in them runs, loads or is framed.
const NO_PAGE: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Adds the headers that the response does not set itself.
pub fn secure(headers: &mut HeaderMap, https: bool) {
    let mut default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Responses that may be cached say so themselves.
    default(header::CACHE_CONTROL, "no-store");
    default(header::X_FRAME_OPTIONS, "DENY");
    default(header::REFERRER_POLICY, "same-origin");
    default(header::CONTENT_SECURITY_POLICY, NO_PAGE);
    default(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    default(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    default(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    if https {
        default(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000; includeSubDomains");
    }
}

//! Headers of every answer: pages, operations, files and errors.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// Nothing of a device is asked for anywhere; clipboard and full screen are left to the browser's own rules.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), \
    geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), \
    xr-spatial-tracking=()";
/// For what brings no policy of its own: it is no page, so nothing in it runs, loads or is framed.
const NO_PAGE: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Adds what the answer does not say itself.
pub fn secure(headers: &mut HeaderMap, https: bool) {
    let mut default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // What may be kept says so.
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

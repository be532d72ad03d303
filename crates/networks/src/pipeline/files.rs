//! Report files behind a link: fetched only from allowed hosts, without credentials, and unpacked within bounds.

use std::io::Read as _;

use url::Url;

use super::{
    retry::Attempt,
    send::{self, Bounds, Received},
};
use crate::{catalogue::Method, sign::Outgoing};

/// The result of a link.
pub enum File {
    Text(String),
    /// The file does not exist yet (404).
    NotReady,
}

/// Fetches a file once and returns its size in bytes. The caller has already checked that the link may be followed.
pub async fn fetch(client: &reqwest::Client, link: &Url, bounds: Bounds) -> Result<(File, usize), Attempt> {
    // Keep the link as it is, because a changed link no longer fits its signature.
    let mut out = Outgoing::new(Method::Get, link.clone());
    out.header("Accept", "*/*");
    let received = send::attempt(client, &out, bounds).await?;
    match received.status {
        200..=299 => {
            text(&received, bounds.bytes).map(|text| (text.len(), text)).map(|(bytes, text)| (File::Text(text), bytes))
        }
        404 => Ok((File::NotReady, 0)),
        _ => Err(super::reply::of_file(&received)),
    }
}

fn text(received: &Received, limit: usize) -> Result<String, Attempt> {
    let body =
        if received.body.starts_with(&[0x1f, 0x8b]) { unpacked(&received.body, limit)? } else { received.body.clone() };
    let body = body.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(body);
    let text = String::from_utf8(body).map_err(|_| Attempt::broken("BROKEN_REPLY", "the file is no text"))?;
    if text.trim_start().starts_with('<') {
        return Err(Attempt::broken("HTML_REPLY", "the file is a web page instead of data"));
    }
    Ok(text)
}

/// Unpacks a file. The bound is on the output, because a small file may unpack to a huge one.
fn unpacked(packed: &[u8], limit: usize) -> Result<Vec<u8>, Attempt> {
    let mut out = Vec::new();
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = flate2::read::MultiGzDecoder::new(packed).take(bound).read_to_end(&mut out);
    match read {
        Err(_) => Err(Attempt::broken("TRUNCATED_REPLY", "the compressed file is incomplete")),
        Ok(_) if out.len() > limit => Err(Attempt::TooLarge),
        Ok(_) => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use reqwest::header::HeaderMap;

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text.as_bytes()).expect("written");
        packer.finish().expect("packed")
    }

    fn read(body: Vec<u8>, limit: usize) -> Result<String, Attempt> {
        text(&Received { status: 200, headers: HeaderMap::new(), body }, limit)
    }

    #[test]
    fn plain_and_packed_files_read_the_same() {
        let csv = "day,revenue\n2026-11-20,1.5\n";
        assert_eq!(read(csv.into(), 100).expect("plain"), csv);
        assert_eq!(read(packed(csv), 100).expect("packed"), csv);
        assert_eq!(read([b"\xef\xbb\xbf", csv.as_bytes()].concat(), 100).expect("with a mark"), csv);
    }

    #[test]
    fn what_unpacks_beyond_the_bound_or_breaks_off_is_refused() {
        let much = "0".repeat(100_000);
        assert_eq!(read(packed(&much), 1000), Err(Attempt::TooLarge));
        let mut cut = packed(&much);
        cut.truncate(cut.len() / 2);
        assert!(matches!(read(cut, 1_000_000), Err(Attempt::Broken { code: "TRUNCATED_REPLY", .. })));
        assert!(matches!(read(b"<html>".to_vec(), 100), Err(Attempt::Broken { code: "HTML_REPLY", .. })));
    }
}

//! Streams of events reach the browser in pieces: however they are cut, the same events come out.

use adagent_app::features::chat::stream::SseDecoder;

/// The first byte says how long the pieces are.
pub fn run(data: &[u8]) {
    let [size, stream @ ..] = data else { return };
    let mut whole = SseDecoder::default();
    let expected = whole.push(stream);
    let mut pieces = SseDecoder::default();
    let mut got = Vec::new();
    for piece in stream.chunks(usize::from(*size % 32) + 1) {
        got.extend(pieces.push(piece));
    }
    assert_eq!(got, expected);
    // A stream that ended goes on with the next one whole.
    assert!(SseDecoder::default().push(b": heartbeat\n\n").is_empty());
}

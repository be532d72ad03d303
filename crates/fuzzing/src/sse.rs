//! Event streams reach the browser in pieces: wherever they are cut, the same events come out.

use adagent_app::features::chat::stream::SseDecoder;

/// Runs the target. The first byte is the size of the pieces.
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
    // After a stream has ended, the next one starts from scratch.
    assert!(SseDecoder::default().push(b": heartbeat\n\n").is_empty());
}

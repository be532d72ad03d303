//! Follows a run in the browser: reads events from a stream, applies them as they arrive, and reconnects after a break.
//!
//! The decoder is plain Rust. It takes bytes and returns events, and handles only whole characters and whole frames.

use adagent_contract::RunEvent;

/// Cuts a byte stream into server-sent events, and keeps an incomplete rest for the next bytes.
#[derive(Debug, Default)]
pub struct SseDecoder {
    buffer: Vec<u8>,
}

impl SseDecoder {
    /// Takes bytes and returns the run events that are now complete. Skips comments (heartbeats) and unknown events.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<RunEvent> {
        self.buffer.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
            let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
            if let Ok(text) = std::str::from_utf8(&frame)
                && let Some(event) = decode(text)
            {
                events.push(event);
            }
        }
        events
    }
}

fn decode(frame: &str) -> Option<RunEvent> {
    let mut data = String::new();
    for line in frame.lines() {
        if let Some(rest) = line.strip_prefix("data:") {
            if !data.is_empty() {
                data.push('\n');
            }
            data.push_str(rest.strip_prefix(' ').unwrap_or(rest));
        }
    }
    if data.is_empty() { None } else { serde_json::from_str(&data).ok() }
}

/// Returns how long to wait before the n-th attempt to reconnect a broken stream.
pub const fn retry_delay_ms(attempt: u32) -> u32 {
    match attempt {
        0 => 0,
        1 => 500,
        2 => 1_000,
        3 => 2_000,
        _ => 5_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adagent_contract::{EventBody, RunStatus};
    use adagent_domain::{RunId, SequentialIds, Timestamp};

    fn frame(seq: u64) -> (RunEvent, String) {
        let event = RunEvent {
            run_id: RunId::new(&SequentialIds::default()),
            seq,
            at: Timestamp::from_micros(1_000_000),
            body: EventBody::Content { content: "5 € and 日本".into(), is_final: false },
        };
        let text = format!("id: {seq}\nevent: content\ndata: {}\n\n", serde_json::to_string(&event).unwrap());
        (event, text)
    }

    #[test]
    fn events_are_whole_however_the_bytes_are_cut() {
        let (event, text) = frame(7);
        for cut in 0..text.len() {
            let mut decoder = SseDecoder::default();
            let mut got = decoder.push(&text.as_bytes()[..cut]);
            got.extend(decoder.push(&text.as_bytes()[cut..]));
            assert_eq!(got, vec![event.clone()], "cut at {cut}");
        }
    }

    #[test]
    fn heartbeats_and_strangers_are_passed_over() {
        let mut decoder = SseDecoder::default();
        let done = RunEvent {
            run_id: RunId::new(&SequentialIds::default()),
            seq: 1,
            at: Timestamp::EPOCH,
            body: EventBody::Done { status: RunStatus::Completed },
        };
        let text = format!(
            ": hb\n\nevent: new\ndata: {{\"type\":\"new\"}}\n\ndata: {}\n\n",
            serde_json::to_string(&done).unwrap()
        );
        assert_eq!(decoder.push(text.as_bytes()), vec![done]);
    }
}

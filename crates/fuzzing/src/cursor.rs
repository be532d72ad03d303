//! Cursors, which anybody can send back: an invalid one is refused, and a valid one stays the same when it is written and read
//! again.

use adagent_domain::RunId;
use adagent_service::cursor;

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(Some(id)) = cursor::to_id::<RunId>(Some(text)) {
        let again = cursor::to_id::<RunId>(Some(&cursor::of_id(id)));
        assert!(matches!(again, Ok(Some(same)) if same == id), "{text:?}");
    }
    if let Ok(Some((at, id))) = cursor::to_session(Some(text)) {
        let again = cursor::to_session(Some(&cursor::of_session(at, id)));
        assert!(matches!(again, Ok(Some(same)) if same == (at, id)), "{text:?}");
    }
}

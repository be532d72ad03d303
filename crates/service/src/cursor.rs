//! Opaque cursors and the size of pages.

use std::str::FromStr;

use adagent_domain::{ChatSessionId, Timestamp};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};

use crate::{ServiceError, ServiceResult};

pub const DEFAULT_LIMIT: u32 = 50;
pub const MAX_LIMIT: u32 = 200;

/// Returns the requested page size, or the default.
pub fn limit(asked: Option<u32>) -> ServiceResult<u32> {
    match asked {
        None => Ok(DEFAULT_LIMIT),
        Some(n) if (1..=MAX_LIMIT).contains(&n) => Ok(n),
        Some(_) => Err(ServiceError::field("/limit", format!("The limit must be a number from 1 to {MAX_LIMIT}."))),
    }
}

fn bad() -> ServiceError {
    ServiceError::field("/cursor", "This cursor isn't from this list. Use next_cursor from the previous page.")
}

fn decode(cursor: &str) -> ServiceResult<String> {
    let bytes = B64.decode(cursor).map_err(|_| bad())?;
    String::from_utf8(bytes).map_err(|_| bad())
}

/// Makes a cursor from the ID of the last item on the page.
pub fn of_id(id: impl std::fmt::Display) -> String {
    B64.encode(id.to_string())
}

pub fn to_id<T: FromStr>(cursor: Option<&str>) -> ServiceResult<Option<T>> {
    cursor.map(|text| decode(text)?.parse().map_err(|_| bad())).transpose()
}

/// Makes a cursor for chats. They are ordered by last use, which is not unique, so the ID is part of it.
pub fn of_session(updated_at: Timestamp, id: ChatSessionId) -> String {
    B64.encode(format!("{} {id}", updated_at.as_micros()))
}

pub fn to_session(cursor: Option<&str>) -> ServiceResult<Option<(Timestamp, ChatSessionId)>> {
    let Some(cursor) = cursor else { return Ok(None) };
    let text = decode(cursor)?;
    let (micros, id) = text.split_once(' ').ok_or_else(bad)?;
    let at = micros.parse().map(Timestamp::from_micros).map_err(|_| bad())?;
    Ok(Some((at, id.parse().map_err(|_| bad())?)))
}

/// Cuts a list that was read with one item more than `limit` down to a page. Returns whether there is another page.
pub fn cut<T>(mut items: Vec<T>, limit: u32) -> (Vec<T>, bool) {
    let limit = limit as usize;
    let more = items.len() > limit;
    items.truncate(limit);
    (items, more)
}

#[cfg(test)]
mod tests {
    use adagent_domain::{RunId, SequentialIds};

    use super::*;

    #[test]
    fn cursors_round_trip_and_foreign_text_is_a_field_error() {
        let id = ChatSessionId::new(&SequentialIds::default());
        let at = Timestamp::from_micros(1_795_300_000_000_001);
        assert_eq!(to_session(Some(&of_session(at, id))).unwrap(), Some((at, id)));
        let run = RunId::new(&SequentialIds::default());
        assert_eq!(to_id(Some(&of_id(run))).unwrap(), Some(run));
        for foreign in ["", "x", "💥", "bm90IGFuIGlk"] {
            assert!(matches!(to_id::<RunId>(Some(foreign)), Err(ServiceError::Validation(_))), "{foreign}");
            assert!(matches!(to_session(Some(foreign)), Err(ServiceError::Validation(_))), "{foreign}");
        }
    }

    #[test]
    fn limits_stay_between_one_and_two_hundred() {
        assert_eq!(limit(None).unwrap(), 50);
        assert!(limit(Some(0)).is_err());
        assert!(limit(Some(201)).is_err());
        assert_eq!(cut(vec![1, 2, 3], 2), (vec![1, 2], true));
        assert_eq!(cut(vec![1, 2], 2), (vec![1, 2], false));
    }
}

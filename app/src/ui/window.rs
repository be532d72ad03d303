//! Which rows of a long table are drawn: the visible ones and some around them. Pure.

/// Rows drawn above and below the visible part, so that scrolling never shows a gap.
const MARGIN: usize = 12;
/// Tables of up to this many rows are drawn completely, so that find-in-page and screen readers reach all of them.
pub const WHOLE: usize = 200;

/// The rows that are drawn, `first..end`. Two fillers keep the space of the other rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub first: usize,
    pub end: usize,
}

/// Returns the window of a table that is scrolled by `top` pixels, with `height` visible pixels and rows of `row` pixels.
pub fn window(rows: usize, top: f64, height: f64, row: f64) -> Window {
    if rows <= WHOLE {
        return Window { first: 0, end: rows };
    }
    let row = row.max(1.0);
    let above = whole(top.max(0.0) / row);
    let seen = whole(height.max(0.0) / row) + 1;
    let end = (above + seen + MARGIN).min(rows);
    let first = above.saturating_sub(MARGIN).min(end.saturating_sub(1));
    // Move in steps of four, so that a scroll by one row redraws nothing.
    Window { first: first - first % 4, end }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, far below the limit")]
fn whole(value: f64) -> usize {
    value.floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tables_are_drawn_whole() {
        assert_eq!(window(200, 5000.0, 300.0, 36.0), Window { first: 0, end: 200 });
    }

    #[test]
    fn long_tables_draw_what_is_in_sight_wherever_they_are_scrolled() {
        for top in [0.0, 1.0, 777.7, 36.0 * 5000.0, 36.0 * 9990.0, 1e9, -50.0] {
            let seen = window(10_000, top, 480.0, 36.0);
            assert!(seen.first < seen.end && seen.end <= 10_000, "{top}: {seen:?}");
            assert!(seen.end - seen.first <= 60, "{top}: {seen:?}");
            let at = whole(top.max(0.0) / 36.0).min(9999);
            assert!(seen.first <= at, "{top}: {seen:?}");
        }
    }
}

//! Finds what changed between two texts, line by line. This module is pure.

/// The most cells of a comparison's table. If two texts need more, all their changed lines count as replaced.
const MOST_CELLS: usize = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'t> {
    Same(&'t str),
    Gone(&'t str),
    New(&'t str),
}

/// Lines that changed together. `at` is the line number in the newer text where they begin, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'t> {
    pub at: usize,
    pub before: Vec<&'t str>,
    pub after: Vec<&'t str>,
}

/// Returns all lines of both texts, in the order of the newer one. Removed lines come before the lines that replace them.
pub fn line_diff<'t>(before: &'t str, after: &'t str) -> Vec<Line<'t>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let first = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[first..], &new[first..]);
    let last = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - last], &new_rest[..new_rest.len() - last]);
    let mut lines: Vec<Line<'t>> = old[..first].iter().map(|line| Line::Same(line)).collect();
    lines.extend(middle(old_middle, new_middle));
    lines.extend(new_rest[new_middle.len()..].iter().map(|line| Line::Same(line)));
    lines
}

/// Compares two texts by the longest sequence of lines that both have.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    let width = new.len() + 1;
    if old.is_empty() || new.is_empty() || (old.len() + 1).saturating_mul(width) > MOST_CELLS {
        let gone = old.iter().map(|line| Line::Gone(line));
        return gone.chain(new.iter().map(|line| Line::New(line))).collect();
    }
    // How many lines the two texts have in common from these positions on.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for (row, one) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let at = row * width + column;
            common[at] = if one == other { common[at + width + 1] + 1 } else { common[at + width].max(common[at + 1]) };
        }
    }
    let (mut row, mut column) = (0, 0);
    let (mut lines, mut added) = (Vec::with_capacity(old.len() + new.len()), Vec::new());
    while row < old.len() || column < new.len() {
        let at = row * width + column;
        if row < old.len() && column < new.len() && old[row] == new[column] {
            lines.append(&mut added);
            lines.push(Line::Same(old[row]));
            (row, column) = (row + 1, column + 1);
        } else if column == new.len() || row < old.len() && common[at + width] >= common[at + 1] {
            lines.push(Line::Gone(old[row]));
            row += 1;
        } else {
            added.push(Line::New(new[column]));
            column += 1;
        }
    }
    lines.append(&mut added);
    lines
}

/// Returns only the lines that changed.
pub fn hunks<'t>(before: &'t str, after: &'t str) -> Vec<Hunk<'t>> {
    let mut hunks: Vec<Hunk<'t>> = Vec::new();
    let (mut at, mut inside) = (1, false);
    for line in line_diff(before, after) {
        if !inside && !matches!(line, Line::Same(_)) {
            hunks.push(Hunk { at, before: Vec::new(), after: Vec::new() });
        }
        inside = !matches!(line, Line::Same(_));
        match (line, hunks.last_mut()) {
            (Line::Gone(text), Some(hunk)) => hunk.before.push(text),
            (Line::New(text), Some(hunk)) => hunk.after.push(text),
            _ => {}
        }
        at += usize::from(!matches!(line, Line::Gone(_)));
    }
    hunks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_changed_stands_together() {
        let before = "# Floors\n\nUS is $9.\nDE is $4.\n\nAsk Tomi.";
        let after = "# Floors\n\nUS is $14.\nDE is $4.\nFR is $3.\n\nAsk Tomi.";
        assert_eq!(
            hunks(before, after),
            [
                Hunk { at: 3, before: vec!["US is $9."], after: vec!["US is $14."] },
                Hunk { at: 5, before: vec![], after: vec!["FR is $3."] },
            ]
        );
        assert_eq!(hunks(before, before), []);
        assert_eq!(hunks("", "a\nb"), [Hunk { at: 1, before: vec![], after: vec!["a", "b"] }]);
        assert_eq!(hunks("a\nb", "b"), [Hunk { at: 1, before: vec!["a"], after: vec![] }]);
    }

    #[test]
    fn texts_with_too_many_lines_are_replaced() {
        let (one, other) = ("a\n".repeat(2000), "b\n".repeat(2000));
        let found = hunks(&one, &other);
        assert_eq!((found.len(), found[0].before.len(), found[0].after.len()), (1, 2000, 2000));
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_it(before in "([ab]{0,2}\n){0,12}", after in "([ab]{0,2}\n){0,12}") {
            let lines = line_diff(&before, &after);
            let of = |keep: fn(&Line<'_>) -> bool| lines.iter().filter(|line| keep(line)).map(|line| match *line {
                Line::Same(text) | Line::Gone(text) | Line::New(text) => format!("{text}\n"),
            }).collect::<String>();
            prop_assert_eq!(of(|line| !matches!(line, Line::New(_))), before.clone());
            prop_assert_eq!(of(|line| !matches!(line, Line::Gone(_))), after.clone());
        }
    }
}

//! Which name a misspelt one was meant to be.

use crate::Error;

/// A usage error that names the nearest of the allowed names, and all of them.
pub(crate) fn unknown(kind: &str, name: &str, allowed: &[&str]) -> Error {
    Error::usage(with_suggestion(format!("unknown {kind} '{name}'"), name, allowed), allowed.iter().copied())
}

pub(crate) fn with_suggestion(message: String, name: &str, allowed: &[&str]) -> String {
    match nearest(name, allowed) {
        Some(near) => format!("{message}, did you mean '{near}'?"),
        None => message,
    }
}

/// The allowed name with the fewest edits, if they are few enough for a slip of the finger.
fn nearest<'a>(name: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let tolerated = (name.chars().count() / 3).max(2);
    let (edits, candidate) = allowed.iter().map(|candidate| (edits(name, candidate), *candidate)).min()?;
    (edits <= tolerated).then_some(candidate)
}

/// Levenshtein's distance, one row of the table at a time.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j].min(diagonal) + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{edits, nearest};

    #[test]
    fn counts_insertions_deletions_and_substitutions() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("ring", "ring"), 0);
    }

    #[test]
    fn a_slip_of_the_finger_has_a_nearest_name_and_another_word_has_none() {
        assert_eq!(nearest("rnig", &["ring", "spawn"]), Some("ring"));
        assert_eq!(nearest("shutdown", &["ring", "spawn"]), None);
        assert_eq!(nearest("x", &[]), None);
    }
}

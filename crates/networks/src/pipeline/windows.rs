//! Sliding windows: so many calls in so many seconds, for one workspace at one network. Pure; whoever asks does the waiting.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use adagent_domain::{Network, Timestamp, WorkspaceId};

use crate::sign::Window;

/// Takings of one window, oldest first; those in the future are promised to somebody who waits.
#[derive(Debug, Default)]
struct Sliding {
    taken: VecDeque<Timestamp>,
}

impl Sliding {
    /// Milliseconds until there is room.
    fn wait(&mut self, now: Timestamp, calls: u32, seconds: u32) -> i64 {
        let span = i64::from(seconds) * 1000;
        while self.taken.front().is_some_and(|first| now.millis_since(*first) >= span) {
            self.taken.pop_front();
        }
        let calls = usize::try_from(calls.max(1)).unwrap_or(usize::MAX);
        match self.taken.len().checked_sub(calls) {
            None => 0,
            Some(over) => self.taken[over].plus_millis(span).millis_since(now).max(0),
        }
    }
}

/// Which window of which workspace at which network.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    network: Network,
    workspace: Option<WorkspaceId>,
    window: usize,
}

/// Above this many windows the idle ones are let go.
const MANY: usize = 4096;

/// All windows of this process.
#[derive(Debug, Default)]
pub struct Windows {
    all: Mutex<HashMap<Key, Sliding>>,
}

impl Windows {
    /// Takes a place in each of the windows, now or later; says how many milliseconds to wait for it. Longer than `patience`
    /// nothing is taken, and the wait is the error.
    pub fn take(
        &self,
        network: Network,
        workspace: Option<WorkspaceId>,
        windows: &[(usize, Window)],
        now: Timestamp,
        patience: i64,
    ) -> Result<i64, i64> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() > MANY {
            all.retain(|_, sliding| sliding.taken.back().is_some_and(|last| now.millis_since(*last) < 3_600_000));
        }
        let key = |window| Key { network, workspace, window };
        let mut wait = 0;
        for (index, window) in windows {
            wait = wait.max(all.entry(key(*index)).or_default().wait(now, window.calls, window.seconds));
        }
        if wait > patience {
            return Err(wait);
        }
        for (index, _) in windows {
            all.entry(key(*index)).or_default().taken.push_back(now.plus_millis(wait));
        }
        Ok(wait)
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::SequentialIds;

    use super::*;

    const T0: Timestamp = Timestamp::EPOCH;
    const TWO_A_SECOND: [(usize, Window); 1] = [(0, Window { calls: 2, seconds: 1, schemes: &[] })];

    fn take(windows: &Windows, millis: i64, patience: i64) -> Result<i64, i64> {
        windows.take(Network::Pangle, None, &TWO_A_SECOND, T0.plus_millis(millis), patience)
    }

    #[test]
    fn the_window_slides_and_waits_are_promised_in_turn() {
        let windows = Windows::default();
        assert_eq!((take(&windows, 0, 5000), take(&windows, 400, 5000)), (Ok(0), Ok(0)));
        assert_eq!(take(&windows, 500, 5000), Ok(500), "room when the first is a second old");
        assert_eq!(take(&windows, 500, 5000), Ok(900), "the next waits for the second");
        assert_eq!(take(&windows, 500, 5000), Ok(1500), "then for the one that waits");
        assert_eq!(take(&windows, 10_000, 5000), Ok(0));
    }

    #[test]
    fn who_is_not_patient_enough_takes_nothing() {
        let windows = Windows::default();
        assert_eq!((take(&windows, 0, 0), take(&windows, 0, 0)), (Ok(0), Ok(0)));
        assert_eq!(take(&windows, 100, 300), Err(900));
        assert_eq!(take(&windows, 1000, 300), Ok(0), "the refused one took no place");
    }

    #[test]
    fn workspaces_and_networks_do_not_share() {
        let (windows, ids) = (Windows::default(), SequentialIds::default());
        let mine = WorkspaceId::new(&ids);
        for _ in 0..2 {
            assert_eq!(windows.take(Network::Pangle, Some(mine), &TWO_A_SECOND, T0, 0), Ok(0));
        }
        assert!(windows.take(Network::Pangle, Some(mine), &TWO_A_SECOND, T0, 0).is_err());
        assert_eq!(windows.take(Network::Pangle, Some(WorkspaceId::new(&ids)), &TWO_A_SECOND, T0, 0), Ok(0));
        assert_eq!(windows.take(Network::Unity, Some(mine), &TWO_A_SECOND, T0, 0), Ok(0));
    }

    #[test]
    fn the_strictest_of_several_windows_counts() {
        let windows = Windows::default();
        let both =
            [(0, Window { calls: 1, seconds: 1, schemes: &[] }), (1, Window { calls: 1, seconds: 60, schemes: &[] })];
        assert_eq!(windows.take(Network::Unity, None, &both, T0, 0), Ok(0));
        assert_eq!(windows.take(Network::Unity, None, &both, T0, 0), Err(60_000));
    }
}

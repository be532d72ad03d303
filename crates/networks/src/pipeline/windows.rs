//! Sliding windows: each allows a number of calls in a number of seconds. A network counts calls per account, so we keep its windows per
//! connection. We keep our own window per workspace and network. This module is pure: the caller does the waiting.

use std::{
    collections::{HashMap, VecDeque, hash_map::RandomState},
    hash::BuildHasher as _,
    sync::{Mutex, PoisonError},
};

use adagent_domain::{ConnectionId, Network, Timestamp, WorkspaceId};
use secrecy::ExposeSecret;

use crate::{Credentials, sign::Window};

/// The places taken in one window, oldest first. Places in the future are promised to callers that wait.
#[derive(Debug, Default)]
struct Sliding {
    taken: VecDeque<Timestamp>,
    /// The length of the window in milliseconds.
    span: i64,
}

impl Sliding {
    /// Returns the milliseconds until there is room.
    fn wait(&mut self, now: Timestamp, calls: u32, seconds: u32) -> i64 {
        let span = i64::from(seconds) * 1000;
        self.span = span;
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

/// Whose calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    Workspace(WorkspaceId),
    Connection(ConnectionId),
    /// The keys of a connection that is still being made, as a hash that means nothing outside this process.
    Keys(u64),
}

/// Identifies a window.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    network: Network,
    owner: Owner,
    window: usize,
}

/// If there are more windows than this, we drop the ended ones, and then again only at twice the number that was left.
const MANY: usize = 4096;

/// All windows of this process.
#[derive(Debug, Default)]
pub struct Windows {
    all: Mutex<All>,
    marks: RandomState,
}

#[derive(Debug, Default)]
struct All {
    windows: HashMap<Key, Sliding>,
    sweep_above: usize,
}

impl All {
    fn sweep(&mut self, now: Timestamp) {
        if self.windows.len() > self.sweep_above.max(MANY) {
            self.windows.retain(|_, one| one.taken.back().is_some_and(|last| now.millis_since(*last) < one.span));
            self.sweep_above = self.windows.len() * 2;
        }
    }
}

impl Windows {
    /// Returns whose windows a call with these credentials counts in.
    pub fn owner(&self, credentials: &Credentials) -> Owner {
        credentials.connection.map_or_else(
            || {
                let fields = credentials.fields.values().map(ExposeSecret::expose_secret);
                Owner::Keys(self.marks.hash_one(fields.collect::<Vec<&str>>()))
            },
            Owner::Connection,
        )
    }

    /// Takes a place in each of the windows, now or later, and returns the milliseconds to wait for it. If the wait exceeds `patience`,
    /// takes nothing and returns the wait as the error.
    pub fn take(
        &self,
        network: Network,
        owner: Owner,
        windows: &[(usize, Window)],
        now: Timestamp,
        patience: i64,
    ) -> Result<i64, i64> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.sweep(now);
        let all = &mut all.windows;
        let key = |window| Key { network, owner, window };
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
    const SOME: Owner = Owner::Keys(7);
    const TWO_A_SECOND: [(usize, Window); 1] = [(0, Window { calls: 2, seconds: 1, schemes: &[] })];

    fn take(windows: &Windows, millis: i64, patience: i64) -> Result<i64, i64> {
        windows.take(Network::Pangle, SOME, &TWO_A_SECOND, T0.plus_millis(millis), patience)
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
            assert_eq!(windows.take(Network::Pangle, Owner::Workspace(mine), &TWO_A_SECOND, T0, 0), Ok(0));
        }
        assert!(windows.take(Network::Pangle, Owner::Workspace(mine), &TWO_A_SECOND, T0, 0).is_err());
        assert_eq!(
            windows.take(Network::Pangle, Owner::Workspace(WorkspaceId::new(&ids)), &TWO_A_SECOND, T0, 0),
            Ok(0)
        );
        assert_eq!(windows.take(Network::Unity, Owner::Workspace(mine), &TWO_A_SECOND, T0, 0), Ok(0));
    }

    #[test]
    fn the_strictest_of_several_windows_counts() {
        let windows = Windows::default();
        let both =
            [(0, Window { calls: 1, seconds: 1, schemes: &[] }), (1, Window { calls: 1, seconds: 60, schemes: &[] })];
        assert_eq!(windows.take(Network::Unity, SOME, &both, T0, 0), Ok(0));
        assert_eq!(windows.take(Network::Unity, SOME, &both, T0, 0), Err(60_000));
    }
    #[test]
    fn a_long_window_outlives_the_sweep_and_a_short_one_does_not() {
        let windows = Windows::default();
        let eight_hours = [(1, Window { calls: 1, seconds: 8 * 3600, schemes: &[] })];
        assert_eq!(windows.take(Network::InMobi, SOME, &eight_hours, T0, 0), Ok(0));
        for keys in 0..MANY as u64 {
            assert_eq!(windows.take(Network::Pangle, Owner::Keys(1000 + keys), &TWO_A_SECOND, T0, 0), Ok(0));
        }
        let later = T0.plus_seconds(2 * 3600);
        assert_eq!(windows.take(Network::Unity, SOME, &TWO_A_SECOND, later, 0), Ok(0));
        assert_eq!(windows.all.lock().expect("free").windows.len(), 2);
        assert!(windows.take(Network::InMobi, SOME, &eight_hours, later, 0).is_err(), "still counted");
    }

    #[test]
    fn connections_in_the_making_share_a_window_only_with_the_same_keys() {
        let windows = Windows::default();
        let with = |key: &str| {
            let base_url = "http://127.0.0.1:9/".parse().expect("valid");
            let fields = [("key", key.to_owned().into())].into_iter().collect();
            Credentials { fields, base_url, sandbox: true, accounts: Vec::new(), connection: None, version: 0, made: 0 }
        };
        let owner = |key: &str| windows.owner(&with(key));
        assert_eq!(owner("a"), owner("a"));
        assert_ne!(owner("a"), owner("b"));
    }
}

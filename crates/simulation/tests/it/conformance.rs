//! The simulated store passes the conformance suite of the real engines for the areas that it has: runs, leases, approvals and units of
//! work.

use std::{ops::Deref, sync::Arc};

use adagent_simulation::{Plan, Process, Sim, SimStore};
use adagent_store::EngineStore;

struct Opened(Arc<dyn EngineStore>);

impl Deref for Opened {
    type Target = Arc<dyn EngineStore>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

fn open(one_writer: bool) -> Opened {
    let (sim, _) = Sim::new(Plan::exact(one_writer), false);
    let process = Process::new("test".into(), None, sim.started, 0);
    Opened(Arc::new(SimStore::new(sim, process)))
}

/// Makes a test for every case of the simulated areas, with row locks and with a single writer.
macro_rules! simulated {
    // Expand all at once instead of recursively: the list is longer than the recursion limit of macros.
    ($($area:ident::$case:ident)*) => { $(simulated!(@ $area $case);)* };
    // The simulation has no undo, because an undo begins under a key, like a program's call.
    (@ approvals only_an_undo_that_was_made_is_listed) => {};
    (@ approvals $case:ident) => { simulated!(@@ approvals $case); };
    (@ children $case:ident) => { simulated!(@@ children $case); };
    (@ lanes $case:ident) => { simulated!(@@ lanes $case); };
    (@ leases $case:ident) => { simulated!(@@ leases $case); };
    (@ runs $case:ident) => { simulated!(@@ runs $case); };
    (@ units $case:ident) => { simulated!(@@ units $case); };
    (@ $area:ident $case:ident) => {};
    (@@ $area:ident $case:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
        async fn $case() {
            for one_writer in [false, true] {
                let opened = open(one_writer);
                adagent_store::conformance::$area::$case(Arc::clone(&opened)).await;
            }
        }
    };
}

adagent_store::conformance_cases!(simulated);

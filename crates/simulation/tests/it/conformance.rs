//! The simulated store passes the suite of the real engines, as far as it goes: runs, leases, approvals, units of work.

use std::{ops::Deref, sync::Arc};

use adagent_simulation::{Plan, Process, Sim, SimStore};
use adagent_store::Store;

struct Opened(Arc<dyn Store>);

impl Deref for Opened {
    type Target = Arc<dyn Store>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

fn open(one_writer: bool) -> Opened {
    let (sim, _) = Sim::new(Plan::exact(one_writer), false);
    let process = Process::new("test".into(), None, sim.started, 0);
    Opened(Arc::new(SimStore::new(sim, process)))
}

/// A test of every case of the areas that are simulated, with rows locked one by one and with one writer.
macro_rules! simulated {
    () => {};
    (approvals::$case:ident $($rest:tt)*) => { simulated!(@ approvals $case); simulated!($($rest)*); };
    (leases::$case:ident $($rest:tt)*) => { simulated!(@ leases $case); simulated!($($rest)*); };
    (runs::$case:ident $($rest:tt)*) => { simulated!(@ runs $case); simulated!($($rest)*); };
    (units::$case:ident $($rest:tt)*) => { simulated!(@ units $case); simulated!($($rest)*); };
    ($area:ident::$case:ident $($rest:tt)*) => { simulated!($($rest)*); };
    (@ $area:ident $case:ident) => {
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

//! What time the page shows. The server hands its clock in, the browser ticks; nothing below reads a clock itself.

use adagent_domain::Timestamp;
use leptos::prelude::*;

use crate::ui::{
    format,
    moment::{Locale, Reader},
};

/// The server's time for this request, provided as context before rendering.
#[derive(Debug, Clone, Copy)]
pub struct ServerNow(pub Timestamp);

/// Now, how far the reader's wall clock is from UTC, and how they write dates.
#[derive(Debug, Clone, Copy)]
pub struct PageClock {
    now: RwSignal<Timestamp>,
    offset_minutes: RwSignal<i32>,
    locale: RwSignal<Locale>,
}

impl PageClock {
    /// The clock of this page; stands still where none was provided (a component in a test).
    pub fn get() -> Self {
        use_context().unwrap_or_else(|| Self::at(Timestamp::EPOCH))
    }

    /// A clock that shows the given instant until it ticks.
    pub fn at(now: Timestamp) -> Self {
        Self { now: RwSignal::new(now), offset_minutes: RwSignal::new(0), locale: RwSignal::new(Locale::default()) }
    }

    /// Now; anyone who reads it is drawn again every second.
    pub fn now(self) -> Timestamp {
        self.now.get()
    }

    pub fn now_untracked(self) -> Timestamp {
        self.now.get_untracked()
    }

    /// Minutes to add to UTC for the reader's wall clock; 0 until the page is hydrated.
    pub fn offset_minutes(self) -> i32 {
        self.offset_minutes.get()
    }

    /// Where and when the reader is; in UTC and American until the page is hydrated.
    pub fn reader(self) -> Reader {
        Reader { now: self.now.get(), offset_minutes: self.offset_minutes.get(), locale: self.locale.get() }
    }

    /// `Nov 20, 2026`.
    pub fn date(self, at: Timestamp) -> String {
        self.reader().date(at)
    }

    /// `3 hours ago`.
    pub fn ago(self, at: Timestamp) -> String {
        self.reader().ago(at)
    }

    /// `3h`.
    pub fn age(self, at: Timestamp) -> String {
        self.reader().age(at)
    }

    /// `7 days`; `None` once it is over.
    pub fn left(self, until: Timestamp) -> Option<String> {
        self.reader().left(until)
    }
}

/// Puts the page's clock into context; in the browser it starts to tick once the page is hydrated.
pub(crate) fn provide_page_clock() {
    let start = use_context::<ServerNow>().map_or_else(crate::platform::now, |now| now.0);
    let clock = PageClock::at(start);
    provide_context(clock);
    // After hydration, so that the first client render equals what the server sent.
    Effect::new(move |_| {
        clock.offset_minutes.set(crate::platform::offset_minutes());
        clock.locale.set(Locale::of(&crate::platform::language()));
        clock.now.set(crate::platform::now());
        let ticking =
            set_interval_with_handle(move || clock.now.set(crate::platform::now()), std::time::Duration::from_secs(1));
        if let Ok(handle) = ticking {
            on_cleanup(move || handle.clear());
        }
    });
}

/// A time of day in the reader's zone (UTC until hydrated), with the full date once it is not today.
#[component]
pub fn LocalTime(at: Timestamp) -> impl IntoView {
    let clock = PageClock::get();
    let text = Memo::new(move |_| clock.reader().clock_time(at));
    let full = format::date_time_utc(at);
    view! { <time class="local" datetime=at.to_string() title=full>{move || text.get()}</time> }
}

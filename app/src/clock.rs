//! The time that the page shows. The server passes in its clock, and the browser makes it tick. No component below reads a clock
//! itself.

use adagent_domain::Timestamp;
use leptos::prelude::*;

use crate::ui::{
    format,
    moment::{Locale, Reader},
};

/// The server's time for this request, provided as context before rendering.
#[derive(Debug, Clone, Copy)]
pub struct ServerNow(pub Timestamp);

/// The current time, the reader's offset from UTC, and the way the reader writes dates.
#[derive(Debug, Clone, Copy)]
pub struct PageClock {
    now: RwSignal<Timestamp>,
    offset_minutes: RwSignal<i32>,
    locale: RwSignal<Locale>,
}

impl PageClock {
    /// Returns the clock of this page. Without one in context, such as in a component test, the clock stands still.
    pub fn get() -> Self {
        use_context().unwrap_or_else(|| Self::at(Timestamp::EPOCH))
    }

    /// Returns a clock that shows this instant until it ticks.
    pub fn at(now: Timestamp) -> Self {
        Self { now: RwSignal::new(now), offset_minutes: RwSignal::new(0), locale: RwSignal::new(Locale::default()) }
    }

    /// Returns the current time. A view that reads it is drawn again every second.
    pub fn now(self) -> Timestamp {
        self.now.get()
    }

    pub fn now_untracked(self) -> Timestamp {
        self.now.get_untracked()
    }

    /// Returns the minutes to add to UTC for the reader's wall clock; 0 until the page is hydrated.
    pub fn offset_minutes(self) -> i32 {
        self.offset_minutes.get()
    }

    /// Returns where and when the reader is; UTC and American English until the page is hydrated.
    pub fn reader(self) -> Reader {
        Reader { now: self.now.get(), offset_minutes: self.offset_minutes.get(), locale: self.locale.get() }
    }

    /// Formats a date, such as `Nov 20, 2026`.
    pub fn date(self, at: Timestamp) -> String {
        self.reader().date(at)
    }

    /// Formats how long ago something was, such as `3 hours ago`.
    pub fn ago(self, at: Timestamp) -> String {
        self.reader().ago(at)
    }

    /// Formats an age, such as `3h`.
    pub fn age(self, at: Timestamp) -> String {
        self.reader().age(at)
    }

    /// Formats the time that is left, such as `7 days`; `None` once the time has passed.
    pub fn left(self, until: Timestamp) -> Option<String> {
        self.reader().left(until)
    }
}

/// Puts the page's clock into context. In the browser, it starts to tick after hydration.
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

/// Shows a time of day in the reader's zone (UTC until hydration), with the full date if the day is not today.
#[component]
pub fn LocalTime(at: Timestamp) -> impl IntoView {
    let clock = PageClock::get();
    let text = Memo::new(move |_| clock.reader().clock_time(at));
    let full = format::date_time_utc(at);
    view! { <time class="local" datetime=at.to_string() title=full>{move || text.get()}</time> }
}

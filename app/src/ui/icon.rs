//! Icons: an enum over the sprite, so that an unknown name does not compile.

use leptos::prelude::*;

/// A symbol of `public/icons.svg`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    Brand,
    Activity,
    Archive,
    ArrowDown,
    ArrowLeft,
    ArrowRight,
    ArrowUp,
    AtSign,
    Ban,
    Bell,
    BookOpenCheck,
    Bookmark,
    Bot,
    Calendar,
    ChartColumn,
    ChartLine,
    Check,
    ChevronDown,
    ChevronRight,
    ChevronUp,
    ChevronsUpDown,
    CircleAlert,
    CircleCheck,
    CircleX,
    Clock,
    CloudOff,
    Copy,
    CornerDownRight,
    Download,
    Ellipsis,
    ExternalLink,
    Eye,
    FileJson,
    Filter,
    FlaskConical,
    GitBranch,
    GitFork,
    GripVertical,
    History,
    House,
    Inbox,
    Info,
    KeyRound,
    Keyboard,
    Layers,
    LibraryBig,
    Link,
    ListTree,
    Loader,
    Lock,
    LogOut,
    Mail,
    Menu,
    MessageSquare,
    PanelRight,
    Pause,
    Pencil,
    Pin,
    Play,
    Plus,
    RefreshCw,
    Route,
    Save,
    Search,
    Settings,
    ShieldAlert,
    ShieldCheck,
    Slash,
    Square,
    SquarePen,
    SunMoon,
    Table2,
    ThumbsDown,
    ThumbsUp,
    Timer,
    Trash2,
    TriangleAlert,
    Undo2,
    Unplug,
    UserPlus,
    Users,
    Wrench,
    X,
    Zap,
}

impl Glyph {
    /// Every symbol, for the gallery and for the test that the sprite has them all.
    pub const ALL: [Self; 84] = [
        Self::Brand,
        Self::Activity,
        Self::Archive,
        Self::ArrowDown,
        Self::ArrowLeft,
        Self::ArrowRight,
        Self::ArrowUp,
        Self::AtSign,
        Self::Ban,
        Self::Bell,
        Self::BookOpenCheck,
        Self::Bookmark,
        Self::Bot,
        Self::Calendar,
        Self::ChartColumn,
        Self::ChartLine,
        Self::Check,
        Self::ChevronDown,
        Self::ChevronRight,
        Self::ChevronUp,
        Self::ChevronsUpDown,
        Self::CircleAlert,
        Self::CircleCheck,
        Self::CircleX,
        Self::Clock,
        Self::CloudOff,
        Self::Copy,
        Self::CornerDownRight,
        Self::Download,
        Self::Ellipsis,
        Self::ExternalLink,
        Self::Eye,
        Self::FileJson,
        Self::Filter,
        Self::FlaskConical,
        Self::GitBranch,
        Self::GitFork,
        Self::GripVertical,
        Self::History,
        Self::House,
        Self::Inbox,
        Self::Info,
        Self::KeyRound,
        Self::Keyboard,
        Self::Layers,
        Self::LibraryBig,
        Self::Link,
        Self::ListTree,
        Self::Loader,
        Self::Lock,
        Self::LogOut,
        Self::Mail,
        Self::Menu,
        Self::MessageSquare,
        Self::PanelRight,
        Self::Pause,
        Self::Pencil,
        Self::Pin,
        Self::Play,
        Self::Plus,
        Self::RefreshCw,
        Self::Route,
        Self::Save,
        Self::Search,
        Self::Settings,
        Self::ShieldAlert,
        Self::ShieldCheck,
        Self::Slash,
        Self::Square,
        Self::SquarePen,
        Self::SunMoon,
        Self::Table2,
        Self::ThumbsDown,
        Self::ThumbsUp,
        Self::Timer,
        Self::Trash2,
        Self::TriangleAlert,
        Self::Undo2,
        Self::Unplug,
        Self::UserPlus,
        Self::Users,
        Self::Wrench,
        Self::X,
        Self::Zap,
    ];

    /// Returns the name of the symbol in the sprite.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brand => "brand",
            Self::Activity => "activity",
            Self::Archive => "archive",
            Self::ArrowDown => "arrow-down",
            Self::ArrowLeft => "arrow-left",
            Self::ArrowRight => "arrow-right",
            Self::ArrowUp => "arrow-up",
            Self::AtSign => "at-sign",
            Self::Ban => "ban",
            Self::Bell => "bell",
            Self::BookOpenCheck => "book-open-check",
            Self::Bookmark => "bookmark",
            Self::Bot => "bot",
            Self::Calendar => "calendar",
            Self::ChartColumn => "chart-column",
            Self::ChartLine => "chart-line",
            Self::Check => "check",
            Self::ChevronDown => "chevron-down",
            Self::ChevronRight => "chevron-right",
            Self::ChevronUp => "chevron-up",
            Self::ChevronsUpDown => "chevrons-up-down",
            Self::CircleAlert => "circle-alert",
            Self::CircleCheck => "circle-check",
            Self::CircleX => "circle-x",
            Self::Clock => "clock",
            Self::CloudOff => "cloud-off",
            Self::Copy => "copy",
            Self::CornerDownRight => "corner-down-right",
            Self::Download => "download",
            Self::Ellipsis => "ellipsis",
            Self::ExternalLink => "external-link",
            Self::Eye => "eye",
            Self::FileJson => "file-json",
            Self::Filter => "filter",
            Self::FlaskConical => "flask-conical",
            Self::GitBranch => "git-branch",
            Self::GitFork => "git-fork",
            Self::GripVertical => "grip-vertical",
            Self::History => "history",
            Self::House => "house",
            Self::Inbox => "inbox",
            Self::Info => "info",
            Self::KeyRound => "key-round",
            Self::Keyboard => "keyboard",
            Self::Layers => "layers",
            Self::LibraryBig => "library-big",
            Self::Link => "link",
            Self::ListTree => "list-tree",
            Self::Loader => "loader",
            Self::Lock => "lock",
            Self::LogOut => "log-out",
            Self::Mail => "mail",
            Self::Menu => "menu",
            Self::MessageSquare => "message-square",
            Self::PanelRight => "panel-right",
            Self::Pause => "pause",
            Self::Pencil => "pencil",
            Self::Pin => "pin",
            Self::Play => "play",
            Self::Plus => "plus",
            Self::RefreshCw => "refresh-cw",
            Self::Route => "route",
            Self::Save => "save",
            Self::Search => "search",
            Self::Settings => "settings",
            Self::ShieldAlert => "shield-alert",
            Self::ShieldCheck => "shield-check",
            Self::Slash => "slash",
            Self::Square => "square",
            Self::SquarePen => "square-pen",
            Self::SunMoon => "sun-moon",
            Self::Table2 => "table-2",
            Self::ThumbsDown => "thumbs-down",
            Self::ThumbsUp => "thumbs-up",
            Self::Timer => "timer",
            Self::Trash2 => "trash-2",
            Self::TriangleAlert => "triangle-alert",
            Self::Undo2 => "undo-2",
            Self::Unplug => "unplug",
            Self::UserPlus => "user-plus",
            Self::Users => "users",
            Self::Wrench => "wrench",
            Self::X => "x",
            Self::Zap => "zap",
        }
    }
}

/// The checksum of the sprite. A changed sprite has another address, so browsers may keep this one forever and can draw its icons
/// while the server cannot be reached.
const VERSION: u32 = checksum(include_bytes!("../../../public/icons.svg"));

/// Computes the FNV-1a hash.
const fn checksum(bytes: &[u8]) -> u32 {
    let (mut sum, mut at) = (0x811c_9dc5_u32, 0);
    while at < bytes.len() {
        sum = (sum ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    sum
}

/// Draws an icon. It is always decoration, so a control without a word needs its own label.
#[component]
pub fn Icon(
    glyph: Glyph,
    #[prop(optional)] small: bool,
    /// More classes: `chevron`, `good`, `bad`, `check-mark`.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let size = if small { " small" } else { "" };
    let space = if class.is_empty() { "" } else { " " };
    view! {
        <svg class=format!("icon{size}{space}{class}") aria-hidden="true">
            <use_ href=format!("/icons.svg?v={VERSION:08x}#{}", glyph.name())></use_>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sprite_holds_every_symbol() {
        let sprite = include_str!("../../../public/icons.svg");
        for glyph in Glyph::ALL {
            let id = glyph.name();
            assert!(sprite.contains(&format!("id=\"{id}\"")), "no symbol {id}");
        }
    }
}

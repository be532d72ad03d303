//! Countries, with their share of the traffic and the value of an impression there.

pub struct Country {
    pub code: &'static str,
    pub name: &'static str,
    /// The share of the traffic, in thousandths.
    pub traffic: f64,
    /// The eCPM relative to the average of the United States.
    pub worth: f64,
}

const fn c(code: &'static str, name: &'static str, traffic: f64, worth: f64) -> Country {
    Country { code, name, traffic, worth }
}

pub const COUNTRIES: [Country; 25] = [
    c("US", "United States", 182.0, 1.0),
    c("IN", "India", 141.0, 0.09),
    c("BR", "Brazil", 88.0, 0.17),
    c("ID", "Indonesia", 66.0, 0.12),
    c("DE", "Germany", 52.0, 0.68),
    c("GB", "United Kingdom", 50.0, 0.74),
    c("JP", "Japan", 46.0, 0.82),
    c("MX", "Mexico", 45.0, 0.21),
    c("FR", "France", 40.0, 0.52),
    c("TR", "Türkiye", 34.0, 0.14),
    c("VN", "Vietnam", 30.0, 0.13),
    c("PH", "Philippines", 29.0, 0.14),
    c("CA", "Canada", 27.0, 0.77),
    c("IT", "Italy", 26.0, 0.41),
    c("ES", "Spain", 24.0, 0.39),
    c("KR", "South Korea", 23.0, 0.71),
    c("PL", "Poland", 18.0, 0.31),
    c("AU", "Australia", 17.0, 0.86),
    c("TH", "Thailand", 16.0, 0.2),
    c("AR", "Argentina", 13.0, 0.13),
    c("NL", "Netherlands", 11.0, 0.6),
    c("SA", "Saudi Arabia", 8.0, 0.38),
    c("SE", "Sweden", 6.0, 0.63),
    c("CH", "Switzerland", 5.0, 0.92),
    c("NO", "Norway", 3.0, 0.81),
];

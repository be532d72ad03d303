//! Metrics of reports and the words for them.

use super::Rows;

/// Phrases that contain a metric's word but name a setting or a concept.
pub const NOT_METRICS: Rows<()> = &[(
    (),
    "cpm floor|bid floor|floor price|flat cpm|expected cpm|target ecpm|target cpm|ecpm floor|cpm price|ecpm price|ecpm target|cpm target|fixed cpm|manual cpm|manual ecpm|default ecpm|ecpm value|cpm value|fill in the|fill in a|fill in my|fill in this|in views|impression goal|impression cap|frequency cap|impression limit|cpm line|impression level",
)];

pub const METRICS: Rows<&'static str> = &[
    (
        "revenue",
        "revenue|rev|revenu|earning|earnings|income|ad income|money|profit|turnover|proceeds|ad revenue|revenues|ad rev|ad earnings|estimated earnings|estimated revenue|payout|sales|monetization revenue|cash|gross",
    ),
    (
        "impressions",
        "impression|imp|impr|ad impression|shows|show count|imprs|impresions|ads shown|ad views served|times shown|how many ads|number of ads|ads displayed|ads served|ads delivered",
    ),
    ("requests", "request|attempt|ad request|req|reqs|adrequest|bid request|ad call|adrequests|number of requests"),
    (
        "fills",
        "fills|matched request|match request|responses|matched ad request|filled request|matches|bid response|response|fill count|matched",
    ),
    ("fill_rate", "fill rate|fillrate|fill|fr|fill ratio|fill percentage|fill percent"),
    ("match_rate", "match rate|matchrate|matching rate|match ratio|match percentage|rate of matched requests"),
    ("show_rate", "show rate|showrate|display rate|render rate|show ratio"),
    (
        "ecpm",
        "ecpm|cpm|rpm|effective cpm|e cpm|ecpms|per mille|average cpm|revenue per mille|revenue per thousand impressions|impression rpm|average ecpm|pays best|pay best|pays more|pay more|per thousand|per thousand impressions|pays the best|pays better|best paying",
    ),
    ("clicks", "click|ad click|taps on ads|clicked ads|tap|tapped|clicked"),
    ("latency", "latency|load latency|ad load latency|ad load time|response latency"),
    ("ctr", "ctr|click through rate|clickthrough rate|click rate|clickthrough|click through"),
    ("views", "views|video views|ad views|view count"),
    ("completes", "completes|completions|completed views|video completes|complete views|completion"),
    ("starts", "starts|video starts|ad starts"),
    ("installs", "installs|installations|installation|install number|install count|install figure|install volume"),
    ("unfilled_impressions", "unfilled impression|unfilled imp|unfilled imps|unfilled"),
    ("viewability", "viewability|active view viewability|active view|viewable rate|viewable impression"),
    ("dau", "dau|daily active user|daily users|daily active|active users"),
    (
        "arpdau",
        "arpdau|revenue per dau|revenue per daily active user|revenue per daily user|average revenue per daily active user|ad arpdau",
    ),
    (
        "impressions_per_dau",
        "impressions per dau|imps per dau|impressions per daily active user|impressions per daily user",
    ),
    ("engaged_users", "engaged user|engaged users"),
    ("revenue_per_engaged_user", "revenue per engaged user|earnings per engaged user"),
    ("ltv", "ltv|lifetime value|life time value"),
    ("retention", "retention|retention rate|retained users"),
    ("impressions_per_user", "impressions per user|imps per user|ads per user|impression per user"),
];

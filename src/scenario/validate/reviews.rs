//! Validates reviews.

use crate::api::sources::{DIRECT_FEEDBACK, GOOGLE};
use crate::dataset::records::{Review, Reviewer, Reviews};
use crate::scenario::diagnostic::Findings;
use crate::scenario::loader::Loader;
use crate::scenario::raw::List;
use crate::scenario::raw_records::{self as raw, Records, ReviewEntry};
use crate::scenario::read::Spanned;
use crate::scenario::seed_data;
use crate::scenario::validate::plan::Surroundings;
use crate::scenario::validate::{
    RecordContext, Unique, dialect, plan, text, warn_if_future_day, warn_no_effect,
};

/// The review ids of an account, which must be unique.
pub(crate) fn new_ids() -> Unique<String> {
    Unique::new("duplicate-id", "review id")
}

/// Validates the reviews of a location; `ids` holds the review ids of its account.
pub(crate) fn validate(
    loader: &mut Loader,
    context: &RecordContext,
    surroundings: Surroundings<'_>,
    list: List<ReviewEntry>,
    ids: &mut Unique<String>,
) -> Vec<Reviews> {
    let mut out = Vec::new();
    let mut given = Vec::new();
    for entry in list {
        match entry.value {
            Records::Given(raw) => given.extend(review(&mut loader.findings, context, raw, ids)),
            Records::File(file) => seed_data::read(loader, file, |findings, raw| {
                given.extend(review(findings, context, raw, ids));
            }),
            Records::Generated(raw) => {
                if !given.is_empty() {
                    out.push(Reviews::Given(std::mem::take(&mut given)));
                }
                out.extend(plan::reviews(loader, context, surroundings, raw).map(Reviews::Generated));
            }
        }
    }
    if !given.is_empty() {
        out.push(Reviews::Given(given));
    }
    out
}

pub(crate) fn review(
    findings: &mut Findings,
    context: &RecordContext,
    raw: raw::Review,
    ids: &mut Unique<String>,
) -> Option<Review> {
    if let Some(id) = &raw.id {
        ids.insert(findings, id.value.0.clone(), id.span);
    }
    if let Some(day) = raw.date {
        warn_if_future_day(findings, context, "date", day);
    }
    if let Some(day) = raw.response_date {
        warn_if_future_day(findings, context, "responseDate", day);
        if raw.response.is_none() {
            warn_no_effect(findings, day.span, "`responseDate` has no effect without `response`");
        }
    }
    let source = match &raw.source {
        Some(name) => dialect::source_index(findings, context, &name.value.0, name.span)?,
        None => context.source(GOOGLE)?,
    };
    let stars = raw.rating?;
    check_rating(findings, context, source, Spanned { span: stars.span, value: stars.value.0 });
    let day = raw.date?.value;
    let response = text(raw.response);
    let extra = raw.extra_params.into_iter().flat_map(|map| map.value.0);
    Some(Review {
        id: text(raw.id),
        rating: u8::try_from(stars.value.0).ok()?,
        day,
        source,
        comments: text(raw.comments),
        title: text(raw.title),
        published: raw.published.is_none_or(|it| it.value),
        response_day: response.as_ref().map(|_| raw.response_date.map_or(day, |day| day.value)),
        response,
        sentiment: raw.sentiment.map(|sentiment| sentiment.value.0),
        mentions: raw.mentions.map_or(1, |mentions| u32::try_from(mentions.value.0).unwrap_or(u32::MAX)),
        reviewer: Reviewer {
            first_name: text(raw.first_name),
            last_name: text(raw.last_name),
            nick_name: text(raw.nick_name),
            thumbnail_url: text(raw.thumbnail_url),
            email_id: text(raw.email_id),
            facebook_id: text(raw.facebook_id),
            city: text(raw.city),
            state: text(raw.state),
        },
        review_url: text(raw.review_url),
        unique_review_url: text(raw.unique_review_url),
        enable_reply: raw.enable_reply.map(|it| it.value),
        customer_id: raw.customer_id.map(|id| id.value.0),
        extra: extra.map(|member| (member.key, member.value.0)).collect(),
    })
}

/// Checks a rating against its source: some sources give stars, some recommendations.
fn check_rating(findings: &mut Findings, context: &RecordContext, source: u16, stars: Spanned<u64>) {
    let Some(source) = context.sources.get(usize::from(source)) else { return };
    if source.alias == DIRECT_FEEDBACK {
        if stars.value != 0 {
            findings.error("wrong-rating", stars.span, "direct feedback has rating 0");
        }
    } else if source.recommendation {
        if stars.value > 1 {
            findings
                .warning(
                    "stars",
                    stars.span,
                    format!(
                        "{} has no stars: a rating there is 1 (recommended) or 0 (not recommended)",
                        source.name
                    ),
                )
                .help("it is served as written");
        }
    } else if stars.value == 0 {
        findings
            .error("wrong-rating", stars.span, format!("a review from {} has 1 to 5 stars", source.name))
            .help("0 is for direct feedback and for sources with recommendations instead of stars");
    }
}

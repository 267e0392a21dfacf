//! Admin handlers for a world's businesses: list them, and score one of them.

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::dates::Day;
use crate::dataset::added::{self, Additions};
use crate::dataset::facts::{BusinessRef, Dataset};
use crate::dataset::insight;
use crate::dataset::records::{Business as Account, Kind, Location as Place};
use crate::dataset::selection::Filter;
use crate::server::admin::error::AdminError;
use crate::server::admin::extract::{PathWorld, Query, WorldPath};
use crate::server::admin::list::{self, Page};
use crate::server::api::build_dataset;
use crate::server::long;

/// An account with its locations.
#[derive(Serialize, ToSchema)]
pub(crate) struct Business {
    number: u64,
    name: String,
    #[serde(rename = "type")]
    kind: BusinessKind,
    /// Number of the reseller above it.
    parent: Option<u64>,
    /// Numbers of its competitors.
    competitors: Vec<u64>,
    locations: Vec<Location>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum BusinessKind {
    Enterprise,
    Reseller,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Location {
    number: u64,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
}

/// The score of a business, and how it came about.
#[derive(Serialize, ToSchema)]
pub(crate) struct Scores {
    business: u64,
    name: String,
    /// The last thirty days by the world's clock.
    recent: PeriodScore,
    /// The last twelve months.
    year: PeriodScore,
    /// Number of all its reviews.
    reviews: usize,
    /// Number of reviews with 0, 1, 2, 3, 4 and 5 stars.
    ratings: [usize; 6],
    /// The last twelve months, the present one last.
    months: Vec<MonthScore>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PeriodScore {
    /// From 0 to 100; 0 without mentions.
    score: f64,
    mentions: u64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MonthScore {
    /// Like `2026-06`.
    month: String,
    #[serde(flatten)]
    score: PeriodScore,
}

/// Lists the businesses of a world: resellers and enterprises, each with its own locations.
#[utoipa::path(get, path = "/__admin/worlds/{world}/businesses", params(WorldPath, Page),
    responses((status = 200, description = "The accounts, in the order of the scenario", body = Vec<Business>)))]
pub(crate) async fn list(
    PathWorld(world): PathWorld,
    Query(page): Query<Page>,
) -> Result<HttpResponse, AdminError> {
    let snapshot = world.snapshot();
    let total = snapshot.businesses().len();
    let places = page.of(0..total);
    list::respond(total, places, move |at| list::json(&snapshot.businesses().get(*at).map(show))).await
}

fn show(account: &Account) -> Business {
    let location = |place: &Place| Location {
        number: place.number,
        name: place.name.clone(),
        city: place.city.clone(),
        state: place.state.clone(),
    };
    Business {
        number: account.number,
        name: account.name.clone(),
        kind: match account.kind {
            Kind::Enterprise => BusinessKind::Enterprise,
            Kind::Reseller => BusinessKind::Reseller,
        },
        parent: account.parent,
        competitors: account.competitors.clone(),
        locations: account.locations.iter().map(location).collect(),
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ScoresQuery {
    /// Number of an account or a location.
    #[param(value_type = u64)]
    business: String,
}

/// Scores a business by its reviews, as the sentiment operations do, in all and by month.
#[utoipa::path(get, path = "/__admin/worlds/{world}/scores", params(WorldPath, ScoresQuery),
    responses((status = 200, description = "The score", body = Scores)))]
pub(crate) async fn scores(
    PathWorld(world): PathWorld,
    Query(query): Query<ScoresQuery>,
) -> Result<web::Json<Scores>, AdminError> {
    let snapshot = world.snapshot();
    build_dataset(&snapshot).await;
    let scores = long::run(move || {
        let dataset = snapshot.dataset();
        let sent = &query.business;
        let business = sent.parse().ok().and_then(|number| dataset.find(number)).ok_or_else(|| {
            let allowed = "the number of an account or a location of this world";
            AdminError::bad_request(format!("business must be {allowed}; it is {sent}."))
        })?;
        let run = world.run();
        let (added, today) = (run.added.read(dataset), run.clock.now().day());
        Ok::<_, AdminError>(score(dataset, added.as_deref(), business, today))
    });
    scores.await?.map(web::Json)
}

/// Days of a recent score.
const RECENT: i32 = 30;
const MONTHS: u32 = 12;

fn score(dataset: &Dataset, added: Option<&Additions>, business: BusinessRef, today: Day) -> Scores {
    let mut locations = dataset.locations_of(business);
    locations.sort_unstable();
    let of = |from: Day, to: Day| {
        let days = Filter { from: Some(from), to: Some(to), ..Filter::default() };
        let total = insight::total(dataset, added, &days, &locations);
        PeriodScore { score: total.tenths().value(), mentions: total.mentions }
    };
    let count = |ratings| {
        let filter = Filter { locations: Some(&locations), ratings, ..Filter::default() };
        added::reviews(dataset, added, &filter, None).count()
    };
    let first = Day(today.0 - i32::from(today.month_and_date().1) + 1);
    let months = (0..MONTHS).rev().map(|before| {
        let from = first.months_before(before);
        let to = if before == 0 { today } else { Day(first.months_before(before - 1).0 - 1) };
        let month = from.iso().chars().take(7).collect();
        MonthScore { month, score: of(from, to) }
    });
    let ratings: [usize; 6] =
        std::array::from_fn(|rating| count(Some(std::array::from_fn(|other| other == rating))));
    let (number, name) = match business {
        BusinessRef::Account(account) => {
            let account = dataset.account(account);
            (account.number, account.name.clone())
        }
        BusinessRef::Location(location) => {
            let location = dataset.location(location);
            (location.number, location.name.clone())
        }
    };
    Scores {
        business: number,
        name,
        recent: of(Day(today.0 - RECENT + 1), today),
        year: of(today.months_before(MONTHS), today),
        reviews: ratings.iter().sum(),
        ratings,
        months: months.collect(),
    }
}

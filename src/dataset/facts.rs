//! The dataset as a whole: businesses and locations by number, the hierarchy of accounts, and the columns over their
//! records.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::api::dates::Day;
use crate::api::sources::Source;
use crate::clock::Moment;
use crate::dataset::contact_reviews::ContactReviews;
use crate::dataset::contacts::Contacts;
use crate::dataset::ids::IdIndexes;
use crate::dataset::questions::Questions;
use crate::dataset::records::{Business, Kind, Location};
use crate::dataset::reviews::Reviews;
use crate::draw::Seed;

static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// The facts of one scenario under one seed. Immutable.
#[derive(Debug)]
pub(crate) struct Dataset {
    /// Distinguishes the datasets of the process. No answer depends on it.
    pub(crate) number: u64,
    pub(crate) seed: Seed,
    /// The day on which the scenario's clock starts. Generated records depend on it, never on the instant.
    pub(crate) today: Day,
    /// The instant at which it starts, to which relative instants refer.
    pub(crate) now: Moment,
    pub(crate) sources: Vec<Source>,
    pub(crate) reviews: Reviews,
    pub(crate) questions: Questions,
    pub(crate) contacts: Contacts,
    pub(super) contact_reviews: ContactReviews,
    pub(super) ids: IdIndexes,
    businesses: Arc<Vec<Business>>,
    /// Each location as (business, index within it); the locations of a business are adjacent.
    locations: Vec<(u32, u32)>,
    /// The locations of business `b` are `starts[b]..starts[b + 1]`.
    starts: Vec<u32>,
    /// Every business number, ascending.
    numbers: Vec<(u64, BusinessRef)>,
}

/// A business, as an index into the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BusinessRef {
    /// An enterprise or a reseller.
    Account(u32),
    Location(u32),
}

impl Dataset {
    /// Builds the dataset. The loader has checked all references. `done` is updated with the number of reviews built so
    /// far.
    pub(crate) fn build(
        seed: Seed,
        now: Moment,
        businesses: Arc<Vec<Business>>,
        sources: Vec<Source>,
        done: &AtomicU64,
    ) -> Self {
        let mut locations = Vec::new();
        let mut starts = vec![0];
        let mut numbers = Vec::new();
        for (account, business) in (0..).zip(businesses.iter()) {
            numbers.push((business.number, BusinessRef::Account(account)));
            for (at, location) in (0..).zip(&business.locations) {
                numbers.push((location.number, BusinessRef::Location(length(&locations))));
                locations.push((account, at));
            }
            starts.push(length(&locations));
        }
        numbers.sort_unstable_by_key(|(number, _)| *number);
        let records = businesses.iter().flat_map(|business| {
            business.locations.iter().map(|location| (location, business.category.as_str()))
        });
        let records: Vec<(&Location, &str)> = records.collect();
        let today = now.day();
        let reviews = Reviews::build(seed, today, &records, &sources, done);
        let questions = Questions::build(seed, now, &records);
        let contacts = Contacts::build(seed, today, &businesses);
        let contact_reviews = ContactReviews::new(seed, &businesses);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Self {
            number,
            seed,
            today,
            now,
            sources,
            reviews,
            questions,
            contacts,
            contact_reviews,
            ids: IdIndexes::default(),
            businesses,
            locations,
            starts,
            numbers,
        }
    }

    /// Looks up a business by number.
    pub(crate) fn find(&self, number: i64) -> Option<BusinessRef> {
        let number = u64::try_from(number).ok()?;
        let at = self.numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(self.numbers[at].1)
    }

    /// Looks up a location by number.
    pub(crate) fn location_at(&self, number: u64) -> Option<u32> {
        match self.find(i64::try_from(number).ok()?)? {
            BusinessRef::Location(location) => Some(location),
            BusinessRef::Account(_) => None,
        }
    }

    pub(crate) fn account(&self, account: u32) -> &Business {
        &self.businesses[account as usize]
    }

    pub(crate) fn location(&self, location: u32) -> &Location {
        let (account, at) = self.locations[location as usize];
        &self.account(account).locations[at as usize]
    }

    /// The account that a location belongs to.
    pub(crate) fn account_of(&self, location: u32) -> u32 {
        self.locations[location as usize].0
    }

    /// The account itself, or the one that the location belongs to.
    pub(crate) fn account_at(&self, business: BusinessRef) -> u32 {
        match business {
            BusinessRef::Account(account) => account,
            BusinessRef::Location(location) => self.account_of(location),
        }
    }

    /// All accounts.
    pub(crate) fn accounts(&self) -> impl Iterator<Item = u32> + use<> {
        0..length(&self.businesses)
    }

    /// Whether an account is `above`, or stands below it.
    pub(crate) fn is_under(&self, account: u32, above: u32) -> bool {
        let mut at = Some(account);
        for _ in 0..self.businesses.len() {
            match at {
                Some(found) if found == above => return true,
                Some(found) => at = self.parent(found),
                None => return false,
            }
        }
        false
    }

    /// The reseller above an account.
    pub(crate) fn parent(&self, account: u32) -> Option<u32> {
        let number = self.account(account).parent?;
        match self.find(i64::try_from(number).ok()?)? {
            BusinessRef::Account(parent) => Some(parent),
            BusinessRef::Location(_) => None,
        }
    }

    /// The locations of a business, ascending: a location itself, those of an account, or those of all accounts under a
    /// reseller.
    pub(crate) fn locations_of(&self, business: BusinessRef) -> Vec<u32> {
        let mut locations = Vec::new();
        self.add_locations_of(business, &mut locations);
        locations
    }

    /// Appends the locations of a business to a list.
    pub(crate) fn add_locations_of(&self, business: BusinessRef, locations: &mut Vec<u32>) {
        match business {
            BusinessRef::Location(location) => locations.push(location),
            BusinessRef::Account(account) if self.account(account).kind == Kind::Reseller => {
                let under = self.accounts().filter(|other| self.is_under(*other, account));
                locations.extend(under.flat_map(|account| self.span(account)));
            }
            BusinessRef::Account(account) => locations.extend(self.span(account)),
        }
    }

    /// The account's own locations, without those of accounts below it.
    pub(crate) fn span(&self, account: u32) -> std::ops::Range<u32> {
        self.starts[account as usize]..self.starts[account as usize + 1]
    }

    pub(crate) fn location_count(&self) -> usize {
        self.locations.len()
    }
}

fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(crate) mod fixture {
    //! Small datasets for tests.

    use std::collections::BTreeMap;

    use super::*;
    use crate::api::sources;
    use crate::dataset::records::{Locale, ReviewPlan, Reviews, Shape};
    use crate::dataset::when::DayRange;

    /// One account (100) with two locations (1, 2), each with half of the generated reviews.
    pub(crate) fn generated(count: u32) -> Dataset {
        let plan = ReviewPlan {
            count: count / 2,
            ratings: [5, 5, 10, 25, 55],
            sources: vec![(0, 60), (1, 25), (24, 10), (25, 5)],
            dates: DayRange { from: Some(Day(20_000).into()), to: Day(20_364).into() },
            published: 900_000,
            responded: 400_000,
            locales: vec![(Locale::En, 4), (Locale::Ja, 1)],
            about: 0,
            shape: Shape::Steady,
            locals: 900_000,
            nasty: 20_000,
        };
        let location = |number| Location {
            number,
            name: format!("L{number}"),
            city: None,
            state: None,
            country: None,
            levels: BTreeMap::new(),
            reviews: vec![Reviews::Generated(plan.clone())],
            questions: Vec::new(),
        };
        Dataset::build(
            Seed(1),
            Day(20_364).start(),
            Arc::new(vec![business(100, vec![location(1), location(2)])]),
            sources::built_in(),
            &AtomicU64::new(0),
        )
    }

    /// An enterprise with those locations.
    pub(crate) fn business(number: u64, locations: Vec<Location>) -> Business {
        Business {
            number,
            name: format!("B{number}"),
            kind: Kind::Enterprise,
            parent: None,
            category: "hotel".to_owned(),
            industry_score: None,
            city: None,
            state: None,
            country: None,
            text_categorisation: false,
            users: Vec::new(),
            levels: Vec::new(),
            competitors: Vec::new(),
            locations,
            contacts: Vec::new(),
            contact_plans: Vec::new(),
        }
    }
}

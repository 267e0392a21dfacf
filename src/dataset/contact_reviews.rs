//! Which generated reviews are by contacts that the scenario gives. It does not depend on how many reviews there are, so that a
//! larger `generate` keeps the earlier reviews with their authors.

use std::collections::{BTreeMap, BTreeSet};

use crate::dataset::people::Person;
use crate::dataset::records::{Business, Contact, Location, Reviews, Shape};
use crate::draw::{Draw, Seed};

/// One generated review in so many is by a contact, while there are contacts of its location.
const EVERY: u32 = 12;

/// The generated reviews that are by contacts, each as location, entry and index within the entry, ascending, with the index of the
/// contact among those that the account's scenario gives. There are at most as many as `businessIds` of contacts.
#[derive(Debug, Default)]
pub(crate) struct ContactReviews(Vec<((u32, u32, u32), u32)>);

/// A location while its contacts are counted.
struct Place {
    /// Index among the dataset's locations.
    index: u32,
    number: u64,
    /// Its entries with generated reviews that contacts may write, and how many each has.
    plans: Vec<(u32, u32)>,
    contacts: u32,
}

impl ContactReviews {
    pub(crate) fn new(seed: Seed, businesses: &[Business]) -> Self {
        let mut all = Vec::new();
        let mut indexes = 0..;
        for business in businesses {
            let places = business.locations.iter().zip(&mut indexes);
            let mut places: BTreeMap<u64, Place> =
                places.map(|(location, index)| (location.number, Place::new(index, location))).collect();
            for (contact, record) in (0..).zip(&business.contacts).filter(|(_, contact)| contact.has_name()) {
                let numbers: BTreeSet<u64> = record.business_ids.iter().copied().collect();
                for number in numbers {
                    let Some(place) = places.get_mut(&number) else { continue };
                    let review = place.review_of(seed, place.contacts);
                    place.contacts += 1;
                    all.extend(review.map(|(entry, index)| ((place.index, entry, index), contact)));
                }
            }
        }
        all.sort_unstable();
        Self(all)
    }

    /// The index of the contact who wrote the review at an index of a location's entry.
    pub(crate) fn author(&self, location: u32, entry: u32, index: u32) -> Option<u32> {
        let at = self.0.binary_search_by_key(&(location, entry, index), |(review, _)| *review).ok()?;
        Some(self.0[at].1)
    }
}

impl Place {
    fn new(index: u32, location: &Location) -> Self {
        let plans = (0..).zip(&location.reviews).filter_map(|(entry, reviews)| match reviews {
            Reviews::Generated(plan) if plan.shape != Shape::Bomb => Some((entry, plan.count)),
            // A bomb is thrown by strangers.
            Reviews::Generated(_) | Reviews::Given(_) => None,
        });
        Self { index, number: location.number, plans: plans.collect(), contacts: 0 }
    }

    /// The review of a contact by its number among the location's, as entry and index. The contacts take turns at the entries, and at
    /// each entry a contact has so many indexes of its own.
    fn review_of(&self, seed: Seed, contact: u32) -> Option<(u32, u32)> {
        let turns = u32::try_from(self.plans.len()).ok()?;
        let (entry, reviews) = *self.plans.get(contact.checked_rem(turns)? as usize)?;
        let mut draw = Draw::new(seed, "contact review").with(self.number).with(contact.into());
        let within = u32::try_from(draw.below(EVERY.into())).ok()?;
        let index = (contact / turns).checked_mul(EVERY)?.checked_add(within)?;
        (index < reviews).then_some((entry, index))
    }
}

impl Contact {
    /// Whether both names are known, so that it can be the author of a review.
    fn has_name(&self) -> bool {
        self.first_name.is_some() && self.last_name.is_some()
    }

    /// Its name.
    pub(crate) fn person(&self) -> Person<'_> {
        let [first, last] =
            [&self.first_name, &self.last_name].map(|name| name.as_deref().unwrap_or_default());
        Person { first, last }
    }
}

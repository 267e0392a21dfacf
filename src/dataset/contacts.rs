//! The contacts of a scenario, and the lookup of a contact by its identifiers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::api::dates::Day;
use crate::api::fold::fold;
use crate::api::phone::{COUNTRIES, comparable};
use crate::dataset::generated::{Record, pick_weighted};
use crate::dataset::people::{elsewhere, person, phone};
use crate::dataset::records::{Business, Contact, ContactPlan, CustomField, Locale};
use crate::dataset::text::Text;
use crate::draw::Seed;
use crate::memory::{heap, texts};

/// A value by which a contact is found, in a form that can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity {
    /// `externalId`, unchanged.
    External(String),
    /// `email`, folded for comparison without case.
    Email(String),
    /// `phone`, normalised with its country.
    Phone(String),
}

impl Identity {
    pub(crate) fn email(email: &str) -> Self {
        Self::Email(fold(email.trim()))
    }

    /// The identity of a phone number. The country defaults to the first of [`COUNTRIES`].
    pub(crate) fn phone(phone: &str, country: Option<&str>) -> Self {
        Self::Phone(comparable(phone, country.unwrap_or(COUNTRIES[0])))
    }

    /// The identities of a contact, in the order in which they are tried.
    pub(crate) fn of(contact: &Contact) -> Vec<Self> {
        let external = contact.external_id.clone().map(Self::External);
        let email = contact.email.as_deref().map(Self::email);
        let country = contact.country_code.as_deref();
        let phone = contact.phone.as_deref().map(|phone| Self::phone(phone, country));
        [external, email, phone].into_iter().flatten().collect()
    }
}

impl Contact {
    /// About how many bytes it takes in a `ContactIndex`.
    pub(crate) fn size(&self) -> usize {
        // An identity is indexed by its text, in a node with a set of ids that has a node of its own.
        let identities = [&self.external_id, &self.email, &self.phone];
        let indexed = identities.into_iter().flatten().map(|text| 240 + heap(text.len())).sum::<usize>();
        let names = [&self.first_name, &self.last_name, &self.country_code];
        let tag = |tag: &String| size_of::<String>() + heap(tag.len());
        let field = |field: &CustomField| {
            let CustomField { name, kind, value } = field;
            size_of::<CustomField>() + heap(name.len()) + heap(kind.len()) + heap(value.len())
        };
        size_of::<Self>()
            + 100
            + texts(identities)
            + indexed
            + texts(names)
            + heap(size_of::<u64>() * self.business_ids.len())
            + self.tags.iter().map(tag).sum::<usize>()
            + self.custom_fields.iter().map(field).sum::<usize>()
    }
}

/// The contacts of one enterprise, indexed by id and by identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactIndex {
    contacts: BTreeMap<u64, Arc<Contact>>,
    by_identity: BTreeMap<Identity, BTreeSet<u64>>,
}

impl ContactIndex {
    /// Removes a contact, and returns it.
    pub(crate) fn remove(&mut self, id: u64) -> Option<Arc<Contact>> {
        let earlier = self.contacts.remove(&id)?;
        for identity in Identity::of(&earlier) {
            if let Some(ids) = self.by_identity.get_mut(&identity) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.by_identity.remove(&identity);
                }
            }
        }
        Some(earlier)
    }

    /// Inserts a contact, or replaces the one with its id.
    pub(crate) fn put(&mut self, contact: Contact) {
        self.remove(contact.id);
        for identity in Identity::of(&contact) {
            self.by_identity.entry(identity).or_default().insert(contact.id);
        }
        self.contacts.insert(contact.id, Arc::new(contact));
    }

    pub(crate) fn get(&self, id: u64) -> Option<&Contact> {
        self.contacts.get(&id).map(Arc::as_ref)
    }

    /// The ids of the contacts with that identity, ascending.
    pub(crate) fn find(&self, identity: &Identity) -> impl Iterator<Item = u64> {
        self.by_identity.get(identity).into_iter().flatten().copied()
    }

    /// All contacts, ordered by id.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Contact>> {
        self.contacts.values()
    }

    pub(crate) fn len(&self) -> usize {
        self.contacts.len()
    }
}

/// The contacts of all enterprises.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    by_enterprise: BTreeMap<u64, ContactIndex>,
}

const CONTACT: &str = "contact-record";
/// Tags of generated contacts.
const TAGS: [&str; 6] = ["vip", "new", "newsletter", "referral", "returning", "needs follow-up"];

impl Contacts {
    /// Collects the given contacts of all businesses, and generates the others.
    pub(crate) fn build(seed: Seed, today: Day, businesses: &[Business]) -> Self {
        let mut by_enterprise = BTreeMap::new();
        for business in businesses {
            let generated = (0..).zip(&business.contact_plans).flat_map(|(entry, plan)| {
                (0..plan.count).map(move |index| {
                    generated(business, plan, &Record::new(seed, CONTACT, business.number, entry, index))
                })
            });
            for mut contact in generated.chain(business.contacts.iter().cloned()) {
                contact.country_code.get_or_insert_with(|| COUNTRIES[0].to_owned());
                contact.custom_fields.iter_mut().for_each(|field| field.resolve(today));
                by_enterprise.entry(business.number).or_insert_with(ContactIndex::default).put(contact);
            }
        }
        Self { by_enterprise }
    }

    pub(crate) fn of(&self, enterprise: u64) -> Option<&ContactIndex> {
        self.by_enterprise.get(&enterprise)
    }
}

/// Generates a contact, who lives where its location is.
fn generated(business: &Business, plan: &ContactPlan, record: &Record) -> Contact {
    let mut draw = record.facts();
    let locale = plan.locales.get(pick_weighted(plan.locales.iter().map(|(_, weight)| *weight), &mut draw));
    let locale = locale.map_or(Locale::En, |(locale, _)| *locale);
    let person = person(locale, &mut draw);
    let number = draw.below(9_999);
    let location = draw.pick(&business.locations);
    let home =
        location.map_or_else(|| elsewhere(locale, &mut draw.with(0)), |location| location.home(locale));
    let country = location.and_then(|location| location.country.as_deref()).unwrap_or(COUNTRIES[0]);
    let location = location.map_or(business.number, |location| location.number);
    let tags = draw.pick(&TAGS).filter(|_| number.is_multiple_of(2)).map(|tag| (*tag).to_owned());
    Contact {
        id: record.id(),
        first_name: Some(person.first.to_owned()),
        last_name: Some(person.last.to_owned()),
        email: Some(Text::Address(person.first, person.last, number).to_string()),
        phone: phone(country, home, &mut draw),
        country_code: Some(country.to_owned()).filter(|country| COUNTRIES.contains(&country.as_str())),
        sms_optin: Some(draw.below(2) == 0),
        blocked: Some(draw.below(40) == 0),
        business_ids: vec![location],
        tags: tags.into_iter().collect(),
        ..Contact::default()
    }
}

//! Contacts that are there from the start, and how a contact is found by what identifies it.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::fold::fold;
use crate::api::phone::{COUNTRIES, comparable};
use crate::dataset::generated::{Record, pick_weighted};
use crate::dataset::people::person;
use crate::dataset::records::{Business, Contact, ContactPlan, Locale};
use crate::dataset::text::Text;
use crate::draw::Seed;

/// One of the values by which a contact is found, in a form that compares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity {
    /// `externalId`, as it is.
    External(String),
    /// `email`, without case.
    Email(String),
    /// `phone`, normalised with its country.
    Phone(String),
}

impl Identity {
    /// That of an email address.
    #[must_use]
    pub fn email(email: &str) -> Self {
        Self::Email(fold(email.trim()))
    }

    /// That of a phone number; the country defaults to the first of [`COUNTRIES`].
    #[must_use]
    pub fn phone(phone: &str, country: Option<&str>) -> Self {
        Self::Phone(comparable(phone, country.unwrap_or(COUNTRIES[0])))
    }

    /// Those of a contact, in the order in which they are tried.
    #[must_use]
    pub fn of(contact: &Contact) -> Vec<Self> {
        let external = contact.external_id.clone().map(Self::External);
        let email = contact.email.as_deref().map(Self::email);
        let country = contact.country_code.as_deref();
        let phone = contact.phone.as_deref().map(|phone| Self::phone(phone, country));
        [external, email, phone].into_iter().flatten().collect()
    }
}

/// Contacts of one enterprise, by id and by identity.
#[derive(Clone, Debug, Default)]
pub struct Register {
    contacts: BTreeMap<u64, Contact>,
    known: BTreeMap<Identity, BTreeSet<u64>>,
}

impl Register {
    /// Puts a contact in, in place of the one of its id.
    pub fn put(&mut self, contact: Contact) {
        if let Some(earlier) = self.contacts.remove(&contact.id) {
            for identity in Identity::of(&earlier) {
                if let Some(ids) = self.known.get_mut(&identity) {
                    ids.remove(&contact.id);
                }
            }
        }
        for identity in Identity::of(&contact) {
            self.known.entry(identity).or_default().insert(contact.id);
        }
        self.contacts.insert(contact.id, contact);
    }

    /// The contact of that id.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<&Contact> {
        self.contacts.get(&id)
    }

    /// The ids of the contacts with that identity, ascending.
    pub fn find(&self, identity: &Identity) -> impl Iterator<Item = u64> {
        self.known.get(identity).into_iter().flatten().copied()
    }

    /// All of them, by id.
    pub fn all(&self) -> impl Iterator<Item = &Contact> {
        self.contacts.values()
    }
}

/// The contacts of every enterprise that has any.
#[derive(Debug, Default)]
pub struct Contacts {
    registers: BTreeMap<u64, Register>,
}

const CONTACT: &str = "contact-record";
/// What a generated contact may be tagged with.
const TAGS: [&str; 6] = ["vip", "new", "newsletter", "referral", "returning", "needs follow-up"];

impl Contacts {
    /// Those of all businesses, given and generated.
    #[must_use]
    pub fn build(seed: Seed, businesses: &[Business]) -> Self {
        let mut registers = BTreeMap::new();
        for business in businesses {
            let generated = (0..).zip(&business.contact_plans).flat_map(|(place, plan)| {
                (0..plan.count).map(move |index| {
                    generated(business, plan, &Record::new(seed, CONTACT, business.number, place, index))
                })
            });
            for mut contact in generated.chain(business.contacts.iter().cloned()) {
                contact.country_code.get_or_insert_with(|| COUNTRIES[0].to_owned());
                registers.entry(business.number).or_insert_with(Register::default).put(contact);
            }
        }
        Self { registers }
    }

    /// Those of an enterprise.
    #[must_use]
    pub fn of(&self, enterprise: u64) -> Option<&Register> {
        self.registers.get(&enterprise)
    }
}

/// A contact of some location, with an address, a phone number of the fictitious range 555-01xx, and a few flags.
fn generated(business: &Business, plan: &ContactPlan, record: &Record) -> Contact {
    let mut draw = record.facts();
    let locale = plan.locales.get(pick_weighted(plan.locales.iter().map(|(_, weight)| *weight), &mut draw));
    let person = person(locale.map_or(Locale::En, |(locale, _)| *locale), &mut draw);
    let number = draw.below(9_999);
    let location = draw.pick(&business.locations).map_or(business.number, |location| location.number);
    let tags = draw.pick(&TAGS).filter(|_| number.is_multiple_of(2)).map(|tag| (*tag).to_owned());
    Contact {
        id: record.id(),
        first_name: Some(person.first.to_owned()),
        last_name: Some(person.last.to_owned()),
        email: Some(Text::Address(person.first, person.last, number).to_string()),
        phone: Some(format!("+1 {} 555 01{:02}", 201 + draw.below(780), draw.below(100))),
        country_code: Some(COUNTRIES[0].to_owned()),
        sms_optin: Some(draw.below(2) == 0),
        blocked: Some(draw.below(40) == 0),
        business_ids: vec![location],
        tags: tags.into_iter().collect(),
        ..Contact::default()
    }
}

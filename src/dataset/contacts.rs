//! Contacts that are there from the start, and how a contact is found by what identifies it.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::fold::fold;
use crate::api::phone::{COUNTRIES, comparable};
use crate::dataset::records::{Business, Contact};

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

impl Contacts {
    /// Those of all businesses.
    #[must_use]
    pub fn build(businesses: &[Business]) -> Self {
        let mut registers = BTreeMap::new();
        for business in businesses.iter().filter(|business| !business.contacts.is_empty()) {
            let register: &mut Register = registers.entry(business.number).or_default();
            business.contacts.iter().cloned().for_each(|contact| register.put(contact));
        }
        Self { registers }
    }

    /// Those of an enterprise.
    #[must_use]
    pub fn of(&self, enterprise: u64) -> Option<&Register> {
        self.registers.get(&enterprise)
    }
}

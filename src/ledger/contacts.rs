//! The contacts that clients wrote, which override those of the dataset.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::api::ids::draw_free;
use crate::dataset::contacts::{ContactIndex, Identity};
use crate::dataset::records::{Contact, Preferences};
use crate::draw::{Draw, Seed};

/// The fields given in an upsert. An absent field leaves a stored contact unchanged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    pub(crate) id: Option<i64>,
    pub(crate) first_name: Option<String>,
    pub(crate) last_name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) country_code: Option<String>,
    pub(crate) sms_optin: Option<bool>,
    pub(crate) blocked: Option<bool>,
    pub(crate) business_ids: Vec<u64>,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) custom_fields: Option<Vec<crate::dataset::records::CustomField>>,
    pub(crate) external_id: Option<String>,
    pub(crate) email_preferences: Option<Preferences>,
    pub(crate) sms_preferences: Option<Preferences>,
}

/// The result of applying a change.
#[derive(Debug)]
pub(crate) struct Upsert {
    /// The contact after the change.
    pub(crate) contact: Contact,
    pub(crate) created: bool,
    /// Another contact to which one of the identifiers already belongs.
    pub(crate) other: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct WrittenContacts {
    written: BTreeMap<u64, ContactIndex>,
    /// Ids of removed contacts by enterprise.
    removed: BTreeMap<u64, BTreeSet<u64>>,
}

/// The contacts of one enterprise: those of the dataset, overridden by those that were written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactView<'a> {
    seeded: Option<&'a ContactIndex>,
    written: Option<&'a ContactIndex>,
    removed: Option<&'a BTreeSet<u64>>,
}

impl<'a> ContactView<'a> {
    fn is_removed(&self, id: u64) -> bool {
        self.removed.is_some_and(|removed| removed.contains(&id))
    }

    pub(crate) fn get(&self, id: u64) -> Option<&'a Contact> {
        if self.is_removed(id) {
            return None;
        }
        let written = self.written.and_then(|written| written.get(id));
        written.or_else(|| self.seeded.and_then(|seeded| seeded.get(id)))
    }

    /// The contact with the lowest id among those with an identity.
    fn find(&self, identity: &Identity) -> Option<&'a Contact> {
        let written = self.written.into_iter().flat_map(|written| written.find(identity));
        let stale =
            |id: &u64| self.is_removed(*id) || self.written.is_some_and(|written| written.get(*id).is_some());
        let seeded = self.seeded.into_iter().flat_map(|seeded| seeded.find(identity)).filter(|id| !stale(id));
        written.chain(seeded).min().and_then(|id| self.get(id))
    }

    /// All contacts, ordered by id.
    pub(crate) fn all(&self) -> Vec<&'a Arc<Contact>> {
        let mut all: BTreeMap<u64, &Arc<Contact>> = BTreeMap::new();
        for register in [self.seeded, self.written].into_iter().flatten() {
            let kept = register.all().filter(|contact| !self.is_removed(contact.id));
            all.extend(kept.map(|contact| (contact.id, contact)));
        }
        all.into_values().collect()
    }

    /// Applies a change to the contact that the first of id, externalId, email and phone finds, else to a new contact. None
    /// if an id is given and no contact has it.
    pub(crate) fn upsert(&self, seed: Seed, enterprise: u64, change: &Change) -> Option<Upsert> {
        let named = Contact {
            external_id: change.external_id.clone(),
            email: change.email.clone(),
            phone: change.phone.clone(),
            country_code: change.country_code.clone(),
            ..Contact::default()
        };
        let identities = Identity::of(&named);
        let by_id = match change.id {
            Some(id) => Some(u64::try_from(id).ok().and_then(|id| self.get(id))?),
            None => None,
        };
        let mut found = by_id.into_iter().chain(identities.iter().filter_map(|identity| self.find(identity)));
        let first = found.next();
        let other = first.and_then(|first| found.map(|contact| contact.id).find(|id| *id != first.id));
        let contact = match first {
            Some(contact) => contact.clone(),
            None => Contact { id: self.free_id(seed, enterprise, identities.first()), ..Contact::default() },
        };
        Some(Upsert { contact: change.apply_to(contact), created: first.is_none(), other })
    }

    /// Draws an id from the contact's first identity. If it is taken, this is the next free id.
    fn free_id(&self, seed: Seed, enterprise: u64, identity: Option<&Identity>) -> u64 {
        let (kind, text) = match identity {
            Some(Identity::External(text)) => (1, text.as_str()),
            Some(Identity::Email(text)) => (2, text.as_str()),
            Some(Identity::Phone(text)) => (3, text.as_str()),
            None => (0, ""),
        };
        let draw = Draw::new(seed, "contact").with(enterprise).with(kind).with_text(text);
        draw_free(draw, |id| self.get(id).is_some())
    }
}

impl WrittenContacts {
    /// The contacts of an enterprise; `seeded` are those of the dataset.
    pub(crate) fn of<'a>(&'a self, enterprise: u64, seeded: Option<&'a ContactIndex>) -> ContactView<'a> {
        ContactView { seeded, written: self.written.get(&enterprise), removed: self.removed.get(&enterprise) }
    }

    /// The written contacts of an enterprise, ordered by id.
    pub(crate) fn written(&self, enterprise: u64) -> Vec<Arc<Contact>> {
        self.written.get(&enterprise).into_iter().flat_map(ContactIndex::all).cloned().collect()
    }

    /// Ids of the removed contacts of an enterprise.
    pub(crate) fn removed(&self, enterprise: u64) -> BTreeSet<u64> {
        self.removed.get(&enterprise).cloned().unwrap_or_default()
    }

    /// Removes a contact, and returns what was written of it.
    pub(super) fn remove(&mut self, enterprise: u64, id: u64) -> Option<Arc<Contact>> {
        self.removed.entry(enterprise).or_default().insert(id);
        self.written.get_mut(&enterprise)?.remove(id)
    }

    /// Puts a removed contact back, and what was written of it. Not if it was written again since.
    pub(super) fn put_back(&mut self, enterprise: u64, id: u64, written: Option<Arc<Contact>>) {
        if self.removed.get_mut(&enterprise).is_some_and(|removed| removed.remove(&id))
            && let Some(written) = written
        {
            self.written.entry(enterprise).or_default().put(Arc::unwrap_or_clone(written));
        }
    }

    /// Ids of all removed contacts, by the number of their enterprise.
    pub(super) const fn all_removed(&self) -> &BTreeMap<u64, BTreeSet<u64>> {
        &self.removed
    }

    /// All written contacts, by the number of their enterprise.
    pub(super) fn all(&self) -> impl Iterator<Item = (u64, Vec<Contact>)> {
        let contacts = |index: &ContactIndex| index.all().map(|contact| Contact::clone(contact)).collect();
        self.written.iter().map(move |(enterprise, index)| (*enterprise, contacts(index)))
    }

    pub(super) fn put(&mut self, enterprise: u64, contact: Contact) {
        if let Some(removed) = self.removed.get_mut(&enterprise) {
            removed.remove(&contact.id);
        }
        self.written.entry(enterprise).or_default().put(contact);
    }
}

impl Change {
    /// Applies the given fields to a contact. Arrays replace; empty business ids are ignored.
    fn apply_to(&self, mut contact: Contact) -> Contact {
        fn put<T: Clone>(field: &mut Option<T>, given: Option<&T>) {
            if let Some(given) = given {
                *field = Some(given.clone());
            }
        }
        put(&mut contact.first_name, self.first_name.as_ref());
        put(&mut contact.last_name, self.last_name.as_ref());
        put(&mut contact.email, self.email.as_ref());
        put(&mut contact.phone, self.phone.as_ref());
        put(&mut contact.country_code, self.country_code.as_ref());
        put(&mut contact.sms_optin, self.sms_optin.as_ref());
        put(&mut contact.blocked, self.blocked.as_ref());
        put(&mut contact.external_id, self.external_id.as_ref());
        if !self.business_ids.is_empty() {
            contact.business_ids.clone_from(&self.business_ids);
        }
        contact.tags = self.tags.clone().unwrap_or(contact.tags);
        contact.custom_fields = self.custom_fields.clone().unwrap_or(contact.custom_fields);
        contact.email_preferences = merge(contact.email_preferences, self.email_preferences);
        contact.sms_preferences = merge(contact.sms_preferences, self.sms_preferences);
        contact
    }
}

/// Merges flag by flag: a given flag replaces, an omitted one stays.
fn merge(stored: Option<Preferences>, given: Option<Preferences>) -> Option<Preferences> {
    let (Some(stored), Some(given)) = (stored, given) else { return given.or(stored) };
    Some(Preferences {
        marketing_optin: given.marketing_optin.or(stored.marketing_optin),
        feedback_optin: given.feedback_optin.or(stored.feedback_optin),
        service_optin: given.service_optin.or(stored.service_optin),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ids::ID_LIMIT;

    fn change(email: &str, phone: &str) -> Change {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Change { email: given(email), phone: given(phone), ..Change::default() }
    }

    fn write(book: &mut WrittenContacts, change: &Change) -> Upsert {
        let upsert = book.of(100, None).upsert(Seed(1), 100, change).unwrap();
        book.put(100, upsert.contact.clone());
        upsert
    }

    #[test]
    fn the_first_identifier_that_finds_a_contact_wins_and_the_other_is_told() {
        let mut book = WrittenContacts::default();
        let ann = write(&mut book, &change("ann@x.test", "")).contact.id;
        let bob = write(&mut book, &change("", "2125550100")).contact.id;
        let both = write(&mut book, &change("ANN@x.test", "+1 212 555 0100"));
        assert_eq!((both.contact.id, both.created, both.other), (ann, false, Some(bob)));
        assert_eq!(both.contact.phone.as_deref(), Some("+1 212 555 0100"));
    }

    #[test]
    fn an_id_that_finds_none_is_no_contact_but_other_identifiers_fall_through() {
        let book = WrittenContacts::default();
        let unknown = Change { id: Some(5), ..change("ann@x.test", "") };
        assert!(book.of(100, None).upsert(Seed(1), 100, &unknown).is_none());
        let external = Change { external_id: Some("E1".to_owned()), ..change("ann@x.test", "") };
        assert!(book.of(100, None).upsert(Seed(1), 100, &external).unwrap().created);
    }

    #[test]
    fn a_new_id_depends_on_seed_enterprise_and_identity_alone() {
        let book = WrittenContacts::default();
        let id = |seed, enterprise, email| {
            book.of(enterprise, None).upsert(Seed(seed), enterprise, &change(email, "")).unwrap().contact.id
        };
        assert_eq!(id(1, 100, "a@x.test"), id(1, 100, "A@X.test"));
        assert_ne!(id(1, 100, "a@x.test"), id(2, 100, "a@x.test"));
        assert_ne!(id(1, 100, "a@x.test"), id(1, 101, "a@x.test"));
        assert!(id(1, 100, "a@x.test") < ID_LIMIT);
    }

    #[test]
    fn a_seeded_contact_is_found_until_what_found_it_is_changed() {
        let mut seeded = ContactIndex::default();
        seeded.put(Contact { id: 7, email: Some("old@x.test".to_owned()), ..Contact::default() });
        let mut book = WrittenContacts::default();
        let view = book.of(100, Some(&seeded));
        let change_it = Change { id: Some(7), ..change("new@x.test", "") };
        let changed = view.upsert(Seed(1), 100, &change_it).unwrap();
        assert!(!changed.created);
        book.put(100, changed.contact);
        let view = book.of(100, Some(&seeded));
        assert!(view.upsert(Seed(1), 100, &change("old@x.test", "")).unwrap().created);
        assert_eq!(view.upsert(Seed(1), 100, &change("new@x.test", "")).unwrap().contact.id, 7);
        assert_eq!(view.all().len(), 1);
    }

    #[test]
    fn given_flags_replace_and_omitted_ones_stay() {
        let all =
            |flag| Some(Preferences { marketing_optin: flag, feedback_optin: flag, service_optin: flag });
        let given = Some(Preferences { marketing_optin: Some(false), ..Preferences::default() });
        let flags = merge(all(Some(true)), given).unwrap();
        assert_eq!((flags.marketing_optin, flags.service_optin), (Some(false), Some(true)));
    }
}

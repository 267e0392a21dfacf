//! The catalogue of API errors: codes, statuses and messages (`docs/api.md` 2). Answers, injected faults and the OpenAPI
//! document take them from here.

use std::borrow::Cow;

/// The errors, named by what they mean. The order is that of [`CATALOGUE`], which is indexed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Code {
    /// 1167: no API key.
    KeyMissing,
    /// 1161: an unknown or revoked API key.
    KeyInvalid,
    /// 89: too many requests of a key.
    RateLimited,
    /// 2151: `x-business-number` of a sentiment operation is not a reseller or enterprise that the key covers.
    EnterpriseInvalid,
    /// 1532: the business of a contact upsert is missing, unknown or not covered by the key.
    BusinessMissing,
    /// 1011: a business is missing, unknown, not covered or of the wrong kind.
    BusinessInvalid,
    /// 1027: an entry of `businessNumbers` is unknown or outside the enterprise.
    NumberInvalid,
    /// 2003: a field does not have its documented shape or range.
    Validation,
    /// 1163: the start index is not an index, or the page ends beyond the window of 100000.
    StartIndex,
    /// 1164: the count is not an integer of 0 or more.
    Count,
    /// 1186: `fromDate` is not a date.
    FromDate,
    /// 1187: `toDate` is not a date.
    ToDate,
    /// 1227: `updateFromDate` is not a date.
    UpdateFromDate,
    /// 1228: `updateToDate` is not a date.
    UpdateToDate,
    /// 2466: the body is not a JSON object.
    NotJson,
    /// 5008: the contact upsert has no body.
    NoBody,
    /// 5043: no contact has the given id.
    ContactUnknown,
    /// 20099: SMS preferences without text categorisation.
    TextCategorisation,
    /// 500.
    Internal,
    /// 404.
    NotFound,
    /// 405.
    Method,
    /// 413.
    TooLarge,
    /// 415.
    MediaType,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) code: Code,
    /// The number in the error body.
    pub(crate) number: u32,
    /// The HTTP status. The dialect can change it.
    pub(crate) status: u16,
    /// A 2003 has many messages. This one is that of a missing `businessNumbers`.
    pub(crate) message: &'static str,
}

/// In the order of `docs/api.md` 2: errors of all operations first, then by the field that they are about, then those of
/// the transport.
pub(crate) const CATALOGUE: [Row; 23] = [
    row(Code::KeyMissing, 1167, 401, "API key is missing"),
    row(Code::KeyInvalid, 1161, 401, "Invalid API key"),
    row(Code::RateLimited, 89, 429, "Rate limit exceeded"),
    row(Code::EnterpriseInvalid, 2151, 404, "Not a valid reseller/enterprise id."),
    row(Code::BusinessMissing, 1532, 404, "Business id is missing or invalid."),
    row(Code::BusinessInvalid, 1011, 404, "Business id is invalid"),
    row(Code::NumberInvalid, 1027, 429, "Invalid business number."),
    row(Code::Validation, 2003, 400, "businessNumbers are mandatory"),
    row(Code::StartIndex, 1163, 400, "Invalid start index value"),
    row(Code::Count, 1164, 400, "Invalid result count value"),
    row(Code::FromDate, 1186, 400, "Invalid from date. Allowed format is \"MM/dd/yyyy\"."),
    row(Code::ToDate, 1187, 400, "Invalid to date. Allowed format is \"MM/dd/yyyy\"."),
    row(Code::UpdateFromDate, 1227, 400, "Invalid updated from date. Allowed format is MM/dd/yyyy"),
    row(Code::UpdateToDate, 1228, 400, "Invalid updated to date. Allowed format is MM/dd/yyyy"),
    row(Code::NotJson, 2466, 400, "Invalid input request"),
    row(Code::NoBody, 5008, 400, "RequestBody not found"),
    row(Code::ContactUnknown, 5043, 400, "Contact not found for the given request"),
    row(
        Code::TextCategorisation,
        20099,
        400,
        "Text Communication categorisation is not enabled please use smsOptin flag",
    ),
    row(Code::Internal, 500, 500, "Internal server error"),
    row(Code::NotFound, 404, 404, "Not found"),
    row(Code::Method, 405, 405, "Method not allowed"),
    row(Code::TooLarge, 413, 413, "Request body is too large"),
    row(Code::MediaType, 415, 415, "Unsupported media type"),
];

const fn row(code: Code, number: u32, status: u16, message: &'static str) -> Row {
    Row { code, number, status, message }
}

impl Code {
    pub(crate) const fn row(self) -> &'static Row {
        &CATALOGUE[self as usize]
    }
    pub(crate) fn numbered(number: u32) -> Option<&'static Row> {
        CATALOGUE.iter().find(|row| row.number == number)
    }
}

/// An error that the API answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) code: Code,
    /// The message of the catalogue, or one that names a field.
    pub(crate) message: Cow<'static, str>,
    /// What exactly was wrong, for `x-standin-detail`. Empty if the message says it all.
    pub(crate) detail: String,
    /// Seconds for `Retry-After`.
    pub(crate) retry_after: Option<u64>,
}

impl ApiError {
    /// An error with the catalogue's message.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        let message = Cow::Borrowed(code.row().message);
        Self { code, message, detail: detail.into(), retry_after: None }
    }

    /// A 2003 with a message of its own.
    pub(crate) fn validation(message: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::new(Code::Validation, detail) }
    }

    /// The 2003 of a mandatory field that is absent.
    pub(crate) fn mandatory(field: &str) -> Self {
        let verb = if field == "businessNumbers" { "are" } else { "is" };
        Self::validation(format!("{field} {verb} mandatory"), String::new())
    }

    /// The body: exactly `{"code": number, "message": text}`.
    pub(crate) fn body(&self) -> Vec<u8> {
        let code = self.code.row().number;
        serde_json::json!({ "code": code, "message": self.message }).to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_at_its_own_row() {
        for (place, row) in CATALOGUE.iter().enumerate() {
            assert_eq!(row.code as usize, place);
            assert_eq!(row.code.row().number, row.number);
        }
    }

    #[test]
    fn the_body_has_code_and_message_alone() {
        let body = ApiError::new(Code::KeyInvalid, "x").body();
        assert_eq!(body, br#"{"code":1161,"message":"Invalid API key"}"#);
        assert_eq!(ApiError::mandatory("businessNumbers").message, "businessNumbers are mandatory");
        assert_eq!(ApiError::mandatory("userEmail").message, "userEmail is mandatory");
    }
}

//! The API's "no": one catalogue of codes, statuses and messages (`behaviour.md` 2), and the refusals made from it.
//! Answers, injected faults and documents all take them from here.

use std::borrow::Cow;

/// A row of the catalogue, by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// 1167: no API key.
    KeyMissing,
    /// 1161: an unknown or revoked API key.
    KeyInvalid,
    /// 89: too many requests of a key.
    RateLimited,
    /// 2151: `x-business-number` is no reseller or enterprise that the key covers (sentiment).
    EnterpriseInvalid,
    /// 1532: the contact upsert's business is missing, unknown or not covered.
    BusinessMissing,
    /// 1011: a business is missing, unknown, not covered or of the wrong kind.
    BusinessInvalid,
    /// 1027: an entry of `businessNumbers` is unknown or outside the enterprise.
    NumberInvalid,
    /// 2003: a field does not have its documented shape or range.
    Validation,
    /// 1163: the start index is no index, or the window of 100000 is left.
    StartIndex,
    /// 1164: the count is no count.
    Count,
    /// 1186.
    FromDate,
    /// 1187.
    ToDate,
    /// 1227.
    UpdateFromDate,
    /// 1228.
    UpdateToDate,
    /// 2466: the body is not a JSON object.
    NotJson,
    /// 5008: the contact upsert has no body.
    NoBody,
    /// 5043: a contact id that is not there.
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

/// What the catalogue says of a code.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Which one.
    pub code: Code,
    /// The number in the error body.
    pub number: u32,
    /// The HTTP status, unless the dialect changes it.
    pub status: u16,
    /// The message; for 2003 one of many, here that of the first mandatory field.
    pub message: &'static str,
}

/// The catalogue, in the order of `behaviour.md` 2.
pub const CATALOGUE: [Row; 23] = [
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
    /// Its row of the catalogue.
    #[must_use]
    pub const fn row(self) -> &'static Row {
        &CATALOGUE[self as usize]
    }

    /// The row of that number.
    #[must_use]
    pub fn numbered(number: u32) -> Option<&'static Row> {
        CATALOGUE.iter().find(|row| row.number == number)
    }
}

/// One answer of "no".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// Which row of the catalogue.
    pub code: Code,
    /// The message, the row's own or one that names a field.
    pub message: Cow<'static, str>,
    /// What exactly was wrong, for `x-standin-detail`; empty where the message says it all.
    pub detail: String,
    /// Whole seconds to wait, for `Retry-After`.
    pub retry_after: Option<u64>,
}

impl ApiError {
    /// The refusal of that code, with the catalogue's message.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let message = Cow::Borrowed(code.row().message);
        Self { code, message, detail: detail.into(), retry_after: None }
    }

    /// A 2003 with its own message, in the style of the documented ones.
    #[must_use]
    pub fn validation(message: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::new(Code::Validation, detail) }
    }

    /// A 2003 for a mandatory field that is absent.
    #[must_use]
    pub fn mandatory(field: &str) -> Self {
        let verb = if field == "businessNumbers" { "are" } else { "is" };
        Self::validation(format!("{field} {verb} mandatory"), String::new())
    }

    /// The body of its answer: exactly `{"code": number, "message": text}`.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
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

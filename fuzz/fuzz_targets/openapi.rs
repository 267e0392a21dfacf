#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| standin::fuzz::openapi(bytes));

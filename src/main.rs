//! The program `standin`.
fn main() {}

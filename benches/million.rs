//! See `src/bench/million.rs`.

fn main() {
    standin::bench::million::run();
}

//! See `src/bench/worlds.rs`.

fn main() {
    standin::bench::worlds::run();
}

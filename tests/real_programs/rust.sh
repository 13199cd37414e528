#!/usr/bin/env bash
# A Rust program, whose allocator is malloc: threads, growing and shrinking.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if ! rustc --version >"$work/version" 2>&1; then
  echo "no Rust compiler here: nothing to run"
  exit 0
fi

cat >"$work/program.rs" <<'RUST'
use std::collections::{BTreeMap, HashMap};
use std::thread;
fn work(seed: u64) -> u64 {
    let mut words: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for i in 0..20000u64 {
        let key = format!("w{}", seed * i * 7919 % 1009);
        words.entry(key).or_default().push(i);
    }
    words.values_mut().for_each(|v| v.shrink_to_fit());
    words.iter().map(|(k, v)| k.len() as u64 * v.iter().sum::<u64>())
        .fold(0, u64::wrapping_add)
}
fn main() {
    let threads: Vec<_> = (1..5).map(|s| thread::spawn(move || work(s))).collect();
    for t in threads { println!("{}", t.join().unwrap()); }
    let mut map: HashMap<u64, Box<[u8]>> = HashMap::new();
    for i in 0..5000 { map.insert(i, vec![i as u8; i as usize].into()); }
    println!("{}", map.values().map(|b| b.len()).sum::<usize>());
    println!("{}", std::panic::catch_unwind(|| vec![1][map.len()]).is_err());
}
RUST
(cd "$work" && rustc -O program.rs -o program)
"$work/program" >"$work/plain.txt" 2>/dev/null
under rust "$work/program" >"$work/under.txt" 2>/dev/null
same "output of the Rust program" "$work/plain.txt" "$work/under.txt"
check_books "$work/rust.heaptally" 50000

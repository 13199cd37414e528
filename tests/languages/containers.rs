// A Rust program: its System allocator calls malloc, realloc, calloc, free and
// posix_memalign. It prints a sum that does not depend on the allocator.
use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc;
use std::thread;

#[repr(align(256))]
struct Wide([u8; 300]);

fn work(seed: u64) -> u64 {
    let mut sum = 0;
    let mut map = HashMap::new();
    let mut tree = BTreeMap::new();
    for i in 0..20_000u64 {
        let text = format!("{}-{}", seed, i);
        sum += text.len() as u64;
        map.insert(i % 3000, text.clone());
        tree.insert(text, vec![i; (i % 50) as usize]);
        if i % 64 == 0 {
            let wide = vec![Box::new(Wide([1; 300])), Box::new(Wide([2; 300]))];
            assert!(wide.iter().all(|w| (&w.0 as *const u8 as usize) % 256 == 0));
            sum += wide.iter().map(|w| w.0[299] as u64).sum::<u64>();
        }
    }
    let zeroed = vec![0u8; 1 << 20];
    assert!(zeroed.iter().all(|&byte| byte == 0));
    sum + map.len() as u64 + tree.values().map(|v| v.len() as u64).sum::<u64>()
}

fn main() {
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..4)
        .map(|seed| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(Box::new(work(seed))).unwrap())
        })
        .collect();
    drop(sender);
    let total: u64 = receiver.iter().map(|sum| *sum).sum();
    for thread in threads {
        thread.join().unwrap();
    }
    let caught = std::panic::catch_unwind(|| panic!("a panic under the allocator"));
    assert!(caught.is_err());
    println!("{}", total);
}

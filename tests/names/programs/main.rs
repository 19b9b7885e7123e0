// SPDX-License-Identifier: GPL-2.0
// Generics, closures, traits, modules with functions of the same name.
use std::collections::BTreeMap;
use std::fmt::Display;

mod left {
    #[inline(never)]
    pub fn step(x: u64) -> u64 {
        super::twice(x) + 1
    }
}

mod right {
    #[inline(never)]
    pub fn step(x: u64) -> u64 {
        super::twice(x) - 1
    }
}

#[inline(always)]
fn twice<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
    x + x
}

trait Shape {
    fn area(&self) -> f64;
    fn describe(&self) -> String {
        format!("area {}", self.area())
    }
}

struct Circle(f64);
struct Square<T: Display>(T);

impl Shape for Circle {
    fn area(&self) -> f64 {
        self.0 * self.0 * 3.0
    }
}

impl<T: Display + Into<f64> + Copy> Shape for Square<T> {
    fn area(&self) -> f64 {
        let side: f64 = self.0.into();
        side * side
    }
}

impl<T: Display> Drop for Square<T> {
    fn drop(&mut self) {
        println!("square {}", self.0);
    }
}

#[inline(never)]
fn apply<F: Fn(u64) -> u64>(f: F, n: u64) -> u64 {
    (0..n).map(|x| f(x) ^ twice(x)).filter(|x| x % 3 != 1).sum()
}

thread_local!(static SEEN: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) });

#[no_mangle]
pub extern "C" fn exported(x: u64) -> u64 {
    SEEN.with(|s| s.borrow_mut().push(x));
    x + 1
}

fn main() {
    let n = std::env::args().count() as u64;
    let mut counts = BTreeMap::new();
    let shapes: Vec<Box<dyn Shape>> =
        vec![Box::new(Circle(2.0)), Box::new(Square(3.0f32)), Box::new(Square(n as u8))];
    for s in &shapes {
        *counts.entry(s.describe()).or_insert(0u32) += 1;
    }
    let made = apply(|x| left::step(x) + right::step(x), 9) + apply(|x| exported(x), n);
    println!("{} {:?}", made, counts);
    let handle = std::thread::spawn(move || left::step(made));
    println!("{:?}", handle.join().map_err(|_| "no"));
}

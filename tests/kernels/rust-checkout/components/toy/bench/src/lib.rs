//! A bench program that can do nothing but check its contract.

use toy_contract::Cup;

/// Makes a program of one more variant.
#[macro_export]
macro_rules! plugin {
    ($name:literal, $cup:ty) => {
        fn main() {
            $crate::check::<$cup>($name);
        }
    };
}

/// Prints whether the cup keeps the order.
pub fn check<C: Cup>(name: &str) {
    let mut cup = C::default();
    cup.put(1);
    cup.put(2);
    let passed = cup.get() == Some(1);
    let message = if passed { "" } else { "2 before 1" };
    println!(r#"{{"variant": "{name}", "name": "keeps the order", "passed": {passed}, "message": "{message}"}}"#);
}

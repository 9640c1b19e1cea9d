//! What a cup is to the toy.

/// Keeps numbers in their order.
pub trait Cup: Default {
    /// Adds one at the end.
    fn put(&mut self, number: u32);

    /// Takes the first one.
    fn get(&mut self) -> Option<u32>;
}

// The cell of the function in "Exercise: strategies".
//
// The one that failed is down already, so nobody tells it to stop. The others stop in the reverse order of their start, and all of them start in order.
fn yours(strategy: Strategy, failed: usize) -> (Vec<usize>, Vec<usize>) {
    match strategy {
        Strategy::OneForOne => (vec![], vec![failed]),
        Strategy::OneForAll => ((0..3).rev().filter(|&one| one != failed).collect(), (0..3).collect()),
        Strategy::RestForOne => ((failed + 1..3).rev().collect(), (failed..3).collect()),
    }
}

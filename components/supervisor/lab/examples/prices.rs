//! A broadcast with a subscriber that does not keep up, and one that goes away.

use std::time::Duration;

use supervisor_lab::broker::{Received, Slow, Subscription, Topic};

async fn listen(name: &str, mut prices: Subscription<u64>, pause: Duration) {
    let (mut heard, mut missed) = (0, 0);
    loop {
        match prices.receive().await {
            Received::Payload(_) => heard += 1,
            Received::Lagged(count) => missed += count,
            Received::Closed => break,
        }
        tokio::time::sleep(pause).await;
    }
    println!("{name}: heard {heard}, missed {missed}");
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prices = Topic::new(Slow::Lags(64.try_into()?));
    let gone = prices.subscribe();
    let quick = tokio::spawn(listen("quick", prices.subscribe(), Duration::ZERO));
    let slow = tokio::spawn(listen("slow", prices.subscribe(), Duration::from_millis(5)));
    println!("{} subscribers", prices.subscriptions());
    drop(gone);
    for price in 0..1_000_u64 {
        prices.publish(price).await;
        tokio::time::sleep(Duration::from_micros(100)).await;
    }
    println!("{} subscribers", prices.subscriptions());
    drop(prices);
    quick.await?;
    slow.await?;
    Ok(())
}

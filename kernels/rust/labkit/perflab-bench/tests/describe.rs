//! What `describe` tells.

mod fixture;

use fixture::Fixture;
use serde_json::json;

#[test]
fn it_tells_scenarios_parameters_and_variants() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["describe"]), 0);
    let line = fixture.last();
    assert_eq!(line["protocol"], 1);
    assert_eq!(line["component"], "fixture");
    assert_eq!(line["runtime"]["name"], "Rust");
    assert!(line["runtime"]["version"].as_str().unwrap().starts_with("1."));
    let counting = &line["scenarios"][0];
    assert_eq!(counting["name"], "counting");
    assert_eq!(counting["metric"], "rate");
    assert_eq!(counting["unit"], "counts/s");
    assert_eq!(counting["better"], "higher");
    assert_eq!(
        counting["metrics"],
        json!([{"name": "odd", "of": "counter:odd/op", "unit": "odd counts/count", "better": "lower"}])
    );
    assert_eq!(
        counting["parameters"],
        json!([
            {"name": "step", "type": "int", "default": 1, "help": "how far a count goes", "min": 1, "max": 10},
            {"name": "ratio", "type": "float", "default": 0.5, "help": "unused", "min": 0.0, "max": 1.0},
            {"name": "fail", "type": "bool", "default": false, "help": "whether validation fails"},
            {
                "name": "mode", "type": "string", "default": "plain", "help": "how it behaves",
                "choices": ["plain", "panicking", "timeless", "failing"],
            },
        ])
    );
    assert_eq!(
        line["variants"][1],
        json!({
            "name": "four", "role": "after", "description": "the number 4", "source": "four.rs",
            "scenarios": ["counting"], "findings": [],
        })
    );
    assert_eq!(line["variants"][0]["scenarios"], json!(["counting", "summing"]));
    assert_eq!(line["variants"][0]["findings"], json!([fixture::IS_EVEN]));
}

//! What a variant prints goes to standard error, and a bench program becomes the plug-in that it is given: in processes of
//! their own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use perflab_bench::{
    Bench, Better, Check, Error, Experiment, Metric, Role, Sample, Scenario, ScenarioSpec, Setting, Variant,
};
use serde_json::Value;

/// A scenario whose variant prints on a thread of its own, as an actor does, and which waits for it.
struct Talking;

impl Scenario<()> for Talking {
    fn spec(&self) -> ScenarioSpec {
        ScenarioSpec::new("talk", "Talking", "a line", Metric::new("time", "time", "ns/line", Better::Lower))
    }

    fn open(&self, (): &(), _: Setting) -> Result<Box<dyn Experiment>, Error> {
        Ok(Box::new(|sample: &mut Sample| {
            let (told, printed) = mpsc::channel();
            thread::spawn(move || {
                println!("from a scenario");
                told.send(())
            });
            sample.add(1.0, Duration::from_millis(1));
            printed
                .recv_timeout(Duration::from_secs(20))
                .map_err(|_| std::io::Error::other("the thread that prints does not end").into())
        }))
    }
}

#[test]
#[ignore = "run by the other tests, with ARGUMENTS"]
fn as_a_program() {
    let arguments = std::env::var("ARGUMENTS").unwrap_or_default();
    let bench = Bench::new("talkative")
        .scenario(Talking)
        .variant(Variant::new("talker", Role::Yours, "prints", "talker.rs", ()))
        .contract([Check::new("prints", |()| {
            println!("from a check");
            // Neither is what it starts a part of the protocol.
            Command::new("echo").arg("from a child").status().unwrap();
            Ok(())
        })]);
    bench.main_with(arguments.split('\n').map(String::from));
}

/// Runs the test `as_a_program`, which is ignored otherwise, with these in the variable `ARGUMENTS`, a line for each.
fn program(arguments: &[&str]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "as_a_program", "--nocapture", "--ignored"])
        .env("ARGUMENTS", arguments.join("\n"))
        .output()
        .unwrap()
}

/// The protocol's lines, behind what the test harness says first.
fn lines(said: &Output) -> Vec<Value> {
    let text = str::from_utf8(&said.stdout).unwrap();
    let start = text.find('{').unwrap_or_else(|| panic!("no line in {text}"));
    let is_harness = |line: &&str| line.is_empty() || line.starts_with("test ") || *line == "ok";
    text[start..]
        .lines()
        .filter(|line| !is_harness(line))
        .map(|line| serde_json::from_str(line).unwrap_or_else(|problem| panic!("{problem}: {line} in {text}")))
        .collect()
}

#[test]
fn a_check_that_prints_passes() {
    let said = program(&["contract"]);
    let lines = lines(&said);
    assert_eq!(lines[0]["passed"], true, "{}", lines[0]["message"]);
    assert_eq!(lines[1]["type"], "end");
    let errors = String::from_utf8(said.stderr).unwrap();
    assert!(errors.contains("from a check\n"), "{errors}");
    assert!(errors.contains("from a child\n"), "{errors}");
}

#[test]
fn a_scenario_whose_threads_print_comes_to_its_end() {
    let short = ["--warmup-ms", "0", "--sample-ms", "1", "--samples", "1"];
    let said = program(&[&["run", "--scenario", "talk", "--variant", "talker"], &short[..]].concat());
    let lines = lines(&said);
    let types: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["start", "sample", "end"], "{lines:?}");
    let errors = String::from_utf8(said.stderr).unwrap();
    assert!(errors.contains("from a scenario\n"), "{errors}");
}

#[test]
fn a_plug_in_has_the_standard_output() {
    let said = program(&["describe", "--plugin", "/bin/echo"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("describe\n"), "{text}");
}

#[test]
fn it_becomes_the_plug_in_with_the_other_arguments() {
    let plugin = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("echo.sh");
    fs::write(&plugin, "#!/bin/sh\necho \"I am $0: $*\"\n").unwrap();
    let path = plugin.to_str().unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o644)).unwrap();
    let refused = String::from_utf8(program(&["describe", "--plugin", path]).stdout).unwrap();
    assert!(refused.contains("does not start"), "{refused}");
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    for given in [vec!["run", "--plugin", path, "--seed", "3"], vec!["run", &format!("--plugin={path}"), "--seed", "3"]]
    {
        let said = String::from_utf8(program(&given).stdout).unwrap();
        assert!(said.contains("echo.sh: run --seed 3\n"), "{said}");
    }
}

//! A bench program becomes the plug-in that it is given: in a process of its own, since it does not come back.

mod again;
mod fixture;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use again::program;
use fixture::Fixture;

#[test]
#[ignore = "run by the other tests, with ARGUMENTS"]
fn as_a_program() {
    let arguments = std::env::var("ARGUMENTS").unwrap_or_default();
    let mut fixture = Fixture::new();
    fixture.run(&arguments.split('\n').collect::<Vec<_>>());
    print!("{}", fixture.text);
}

fn script(name: &str, text: &str, mode: u32) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn it_becomes_the_plug_in_with_the_other_arguments() {
    let plugin = script("echo.sh", "#!/bin/sh\necho \"I am $0: $*\"\n", 0o755);
    let path = plugin.to_str().unwrap();
    for given in [vec!["run", "--plugin", path, "--seed", "3"], vec!["run", &format!("--plugin={path}"), "--seed", "3"]]
    {
        let said = String::from_utf8(program(&given).stdout).unwrap();
        assert!(said.contains("echo.sh: run --seed 3\n"), "{said}");
    }
}

#[test]
fn what_is_no_plug_in_is_a_usage_error() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["describe", "--plugin", "none"]), 2);
    assert_eq!(fixture.last()["message"], "no plug-in can be read at 'none'");
    let plain = script("plain.txt", "no program", 0o644);
    assert_eq!(fixture.run(&["describe", "--plugin", plain.to_str().unwrap()]), 2);
    assert!(fixture.last()["message"].as_str().unwrap().contains("does not start"));
}

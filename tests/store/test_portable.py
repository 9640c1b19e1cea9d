"""Text that is handed on: what is taken out of it, and what is not."""

from __future__ import annotations

import json
import pwd
import re
import socket
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from perflab.model.lab import CHECKOUT
from perflab.model.portable import _home_of_account, portable, portable_json, portable_name, portable_value

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _somebody(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    _home_of_account.cache_clear()
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "max")
    monkeypatch.setenv("HOME", "/home/max")
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_dir="/export/people/max", pw_name="max"))
    monkeypatch.setattr(socket, "gethostname", lambda: "build7")
    monkeypatch.setattr(tempfile, "tempdir", "/scratch/max/tmp")
    yield
    _home_of_account.cache_clear()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{CHECKOUT}/src/a.py, line 3", "src/a.py, line 3"),
        (f"not in {CHECKOUT}.", "not in .."),
        ("cannot open /home/max/x: no such file", "cannot open ~/x: no such file"),
        ("in /home/max, in /home/maxine and in /home/max.old", "in ~, in /home/maxine and in /home/user.old"),
        (
            "\x1b[0;32m/home/max/x.py\x1b[0m -I/home/max/include '\\n/home/max/y'",
            "~/x.py -I~/include '\\n~/y'",
        ),
        ("/export/people/max/.m2", "~/.m2"),
        ("/scratch/max/tmp/tmpab/y", "/tmp/tmpab/y"),  # noqa: S108
        ("/secret/place/results/runs/1 is full", "results/runs/1 is full"),
        ("/data/max/cache and /data/by-max-1", "/data/user/cache and /data/by-user-1"),
        ("max@build7: max 3, min/max, maximum", "user@host: max 3, min/max, maximum"),
        ("no route from build7.corp.example to build70", "no route from host to build70"),
        ("https://max:pa:ss@proxy.example:3128/x", "https://***@proxy.example:3128/x"),
        ("proxy max:hidden@proxy:3128 refused", "proxy ***@proxy:3128 refused"),
        ("app:hidden@db.example.org/orders, scp app:hidden@db:22", "***@db.example.org/orders, scp ***@db:22"),
        ("alpine:3@sha256:1f3a, a:b@2.1.0, 3:4@c", "alpine:3@sha256:1f3a, a:b@2.1.0, 3:4@c"),
        ('Cookie: session="hidden"; theme=x', "Cookie: ***"),
        (
            'Cookie: a=""; b=hidden\nAuthorization: Digest realm="A B", response="hidden"',
            "Cookie: ***\nAuthorization: ***",
        ),
        ("authorization=Bearer hidden X-Api-Key:hidden", "authorization=***"),
        (
            "H=Authorization=Basic hidden Authorization:x password='hi dden'",
            "H=Authorization=***",
        ),
        ("Authorization: Basic x, api_key=\"hidden\" {Cookie: 'a=hidden'}", "Authorization: ***"),
        ('-H \'Cookie: a={"n":1}; b="\\054"; c=hidden\' -v', "-H 'Cookie: ***"),
        ("{'X-Auth-Key': 'hidden'} Api-Key:hidden12", "{'X-Auth-Key': ***"),
        ("Ocp-Apim-Subscription-Key: hidden12\na cache-key: 3 ns", "Ocp-Apim-Subscription-Key: ***\na cache-key: 3 ns"),
        ("at app:hid@den@db.example.org... or a:" + "b" * 240 + "@db:22.", "at ***@db.example.org... or ***@db:22."),
        ("AUTHORIZATION_HEADER=Authorization: Basic hidden", "AUTHORIZATION_HEADER=*** ***"),
        ("authorization=Token Bearer          hid;den", "authorization=***"),
        ('bad line: "Cookie: lang="en"; sid=hidden" x', 'bad line: "Cookie: ***'),
        ("Cookie: sid=hidden-3X-Api-Key: k", "Cookie: ***"),
        ("[token=hidden][Authorization: Basic hidden]", "[token=*** ***"),
        ("{api_key=hidden}{Cookie: sid=hidden}", "{api_key=*** ***"),
        ("authorization=bearer hidden access_token=BEARER hidden", "authorization=***"),
        ('"Cookie: a' + '=";' * 1400, '"Cookie: ***'),
        ("a.py:12:@numba.njit, b.cc:8:memcpy@libc.so", "a.py:12:@numba.njit, b.cc:8:memcpy@libc.so"),
        ("mailto:me@example.org", "mailto:me@example.org"),
        ("{authorization=[Bearer hidden], accept=[*/*]}", "{authorization=***"),
        ("token_type=Bearer Cookie: sid=hidden", "token_type=*** ***"),
        (
            "BM_Decode/tokens:128/batch:8 libm:exp@@GLIBC_2.29:45",
            "BM_Decode/tokens:128/batch:8 libm:exp@@GLIBC_2.29:45",
        ),
        ("missing 'header Cookie: ' in it, didn't work", "missing 'header Cookie: ***"),
        (
            "unknown options '--token' '--size=3', auth_key=basic 12 ns",
            "unknown options '--token' '--size=3', auth_key=*** 12 ns",
        ),
        (
            "access_token=BEARER hidden x Bearer hidden y Api-Key:hidden12",
            "access_token=*** x Bearer *** y Api-Key:***",
        ),
        ("('Authorization', 'Basic hidden')\npassword=b'hi dden' x", "('Authorization', ***\npassword=b'***' x"),
        ("password='it''s hi dden', password=\"\" x", "password='***', password=\"***\" x"),
        (
            "passwd: hidden, token=128/batch=8 token=12/ab password=128",
            "passwd: *** token=128/batch=8 token=*** password=***",
        ),
        ("Decode(tokens=128, api_key=4.5k) ?token=1&x=2.", "Decode(tokens=128, api_key=4.5k) ?token=1&x=2."),
        ("<td>token=hidden</td><td>Cookie: hidden</td>", "<td>token=***</td><td>Cookie: ***</td>"),
        ("Enter password: \nok, a token = count", "Enter password: \nok, a token = count"),
        ("missing api-key: start it with --size 3", "missing api-key: start it with --size 3"),
        ("a:," * 100_000 + "@", "a:," * 100_000 + "@"),
        ("X-Api-Key:hidden\nX-Auth-Token: hidden", "X-Api-Key:***\nX-Auth-Token: ***"),
        ("app:hidden@localhost/x app:hidden@[::1]:5432", "***@localhost/x ***@[::1]:5432"),
        ('["Cookie: a=", "b"] {"c": "Cookie: a=\\"hidden\\"; b"}', '["Cookie: ***'),
        (
            "{'Cookie': 'a=hidden'} \"Set-Cookie\": \"a=hidden\"; cookies=3",
            "{'Cookie': ***",
        ),
        (
            "['mysql', '--password', 'hidden'] [\"--token\", \"hidden\"]",
            "['mysql', '--password', '***'] [\"--token\", \"***\"]",
        ),
        (
            '[\'--password\', "hi\'dden"] "--password" "hidden" [\\"--token\\", \\"hidden\\"]',
            '[\'--password\', "***"] "--password" "***" [\\"--token\\", \\"***\\"]',
        ),
        ("file:///data/max/a.mjs -I/data/max/b x-I/max", "file:///data/user/a.mjs -I/data/user/b x-I/max"),
        ("AWS_SECRET_ACCESS_KEY=hidden api-key=hidden", "AWS_SECRET_ACCESS_KEY=*** api-key=***"),
        ("password='hi dden' password=\\\"hi\\\"", "password='***' password=\\\"***\\\""),
        ('{"password": "hi dden", "n": 1}', '{"password": "***", "n": 1}'),
        ("password: hidden; --token hidden -v", "password: *** --token *** -v"),
        ("Authorization: Bearer hidden\nCookie: a=hidden; b", "Authorization: ***\nCookie: ***"),
        ("ghp_0123456789abcdef of AKIA0123456789ABCDEF", "*** of ***"),
        ("sk-proj-0123456789abcdefghij, eyJhbGciOi0.eyJzdWIiOi0.c2ln", "***, ***"),
        ("{'Authorization': 'Basic aGlkZGVu'} X-Auth-Token: 0a1b2c3d4e", "{'Authorization': ***"),
        ("token: 0a1b2c3d4e\napi_key = 0a1b2c3d4e", "token: ***\napi_key = ***"),
        ("a token: it has keys=3, tokens and monkey=4", "a token: it has keys=3, tokens and monkey=4"),
        ("eyJ-" * 50_000 + "Picked up " + "JAVA_" * 50_000, "eyJ-" * 50_000 + "Picked up " + "JAVA_" * 50_000),
        ("+" * 100_000 + "@" + "token" * 20_000, "+" * 100_000 + "@" + "token" * 20_000),
        ("-Dhttp.proxyPassword=hidden -Xmx1g", "-Dhttp.proxyPassword=*** -Xmx1g"),
        ("NOTE: Picked up JDK_JAVA_OPTIONS: -Dx=hidden\nnext", "NOTE: Picked up JDK_JAVA_OPTIONS: ***\nnext"),
        ('password="it\'s hi\\"dden" x', 'password="***" x'),
        ("{'password': 'hi\\'d\"den'}", "{'password': '***'}"),
        ('{"a": "token=\\"hi\'dden\\""}', '{"a": "token=\\"***'),
        ("password='hidden", "password='***"),
        (
            "DB_PASS=hidden GH_PAT=hidden OPENAI_KEY=hidden; sort_key=3",
            "DB_PASS=*** GH_PAT=*** OPENAI_KEY=*** sort_key=3",
        ),
        ("PASSWORD = hidden, Server=s;Pwd=hidden", "PASSWORD = *** Server=s;Pwd=***"),
        (f"glpat-{'a1' * 10} npm_{'a1' * 18} AIza{'a1' * 17} ASIA0123456789ABCDEF", "*** *** *** ***"),
        (f"glpat-{'aB' * 10} glpat-of-the-benchmark", "*** glpat-of-the-benchmark"),
        ("npm_config_registry of npm_lifecycle_event", "npm_config_registry of npm_lifecycle_event"),
        ("curl -sS -u me:hidden https://x.example", "curl -sS -u me:*** https://x.example"),
        (
            "curl --user 'me:hid\"den' x; sort -u a:b\ncurl -sSu me:hidden",
            "curl --user 'me:*** x; sort -u a:b\ncurl -sSu me:***",
        ),
        ("\x1b[36mpassword\x1b[39m=\x1b[33m'hidden'\x1b[39m, /home/max/x", "password='***', ~/x"),
        (
            "b'GET\\r\\nCookie: hidden' and b'A=1\\nSTRIPE_KEY=hidden'",
            "b'GET\\r\\nCookie: ***",
        ),
        ("b'A=1\\nSTRIPE_KEY=hidden' -DSTORE_PASS=hidden", "b'A=1\\nSTRIPE_KEY=*** -DSTORE_PASS=***"),
        ("with bearer token: hidden12 and client_secret: a~b12345", "with bearer token: *** and client_secret: ***"),
        ('{ token: Some("hidden12 x"), n: 1 }', '{ token: Some("***"), n: 1 }'),
        ("password: 'a''!b: hidden' --password 'ab'\\''!hidden' x", "password: '***' --password '***' x"),
        ("tokens_per_second: 1234.567, tokens=183.27364819283", "tokens_per_second: 1234.567, tokens=183.27364819283"),
        ("Parse/Cookie:128/batch:8 test[tokenizer=bert]", "Parse/Cookie:128/batch:8 test[tokenizer=bert]"),
        ("- --password\n- hidden", "- --password\n- ***"),
        ("Error(22, ['curl', '-u', 'me:hidden'])", "Error(22, ['curl', '-u', 'me:***"),
        ('"Set-Cookie": "a=hidden"\ncookies=3; sort_key=3', '"Set-Cookie": ***\ncookies=3; sort_key=3'),
        ("token: p@ss12word, -api-key hidden non-token x", "token: *** -api-key *** non-token x"),
        (
            "var token = tree.Root().Find(Max(0, 1)); tokens: 1,234,567",
            "var token = tree.Root().Find(Max(0, 1)); tokens: 1,234,567",
        ),
        (
            f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{'a1+/' * 40}==\n-----END RSA PRIVATE KEY----- x",
            "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY----- x",
        ),
        ("-----BEGIN PRIVATE KEY-----" * 20_000, "-----BEGIN PRIVATE KEY-----" * 20_000),
        ("\x1b[35m/home/\x1b[0m\x1b[95mmax\x1b[0m build\x1b[1m7\x1b[0m \x1b[1mred\x1b[0m", "~ host red"),
        ("\x1b[1mred\x1b[0m", "\x1b[1mred\x1b[0m"),
        ("b'\\x1b[01;34m/data/max' #x1B[33m/data/max ^[[31m/data/max", "b'/data/user' /data/user /data/user"),
        ("\x1b[01m\x1b[K/data/max/x.c:1", "/data/user/x.c:1"),
        ("glrt-" * 20_000, "glrt-" * 20_000),
        (
            "RsaPrivateKey::sign;sha2::f 70, http::Cookie::parse 3",
            "RsaPrivateKey::sign;sha2::f 70, http::Cookie::parse 3",
        ),
        ("password_len=8 tokens=33554432 glrt-detector-vector", "password_len=8 tokens=33554432 glrt-detector-vector"),
        ("curl " * 50_000 + "-u ", "curl " * 50_000 + "-u "),
        ("http://127.0.0.1:8888/?token=0a1b&x=1", "http://127.0.0.1:8888/?token=***"),
        ("mail me@example.org; 12:30, a@b, 1/2 of /proc/self", "mail me@example.org; 12:30, a@b, 1/2 of /proc/self"),
    ],
)
def test_what_is_private_goes_and_the_rest_stays(text: str, said: str) -> None:
    assert portable(text, Path("/secret/place/results")) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("UnknownHostException: falcon: x", "UnknownHostException: host: x"),
        ("falcon: Name or service not known", "host: Name or service not known"),
        ("falcon.corp.example, falcon.local. and falcon.cs.uni.edu", "host, host. and host"),
        ("host=falcon HOSTNAME: 'falcon', host falcon", "host=host HOSTNAME: 'host', host host"),
        ("falcon/127.0.1.1:80 http://falcon:80 a@falcon", "host/127.0.1.1:80 http://host:80 a@host"),
        ("user.name=alice USER=alice user: 'alice', user alice", "user.name=user USER=user user: 'user', user user"),
        ("-rw-r--r-- 1 alice alice 12 x", "-rw-r--r-- 1 user user 12 x"),
        ("drwx------+ 2 root alice 0 y", "drwx------+ 2 root user 0 y"),
        ("groups=100(users),1000(alice) -Duser.name=alice", "groups=100(users),1000(user) -Duser.name=user"),
        ("uid=1000(alice) /home//alice/x ~alice/x", "uid=1000(user) /home//user/x ~user/x"),
        *((text, text) for text in ("a falcon, falcon.py, falcon.tar.gz, falcon.net, falcons.local", "host falconer")),
        *((text, text) for text in ("alice, users=3, user alices, x~alice", "ghost=1, falcon.util.Set")),
        *(
            (text, text)
            for text in ("-rw-r--r-- 1 " * 20_000 + "alice", "falcon." * 40_000, "user = " * 40_000 + "alices")
        ),
    ],
)
def test_names_that_are_words_go_where_nothing_else_is_meant(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "alice")
    monkeypatch.setattr(socket, "gethostname", lambda: "falcon")
    assert portable(text) == said


@pytest.mark.parametrize("name", ["message", "--token "])
def test_what_stands_between_the_strings_of_a_document_stays(name: str) -> None:
    record = {name: "Enter password: ", "created": "--token ", "b": ["secret=", 1.5, None], "/home/max/x": "pwd="}
    record |= {"password": "hi dden", "image/png": "/max/=="}
    cleaned = {**record, "~/x": record["/home/max/x"], "password": "***"}
    del cleaned["/home/max/x"]
    for indent in (None, 1):
        assert json.loads(portable_json(json.dumps(record, indent=indent))) == cleaned


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"user": "max", "hostname": "max", "by": "max"}, {"user": "user", "hostname": "max", "by": "max"}),
        ({"host": "box.a", "Owner": ["max", "x"], "n": "box"}, {"host": "host", "Owner": ["user", "x"], "n": "box"}),
        ({"user": {"name": "max", "x": "max"}}, {"user": {"name": "user", "x": "max"}}),
        (
            {"password": {"value": "hi", "n": 1}, "token": ["hi", ["x"]]},
            {"password": {"value": "***", "n": 1}, "token": ["***", ["***"]]},
        ),
        ({"credentials": [{"x": "hi"}], "api_key_2": "hi"}, {"credentials": [{"x": "***"}], "api_key_2": "***"}),
        ({"params": {"token_policy": "fair", "token": "hi"}}, {"params": {"token_policy": "fair", "token": "***"}}),
        ({"failures": {"token-bucket": "too slow"}}, {"failures": {"token-bucket": "too slow"}}),
        (
            {"source": ["token=\n", "-----BEGIN PRIVATE KEY-----\n", "MIIE" * 9]},
            {"source": ["token=\n", "-----BEGIN PRIVATE KEY-----***"]},
        ),
        (
            {"traceback": ["x", "-----BEGIN PRIVATE KEY-----", "MIIE" * 9]},
            {"traceback": ["x", "-----BEGIN PRIVATE KEY-----***"]},
        ),
        (
            {"label": "token: a1234567", "void": ["/home/max/x", "token: a1234567"], "Cookie: x": 1},
            {"label": "token: a1234567", "void": ["~/x", "token: a1234567"], "Cookie: x": 1},
        ),
        ({"x": ["--token", "a\nb", "c"]}, {"x": ["--token", "a\nb", "c"]}),
    ],
)
def test_a_value_is_looked_at_with_its_name_and_as_a_whole(
    value: object, said: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "box")
    assert portable_value(value) == said


@pytest.mark.parametrize("text", ["", "/home/max/x {", "[" * 100_000 + " /home/max"])
def test_what_is_no_document_is_a_text(text: str) -> None:
    assert portable_json(text) == portable(text)


def test_what_the_environment_calls_a_secret_is_one_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGISTRY_TOKEN", "hidden-1234")
    monkeypatch.setenv("HTTPS_PROXY", "http://max:hidden%405678@proxy:3128")
    monkeypatch.setenv("HTTP_PROXY", "max:hidden-9012@proxy:3128")
    monkeypatch.setenv("MIRROR_TOKEN", "hidden-1234-56")
    monkeypatch.setenv("FUNCTION_KEY", "hid/den+12==")
    monkeypatch.setenv("COLOURED_SECRET", "hid\\x1b[1mden-34")
    said = "refused hidden-1234-56, hidden-1234, hidden%405678, hidden@5678, hidden-9012 and ?code=hid%2Fden%2B12%3D%3D"
    assert portable(said) == portable_name(said) == "refused ***, ***, ***, ***, *** and ?code=***"
    assert portable("refused hid\\x1b[1mden-34") == "refused ***"


def test_names_that_results_are_compared_by_stay_apart() -> None:
    assert portable_name("Parse/Cookie: a, bearer x of /home/max/y") == "Parse/Cookie: a, bearer x of ~/y"


def test_no_pattern_has_a_possessive_group() -> None:
    """Python before 3.11.5, such as Debian 12's, takes too much of one (python/cpython#106052)."""
    for path in (CHECKOUT / "src").rglob("*.py"):
        assert not re.search(r"\)(?:[*+?]|\{+[\d,]+\}+)\+", path.read_text()), path


@pytest.mark.parametrize("home", ["/", ""])
def test_a_home_that_is_no_folder_of_its_own_takes_nothing_away(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_dir="/", pw_name=""))
    assert portable("1/2 of /proc/self/x and https://example.org/") == "1/2 of /proc/self/x and https://example.org/"


def test_a_short_home_is_not_cut_out_of_longer_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/ada")
    assert portable("/ada/x /adafs/x /mnt/ada/x -I/ada/y") == "~/x /adafs/x /mnt/ada/x -I~/y"


def test_nobody_at_all_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> None:
        raise KeyError

    for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert portable("/data/x") == "/data/x"


def test_a_name_that_is_not_ascii_is_found_as_it_stands_in_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/jörg m")
    assert portable("file:///home/j%C3%B6rg%20m/x and /home/jörg m/x") == "file://~/x and ~/x"
    assert portable('{"a": "/home/j\\u00f6rg m/x"}') == '{"a": "~/x"}'
    monkeypatch.setenv("HOME", "/home/max & moritz")
    assert portable("<p>/home/max &amp; moritz/x</p>") == "<p>~/x</p>"

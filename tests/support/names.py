"""Names of benchmarks that need care: each harness's real program is asked for each of them."""

NAMES = [
    "plain", "plain/2", "two words", " leading", "trailing ", "two  blanks", "a, b", "[neu]", "a]", "{n}", "a}",
    "(a|b)", 'say "hi"', "it's", "a/b//c/", "/", r"C:\temp\new", "ends\\", "size=8", "50 %", "a.b", "^a$", "a*b+c?",
    "*", "Map<int, T>", "~not", "-dash", "!not", "a:b", "a;b & c", "$HOME `x`", "#1", "@a", "zählen", "日本語",
    "a\N{NO-BREAK SPACE}b", "<&amp;>",
]  # fmt: skip

from __future__ import annotations

import pytest

from perflab.profile.frames import is_managed, kind, method, short


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        (
            (
                "instance void [Perflab.ThreadPools] Perflab.ThreadPools.Catga.CatgaPool::Loop"
                "(class Perflab.ThreadPools.Catga.CatgaWorker)[OptimizedTier1OSR]"
            ),
            "Perflab.ThreadPools.Catga.CatgaPool.Loop",
        ),
        (
            (
                "class [System.Runtime]System.Func`2<string,class [System.Runtime]System.IDisposable>"
                " [Perflab.ThreadPools] Perflab.ThreadPools.Catga.CatgaActivities::Compile()[QuickJitted]"
            ),
            "Perflab.ThreadPools.Catga.CatgaActivities.Compile",
        ),
        (
            "instance void [P] P.Pool+<>c__DisplayClass17_0::<AddWorkers>b__0()[QuickJitted]",
            "P.Pool.AddWorkers.<lambda>",
        ),
        ("instance int64 [P] P.All+<>c::<List>b__0_3(class P.Settings)[OptimizedTier1]", "P.All.List.<lambda>"),
        ("instance int32 [P] P.Run`1[System.__Canon]::Run(class P.Line)[QuickJitted]", "P.Run.Run"),
        (
            "instance bool [S] S.Set`1+Enumerator[S.Pair`2[System.__Canon,System.Int64]]::MoveNext()[OptimizedTier1]",
            "S.Set.Enumerator.MoveNext",
        ),
        (
            "instance void [S] S.Map`2[S.A,S.B]::S.IEnumerable<S.Pair<TKey,TValue>>.GetEnumerator()[QuickJitted]",
            "S.Map.S.IEnumerable.GetEnumerator",
        ),
        ("void [P] P.Query::<Run>g__Keep|3_0(int32)[Optimized]", "P.Query.Run.Keep"),
        ("instance void [P] P.Test+<Continued>d__3::MoveNext()[OptimizedTier1]", "P.Test.Continued"),
        ("void [P] P.Activities::.cctor()[QuickJitted]", "P.Activities.<static constructor>"),
        ("instance void [P] P.Experiment::.ctor(string,bool)[QuickJitted]", "P.Experiment.<constructor>"),
        ("uint8[] [System.Private.CoreLib] System.Convert::FromHex(string)[PreJIT]", "System.Convert.FromHex"),
        ("GenerateResolveStub<3>", "GenerateResolveStub<3>"),
        ("__libc_start_call_main", "__libc_start_call_main"),
    ],
)
def test_a_symbol_of_the_perf_map_becomes_a_name(symbol: str, name: str) -> None:
    assert method(symbol) == name


def test_its_name_is_that_of_a_managed_method() -> None:
    names = [method("instance void [P] P.Pool+<>c::<Add>b__0()[QuickJitted]"), "System.Threading.Thread.Sleep"]
    assert [is_managed(name) for name in names] == [True, True]
    assert [kind(name, managed=True) for name in names] == ["program", "library"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Perflab.ThreadPools.Catga.CatgaPool.Loop", "CatgaPool.Loop"),
        ("Perflab.ThreadPools.Catga.CatgaPool.AddWorkers.<lambda>", "CatgaPool.AddWorkers.<lambda>"),
        ("System.Threading.Thread.Sleep", "Thread.Sleep"),
        ("perflab.mailbox.MpscMailbox.offer", "MpscMailbox.offer"),
        ("perflab.mailbox.Outer.Inner.offer", "Outer.Inner.offer"),
    ],
)
def test_in_a_cell_a_method_stands_with_its_class_alone(name: str, shown: str) -> None:
    assert short(name) == shown

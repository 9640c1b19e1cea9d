// Calls a function over and over: `Loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, their nanoseconds, how many empty calls one takes at least, the bytes that they
// allocated, and its CPU time in nanoseconds. It takes SAMPLE_MS by both clocks, but at most four times as long on the wall.
// See functions.py. The JVM is told not to inline the function, so that it can neither leave a call out nor take it out of
// the loop.

import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout
import java.lang.management.ManagementFactory
import kotlin.system.exitProcess

/** Calls a function once, or so many times. */
private class Entry(
    val once: () -> Any?,
    val repeat: (Long) -> Unit,
)

private val TABLE: Map<String, Entry> =
    mapOf(
        @TABLE@
    )

/** Of calls between two looks at the clock. */
private const val SHORTEST_NS = 1_000_000L

/** Elements of a collection that are looked at. */
private const val LOOKED_AT = 10

/** Of empty calls; the shortest counts. */
private const val BATCHES = 10

/** The JVM compiles a method handle's forms after some hundred calls. */
private const val BEFORE_COMPILED = 1000

private val CLOCK =
    Linker.nativeLinker().run {
        downcallHandle(defaultLookup().find("clock").get(), FunctionDescriptor.of(ValueLayout.JAVA_LONG))
    }

/** CPU time of the process, with the garbage collector's: the JVM's own figure of it counts in ticks. */
private fun cpu(): Long = CLOCK.invoke() as Long * 1000

fun empty(): Long = 0

private val EMPTY = Entry(::empty) { calls -> for (call in 0L until calls) empty() }

/** The type of a value that does its work later, or of the first such in a list. */
private fun deferred(value: Any?): String? =
    when (value) {
        is Collection<*> -> value.asSequence().take(LOOKED_AT).firstNotNullOfOrNull(::deferred)
        is Pair<*, *> -> deferred(value.toList())
        is Triple<*, *, *> -> deferred(value.toList())
        is Sequence<*> -> "Sequence"
        is Iterator<*>, is java.util.Spliterator<*> -> "Iterator"
        is java.util.stream.BaseStream<*, *> -> "Stream"
        is java.util.concurrent.Future<*>, is java.util.concurrent.CompletionStage<*> -> "Future"
        is Lazy<*> -> "Lazy"
        is Function<*> -> "Function"
        is Iterable<*> -> if (value.javaClass.run { isAnonymousClass || isHidden }) "Iterable" else null
        else -> null
    }

private fun refuse(deferred: String): Nothing {
    println("deferred $deferred")
    exitProcess(0)
}

private fun time(
    function: Entry,
    calls: Long,
): Long {
    val begun = System.nanoTime()
    function.repeat(calls)
    return System.nanoTime() - begun
}

/** Returns how many calls take long enough to be timed. */
private fun warmUp(
    function: Entry,
    length: Long,
): Long {
    var calls = 1L
    var warm = 0L
    while (true) {
        val took = time(function, calls)
        warm += took
        if (took < SHORTEST_NS) {
            calls *= 2
        } else if (warm >= length) {
            return calls
        }
    }
}

fun main(words: Array<String>) {
    val function = TABLE.getValue(words[0])
    val (warmup, sample) = words.slice(1..2).map { it.toLong() * 1_000_000 }
    val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
    deferred(function.once())?.let(::refuse)
    val emptyCalls = warmUp(EMPTY, 0)
    val calls = warmUp(function, warmup)
    // By now the JVM has compiled it, and here it compiles what asks the system for the CPU time.
    repeat(BEFORE_COMPILED) { cpu() }
    val empty = (1..BATCHES).minOf { time(EMPTY, emptyCalls) }.toDouble() / emptyCalls
    repeat(words[3].toInt()) {
        val before = threads.currentThreadAllocatedBytes
        var done = 0L
        var total = 0L
        var used = 0L
        var least = Long.MAX_VALUE
        val begun = cpu()
        // A profiler that watches this process starts and stops at these two: hardly any program calls them.
        Thread.holdsLock(threads)
        while (total < sample || used < sample && total < 4 * sample) {
            val took = time(function, calls)
            total += took
            least = minOf(least, took)
            done += calls
            used = cpu() - begun
        }
        Runtime.getRuntime().maxMemory()
        println("$done $total ${least / empty / calls} ${threads.currentThreadAllocatedBytes - before} $used")
    }
}

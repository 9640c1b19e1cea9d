// Calls a function over and over: `Loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, their nanoseconds, and the bytes that they allocated. See functions.py. The JVM is
// told not to inline the function, so that it can neither leave a call out nor take it out of the loop.

import java.lang.management.ManagementFactory

/** Calls a function so many times. */
private fun interface Calls {
    fun repeat(calls: Long)
}

private val TABLE: Map<String, Calls> =
    mapOf(
        @TABLE@
    )

/** Of calls between two looks at the clock. */
private const val SHORTEST_NS = 1_000_000L

private fun time(
    function: Calls,
    calls: Long,
): Long {
    val begun = System.nanoTime()
    function.repeat(calls)
    return System.nanoTime() - begun
}

fun main(words: Array<String>) {
    val function = TABLE.getValue(words[0])
    val (warmup, sample) = words.slice(1..2).map { it.toLong() * 1_000_000 }
    val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
    var calls = 1L
    var warm = 0L
    while (true) {
        val took = time(function, calls)
        warm += took
        if (took < SHORTEST_NS) {
            calls *= 2
        } else if (warm >= warmup) {
            break
        }
    }
    repeat(words[3].toInt()) {
        val before = threads.currentThreadAllocatedBytes
        var done = 0L
        var total = 0L
        // A profiler that watches this process starts and stops at these two: hardly any program calls them.
        Thread.holdsLock(threads)
        while (total < sample) {
            total += time(function, calls)
            done += calls
        }
        Runtime.getRuntime().maxMemory()
        println("$done $total ${threads.currentThreadAllocatedBytes - before}")
    }
}

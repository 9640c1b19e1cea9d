// Package collect fills maps and slices; WORK is the work in thousandths.
package collect

import (
	"os"
	"strconv"
	"testing"
)

var kept int

//go:noinline
func work(thousandths int) {
	for ; thousandths > 0; thousandths-- {
		counts := map[int][]int{}
		for i := 0; i < 10; i++ {
			counts[i%5] = append(counts[i%5], i)
		}
		kept += len(counts)
	}
}

func run(b *testing.B, thousandths int) {
	for i := 0; i < b.N; i++ {
		work(thousandths)
	}
}

func BenchmarkOf(b *testing.B) {
	for name, amount := range map[string]int{
		"base": 1000, "same": 1000, "plus2": 1020, "plus3": 1030, "half": 500, "more": 1500,
	} {
		thousandths := amount
		b.Run(name, func(b *testing.B) { run(b, thousandths) })
	}
}

func BenchmarkWork(b *testing.B) {
	thousandths, _ := strconv.Atoi(os.Getenv("WORK"))
	run(b, thousandths)
}

// SPDX-License-Identifier: GPL-2.0

// Goroutines that wait for each other, grow their stacks, panic, and collect garbage.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
)

//go:noinline
func deep(n int) int {
	var room [64]int

	room[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + room[n%64]
}

//go:noinline
func fails(n int) {
	if n == 0 {
		panic("at the end")
	}
	fails(n - 1)
}

func recovers() (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	fails(5)
	return ""
}

func work(numbers chan int, group *sync.WaitGroup) {
	defer group.Done()
	for n := range numbers {
		text := strings.Repeat(fmt.Sprintf("%d %s ", deep(n), recovers()), 3)
		words := strings.Fields(text)
		sort.Strings(words)
		fmt.Fprintln(os.Stdout, words)
	}
}

func main() {
	numbers := make(chan int)
	var group sync.WaitGroup

	group.Add(2)
	go work(numbers, &group)
	go work(numbers, &group)
	for i := 0; i < 6; i++ {
		numbers <- 20 * i
	}
	close(numbers)
	group.Wait()
	runtime.GC()
}

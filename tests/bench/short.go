// SPDX-License-Identifier: GPL-2.0

// A program of 0.4 s whose goroutines sort, allocate, wait for each other and grow their stacks.
package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

//go:noinline
func deep(n int) int {
	var room [32]int

	room[n%32] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + room[n%32]
}

func work(numbers chan int, group *sync.WaitGroup) {
	counts := map[string]int{}

	defer group.Done()
	for n := range numbers {
		words := strings.Fields(fmt.Sprint(time.Duration(deep(n%60)), n, n*n, n*n*n))
		sort.Strings(words)
		counts[words[0]]++
	}
}

func main() {
	end := time.Now().Add(400 * time.Millisecond)
	numbers := make(chan int)
	var group sync.WaitGroup

	group.Add(4)
	for i := 0; i < 4; i++ {
		go work(numbers, &group)
	}
	for n := 0; time.Now().Before(end); n++ {
		numbers <- n
	}
	close(numbers)
	group.Wait()
}

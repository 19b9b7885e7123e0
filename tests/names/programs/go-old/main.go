// SPDX-License-Identifier: GPL-2.0

// For gccgo, which has no generics: closures, methods, embedded types, deferred calls.
package main

import (
	"fmt"
	"os"
	"sort"
)

type shape interface{ area() float64 }

type circle struct{ r float64 }

func (c circle) area() float64 { return c.r * c.r * 3 }

type named struct {
	circle
	name string
}

func inner(x int) int { return x*31 + 7 }

func middle(x int) int { return inner(x) ^ inner(x+1) }

//go:noinline
func apply(f func(int) int, n int) (sum int) {
	defer func() { sum += middle(n) }()
	for i := 0; i < n; i++ {
		sum += f(i)
	}
	return sum
}

func init() { fmt.Println("init") }

func main() {
	shapes := []shape{circle{2}, &named{circle{1}, "one"}}
	sort.Slice(shapes, func(i, j int) bool { return shapes[i].area() < shapes[j].area() })
	made := make(chan int)
	go func() { made <- apply(func(x int) int { return middle(x) + len(os.Args) }, 9) }()
	fmt.Println(<-made)
}

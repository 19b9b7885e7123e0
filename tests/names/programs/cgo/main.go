// SPDX-License-Identifier: GPL-2.0

// Go that calls C, which calls Go.
package main

/*
#include <stdint.h>

extern uint64_t goStep(uint64_t);

static uint64_t mix(uint64_t x)
{
	return (x ^ x >> 7) * 0x9e3779b97f4a7c15;
}

__attribute__((noinline)) static uint64_t work(uint64_t n)
{
	uint64_t sum = n;

	for (uint64_t i = 0; i < n; i++)
		sum += mix(sum + i);
	return sum;
}

static uint64_t rounds(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += goStep(work(i));
	return sum;
}
*/
import "C"

import "fmt"

func halve(x uint64) uint64 { return x>>1 ^ x }

//export goStep
func goStep(x C.uint64_t) C.uint64_t {
	return C.uint64_t(halve(uint64(x)) + 1)
}

func main() {
	fmt.Println(C.rounds(9) != 0)
}

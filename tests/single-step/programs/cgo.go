// SPDX-License-Identifier: GPL-2.0

// C code that is called by Go, and that calls Go.
package main

/*
#include <stdlib.h>

int goCompare(void *a, void *b);

static int compare(const void *a, const void *b)
{
	return goCompare((void *)a, (void *)b);
}

static void sort(int *numbers, int nr)
{
	qsort(numbers, nr, sizeof(*numbers), compare);
}
*/
import "C"

import (
	"os"
	"unsafe"
)

//export goCompare
func goCompare(a, b unsafe.Pointer) C.int {
	return *(*C.int)(a) - *(*C.int)(b)
}

func main() {
	var numbers [8]C.int

	for i := range numbers {
		numbers[i] = C.int(i * 5 % 8)
	}
	C.sort(&numbers[0], C.int(len(numbers)))
	if numbers[7] != 7 {
		os.Exit(1)
	}
}

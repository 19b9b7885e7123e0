// SPDX-License-Identifier: GPL-2.0

// Compiles each line of standard input as pprof does with the frames that a
// profile says to drop. Prints those that it refuses, and exits with 1 then.
package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
)

func main() {
	nr, refused := 0, 0
	lines := bufio.NewScanner(os.Stdin)
	for ; lines.Scan(); nr++ {
		if _, err := regexp.Compile("^(" + lines.Text() + ")$"); err != nil {
			fmt.Println(err)
			refused++
		}
	}
	if refused > 0 || nr == 0 {
		fmt.Printf("%d of %d patterns are refused\n", refused, nr)
		os.Exit(1)
	}
}

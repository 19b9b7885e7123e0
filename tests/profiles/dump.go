// SPDX-License-Identifier: GPL-2.0

// Prints a profile of any format that Go's pprof reads, so that two files can be compared: head,
// mappings that are used, and the sum of each stack, sorted. Functions are printed for locations
// without an address only: Go ignores the names in text formats.
//
//	dump FILE	prints all
//	dump -sums FILE	prints the sums of all stacks, and no stack
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/google/pprof/profile"
)

func mapping(m *profile.Mapping) string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf("|%x-%x@%x %s %s", m.Start, m.Limit, m.Offset, m.File, m.BuildID)
}

func location(l *profile.Location) string {
	if l.Address != 0 {
		return fmt.Sprintf("%x%s", l.Address, mapping(l.Mapping))
	}
	var lines []string
	for _, line := range l.Line {
		f := line.Function
		lines = append(lines, fmt.Sprintf("%s(%s:%d)", f.Name, f.Filename, line.Line))
	}
	return strings.Join(lines, ",") + mapping(l.Mapping)
}

// Only "bytes" is a label in Go's eyes: it ignores the labels in text formats.
func stack(s *profile.Sample) string {
	var list []string
	for _, l := range s.Location {
		list = append(list, location(l))
	}
	for _, n := range s.NumLabel["bytes"] {
		if n != 0 {
			list = append(list, fmt.Sprintf("bytes=%d", n))
		}
	}
	return strings.Join(list, " ")
}

func printHead(p *profile.Profile) {
	for _, t := range p.SampleType {
		fmt.Printf("type %s/%s\n", t.Type, t.Unit)
	}
	fmt.Printf("period %d %s/%s\n", p.Period, p.PeriodType.Type, p.PeriodType.Unit)
	fmt.Printf("duration %d\n", p.DurationNanos)
	fmt.Printf("drops %t keeps %t\n", p.DropFrames != "", p.KeepFrames != "")
	if len(p.Mapping) > 0 {
		fmt.Printf("first %s\n", mapping(p.Mapping[0]))
	}
}

func isZero(values []int64) bool {
	for _, v := range values {
		if v != 0 {
			return false
		}
	}
	return true
}

func printSamples(p *profile.Profile, stackOf func(s *profile.Sample) string) {
	sums := map[string][]int64{}
	for _, s := range p.Sample {
		key := stackOf(s)
		if sums[key] == nil {
			sums[key] = make([]int64, len(p.SampleType))
		}
		for i, v := range s.Value {
			sums[key][i] += v
		}
	}
	var keys []string
	for key := range sums {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		// A merge drops stacks without values.
		if !isZero(sums[key]) {
			fmt.Println(sums[key], key)
		}
	}
}

func main() {
	stackOf := stack
	path := os.Args[len(os.Args)-1]
	if len(os.Args) > 2 {
		stackOf = func(*profile.Sample) string { return "" }
	}
	file, err := os.Open(path)
	if err == nil {
		var p *profile.Profile
		if p, err = profile.Parse(file); err == nil {
			printHead(p)
			printSamples(p, stackOf)
			return
		}
	}
	fmt.Printf("%s: %v\n", path, err)
	os.Exit(1)
}

// SPDX-License-Identifier: GPL-2.0

// Checks that a text profile is as Go writes them: head, totals, order, what
// belongs to a stack, and tabs where Go's tabwriter puts them. Prints what is
// wrong, and exits with 1 if anything is.
//
//	checktext [-go] FILE
//
// With -go for what Go itself wrote: stacks may be empty there or all zeros, some frames
// are left out, equal stacks of some kinds are in any order, and newer versions print the
// heap's smallest stack first.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"
)

const mapHead = "--- Memory map: ---"

// How a kind's values look, which of them is the weight, and which are summed
// in the head, if they are.
type form struct {
	head    *regexp.Regexp
	more    []*regexp.Regexp
	values  *regexp.Regexp
	weight  int
	summed  []int
	ordered bool
}

func rx(s string) *regexp.Regexp {
	return regexp.MustCompile(`^` + s + `$`)
}

var forms = []form{
	{rx(`\S+ profile: total (\d+)`), nil, rx(`(\d+) @(.*)`), 1, []int{1}, true},
	{rx(`--- contention:`), []*regexp.Regexp{rx(`cycles/second=\d+`)}, rx(`(\d+) (\d+) @(.*)`),
		1, nil, false},
	{rx(`--- mutex:`), []*regexp.Regexp{rx(`cycles/second=\d+`), rx(`sampling period=\d+`)},
		rx(`(\d+) (\d+) @(.*)`), 1, nil, false},
	{rx(`heap profile: (\d+): (\d+) \[(\d+): (\d+)\] @ heap/\d+`), nil,
		rx(`(\d+): (\d+) \[(\d+): (\d+)\] @(.*)`), 2, []int{1, 2, 3, 4}, false},
	{rx(`heap profile: (\d+): (\d+) \[(\d+): (\d+)\] @ growth`), nil,
		rx(`(\d+): (\d+) \[(\d+): (\d+)\] @(.*)`), 2, []int{1, 2, 3, 4}, false},
}

var (
	emptyRx   = regexp.MustCompile(`^( 0x0)+$`)
	addressRx = regexp.MustCompile(`^( 0x[1-9a-f][0-9a-f]*)*$`)
	frameRx   = rx(`#\t(0x[0-9a-f]+)\t+\S.*(\t+.*:\d+)?|#\t(0x[0-9a-f]+)`)
	pairRx    = `"(?:[^"\\]|\\.)*":"(?:[^"\\]|\\.)*"`
	labelsRx  = rx(`# labels: \{(` + pairRx + `(?:, ` + pairRx + `)*)\}`)
)

var (
	isGo       = flag.Bool("go", false, "")
	nrProblems int
)

func problem(format string, args ...interface{}) {
	nrProblems++
	fmt.Printf(format+"\n", args...)
}

type record struct {
	weight int64
	key    string
}

// Lines of a file, taken one by one.
type reader struct {
	lines []string
	form  form
	sums  []int64
	last  *record
}

func (r *reader) peek() string {
	if len(r.lines) == 0 {
		return ""
	}
	return r.lines[0]
}

func (r *reader) next() string {
	line := r.peek()
	if len(r.lines) > 0 {
		r.lines = r.lines[1:]
	}
	return line
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		problem("%q is no number", s)
	}
	return n
}

func (r *reader) head() []string {
	line := r.next()
	for _, f := range forms {
		if m := f.head.FindStringSubmatch(line); m != nil {
			r.form = f
			r.sums = make([]int64, f.values.NumSubexp()+1)
			for _, more := range f.more {
				if line := r.next(); !more.MatchString(line) {
					problem("%q in the head", line)
				}
			}
			return m
		}
	}
	problem("the first line is %q", line)
	return nil
}

func (r *reader) labels() string {
	line := r.peek()
	if !strings.HasPrefix(line, "# labels: ") {
		return ""
	}
	m := labelsRx.FindStringSubmatch(line)
	if m == nil {
		problem("labels %q", line)
		return r.next()
	}
	pairs := regexp.MustCompile(pairRx).FindAllString(m[1], -1)
	if !sort.StringsAreSorted(pairs) {
		problem("labels are in no order: %q", pairs)
	}
	return "\n" + r.next()
}

// An address, and how often it follows itself: by recursion, or the lines of what was
// inlined there.
type run struct {
	address string
	n       int
}

func runsOf(addresses []string) []run {
	var runs []run

	for _, address := range addresses {
		if last := len(runs) - 1; last >= 0 && runs[last].address == address {
			runs[last].n++
		} else {
			runs = append(runs, run{address, 1})
		}
	}
	return runs
}

// The lines are of the stack's addresses, in the same order, each as often as another
// where it follows itself.
func compareRuns(lines, stack []run) {
	at := 0

	for _, line := range lines {
		for *isGo && at < len(stack) && stack[at].address != line.address {
			at++
		}
		if at == len(stack) || stack[at].address != line.address ||
			!*isGo && line.n%stack[at].n != 0 {
			problem("%v is not the next of %v", line, stack)
			return
		}
		at++
	}
	if !*isGo && at != len(stack) {
		problem("%d of %v have lines", at, stack)
	}
}

// A line shows its address, one less.
func (r *reader) frames(addresses []string) {
	var lines []string

	for strings.HasPrefix(r.peek(), "#\t") {
		line := r.next()
		m := frameRx.FindStringSubmatch(line)
		if m == nil {
			problem("frame %q", line)
			continue
		}
		pc, _ := strconv.ParseUint(m[1]+m[3], 0, 64)
		lines = append(lines, fmt.Sprintf("%#x", pc+1))
	}
	compareRuns(runsOf(lines), runsOf(addresses))
	if line := r.next(); line != "" {
		problem("%q behind a stack", line)
	}
}

func (r *reader) record() {
	line := r.next()
	m := r.form.values.FindStringSubmatch(line)
	if m == nil {
		problem("record %q", line)
		return
	}
	list := m[len(m)-1]
	if *isGo {
		list = emptyRx.ReplaceAllString(list, "")
	}
	if !addressRx.MatchString(list) || (list == "" && !*isGo) {
		problem("addresses %q", list)
	}
	for i := 1; i < len(m)-1; i++ {
		r.sums[i] += number(m[i])
	}
	now := &record{number(m[r.form.weight]), "@" + list + r.labels()}
	r.compare(now)
	r.last = now
	if list == "" { // golang.org/issue/6104: its frame is 0
		r.next()
	}
	r.frames(strings.Fields(list))
}

func (r *reader) compare(now *record) {
	if r.last == nil {
		return
	}
	if now.weight > r.last.weight && !(*isGo && r.form.weight == 2) {
		problem("%d is behind %d", now.weight, r.last.weight)
	}
	if now.weight == r.last.weight && now.key <= r.last.key && (r.form.ordered || !*isGo) {
		problem("%q is behind %q", now.key, r.last.key)
	}
}

func (r *reader) totals(head []string) {
	for i, n := range r.form.summed {
		total := number(head[i+1])
		if total != r.sums[n] && !(n == 4 && total == r.sums[n]+1) {
			problem("total %d of %d", total, r.sums[n])
		}
	}
}

// What is behind the stacks is for people, until the map.
func (r *reader) tail() {
	for len(r.lines) > 0 && r.peek() != mapHead {
		if line := r.next(); line != "" && !strings.HasPrefix(line, "# ") {
			problem("%q behind the stacks", line)
		}
	}
	if !*isGo && r.peek() != mapHead {
		problem("no memory map")
	}
}

func checkTabs(text string) {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 1, 8, 1, '\t', 0)
	w.Write([]byte(regexp.MustCompile(`\t+`).ReplaceAllString(text, "\t")))
	w.Flush()
	want, lines := strings.Split(out.String(), "\n"), strings.Split(text, "\n")
	for i, line := range lines {
		if line != want[i] {
			problem("%q should be %q", line, want[i])
		}
	}
}

func main() {
	flag.Parse()
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		problem("%v", err)
		os.Exit(1)
	}
	r := reader{lines: strings.Split(string(text), "\n")}
	head := r.head()
	for nr := 0; head != nil && r.form.values.MatchString(r.peek()); nr++ {
		r.record()
	}
	if head != nil {
		r.totals(head)
		r.tail()
	}
	checkTabs(string(text))
	if nrProblems > 0 {
		fmt.Printf("checktext: %d problems in %s\n", nrProblems, flag.Arg(0))
		os.Exit(1)
	}
}

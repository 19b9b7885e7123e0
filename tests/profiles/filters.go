// SPDX-License-Identifier: GPL-2.0

// Filters random profiles by random expressions, with Go's pprof and with ours, and
// compares the samples that are left and the messages.
//
//	filters PROGRAM CASES SEED
//
// PROGRAM is built from filters.c. Exits with 1 if a case differs; the first differences
// are printed. Also exits with 1 if too few filters had an effect: then it compared nothing.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

const maxReports = 10

// In the order of enum filter_kind, with the names in pprof's messages.
var kinds = []struct{ name, message string }{
	{"focus", "Focus"}, {"ignore", "Ignore"}, {"hide", "Hide"}, {"show", "Show"},
	{"show_from", "ShowFrom"}, {"tagfocus", "TagFocus"}, {"tagignore", "TagIgnore"},
	{"tagshow", "TagShow"}, {"taghide", "TagHide"}, {"prune_from", "PruneFrom"},
	{"tagroot", "TagRoot"}, {"tagleaf", "TagLeaf"},
}

type testCase struct {
	expressions []string
	data        []byte
}

// The pprof of Go 1.19 drops samples without locations even without a filter, knows no frames
// of numbers without units, and merges a single profile. Such cases are left out.
var isOld bool

func probe() {
	p := &profile.Profile{Sample: []*profile.Sample{{}}}
	p.FilterSamplesByName(nil, nil, nil, nil)
	isOld = len(p.Sample) == 0
}

// A flag.FlagSet that sets all expressions, because the driver keeps those of the last call.
type flags struct {
	*flag.FlagSet
	args []string
}

func (f flags) StringList(name, def, usage string) *[]*string {
	return &[]*string{f.String(name, def, usage)}
}
func (f flags) ExtraUsage() string   { return "" }
func (f flags) AddExtraUsage(string) {}
func (f flags) Parse(usage func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		panic(err)
	}
	return f.Args()
}

type fetcher struct{ data []byte }

func (f fetcher) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	p, err := profile.ParseData(f.data)
	return p, "", err
}

type noSymbols struct{}

func (noSymbols) Symbolize(string, driver.MappingSources, *profile.Profile) error { return nil }

// Without it the driver runs binutils at each call.
type noObjects struct{}

func (noObjects) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, os.ErrNotExist
}

func (noObjects) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) {
	return nil, os.ErrNotExist
}

type messages struct{ lines []string }

func (m *messages) ReadLine(string) (string, error)     { return "", io.EOF }
func (m *messages) Print(...interface{})                {}
func (m *messages) PrintErr(a ...interface{})           { m.lines = append(m.lines, fmt.Sprint(a...)) }
func (m *messages) IsTerminal() bool                    { return false }
func (m *messages) WantBrowser() bool                   { return false }
func (m *messages) SetAutoComplete(func(string) string) {}

type buffer struct{ bytes.Buffer }

func (*buffer) Close() error                          { return nil }
func (b *buffer) Open(string) (io.WriteCloser, error) { return b, nil }

func printString(out *strings.Builder, s string) {
	fmt.Fprintf(out, " %d:%s", len(s), s)
}

func sortedKeys(count int, each func(add func(string))) []string {
	keys := make([]string, 0, count)
	each(func(key string) { keys = append(keys, key) })
	sort.Strings(keys)
	return keys
}

func printLabels(out *strings.Builder, s *profile.Sample) {
	for _, key := range sortedKeys(len(s.Label), func(add func(string)) {
		for key := range s.Label {
			add(key)
		}
	}) {
		for _, value := range s.Label[key] {
			printString(out, key)
			printString(out, value)
		}
	}
	for _, key := range sortedKeys(len(s.NumLabel), func(add func(string)) {
		for key := range s.NumLabel {
			add(key)
		}
	}) {
		for i, value := range s.NumLabel[key] {
			unit := ""
			if units := s.NumUnit[key]; i < len(units) {
				unit = units[i]
			}
			printString(out, key)
			fmt.Fprintf(out, " = %d", value)
			printString(out, unit)
		}
	}
}

func printLocation(out *strings.Builder, l *profile.Location) {
	fmt.Fprintf(out, " @%x", l.Address)
	if l.Mapping != nil {
		printString(out, l.Mapping.File)
	}
	for _, line := range l.Line {
		printString(out, line.Function.Name)
		printString(out, line.Function.Filename)
		fmt.Fprintf(out, " %d\n", line.Line)
	}
}

func printSamples(out *strings.Builder, p *profile.Profile) {
	for _, s := range p.Sample {
		fmt.Fprint(out, "sample")
		for _, value := range s.Value {
			fmt.Fprint(out, " ", value)
		}
		printLabels(out, s)
		fmt.Fprintln(out)
		for _, l := range s.Location {
			printLocation(out, l)
		}
	}
}

func printMessages(out *strings.Builder, lines []string) {
	all := "\n" + strings.Join(lines, "\n")
	for _, kind := range kinds {
		if strings.Contains(all, "\n"+kind.message+" expression matched no samples") {
			fmt.Fprintln(out, "unmatched", kind.name)
		}
	}
	for _, kind := range kinds {
		if strings.Contains(all, "\n"+kind.name+":Interpreted '") {
			fmt.Fprintln(out, "range", kind.name)
		}
	}
}

// The answer of Go's pprof.
func theirs(c testCase) string {
	args := []string{"-proto", "-output=x"}
	for i, kind := range kinds {
		args = append(args, "-"+kind.name+"="+c.expressions[i])
	}
	written, said := &buffer{}, &messages{}
	err := driver.PProf(&driver.Options{
		Flagset: flags{flag.NewFlagSet("pprof", flag.PanicOnError), append(args, "http://x/")},
		Fetch:   fetcher{c.data}, Sym: noSymbols{}, Obj: noObjects{}, UI: said, Writer: written,
	})
	if err != nil {
		return "error " + err.Error()
	}
	p, err := profile.ParseData(written.Bytes())
	if err != nil {
		return "error " + err.Error()
	}
	var out strings.Builder
	printMessages(&out, said.lines)
	printSamples(&out, p)
	return out.String()
}

type program struct {
	in  io.Writer
	out *bufio.Reader
}

func start(path string) program {
	command := exec.Command(path)
	in, err := command.StdinPipe()
	check(err)
	out, err := command.StdoutPipe()
	check(err)
	command.Stderr = os.Stderr
	check(command.Start())
	return program{in, bufio.NewReader(out)}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "filters:", err)
		os.Exit(2)
	}
}

func appendString(to []byte, s []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(len(s))), s...)
}

// The answer of our program.
func (p program) ours(c testCase) string {
	var request []byte
	for _, expression := range c.expressions {
		request = appendString(request, []byte(expression))
	}
	_, err := p.in.Write(appendString(request, c.data))
	check(err)
	var length uint32
	check(binary.Read(p.out, binary.LittleEndian, &length))
	answer := make([]byte, length)
	_, err = io.ReadFull(p.out, answer)
	check(err)
	return string(answer)
}

var names = []string{
	"main", "runtime.main", "malloc", "foo", "foo(int)", "operator()", "operator()(int)", ".foo",
	"(anonymous namespace)::bar(int)", "std::vector<int*>::push_back(int const&)", "",
	"naïve", "a\xffb", "K", "ſ", "a.b", "a\nb", "ABC", "abcabc", "_x1", "operator new[](unsigned long)",
	"Ωmega", "x{lambda}", "a b", "foo\n", "main.(*T).run", "main.func1", "αβγ", "12", "a\x00b",
}

var files = []string{"main.c", "/src/foo.cc", "", "lib/bar.go", "abc", "/src/a\nb.c", "K.rs"}
var mappings = []string{"/bin/app", "/lib/libfoo.so.6", "[vdso]", "", "/bin/abc"}
var keys = []string{"thread", "tid", "size", "bytes", "request", "alignment", "k", "né", ""}
var texts = []string{"worker", "io", "main", "1235", "a,b", "x=y", "K", "a\xff", "4kb", "main\n"}
var units = []string{"", "", "bytes", "kilobytes", "kb", "ms", "seconds", "widgets", "count", "B"}
var numbers = []int64{0, 1, 2, 5, 7, 1000, 1024, 4096, 1235, 131072, -1, -7, 1 << 40, -1 << 63, 1<<63 - 1}

type generator struct{ *rand.Rand }

func (g generator) chance(percent int) bool { return g.Intn(100) < percent }

func (g generator) of(list []string) string { return list[g.Intn(len(list))] }

// A part of a name, so that it is found.
func (g generator) part(list []string) string {
	s := []rune(g.of(list))
	from := g.Intn(len(s) + 1)
	to := from + g.Intn(len(s)-from+1)
	if g.chance(60) {
		from, to = 0, len(s)
	}
	return regexp.QuoteMeta(string(s[from:to]))
}

var atoms = []string{
	".", "\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "^", "$", "\\A", "\\z", "[a-m]",
	"[^a-m]", "[[:alpha:]]", "[[:^alpha:]_]", "[[:upper:]]", "[\\d\\W]", "[]a]", "[^]x-z]", "\\pL",
	"\\p{Greek}", "\\PN", "[^\\pL:]", "\\p{^Lu}", "\\x41", "\\x{3a9}", "\\101", "\\n", "\\Qa.\\E",
	"(?:a|b)", "(?P<n>o)", "(?s:.)", "(?m:^b)", "(?m:a$)", "(?i:k)", "(?i:[^k])", "(?i:\\W)", "{", "}",
	"]", "a{2}", "b{1,2}", "(?U:a+)", "(a*)*", "(?:)", "a{,2}", "[[:punct:]]", "[\\x00-\\x{10FFFF}]",
	"(?i:[[:lower:]])", "(?i:abc)", "\\\\", "\\.", "-", "é", "�", "(|a)+", "(?i:ſ)", "(?i:[j-l])",
	"(?i:\\pL)", "(?-i:K)", "[^[:space:]]", "\\v", "[\\s\\v]",
}

var quantifiers = []string{"*", "+", "?", "*?", "+?", "??", "{0}", "{2}", "{1,}", "{0,3}", "{2}?", "**", "*+"}
var noise = []string{
	"(", ")", "[", "*", "+", "?", "\\", "{", "|", "(?", "(?=a)", "(?!a)", "\\1", "\\Z", "(?i)", "(?i", "[z-a]",
	"\\p{Foo}", "\\C", "(?P<n>a)", "(?x)", "\\E", "a{1001}", "[[:foo:]]", "\xff", "(?#)", "(?>a)", "$^", "\\8",
}

// A regular expression that is mostly valid.
func (g generator) regex(list []string) string {
	var s strings.Builder
	if g.chance(10) {
		s.WriteString("(?i)")
	}
	if g.chance(15) {
		s.WriteString("^")
	}
	for i := 1 + g.Intn(3); i > 0; i-- {
		switch g.Intn(8) {
		case 0, 1, 2, 3:
			s.WriteString(g.part(list))
		case 4:
			s.WriteString("(" + g.part(list) + "|" + g.of(atoms) + ")")
		default:
			s.WriteString(g.of(atoms))
		}
		if g.chance(15) {
			s.WriteString(g.of(quantifiers))
		}
		if g.chance(2) {
			s.WriteString(g.of(noise))
		}
		if g.chance(20) {
			s.WriteString("|")
		}
	}
	if g.chance(15) {
		s.WriteString("$")
	}
	return s.String()
}

func (g generator) bound() string {
	number := strconv.FormatInt(numbers[g.Intn(len(numbers))], 10)
	if g.chance(10) && number[0] != '-' {
		number = "+" + number
	}
	return number + g.of(append([]string{"", "", "", "mb", "KB", "s", "hr", "tid"}, units...))
}

func (g generator) tagFilter() string {
	key := ""
	if g.chance(60) {
		key = g.of(keys) + "="
	}
	switch g.Intn(10) {
	case 0, 1:
		return key + g.bound()
	case 2:
		return key + g.bound() + ":"
	case 3:
		return key + ":" + g.bound()
	case 4, 5:
		return key + g.bound() + ":" + g.bound()
	case 6:
		return key + g.regex(append(keys, texts...)) + "," + g.regex(texts)
	case 7:
		return key + g.of([]string{"", ",", ":", "5:6:7", "5kb6", "x5", ":5:", "thread:w", "5 "})
	}
	return key + g.regex(texts)
}

func (g generator) keyList() string {
	var list []string
	for i := 1 + g.Intn(3); i > 0; i-- {
		list = append(list, g.of(append([]string{"none"}, keys...)))
	}
	return strings.Join(list, ",")
}

// Only a few of the filters are set, so that something is left.
func (g generator) expressions() []string {
	list := make([]string, len(kinds))
	count := 1 + g.Intn(3)
	for ; count > 0; count-- {
		i := g.Intn(len(kinds))
		switch kind := kinds[i].name; {
		case kind == "tagfocus" || kind == "tagignore":
			list[i] = g.tagFilter()
		case kind == "tagshow" || kind == "taghide":
			list[i] = g.regex(keys)
		case kind == "tagroot" || kind == "tagleaf":
			list[i] = g.keyList()
		default:
			list[i] = g.regex(append(append(names, files...), mappings...))
		}
	}
	for i, s := range list { // an argument of a program has no NUL
		list[i] = strings.ReplaceAll(s, "\x00", "0")
	}
	return list
}

func (g generator) addLabels(s *profile.Sample) {
	for i := g.Intn(4); i > 0; i-- {
		key := g.of(keys)
		if g.chance(50) {
			s.Label[key] = append(s.Label[key], g.of(texts))
			continue
		}
		unit := g.of(units)
		if isOld && unit == "" {
			unit = "bytes"
		}
		s.NumLabel[key] = append(s.NumLabel[key], numbers[g.Intn(len(numbers))])
		s.NumUnit[key] = append(s.NumUnit[key], unit)
	}
}

func (g generator) addLocation(p *profile.Profile) {
	l := &profile.Location{ID: uint64(len(p.Location) + 1), Address: uint64(g.Intn(1 << 20))}
	if g.chance(80) {
		l.Mapping = p.Mapping[g.Intn(len(p.Mapping))]
	}
	for i := g.Intn(4); i > 0; i-- {
		f := p.Function[g.Intn(len(p.Function))]
		l.Line = append(l.Line, profile.Line{Function: f, Line: int64(g.Intn(100))})
	}
	p.Location = append(p.Location, l)
}

func (g generator) profile() *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "ns"}, {Type: "n", Unit: "count"}}}
	for i := 1 + g.Intn(3); i > 0; i-- {
		at := uint64(i) << 24
		p.Mapping = append(p.Mapping, &profile.Mapping{ID: uint64(len(p.Mapping) + 1),
			Start: at, Limit: at + 1<<20, File: g.of(mappings), BuildID: "abcdef" + strconv.Itoa(i)})
	}
	for i := 1 + g.Intn(12); i > 0; i-- {
		p.Function = append(p.Function, &profile.Function{ID: uint64(len(p.Function) + 1),
			Name: g.of(names), Filename: g.of(files), SystemName: "system"})
	}
	for i := 1 + g.Intn(10); i > 0; i-- {
		g.addLocation(p)
	}
	for i := g.Intn(10); i > 0; i-- {
		s := &profile.Sample{Value: []int64{1 + g.Int63n(9), int64(i)}, Label: map[string][]string{},
			NumLabel: map[string][]int64{}, NumUnit: map[string][]string{}}
		depth := g.Intn(7)
		if isOld {
			depth++
		}
		for ; depth > 0; depth-- {
			s.Location = append(s.Location, p.Location[g.Intn(len(p.Location))])
		}
		g.addLabels(s)
		p.Sample = append(p.Sample, s)
	}
	if g.chance(25) {
		p.DropFrames = g.regex(names)
	}
	if g.chance(25) {
		p.KeepFrames = g.regex(names)
	}
	if isOld {
		p = p.Compact()
	}
	return p
}

func (g generator) testCase() testCase {
	var data bytes.Buffer
	check(g.profile().WriteUncompressed(&data))
	return testCase{g.expressions(), data.Bytes()}
}

func isError(answer string) bool { return strings.HasPrefix(answer, "error ") }

func report(number int, c testCase, their, our string) {
	fmt.Printf("case %d differs\n", number)
	for i, kind := range kinds {
		if c.expressions[i] != "" {
			fmt.Printf("  %s=%q\n", kind.name, c.expressions[i])
		}
	}
	if p, err := profile.ParseData(c.data); err == nil {
		fmt.Printf("  drop_frames %q, keep_frames %q\n", p.DropFrames, p.KeepFrames)
	}
	fmt.Printf("  pprof: %q\n  ours:  %q\n", their, our)
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: filters PROGRAM CASES SEED")
		os.Exit(2)
	}
	cases, err := strconv.Atoi(os.Args[2])
	check(err)
	seed, err := strconv.ParseInt(os.Args[3], 10, 64)
	check(err)
	probe()
	p, g := start(os.Args[1]), generator{rand.New(rand.NewSource(seed))}
	different, refused, sampled, changed := 0, 0, 0, 0
	for i := 0; i < cases; i++ {
		c := g.testCase()
		their, our := theirs(c), p.ours(c)
		if isError(their) {
			refused++
		}
		if their != our && !(isError(their) && isError(our)) {
			different++
			if different <= maxReports {
				report(i, c, their, our)
			}
		}
		if i%16 == 0 {
			sampled++
			if p.ours(testCase{make([]string, len(kinds)), c.data}) != our {
				changed++
			}
		}
	}
	fmt.Printf("%d cases, %d refused by pprof, %d different; %d of %d have an effect\n",
		cases, refused, different, changed, sampled)
	if different > 0 || changed < sampled/4 {
		os.Exit(1)
	}
}

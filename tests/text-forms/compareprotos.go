// SPDX-License-Identifier: GPL-2.0

// Tells in what two profiles of a kind differ, Go's own and ours, as files: what stands
// in their heads, how samples are ordered and labelled, and what is known of mappings,
// locations and functions. A line is FACT, Go's and ours, separated by tabs.
//
//	compareprotos KIND GO OURS
//
// Exits with 1 if one can't be read, or does not keep what it promises.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/google/pprof/profile"
)

const pageBytes = 4096

// The value by which samples fall. Go sorts neither cpu nor, once its values are
// scaled, heap; ours are ordered by the first.
var goOrder = map[string]int{"threadcreate": 0, "thread": 0, "values": 0, "block": 1, "mutex": 1}

type fact struct {
	name, value string
}

func typeName(t *profile.ValueType) string {
	if t == nil {
		return "none"
	}
	return t.Type + "/" + t.Unit
}

func sampleTypes(p *profile.Profile) string {
	var names []string
	for _, t := range p.SampleType {
		names = append(names, typeName(t))
	}
	return strings.Join(names, " ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func isSet(set bool) string {
	if set {
		return "set"
	}
	return "not set"
}

func order(p *profile.Profile, by int, promised bool) string {
	if !promised {
		return "none"
	}
	for i := 1; i < len(p.Sample); i++ {
		if p.Sample[i].Value[by] > p.Sample[i-1].Value[by] {
			return "BROKEN"
		}
	}
	return p.SampleType[by].Type
}

func sorted(set map[string]bool) string {
	var list []string
	for s := range set {
		list = append(list, s)
	}
	sort.Strings(list)
	return orNone(strings.Join(list, " "))
}

// The keys that any sample has, and of numbers their units.
func labels(p *profile.Profile) string {
	keys := map[string]bool{}
	for _, s := range p.Sample {
		for key := range s.Label {
			keys[key] = true
		}
		for key, units := range s.NumUnit {
			keys[key+"/"+strings.Join(units, "")] = true
		}
		for key := range s.NumLabel {
			if s.NumUnit[key] == nil {
				keys[key+"/"] = true
			}
		}
	}
	return sorted(keys)
}

// A program's own file, at its true place.
func firstMapping(p *profile.Profile) string {
	if len(p.Mapping) == 0 {
		return "none"
	}
	m := p.Mapping[0]
	if strings.Contains(filepath.Base(m.File), ".so") || !strings.HasPrefix(m.File, "/") {
		return m.File
	}
	if m.Start >= m.Limit || (m.Start|m.Limit|m.Offset)%pageBytes != 0 {
		return "not of whole pages"
	}
	return "the program"
}

// Go sets none of the others, which are for what is known of all locations.
func flags(p *profile.Profile) string {
	for _, m := range p.Mapping {
		if m == p.Mapping[0] && !m.HasFunctions {
			return "none"
		}
		if !m.HasFunctions && (m.HasFilenames || m.HasLineNumbers || m.HasInlineFrames) {
			return "others"
		}
	}
	return "functions"
}

var hex = regexp.MustCompile(`^([0-9a-f]{2})*$`)

func buildIDs(p *profile.Profile) string {
	for _, m := range p.Mapping {
		if !hex.MatchString(m.BuildID) {
			return m.BuildID
		}
	}
	return "hex"
}

func locations(p *profile.Profile) string {
	for _, l := range p.Location {
		if len(l.Line) == 0 {
			return "without a line"
		}
		if m := l.Mapping; m != nil && (l.Address < m.Start || l.Address >= m.Limit) {
			return "outside of its mapping"
		}
	}
	return "named, inside"
}

// Of those of the program's own file.
func functions(p *profile.Profile) string {
	set := map[string]bool{}
	for _, l := range p.Location {
		if l.Mapping != p.Mapping[0] {
			continue
		}
		for _, line := range l.Line {
			f := line.Function
			set["name"] = set["name"] || f.Name != ""
			set["system_name"] = set["system_name"] || f.SystemName != ""
			set["filename"] = set["filename"] || f.Filename != ""
			set["start_line"] = set["start_line"] || f.StartLine != 0
			set["line"] = set["line"] || line.Line != 0
		}
	}
	for name, has := range set {
		if !has {
			delete(set, name)
		}
	}
	return sorted(set)
}

func facts(p *profile.Profile, by int, promised bool) []fact {
	return []fact{
		{"sample types", sampleTypes(p)},
		{"period type", typeName(p.PeriodType)},
		{"period", fmt.Sprint(p.Period)},
		{"default type", orNone(p.DefaultSampleType)},
		{"drop_frames", isSet(p.DropFrames != "")},
		{"keep_frames", isSet(p.KeepFrames != "")},
		{"time", isSet(p.TimeNanos != 0)},
		{"duration", isSet(p.DurationNanos != 0)},
		{"comments", isSet(len(p.Comments) > 0)},
		{"falls by", order(p, by, promised)},
		{"labels", labels(p)},
		{"first mapping", firstMapping(p)},
		{"flags", flags(p)},
		{"build ids", buildIDs(p)},
		{"locations", locations(p)},
		{"functions", functions(p)},
	}
}

func read(path string) *profile.Profile {
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		var p *profile.Profile
		if p, err = profile.Parse(file); err == nil {
			if len(p.Sample) > 0 && len(p.Mapping) > 0 {
				return p
			}
			err = fmt.Errorf("%d samples, %d mappings", len(p.Sample), len(p.Mapping))
		}
	}
	fmt.Printf("%s: %v\n", path, err)
	os.Exit(1)
	return nil
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: compareprotos KIND GO OURS")
		os.Exit(2)
	}
	by, promised := goOrder[os.Args[1]]
	theirs := facts(read(os.Args[2]), by, promised)
	broken := false
	for i, our := range facts(read(os.Args[3]), 0, true) {
		if our.value != theirs[i].value {
			fmt.Printf("%s\t%s\t%s\n", our.name, theirs[i].value, our.value)
		}
		broken = broken || our.value == "BROKEN" || theirs[i].value == "BROKEN"
	}
	if broken {
		os.Exit(1)
	}
}

// SPDX-License-Identifier: GPL-2.0
// What the scrapers of Parca and Alloy, in this folder, do with a profile.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/pprof/profile"
)

// folder is that of the profiles. The scrapers take a profile of each type at a time.
type folder struct {
	path   string
	mutex  sync.Mutex
	counts map[string]int
}

// store writes the profile to the file NAME.N, N from 1 on, which is complete once it is there. It
// prints NAME, N, and how many milliseconds after the end of its window the profile came.
func (f *folder) store(name string, data []byte) error {
	p, err := profile.ParseData(data)
	if err != nil {
		return err
	}
	late := time.Since(time.Unix(0, p.TimeNanos+p.DurationNanos))
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.counts[name]++
	path := filepath.Join(f.path, fmt.Sprintf("%s.%d", name, f.counts[name]))
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	fmt.Println(name, f.counts[name], late.Milliseconds())
	return os.Rename(path+".new", path)
}

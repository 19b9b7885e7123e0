// SPDX-License-Identifier: GPL-2.0

// Writes Go's own profiles of itself as text, into a folder: go.KIND.txt. Ours
// are to look like them.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var kept [][]byte

//go:noinline
func allocate(nr, size int) {
	for i := 0; i < nr; i++ {
		kept = append(kept, make([]byte, size))
	}
}

// Two places with a wait each, and a lock with waiters.
func block() {
	var lock sync.Mutex
	var done sync.WaitGroup
	never := make(chan bool)

	lock.Lock()
	for i := 0; i < 3; i++ {
		done.Add(1)
		go func() {
			lock.Lock()
			lock.Unlock()
			done.Done()
		}()
	}
	select {
	case <-never:
	case <-time.After(50 * time.Millisecond):
	}
	lock.Unlock()
	done.Wait()
}

func wait(ready *sync.WaitGroup, stop chan bool) {
	ready.Done()
	<-stop
}

// Goroutines with labels and without, at two places.
func start(stop chan bool) {
	var ready sync.WaitGroup

	ready.Add(6)
	for i := 0; i < 3; i++ {
		go wait(&ready, stop)
		go pprof.Do(context.Background(), pprof.Labels("role", "wor\"ker", "id", "7"),
			func(context.Context) { wait(&ready, stop) })
	}
	ready.Wait()
}

func main() {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	allocate(100, 40000)
	allocate(10, 4000000)
	kept = kept[:50]
	runtime.GC()
	block()
	start(make(chan bool))
	for _, p := range pprof.Profiles() {
		file, err := os.Create(filepath.Join(os.Args[1], "go."+p.Name()+".txt"))
		if err != nil {
			log.Fatal(err)
		}
		if err := p.WriteTo(file, 1); err != nil {
			log.Fatal(err)
		}
		file.Close()
	}
}

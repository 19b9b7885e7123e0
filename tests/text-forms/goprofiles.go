// SPDX-License-Identifier: GPL-2.0

// Writes Go's own profiles of itself into a folder: go.KIND.txt as text, but for cpu,
// which has none, and go.KIND.proto. Ours are to look like them.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
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

//go:noinline
func addSome(values *pprof.Profile, value int) {
	values.Add(value, 0)
}

//go:noinline
func addMany(values *pprof.Profile, value int) {
	values.Add(value, 0)
}

// A profile of its own: eight at one place, and two that are left at another.
func keepValues() {
	values := pprof.NewProfile("values")
	for i := 1; i <= 8; i++ {
		addSome(values, i)
		addMany(values, -i)
	}
	for i := 1; i <= 6; i++ {
		values.Remove(i)
	}
}

func create(name string) *os.File {
	file, err := os.Create(filepath.Join(os.Args[1], "go."+name))
	if err != nil {
		log.Fatal(err)
	}
	return file
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

//go:noinline
func spin(nr int) (sum int) {
	for i := 0; i < nr; i++ {
		sum += i * i
	}
	return sum
}

func burn(context.Context) {
	for end := cpuTime() + 300*time.Millisecond; cpuTime() < end; {
		spin(100000)
	}
}

// Half of it is of a label.
func profileCPU() {
	file := create("cpu.proto")
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		log.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	burn(nil)
	pprof.Do(context.Background(), pprof.Labels("role", "worker"), burn)
}

func write(p *pprof.Profile, ending string, debug int) {
	file := create(p.Name() + ending)
	defer file.Close()
	if err := p.WriteTo(file, debug); err != nil {
		log.Fatal(err)
	}
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
	keepValues()
	profileCPU()
	for _, p := range pprof.Profiles() {
		write(p, ".txt", 1)
		write(p, ".proto", 0)
	}
}

// Decides whether the increments that the workers of a cell recorded are linearizable: as if each
// had happened at one moment between its beginning and its end, with fences that never shrink.
// Porcupine does the search. history.h describes the files.
//
//	pawl_porcupine FILE…
//
// Exit status: 0 linearizable, 1 not, 2 undecided in the time, 3 the files cannot be read.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const longestSearch = 60 * time.Second

type increment struct {
	lock  string
	fence uint64
}

// What an increment read. Unknown if its worker was killed: it may have happened or not.
type outcome struct {
	value uint64
	known bool
}

type register struct {
	value uint64
	fence uint64
}

var model = porcupine.Model{
	// The locks have nothing to do with each other.
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		byLock := map[string][]porcupine.Operation{}
		for _, one := range all {
			lock := one.Input.(increment).lock
			byLock[lock] = append(byLock[lock], one)
		}
		var parts [][]porcupine.Operation
		for _, part := range byLock {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() interface{} { return register{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		now, in, out := state.(register), input.(increment), output.(outcome)
		if !out.known {
			// If it did not happen, it may as well have been the last one: nobody saw it.
			if in.fence < now.fence {
				return true, now
			}
			return true, register{now.value + 1, in.fence}
		}
		if out.value != now.value || in.fence < now.fence {
			return false, now
		}
		return true, register{now.value + 1, in.fence}
	},
}

// The increments of one worker. Those that the register refused changed nothing, and are left out.
func read(path string, client int) ([]porcupine.Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	begun := map[uint64]porcupine.Operation{}
	var all []porcupine.Operation
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		var id uint64
		if strings.HasPrefix(line, "b ") {
			var in increment
			var at int64
			if _, err := fmt.Sscanf(line, "b %d %s %d %d", &id, &in.lock, &in.fence, &at); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", path, line, err)
			}
			begun[id] = porcupine.Operation{ClientId: client, Input: in, Call: at}
			continue
		}
		var at int64
		var value string
		if _, err := fmt.Sscanf(line, "e %d %d %s", &id, &at, &value); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, line, err)
		}
		one := begun[id]
		delete(begun, id)
		if value == "-" {
			continue
		}
		var read uint64
		if _, err := fmt.Sscanf(value, "%d", &read); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, line, err)
		}
		one.Return = at
		one.Output = outcome{read, true}
		all = append(all, one)
	}
	for _, one := range begun {
		one.Return = math.MaxInt64
		one.Output = outcome{}
		all = append(all, one)
	}
	return all, lines.Err()
}

func main() {
	var all []porcupine.Operation
	for client, path := range os.Args[1:] {
		some, err := read(path, client)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		all = append(all, some...)
	}
	result := porcupine.CheckOperationsTimeout(model, all, longestSearch)
	fmt.Printf("%d increments: %s\n", len(all), result)
	switch result {
	case porcupine.Ok:
	case porcupine.Illegal:
		os.Exit(1)
	default:
		os.Exit(2)
	}
}

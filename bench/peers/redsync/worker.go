// Drives redsync with go-redis; ../round.py says what a worker does.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

var (
	lock    = os.Getenv("ROUND_LOCK")
	loops   = number("ROUND_LOOPS")
	keys    = number("ROUND_KEYS")
	hold    = time.Duration(number("ROUND_HOLD_US")) * time.Microsecond
	options = []redsync.Option{redsync.WithExpiry(30 * time.Second)}
	gaveUp  atomic.Int64
)

type grant struct{ asked, held, unlocked int64 }

func fail(problem error) {
	fmt.Fprintln(os.Stderr, problem)
	os.Exit(1)
}

func number(variable string) int {
	value, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		fail(err)
	}
	return value
}

// Go shows its monotonic clock only as differences. This is the start of them.
var origin, originNs = time.Now(), clockMonotonic()

func clockMonotonic() int64 {
	const monotonic = 1
	var at syscall.Timespec
	_, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&at)), 0)
	if err != 0 {
		fail(err)
	}
	return at.Nano()
}

func now() int64 { return originNs + int64(time.Since(origin)) }

func name(loop, turn int) string {
	if keys == 0 {
		return lock
	}
	return fmt.Sprintf("%s:%d:%d", lock, loop, turn%keys)
}

// False when the round ended before the lock was acquired.
func acquire(mutex *redsync.Mutex, end int64) bool {
	for {
		err := mutex.Lock()
		if err == nil {
			return true
		}
		var taken *redsync.ErrTaken
		if !errors.As(err, &taken) && !errors.Is(err, redsync.ErrFailed) {
			fail(err)
		}
		gaveUp.Add(1)
		if now() >= end {
			return false
		}
	}
}

func cycle(locks *redsync.Redsync, loop int, start, end int64) (grants []grant) {
	for turn := 0; ; turn++ {
		asked := now()
		if asked >= end {
			return
		}
		mutex := locks.NewMutex(name(loop, turn), options...)
		if !acquire(mutex, end) {
			return
		}
		held := now()
		if hold > 0 {
			time.Sleep(hold)
		}
		unlocked := now()
		if ok, err := mutex.Unlock(); !ok {
			fail(fmt.Errorf("unlock: %w", err))
		}
		if held >= start {
			grants = append(grants, grant{asked - start, held - start, unlocked - start})
		}
	}
}

// One for each server.
func pools() (all []redsyncredis.Pool) {
	for _, port := range strings.Split(os.Getenv("ROUND_PORTS"), ",") {
		address := net.JoinHostPort(os.Getenv("ROUND_HOST"), port)
		client := redis.NewClient(&redis.Options{Addr: address})
		if err := client.Ping(context.Background()).Err(); err != nil {
			fail(err)
		}
		all = append(all, goredis.NewPool(client))
	}
	return
}

func main() {
	if number("ROUND_TUNED") == 1 {
		// By default 32 tries, each after 50 to 250 ms; then Lock() fails.
		options = append(options,
			redsync.WithRetryDelay(time.Millisecond), redsync.WithTries(1_000_000))
	}
	locks := redsync.New(pools()...)

	fmt.Println("ready")
	var start, end int64
	if _, err := fmt.Scan(&start, &end); err != nil {
		fail(err)
	}
	all := make([][]grant, loops)
	var running sync.WaitGroup
	for loop := range loops {
		running.Go(func() { all[loop] = cycle(locks, loop, start, end) })
	}
	running.Wait()

	out := bufio.NewWriter(os.Stdout)
	for _, grants := range all {
		for _, g := range grants {
			fmt.Fprintln(out, g.asked, g.held, g.unlocked)
		}
	}
	fmt.Fprintln(out, "gave up", gaveUp.Load())
	if err := out.Flush(); err != nil {
		fail(err)
	}
}

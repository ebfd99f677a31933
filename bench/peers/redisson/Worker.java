// Drives Redisson's locks and semaphores; ../round.py says what a worker does.

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

public final class Worker {
    private record Grant(long asked, long held, long unlocked) {}

    private static final String kind = System.getenv("ROUND_KIND");
    private static final String lock = System.getenv("ROUND_LOCK");
    private static final int holders = number("ROUND_HOLDERS");
    private static final int loops = number("ROUND_LOOPS");
    private static final int keys = number("ROUND_KEYS");
    private static final int holdMs = number("ROUND_HOLD_US") / 1000;

    private final List<RedissonClient> servers;
    private final long start;
    private final long end;
    private final List<List<Grant>> grants = new ArrayList<>();
    private final CountDownLatch running = new CountDownLatch(loops);

    private Worker(List<RedissonClient> servers, long start, long end) {
        this.servers = servers;
        this.start = start;
        this.end = end;
        for (int loop = 0; loop < loops; ++loop) grants.add(new ArrayList<>());
    }

    private static int number(String variable) {
        return Integer.parseInt(System.getenv(variable));
    }

    private static void fail(Throwable problem) {
        System.err.println(problem);
        Runtime.getRuntime().halt(1);
    }

    private static String nameFor(int loop, long turn) {
        return keys == 0 ? lock : lock + ":" + loop + ":" + turn % keys;
    }

    private static void prepare(RedissonClient redisson) {
        for (int loop = 0; loop < loops; ++loop) {
            for (int turn = 0; turn < Math.max(keys, 1); ++turn) {
                Subject.prepare(redisson, kind, nameFor(loop, turn), holders);
            }
        }
    }

    private void count(int loop, long asked, long held, long unlocked) {
        if (held < start) return;
        grants.get(loop).add(new Grant(asked - start, held - start, unlocked - start));
    }

    private void cycle(int loop) {
        try {
            for (long turn = 0;; ++turn) {
                final long asked = System.nanoTime();
                if (asked >= end) break;
                final Subject mine = Subject.of(servers, kind, nameFor(loop, turn));
                mine.acquire();
                final long held = System.nanoTime();
                if (holdMs > 0) Thread.sleep(holdMs);
                final long unlocked = System.nanoTime();
                mine.release();
                count(loop, asked, held, unlocked);
            }
            running.countDown();
        } catch (Throwable problem) {
            fail(problem);
        }
    }

    // The answers come in Redisson's own threads, so each loop passes its own id.
    private void cycleAsync(int loop, long turn) {
        final long asked = System.nanoTime();
        if (asked >= end) {
            running.countDown();
            return;
        }
        final long owner = loop + 1;
        final RLock mine = Subject.lockOf(servers, kind, nameFor(loop, turn));
        mine.lockAsync(owner).thenCompose(nothing -> {
            final long held = System.nanoTime();
            return mine.unlockAsync(owner).thenRun(() -> count(loop, asked, held, held));
        }).whenComplete((nothing, problem) -> {
            if (problem != null) fail(problem);
            cycleAsync(loop, turn + 1);
        });
    }

    private void run(boolean async) throws InterruptedException {
        for (int number = 0; number < loops; ++number) {
            final int loop = number;
            if (async) {
                cycleAsync(loop, 0);
            } else {
                new Thread(() -> cycle(loop)).start();
            }
        }
        running.await();
    }

    private void print(PrintStream out) {
        final StringBuilder text = new StringBuilder();
        for (List<Grant> ofOne : grants) {
            for (Grant each : ofOne) {
                text.append(each.asked).append(' ').append(each.held).append(' ')
                    .append(each.unlocked).append('\n');
            }
        }
        out.print(text.append("gave up 0\n"));
        out.flush();
    }

    // The JVM compiles methods that have been called often. Contending processes call them rarely, so
    // each process does this alone before.
    private static void warmUp(List<RedissonClient> servers) throws InterruptedException {
        final String name = lock + ":warm-up:" + ProcessHandle.current().pid();
        Subject.prepare(servers.get(0), kind, name, holders);
        final Subject mine = Subject.of(servers, kind, name);
        for (int turn = 0; turn < 1000; ++turn) {
            mine.acquire();
            mine.release();
        }
    }

    // One client for each server.
    private static List<RedissonClient> connect() {
        final List<RedissonClient> servers = new ArrayList<>();
        for (String port : System.getenv("ROUND_PORTS").split(",")) {
            final Config config = new Config();
            config.useSingleServer().setAddress(
                "redis://" + System.getenv("ROUND_HOST") + ":" + port);
            servers.add(Redisson.create(config));
        }
        return servers;
    }

    public static void main(String[] none) throws InterruptedException, IOException {
        final List<RedissonClient> servers = connect();
        final RedissonClient redisson = servers.get(0);
        final boolean isLatch = kind.equals("latch");
        if (!isLatch) {
            prepare(redisson);
            warmUp(servers);
        }
        System.out.println("ready");
        final Scanner told = new Scanner(System.in);
        final long start = told.nextLong();
        final long end = told.nextLong();
        if (isLatch) {
            final LatchWorker worker = new LatchWorker(redisson, lock, loops, start, end);
            worker.run();
            worker.print(System.out);
        } else {
            final Worker worker = new Worker(servers, start, end);
            worker.run(number("ROUND_ASYNC") == 1);
            worker.print(System.out);
        }
        Runtime.getRuntime().halt(0);
    }
}

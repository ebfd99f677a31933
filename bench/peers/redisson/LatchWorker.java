// Drives Redisson's RCountDownLatch; ../round.py says what a worker does. The threads of all processes wait
// for one latch after the other, and the first process opens them. Processes tell each other how far they are
// in a file that all of them have mapped.

import java.io.IOException;
import java.io.PrintStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.api.redisnode.RedisNodes;

final class LatchWorker {
    private record Release(long asked, long returned, long opened) {}

    // The numbers in the file. Waiting and returned count in all releases together.
    private static final int waiting = 0;
    private static final int returned = 1;
    private static final int prepared = 2;
    private static final int openedAt = 3;
    private static final int lastRelease = 4;
    private static final int fileSize = 4096;
    private static final VarHandle longs =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final RedissonClient redisson;
    private final String name;
    private final int loops;
    private final boolean opens;
    private final long all;
    private final long start;
    private final long end;
    private final ByteBuffer shared;
    private final List<List<Release>> releases = new ArrayList<>();
    private long begun = 0;

    LatchWorker(RedissonClient redisson, String name, int loops, long start, long end)
        throws IOException {
        this.redisson = redisson;
        this.name = name;
        this.loops = loops;
        this.start = start;
        this.end = end;
        opens = System.getenv("ROUND_INDEX").equals("0");
        all = (long) loops * Integer.parseInt(System.getenv("ROUND_PROCESSES"));
        try (FileChannel file = FileChannel.open(Path.of(System.getenv("ROUND_SHARED")),
                                                 StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            shared = file.map(FileChannel.MapMode.READ_WRITE, 0, fileSize);
        }
    }

    private long get(int number) {
        return (long) longs.getVolatile(shared, number * Long.BYTES);
    }

    private void set(int number, long value) {
        longs.setVolatile(shared, number * Long.BYTES, value);
    }

    private void increment(int number) {
        longs.getAndAdd(shared, number * Long.BYTES, 1L);
    }

    // With a limit, because another process may have been killed.
    private void await(int number, long value) throws InterruptedException {
        final long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (get(number) < value) {
            if (System.nanoTime() > limit) {
                throw new IllegalStateException("the other processes did nothing for 30 s");
            }
            Thread.sleep(1);
        }
    }

    private RCountDownLatch latch(long release) {
        return redisson.getCountDownLatch(name + ":" + release);
    }

    private synchronized void begin(long release) {
        begun = release;
        notifyAll();
    }

    private synchronized void awaitBegin(long release) throws InterruptedException {
        while (begun < release) wait();
    }

    private void waitForEach(List<Release> mine) {
        try {
            for (long release = 1;; ++release) {
                awaitBegin(release);
                final RCountDownLatch next = latch(release);
                final long asked = System.nanoTime();
                increment(waiting);
                if (!next.await(10, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("a latch did not open for 10 s");
                }
                final long now = System.nanoTime();
                mine.add(new Release(asked - start, now - start, get(openedAt) - start));
                final boolean isLast = get(lastRelease) == release;
                increment(returned);
                if (isLast) return;
            }
        } catch (Throwable problem) {
            fail(problem);
        }
    }

    private static void fail(Throwable problem) {
        System.err.println(problem);
        Runtime.getRuntime().halt(1);
    }

    private void open(long release) throws InterruptedException {
        await(waiting, release * all);
        awaitQuiet();
        if (System.nanoTime() >= end) set(lastRelease, release);
        prepare(release + 1);
        set(openedAt, System.nanoTime());
        latch(release).countDown();
    }

    private long commands() {
        return Long.parseLong(redisson.getRedisNodes(RedisNodes.SINGLE).getInstance()
            .info(RedisNode.InfoSection.STATS).get("total_commands_processed"));
    }

    // Returns when the server has had nothing to do for a while, except INFO and a stray PING. Then all
    // threads wait.
    private void awaitQuiet() throws InterruptedException {
        for (long before = commands();; ) {
            Thread.sleep(50);
            final long now = commands();
            if (now - before <= 3) return;
            before = now;
        }
    }

    // A latch that nobody has set is open.
    private void prepare(long release) {
        latch(release).trySetCount(1);
        set(prepared, release);
    }

    void run() {
        try {
            lead();
        } catch (Throwable problem) {
            fail(problem);
        }
    }

    private void lead() throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < loops; ++number) {
            final List<Release> mine = new ArrayList<>();
            releases.add(mine);
            threads.add(new Thread(() -> waitForEach(mine)));
            threads.get(number).start();
        }
        if (opens) prepare(1);
        for (long release = 1;; ++release) {
            await(prepared, release);
            begin(release);
            if (opens) open(release);
            await(returned, release * all);
            if (get(lastRelease) == release) break;
        }
        for (Thread each : threads) each.join();
    }

    void print(PrintStream out) {
        final StringBuilder text = new StringBuilder();
        for (List<Release> ofOne : releases) {
            for (Release each : ofOne) {
                if (each.opened < 0) continue;
                text.append(each.asked).append(' ').append(each.returned).append(' ')
                    .append(each.opened).append('\n');
            }
        }
        out.print(text.append("gave up 0\n"));
        out.flush();
    }
}

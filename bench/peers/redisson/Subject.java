// What a loop acquires and releases.

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

interface Subject {
    void acquire() throws InterruptedException;

    void release();

    // With one client for each server. Only locks of the kinds "quorum" and "all" use more than the first.
    static Subject of(List<RedissonClient> servers, String kind, String name) {
        final RedissonClient redisson = servers.get(0);
        return switch (kind) {
            case "readers" -> ofLock(redisson.getReadWriteLock(name).readLock());
            case "permits" -> ofSemaphore(redisson.getSemaphore(name));
            case "expirable-permits" -> ofExpirable(redisson.getPermitExpirableSemaphore(name));
            default -> ofLock(lockOf(servers, kind, name));
        };
    }

    // RedLock needs a majority of its locks and is deprecated; MultiLock needs all of them.
    @SuppressWarnings("deprecation")
    static RLock lockOf(List<RedissonClient> servers, String kind, String name) {
        final RedissonClient redisson = servers.get(0);
        final RLock[] locks =
            servers.stream().map(each -> each.getLock(name)).toArray(RLock[]::new);
        return switch (kind) {
            case "quorum" -> redisson.getRedLock(locks);
            case "all" -> redisson.getMultiLock(locks);
            default -> locks[0];
        };
    }

    // A semaphore must be told how many permits it has. Only the first of several calls counts.
    static void prepare(RedissonClient redisson, String kind, String name, int permits) {
        switch (kind) {
            case "permits" -> redisson.getSemaphore(name).trySetPermits(permits);
            case "expirable-permits" ->
                redisson.getPermitExpirableSemaphore(name).trySetPermits(permits);
            default -> { }
        }
    }

    // Without a lease: the watchdog renews it.
    private static Subject ofLock(RLock lock) {
        return new Subject() {
            @Override
            public void acquire() {
                lock.lock();
            }

            @Override
            public void release() {
                lock.unlock();
            }
        };
    }

    private static Subject ofSemaphore(RSemaphore semaphore) {
        return new Subject() {
            @Override
            public void acquire() throws InterruptedException {
                semaphore.acquire();
            }

            @Override
            public void release() {
                semaphore.release();
            }
        };
    }

    private static Subject ofExpirable(RPermitExpirableSemaphore semaphore) {
        return new Subject() {
            private String permit;

            @Override
            public void acquire() throws InterruptedException {
                permit = semaphore.acquire(30, TimeUnit.SECONDS);
            }

            @Override
            public void release() {
                semaphore.release(permit);
            }
        };
    }
}

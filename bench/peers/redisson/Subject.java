// What a loop acquires and releases.

import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

interface Subject {
    void acquire() throws InterruptedException;

    void release();

    static Subject of(RedissonClient redisson, String kind, String name) {
        return switch (kind) {
            case "readers" -> ofLock(redisson.getReadWriteLock(name).readLock());
            case "permits" -> ofSemaphore(redisson.getSemaphore(name));
            case "expirable-permits" -> ofExpirable(redisson.getPermitExpirableSemaphore(name));
            default -> ofLock(redisson.getLock(name));
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

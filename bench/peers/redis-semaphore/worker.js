// Drives Mutex and RedlockMutex of redis-semaphore with ioredis.
'use strict';

const { Mutex, RedlockMutex, TimeoutError } = require('redis-semaphore');
const { GaveUp, run } = require('../node_worker.js');

run((clients, { tuned, quorum }) => {
  // By default it tries again every 10 ms, for 10 s; then acquire() fails.
  const settings = tuned ? { lockTimeout: 30000, retryInterval: 1 } : { lockTimeout: 30000 };
  return async (name) => {
    const mutex = quorum
      ? new RedlockMutex(clients, name, settings) : new Mutex(clients[0], name, settings);
    try {
      await mutex.acquire();
      return () => mutex.release();
    } catch (problem) {
      throw problem instanceof TimeoutError ? new GaveUp() : problem;
    }
  };
});

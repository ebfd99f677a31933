// Drives the Mutex of redis-semaphore with ioredis.
'use strict';

const { Mutex, TimeoutError } = require('redis-semaphore');
const { GaveUp, run } = require('../node_worker.js');

run((client, tuned) => {
  // By default it tries again every 10 ms, for 10 s; then acquire() fails.
  const settings = tuned ? { lockTimeout: 30000, retryInterval: 1 } : { lockTimeout: 30000 };
  return async (name) => {
    const mutex = new Mutex(client, name, settings);
    try {
      await mutex.acquire();
      return () => mutex.release();
    } catch (problem) {
      throw problem instanceof TimeoutError ? new GaveUp() : problem;
    }
  };
});

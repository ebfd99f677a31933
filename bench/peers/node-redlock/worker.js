// Drives redlock with ioredis.
'use strict';

const { default: Redlock, ExecutionError } = require('redlock');
const { GaveUp, run } = require('../node_worker.js');

run((client, tuned) => {
  // By default 10 retries, each after 200 ms give or take 100; then acquire() fails.
  const settings = tuned ? { retryCount: -1, retryDelay: 1, retryJitter: 0 } : {};
  const redlock = new Redlock([client], settings);
  return async (name) => {
    try {
      const lock = await redlock.acquire([name], 30000);
      return () => lock.release();
    } catch (problem) {
      throw problem instanceof ExecutionError ? new GaveUp() : problem;
    }
  };
});

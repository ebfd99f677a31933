// Drives redlock with ioredis.
'use strict';

const { default: Redlock, ExecutionError } = require('redlock');
const { GaveUp, run } = require('../node_worker.js');

// By default 10 retries, each after 200 ms give or take 100; then acquire() fails. It keeps the votes of
// a minority until then, and takes them for those of another one. So with a quorum an unlimited
// number of retries would let several of them block each other until the lease ends.
function settingsFor(tuned, quorum) {
  if (!tuned) return {};
  return quorum ? { retryDelay: 2, retryJitter: 2 } : { retryCount: -1, retryDelay: 1, retryJitter: 0 };
}

run((clients, { tuned, quorum }) => {
  const redlock = new Redlock(clients, settingsFor(tuned, quorum));
  return async (name) => {
    try {
      const lock = await redlock.acquire([name], 30000);
      return () => lock.release();
    } catch (problem) {
      throw problem instanceof ExecutionError ? new GaveUp() : problem;
    }
  };
});

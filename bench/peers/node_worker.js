// The common part of the workers in Node. round.py says what a worker does.
//
// run(prepare): prepare(clients, {tuned, quorum}) returns acquire(name), which promises a function that
// releases the lock. There is one client for each server. GaveUp means that the peer did not wait any
// longer.
'use strict';

const readline = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');
const Redis = require('ioredis');

class GaveUp extends Error {}

const environment = process.env;
const lock = environment.ROUND_LOCK;
const loops = Number(environment.ROUND_LOOPS);
const keys = Number(environment.ROUND_KEYS);
const holdMs = Number(environment.ROUND_HOLD_US) / 1000;
const ports = environment.ROUND_PORTS.split(',').map(Number);
const settings = {
  tuned: environment.ROUND_TUNED === '1',
  quorum: environment.ROUND_KIND === 'quorum',
};

// CLOCK_MONOTONIC: a number is exact for the first hundred days after boot.
function nowNs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e9 + nanoseconds;
}

function nameFor(loop, turn) {
  return keys === 0 ? lock : `${lock}:${loop}:${turn % keys}`;
}

async function acquireInTheEnd(acquire, name, end, counts) {
  for (;;) {
    try {
      return await acquire(name);
    } catch (problem) {
      if (!(problem instanceof GaveUp)) throw problem;
      counts.gaveUp += 1;
      if (nowNs() >= end) return null;
    }
  }
}

async function cycle(acquire, loop, start, end, grants, counts) {
  for (let turn = 0; ; turn += 1) {
    const asked = nowNs();
    if (asked >= end) return;
    const release = await acquireInTheEnd(acquire, nameFor(loop, turn), end, counts);
    if (release === null) return;
    const held = nowNs();
    if (holdMs > 0) await sleep(holdMs);
    const unlocked = nowNs();
    await release();
    if (held >= start) grants.push(`${asked - start} ${held - start} ${unlocked - start}`);
  }
}

async function line() {
  for await (const text of readline.createInterface({ input: process.stdin })) return text;
  throw new Error('was not told when to start');
}

async function work(prepare) {
  const clients = ports.map((port) => new Redis(port, environment.ROUND_HOST));
  await Promise.all(clients.map((client) => client.ping()));
  const acquire = prepare(clients, settings);
  console.log('ready');
  const [start, end] = (await line()).split(' ').map(Number);

  const grants = [];
  const counts = { gaveUp: 0 };
  const all = [];
  for (let loop = 0; loop < loops; loop += 1) {
    all.push(cycle(acquire, loop, start, end, grants, counts));
  }
  await Promise.all(all);
  for (const client of clients) client.disconnect();
  grants.push(`gave up ${counts.gaveUp}`, '');
  process.stdout.write(grants.join('\n'));
}

module.exports = {
  GaveUp,
  run: (prepare) => work(prepare).catch((problem) => {
    process.stderr.write(`${problem.name}: ${problem.message}\n`, () => process.exit(1));
  }),
};

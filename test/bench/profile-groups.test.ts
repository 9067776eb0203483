import { describe, expect, test } from '@jest/globals';
import { groupOfUrl } from '../../lab/bench/profile-groups.ts';

const DIST = 'file:///bench/dist/node_modules/batchlatch/dist/esm';

describe("whose code a profile's frame is", () => {
  test.each([
    ['batchlatch', `${DIST}/batch/lane-runner.js`],
    ['batchlatch', `${DIST}/stores/dynamodb/batch-writer.js`],
    ['batchlatch, direct transport', `${DIST}/aws/direct-sender.js`],
    ['signing', `${DIST}/aws/signed-headers.js`],
    ["batchlatch's dependencies", 'file:///node_modules/p-limit/index.js'],
    ['Powertools', 'file:///node_modules/@aws-lambda-powertools/batch/lib/esm/index.js'],
    ['batchlatch', `${DIST}/stores/postgres/acquire.js`],
    ['pg (driver)', 'file:///node_modules/pg/lib/client.js'],
    ['pg (driver)', 'file:///node_modules/pg-protocol/dist/parser.js'],
    ['pg (driver)', 'file:///node_modules/postgres-array/index.js'],
    ['Redis client', 'file:///node_modules/@redis/client/dist/lib/client/index.js'],
    ['Redis client', 'file:///node_modules/ioredis/built/Redis.js'],
    ['AWS SDK', 'file:///node_modules/@smithy/core/dist-cjs/index.js'],
    ['hashes and random numbers (node:crypto)', 'node:internal/crypto/hash'],
    ['Node: HTTP, TLS, sockets, streams', 'node:_http_client'],
    ['Node: HTTP, TLS, sockets, streams', 'node:https'],
    ['Node: HTTP, TLS, sockets, streams', 'node:_tls_wrap'],
    ['Node: HTTP, TLS, sockets, streams', 'node:net'],
    ['Node: HTTP, TLS, sockets, streams', 'node:internal/streams/readable'],
    ['Node: HTTP, TLS, sockets, streams', 'node:internal/stream_base_commons'],
    ['Node: timers, events, the rest', 'node:events'],
    ['Node: timers, events, the rest', 'node:internal/process/task_queues'],
    ['the benchmark itself (handler, floor)', 'file:///bench/dist/floor-AAAA.mjs'],
    ['other', 'evalmachine.<anonymous>'],
  ])('%s: %s', (group, url) => {
    expect(groupOfUrl(url)).toBe(group);
  });
});

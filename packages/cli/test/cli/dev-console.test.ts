import { describe, expect, it } from '@jest/globals';
import { consoleTableOf } from '../../src/cli/dev/dev-console.ts';
import type { DevStack, DevTable } from '../../src/dev/stack.ts';

const tableOf = (id: string, keys: readonly string[], ttl?: string): DevTable => ({
  id,
  name: `shop-${id}`,
  arn: `arn:aws:dynamodb:us-east-1:000000000000:table/shop-${id}`,
  definition: { KeySchema: keys.map((AttributeName) => ({ AttributeName, KeyType: 'HASH' })) },
  timeToLiveAttribute: ttl,
});
const stackOf = (...tables: DevTable[]): DevStack => ({
  functions: [],
  queues: [],
  tables,
  streams: [],
  queueTargets: [],
  notes: [],
  invocationNotes: new Map(),
});

describe('The claims table of the console of `dev`', () => {
  const sessions = tableOf('Sessions', ['id'], 'until');
  const customers = tableOf('Customers', ['id']);
  const charges = tableOf('Charges', ['id', 'at'], 'expiresAt');
  const claims = tableOf('Claims', ['id'], 'expiresAt');
  const others = tableOf('OtherClaims', ['id'], 'expiresAt');

  it('is the first with the key and the TTL of one', () => {
    expect(consoleTableOf(stackOf(sessions, customers, charges, claims, others), undefined)).toBe(claims);
  });

  it.each(['OtherClaims', 'shop-OtherClaims'])('is the one that is named: %s', (name) => {
    expect(consoleTableOf(stackOf(claims, others), name)).toBe(others);
  });

  it('may be another if it is named', () => {
    expect(consoleTableOf(stackOf(claims, sessions), 'Sessions')).toBe(sessions);
  });

  it('has to be there', () => {
    expect(() => consoleTableOf(stackOf(sessions), undefined)).toThrow(
      'if it is one of Sessions, name it with --console-table',
    );
    expect(() => consoleTableOf(stackOf(), undefined)).toThrow('no claims table for the console');
    expect(() => consoleTableOf(stackOf(claims), 'Nothing')).toThrow('it has Claims');
    expect(() => consoleTableOf(stackOf(), 'Nothing')).toThrow('it has none');
  });
});

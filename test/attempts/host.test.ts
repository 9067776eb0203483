import { expect, it } from '@jest/globals';
import { lambdaContext } from 'batchlatch/testing';
import { type Host, hostedBy, hostOf } from '../../src/attempts/host.ts';

it('is known to a processor behind a wrapper that copies the context', () => {
  const host = { isAlone: false } as Host;
  const context = hostedBy(host, lambdaContext());
  expect(hostOf(context)).toBe(host);
  expect(hostOf({ ...context })).toBe(host);
  expect(hostOf(lambdaContext())).toBeUndefined();
});

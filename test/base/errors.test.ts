import { describe, expect, it } from '@jest/globals';
import { BatchlatchError, ConfigurationError, KeyError, PermanentError, StoreError } from 'batchlatch';
import { hasCode } from '../../src/base/errors.ts';

describe('errors', () => {
  it.each([
    [new ConfigurationError('x'), 'ConfigurationError', 'BATCHLATCH_CONFIGURATION'],
    [new StoreError('x', { isRetryable: true }), 'StoreError', 'BATCHLATCH_STORE'],
    [new StoreError('x', { isRetryable: false, code: 'BATCHLATCH_OWN' }), 'StoreError', 'BATCHLATCH_OWN'],
    [new KeyError('x'), 'KeyError', 'BATCHLATCH_KEY'],
    [new PermanentError('x'), 'PermanentError', 'BATCHLATCH_PERMANENT'],
  ])('have a name and a stable code: %p', (error, name, code) => {
    expect(error).toBeInstanceOf(BatchlatchError);
    expect(error).toMatchObject({ name, code, message: 'x' });
  });

  it('keep their cause', () => {
    const cause = new Error('why');
    expect(new KeyError('x', { cause })).toHaveProperty('cause', cause);
    expect(new StoreError('x', { isRetryable: false, cause })).toHaveProperty('cause', cause);
  });

  it.each([
    [new KeyError('x'), true],
    [{ code: 'BATCHLATCH_KEY' }, true], // of another copy of the package
    [new PermanentError('x'), false],
    ['BATCHLATCH_KEY', false],
    [null, false],
    [undefined, false],
  ])('are told apart by their code: %p', (error, expected) => {
    expect(hasCode(error, 'BATCHLATCH_KEY')).toBe(expected);
  });

  it('are not found in what cannot be looked at', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throwing = {
      get code(): string {
        throw new Error('no');
      },
    };
    expect(hasCode(proxy, 'BATCHLATCH_KEY')).toBe(false);
    expect(hasCode(throwing, 'BATCHLATCH_KEY')).toBe(false);
  });
});

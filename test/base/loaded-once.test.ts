import { expect, it, jest } from '@jest/globals';
import { loadedOnce } from '../../src/base/loaded-once.ts';

it('loads once for all callers, and again only after a failure', async () => {
  const load = jest.fn<() => Promise<string>>();
  load.mockRejectedValueOnce(new Error('The package was not found')).mockResolvedValue('the package');
  const loaded = loadedOnce(load);
  const first = [loaded(), loaded()];
  for (const one of first) await expect(one).rejects.toThrow('The package was not found');
  expect(load).toHaveBeenCalledTimes(1);
  expect(await Promise.all([loaded(), loaded()])).toEqual(['the package', 'the package']);
  expect(await loaded()).toBe('the package');
  expect(load).toHaveBeenCalledTimes(2);
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
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

describe('The name of an error', () => {
  const src = fileURLToPath(new URL('../../src', import.meta.url));
  const classes = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(path.join(src, file), 'utf8');
      return [...text.matchAll(/class (\w+) extends (?:Batchlatch|Store)Error \{\n(.*)/g)];
    });

  it('is a literal in its class, for each of them', () => {
    expect(classes.length).toBeGreaterThan(30);
    const wrong = classes.filter(([, name = '', first]) => first !== `  override name = '${name}';`);
    expect(wrong.map(([, name]) => name)).toEqual([]);
  });

  it('is the same in a minified bundle, where classes have other names', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents:
          "import { PermanentError } from './exports.ts'; console.log(new PermanentError('no').name);",
        resolveDir: src,
      },
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      tsconfigRaw: {},
      write: false,
    });
    const text = outputFiles[0]?.text ?? '';
    expect(text).not.toContain('class PermanentError');
    // Started as a program, because a module of jest's is no module of Node's.
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text], { cwd: src });
    expect((await run).stdout).toBe('PermanentError\n');
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toStoreError } from '../../../src/stores/dynamodb/failures.ts';
import { direct, errorOf, getItem } from '../../support/direct-transport.ts';
import { faultyServer } from '../../support/faulty-server.ts';
import { SELF_SIGNED, SELF_SIGNED_FOR_ANOTHER } from '../../support/self-signed.ts';

const run = promisify(execFile);

/** A process that sends one request, and what it printed when it had ended by itself. */
async function program(endpoint: string, env: Record<string, string> = {}): Promise<unknown> {
  const args = ['--import', 'tsx', 'test/support/direct-program.ts', endpoint];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env }, timeout: 15_000 });
  return JSON.parse(stdout);
}

/** Its process trusts these certificates, as one with a company's authority does. */
let trusted: Record<string, string>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-'));
  const file = path.join(folder, 'certificates.pem');
  await writeFile(file, SELF_SIGNED.cert + SELF_SIGNED_FOR_ANOTHER.cert);
  trusted = { NODE_EXTRA_CA_CERTS: file };
});
afterAll(() => rm(folder, { recursive: true }));

describe('Over TLS, the direct transport', () => {
  const server = faultyServer(SELF_SIGNED);
  const another = faultyServer(SELF_SIGNED_FOR_ANOTHER);

  it('refuses a server whose certificate nobody vouches for, and sends it nothing', async () => {
    const error = await errorOf(getItem(direct(server.endpoint)));
    expect(error).toMatchObject({
      name: 'CertificateError',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      $metadata: { attempts: 1 },
    });
    expect(toStoreError(error, 'claims').isRetryable).toBe(false);
    expect(server.arrivals).toEqual([]);
  });

  it('refuses it also where the environment turns verification off for others', async () => {
    expect(await program(server.endpoint, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({
      name: 'CertificateError',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(server.arrivals).toEqual([]);
  });

  it('speaks to a server that is vouched for, and lets its process end by itself', async () => {
    expect(await program(server.endpoint, trusted)).toHaveProperty('Item');
    const { port } = new URL(server.endpoint);
    expect(await program(`https://localhost:${port}`, trusted)).toHaveProperty('Item');
  });

  it('refuses a certificate for another name', async () => {
    expect(await program(another.endpoint, trusted)).toMatchObject({
      name: 'CertificateError',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(another.arrivals).toEqual([]);
  });
});

describe('Over plain HTTP, the direct transport', () => {
  const server = faultyServer();

  it.each([
    ['node', "Requests to ORIGIN go through Node's HTTP client"],
    ['', ''],
  ])('tells with NODE_DEBUG that Node sends them: BATCHLATCH_HTTP=%s', async (client, told) => {
    const env = { ...process.env, NODE_DEBUG: 'batchlatch', BATCHLATCH_HTTP: client };
    const args = ['--import', 'tsx', 'test/support/direct-program.ts', server.endpoint];
    const { stderr } = await run(process.execPath, args, { env, timeout: 15_000 });
    expect(
      stderr
        .replace(server.endpoint, 'ORIGIN')
        .replace(/^BATCHLATCH \d+: /, '')
        .trim(),
    ).toBe(told);
  });

  it('lets its process end by itself, with a connection that is still open', async () => {
    expect(await program(server.endpoint)).toMatchObject({ Item: expect.anything(), timers: [] });
  });

  it('is an error that may pass where TLS was meant', async () => {
    const error = await errorOf(getItem(direct(server.endpoint.replace('http:', 'https:'))));
    expect(error).toMatchObject({ name: 'NetworkingError', $metadata: { attempts: 4 } });
    expect(toStoreError(error, 'claims').isRetryable).toBe(true);
  });
});

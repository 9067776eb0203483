import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { answersAwsCall } from '../../../packages/cli/src/dev/emulators/aws-probe.ts';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';

const TABLE = 'filled';
const EXPIRES_AT = '4102444800';

export interface FilledEmulator {
  readonly endpoint: string;
  readonly tableName: string;
  stop(): Promise<void>;
}

/**
 * The emulator with a table of `keys` completed claims, loaded from files in the form of DynamoDB's exports:
 * writing a million of them by requests would take minutes.
 */
export async function startFilledEmulator(keys: number): Promise<FilledEmulator> {
  const command = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-bench-'));
  try {
    await writeExport(folder, keys);
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    const source = ['--source', path.join(folder, 'export'), '--schema', path.join(folder, 'schema.json')];
    const child = await startChild({
      name: 'dynoxide with rows',
      command,
      args: ['import', ...source, '--serve', '--host', '127.0.0.1', '--port', String(port)],
      isReady: () => answersAwsCall(endpoint, 'DynamoDB_20120810.ListTables'),
      readyWithinMs: 120_000,
    });
    return { endpoint, tableName: TABLE, stop: () => child.stop() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One data file with its two manifests, and the table's description. */
async function writeExport(folder: string, keys: number): Promise<void> {
  const data = path.join(folder, 'export', TABLE, 'data');
  await mkdir(data, { recursive: true });
  await writeFile(path.join(data, 'rows.json.gz'), gzipSync(rows(keys), { level: 1 }));
  const manifest = {
    version: '2020-06-30',
    tableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${TABLE}`,
    itemCount: keys,
    outputFormat: 'DYNAMODB_JSON',
    manifestFilesS3Key: 'manifest-files.json',
  };
  const files = { itemCount: keys, dataFileS3Key: `${TABLE}/data/rows.json.gz` };
  const table = {
    TableName: TABLE,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    TableStatus: 'ACTIVE',
  };
  const at = path.dirname(data);
  await writeFile(path.join(at, 'manifest-summary.json'), JSON.stringify(manifest));
  await writeFile(path.join(at, 'manifest-files.json'), `${JSON.stringify(files)}\n`);
  await writeFile(path.join(folder, 'schema.json'), JSON.stringify({ Table: table }));
}

function rows(keys: number): Buffer {
  const parts: string[] = [];
  for (let index = 0; index < keys; index += 1) {
    const id = `orders#v1:${String(index).padStart(12, '0')}-0000-4000-8000-000000000000`;
    parts.push(
      `{"Item":{"id":{"S":"${id}"},"status":{"S":"COMPLETED"},"owner":{"S":"${id}"},"attempt":{"N":"1"},"expiresAt":{"N":"${EXPIRES_AT}"}}}\n`,
    );
  }
  return Buffer.from(parts.join(''));
}

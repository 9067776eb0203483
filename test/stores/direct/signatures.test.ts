import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SignatureV4 } from '@smithy/signature-v4';
import { authorization, type Credentials, signedHeaders } from '../../../src/aws/signed-headers.ts';

interface Suite extends Required<Pick<Credentials, 'accessKeyId' | 'secretAccessKey'>> {
  readonly region: string;
  readonly service: string;
  readonly timestamp: string;
  readonly vectors: readonly {
    readonly name: string;
    readonly request: string;
    readonly signsBody?: boolean;
    readonly sessionToken?: string;
    readonly signature: string;
  }[];
}

describe("AWS's signing test suite", () => {
  it('gets the signatures it expects of a POST to /', async () => {
    const { vectors, timestamp, region, service, accessKeyId, secretAccessKey } = JSON.parse(
      await readFile(path.join(import.meta.dirname, 'aws-signing-test-suite.json'), 'utf8'),
    ) as Suite;
    const posts = vectors.filter(
      ({ request, signsBody }) => request.startsWith('POST / HTTP') && signsBody !== true,
    );
    for (const { name, request, sessionToken, signature } of posts) {
      const { headers, body } = parsed(request);
      const at = timestamp.replaceAll(/[-:]/g, '');
      const token = sessionToken === undefined ? {} : { 'X-Amz-Security-Token': sessionToken };
      const { lines, names } = canonical({ ...headers, ...token, 'X-Amz-Date': at });
      const signed = authorization(lines, names, body, {
        at,
        region,
        service,
        credentials: { accessKeyId, secretAccessKey },
      });
      expect(`${name} ${signatureOf(signed)}`).toBe(`${name} ${signature}`);
    }
    expect(posts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['post-vanilla', 'post-sts-header-before', 'post-header-key-case']),
    );
  });
});

/** Headers as a canonical request has them: names in lower case and in order, values trimmed. */
function canonical(headers: Readonly<Record<string, string>>): {
  readonly lines: string;
  readonly names: string;
} {
  const sorted = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, ' ')] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    lines: sorted.map(([name, value]) => `${name}:${value}\n`).join(''),
    names: sorted.map(([name]) => name).join(';'),
  };
}

/** The headers and the body of a request as its text in HTTP/1.1. */
function parsed(text: string): { readonly headers: Record<string, string>; readonly body: string } {
  const [head = '', body = ''] = text.split('\n\n');
  const headers: Record<string, string> = {};
  for (const line of head.split('\n').slice(1)) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? [];
    headers[name] = value;
  }
  return { headers, body };
}

describe("The SDK's signer", () => {
  it('signs 2,000 random requests in the same way', async () => {
    const random = randomOf(20_261_122);
    const credentials = Array.from({ length: 50 }, () => someCredentials(random));
    for (let run = 0; run < 2_000; run += 1) {
      const request = someRequest(random);
      const signing = {
        credentials: oneOf(credentials, random),
        region: oneOf(REGIONS, random),
        time: new Date(oneOf(DAYS, random) + Math.floor(random() * 86_400_000)),
      };
      const { Authorization, ...headers } = signedHeaders(
        { ...request, service: 'dynamodb', userAgent: 'batchlatch' },
        signing,
      );
      const theirs = await new SignatureV4({
        ...signing,
        service: 'dynamodb',
        sha256: Sha256,
        applyChecksum: false,
      }).sign(
        {
          method: 'POST',
          protocol: 'https:',
          hostname: request.host.replace(/:\d+$/, ''),
          path: '/',
          headers: headersFor(headers),
          body: request.body,
        },
        { signingDate: signing.time },
      );
      const ours = [Authorization, headers['X-Amz-Date'], headers['X-Amz-Security-Token']];
      const those = ['authorization', 'x-amz-date', 'x-amz-security-token'].map(
        (name) => theirs.headers[name],
      );
      if (ours.join() !== those.join()) expect({ request, signing, ours }).toEqual(those); // says which
    }
  });
});

/** What is left for the SDK's signer to add: the date and the token. */
function headersFor(headers: Readonly<Record<string, string | number>>): Record<string, string> {
  const { 'X-Amz-Date': _date, 'X-Amz-Security-Token': _token, ...others } = headers;
  return Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
}

const OPERATIONS = [
  'BatchExecuteStatement',
  'BatchGetItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'TransactWriteItems',
  'UpdateItem',
];
const REGIONS = [
  'us-east-1',
  'eu-central-1',
  'us-gov-west-1',
  'cn-north-1',
  'eusc-de-east-1',
  'local',
  'A-b-9',
];
/** Days have keys of their own, which signers keep. */
const DAYS = ['1970-01-01', '2015-08-30', '2028-02-29', '2099-12-31'].map((day) => Date.parse(day));
const HOSTS = [
  'dynamodb.us-east-1.amazonaws.com',
  'dynamodb-fips.us-gov-west-1.api.aws',
  'vpce-0a1b-2c.dynamodb.us-east-1.vpce.amazonaws.com',
  '127.0.0.1:8000',
  'localhost:4566',
  'xn--bcher-kva.example:65535',
  '[::1]:8000',
];
const PIECES = [
  'a',
  '"',
  '\\',
  '  ',
  '\n',
  '\t',
  '\0',
  'ä',
  'ß',
  '€',
  '😀',
  '\u2028',
  '\u200d',
  '漢字',
  '%2F',
  '+',
  "'",
];

/** A variable may have spaces around its value; servers remove them from the header. */
const AROUND = ['', '', ' ', '\t'];

interface Drawn {
  readonly host: string;
  readonly target: string;
  readonly body: string;
}

function someRequest(random: () => number): Drawn {
  const pieces = Array.from({ length: Math.floor(random() * 30) }, () => oneOf(PIECES, random));
  const text = pieces.join('');
  const body = random() < 0.1 ? text : JSON.stringify({ Key: { id: { S: text } }, Limit: random() });
  return {
    host: oneOf(HOSTS, random),
    target: `DynamoDB_20120810.${oneOf(OPERATIONS, random)}`,
    body: body === '' ? '{}' : body, // no operation has an empty body
  };
}

function someCredentials(random: () => number): Credentials {
  const text = (length: number): string =>
    Array.from({ length }, () => oneOf('ABCxyz019/+='.split(''), random)).join('');
  return {
    accessKeyId: `ASIA${text(16)}`,
    secretAccessKey: text(40),
    ...(random() < 0.5 && {
      sessionToken: `${oneOf(AROUND, random)}${text(Math.floor(1 + random() * 900))}${oneOf(AROUND, random)}`,
    }),
  };
}

function oneOf<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Mulberry32, for the same requests in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What the SDK's signer hashes with. */
class Sha256 {
  private readonly hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string);
  }
  update(data: Uint8Array | string): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

function signatureOf(authorization: unknown): string | undefined {
  return /Signature=([0-9a-f]{64})$/.exec(String(authorization))?.[1];
}

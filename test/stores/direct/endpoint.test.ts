import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { configuredEndpoint, regionalEndpoint } from '../../../src/aws/endpoint.ts';

const VARIANTS = [false, true].flatMap((useFips) =>
  [false, true].map((useDualStack) => ({ useFips, useDualStack })),
);

describe('The endpoint of a region', () => {
  const { endpointProvider } = new DynamoDBClient({ region: 'us-east-1' }).config;
  const regions = regionsOfTheSdk();

  it('is what the SDK resolves, for each region it knows, with and without FIPS and dual stack', () => {
    expect(regions.length).toBeGreaterThan(45);
    for (const one of ['us-east-1', 'us-gov-west-1', 'cn-north-1', 'eusc-de-east-1', 'us-isob-east-1']) {
      expect(regions).toContain(one);
    }
    for (const region of regions) {
      for (const variant of VARIANTS) {
        const ours = regionalEndpoint('dynamodb', region, variant);
        const { url } = endpointProvider({
          Region: region,
          UseFIPS: variant.useFips,
          UseDualStack: variant.useDualStack,
          AccountIdEndpointMode: 'preferred',
        });
        expect({ region, ...variant, url: ours?.url.href }).toEqual({ region, ...variant, url: url.href });
        expect(ours?.region).toBe(region);
      }
    }
  });

  it.each([
    '',
    'local',
    'us-east',
    'aws-global',
    'fips-us-east-1',
    'us-east-1-fips',
    'xx-east-1',
    'us-East-1',
    'us-east-1.evil.example',
    'us-east-1/',
    'us-east-1\n',
    'us-isox-east-1',
  ])('is left to the SDK for %j', (region) => {
    expect(regionalEndpoint('dynamodb', region, { useFips: false, useDualStack: false })).toBeUndefined();
  });
});

describe('A configured endpoint', () => {
  it.each([
    ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/'],
    ['http://localhost', 'http://localhost/'],
    ['https://dynamodb.eu-west-1.amazonaws.com/', 'https://dynamodb.eu-west-1.amazonaws.com/'],
    [
      'https://vpce-0a-1b.dynamodb.us-east-1.vpce.amazonaws.com:443',
      'https://vpce-0a-1b.dynamodb.us-east-1.vpce.amazonaws.com/',
    ],
  ])('is taken if it is plain: %s', (text, href) => {
    expect(configuredEndpoint(text, 'eu-west-1')).toEqual({ url: new URL(href), region: 'eu-west-1' });
  });

  it.each([
    'localhost:8000',
    'dynamodb.us-east-1.amazonaws.com',
    'http://localhost:8000/path',
    'http://localhost:8000/?query',
    'http://localhost:8000/#hash',
    'http://user:password@localhost:8000',
    'http://[::1]:8000',
    'ftp://localhost',
    'file:///tmp',
    'https://dynamodb.us-east-1.api.aws',
    'https://dynamodb.cn-north-1.api.amazonwebservices.com.cn',
    ' ',
  ])('is left to the SDK if it is %j', (text) => {
    expect(configuredEndpoint(text, 'us-east-1')).toBeUndefined();
  });

  it('may have a region that no partition has, as emulators do', () => {
    expect(configuredEndpoint('http://localhost', 'local')?.region).toBe('local');
    for (const region of ['a.b', '-a', 'a-', 'a b', 'fips-us-east-1', 'x'.repeat(64)]) {
      expect(configuredEndpoint('http://localhost', region)).toBeUndefined();
    }
  });
});

/** The regions of all partitions that the installed SDK has a list of. */
function regionsOfTheSdk(): string[] {
  const client = createRequire(import.meta.url).resolve('@aws-sdk/client-dynamodb');
  const source = readFileSync(createRequire(client).resolve('@aws-sdk/core/client'), 'utf8');
  return [...source.matchAll(/"([a-z]+(?:-[a-z]+)+-\d+)": \{/g)].map(([, region]) => region ?? '');
}

import { describe, expect, it } from '@jest/globals';
import { logQueryUrl } from '../../src/console/log-query.ts';

const CLAIM = { key: 'orders#1', createdAt: 1_000_000, lockedBy: 'OrdersFunction:7 abc' };
const of = (lockedBy: string | undefined, region?: string): string | undefined =>
  logQueryUrl({ ...CLAIM, ...(lockedBy === undefined ? { lockedBy: '' } : { lockedBy }) }, region, 4_600_000);

describe('logQueryUrl', () => {
  it('asks for the lines of the key, since an hour before it was claimed first', () => {
    expect(of('OrdersFunction:7 abc', 'eu-west-1')).toBe(
      "https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#logsV2:logs-insights$3FqueryDetail$3D~(end~0~start~-7200~timeType~'RELATIVE~unit~'seconds~editorString~'fields*20*40timestamp*2C*20message*2C*20*40message*0A*7C*20filter*20*40message*20like*20*22HASH*22*0A*7C*20sort*20*40timestamp*20asc*0A*7C*20limit*201000~source~(~'*2Faws*2Flambda*2FOrdersFunction))".replace(
        'HASH',
        /like\*20\*22(\w{16})/.exec(of('OrdersFunction:7 abc', 'eu-west-1') ?? '')?.[1] ?? '',
      ),
    );
  });

  it.each([
    ['cn-north-1', 'cn-north-1.console.amazonaws.cn'],
    ['us-gov-west-1', 'us-gov-west-1.console.amazonaws-us-gov.com'],
  ])('goes to the console of %s', (region, host) => {
    expect(new URL(of('OrdersFunction:7 abc', region) ?? '').host).toBe(host);
  });

  it.each([
    ['OrdersFunction:7 abc', undefined],
    ['OrdersFunction:7 abc', 'evil.example/'],
    [undefined, 'eu-west-1'],
    ["evil')#:7 abc", 'eu-west-1'],
    ['worker-1', 'eu-west-1'],
  ])('is not made of %j and %j', (lockedBy, region) => {
    expect(of(lockedBy, region)).toBeUndefined();
  });
});

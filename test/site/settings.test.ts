import { describe, expect, it } from '@jest/globals';
import { doctorTemplate } from '../../packages/cli/src/doctor/doctor-template.ts';
import { doctorFindings } from '../../site/settings/doctor-findings.ts';
import { duration } from '../../site/settings/duration.ts';
import { notesOn } from '../../site/settings/life-notes.ts';
import { lifeOf, type Trouble } from '../../site/settings/life-of-message.ts';
import { lifePicture } from '../../site/settings/life-picture.ts';
import { ADVISED, refusalOf, type Settings } from '../../site/settings/settings.ts';

const FAILS: Trouble = { kind: 'handler fails', afterSeconds: 5 };
const DIES: Trouble = { kind: 'process dies', afterSeconds: 10 };

describe('The life of a failing message', () => {
  it('runs at every delivery with the advised settings, and ends in the dead-letter queue', () => {
    const life = lifeOf(ADVISED, FAILS);
    expect(life.deliveries.map(({ atMs, outcome, attempt }) => [atMs, outcome, attempt])).toEqual(
      [1, 2, 3, 4, 5].map((attempt) => [(attempt - 1) * 180_000, 'failed', attempt]),
    );
    expect(life.end).toEqual({ kind: 'dead-letter queue', atMs: 900_000 });
  });

  it('meets the lease of a dead process at every second delivery if the visibility timeout is shorter', () => {
    const settings = { ...ADVISED, visibilitySeconds: 20 };
    const life = lifeOf(settings, DIES);
    expect(life.deliveries.map(({ outcome }) => outcome)).toEqual([
      'died',
      'conflict',
      'died',
      'conflict',
      'died',
    ]);
    expect(notesOn(life, settings)[0]).toMatch(/^Delivery 2 \(and 1 more\) meets the lease/);
  });

  it('comes again after the longest back-off, at most 12 hours after its receive', () => {
    const backoff = { baseDelayMs: 1_000, maxDelayMs: 100_000_000 };
    const { deliveries } = lifeOf({ ...ADVISED, backoff, maxReceiveCount: 20 }, FAILS);
    expect(deliveries.slice(0, 4).map(({ untilMs, visibleAtMs }) => visibleAtMs - untilMs)).toEqual([
      1_000, 2_000, 4_000, 8_000,
    ]);
    const { atMs, visibleAtMs } = deliveries[16] ?? { atMs: 0, visibleAtMs: 0 };
    expect(visibleAtMs - atMs).toBe(43_200_000);
  });

  it('waits for the rest of the lease after a conflict with back-off', () => {
    const backoff = { baseDelayMs: 1_000, maxDelayMs: 900_000 };
    const { deliveries } = lifeOf({ ...ADVISED, backoff, visibilitySeconds: 20 }, DIES);
    expect(deliveries[1]).toMatchObject({ outcome: 'conflict', atMs: 20_000, visibleAtMs: 32_000 });
  });

  it('runs twice at once if the lease ends before the handler', () => {
    const settings = { ...ADVISED, leaseSeconds: 10, visibilitySeconds: 15 };
    const life = lifeOf(settings, { kind: 'handler fails', afterSeconds: 25 });
    expect(life.deliveries[1]).toMatchObject({ isBeside: true, tookOver: true, attempt: 2 });
    expect(notesOn(life, settings).join()).toContain('while the handler of an earlier attempt still runs');
  });

  it('leaves the claim to its lease when the time of the function is up', () => {
    const [first] = lifeOf(ADVISED, { kind: 'handler fails', afterSeconds: 40 }).deliveries;
    expect(first).toMatchObject({ outcome: 'interrupted', untilMs: 30_000, leaseUntilMs: 31_000 });
  });

  it('ends when the queue deletes the message before its last receive', () => {
    const settings = { ...ADVISED, visibilitySeconds: 43_200, maxReceiveCount: 20 };
    const life = lifeOf(settings, FAILS);
    expect(life.end).toEqual({ kind: 'deleted', atMs: 345_600_000 });
    expect(notesOn(life, settings).join()).toContain('it never reaches the dead-letter queue');
  });

  it('begins at attempt 1 again when claims are forgotten between two deliveries', () => {
    const life = lifeOf({ ...ADVISED, claimDays: 1 / 86_400 }, FAILS);
    expect(life.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
    expect(life.deliveries[1]?.isForgotten).toBe(true);
  });

  it('is drawn with a bar for each delivery, and at most forty of them', () => {
    expect(lifePicture(lifeOf(ADVISED, FAILS)).match(/class="box"/g)).toHaveLength(5);
    const many = lifeOf({ ...ADVISED, maxReceiveCount: 200 }, FAILS);
    expect(lifePicture(many).match(/class="box"/g)).toHaveLength(40);
  });
});

describe('The findings of the calculator', () => {
  it('are none for the advised settings', () => {
    expect(doctorFindings(ADVISED)).toEqual([]);
  });

  it.each<[string, Settings]>([
    ['a short visibility timeout', { ...ADVISED, visibilitySeconds: 20 }],
    ['few receives', { ...ADVISED, maxReceiveCount: 2 }],
    ['no dead-letter queue', { ...ADVISED, maxReceiveCount: undefined }],
    ['a long lease', { ...ADVISED, leaseSeconds: 400 }],
    ['dead letters that are deleted early', { ...ADVISED, deadLetterDays: 4 }],
    ['claims that are forgotten early', { ...ADVISED, queueDays: 10, claimDays: 4 }],
  ])('are those of doctor for a template with the same settings: %s', (_what, settings) => {
    const codes = doctorFindings(settings).map(({ code, message }) => `${code}: ${message}`);
    expect(codes.length).toBeGreaterThan(0);
    const { findings } = doctorTemplate({ file: 'template.json', text: templateWith(settings) });
    expect(findings.map(({ code, message }) => `${code}: ${message}`)).toEqual(expect.arrayContaining(codes));
  });

  it('say in the words of the library why an option is refused', () => {
    expect(refusalOf(ADVISED)).toBeUndefined();
    expect(refusalOf({ ...ADVISED, leaseSeconds: 0 })).toContain('`leaseMs`');
    expect(refusalOf({ ...ADVISED, backoff: { baseDelayMs: 0, maxDelayMs: 1 } })).toContain('`baseDelayMs`');
  });
});

describe('A duration', () => {
  it.each([
    [0, '0 s'],
    [500, '0.5 s'],
    [200_000, '3 min 20 s'],
    [86_400_000, '1 day'],
    [1_209_000_000, '13 days 23 h'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

function templateWith(settings: Settings): string {
  const { leaseSeconds, claimDays, maxReceiveCount, queueDays, deadLetterDays } = settings;
  const options = {
    retentionMs: claimDays * 86_400_000,
    ...(leaseSeconds !== undefined && { leaseMs: leaseSeconds * 1_000 }),
  };
  const redrive = { deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] }, maxReceiveCount };
  return JSON.stringify({
    Transform: 'AWS::Serverless-2016-10-31',
    Resources: {
      ClaimsTable: {
        Type: 'AWS::DynamoDB::Table',
        Properties: {
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        },
      },
      DeadLetters: {
        Type: 'AWS::SQS::Queue',
        Properties: { MessageRetentionPeriod: deadLetterDays * 86_400 },
      },
      Orders: {
        Type: 'AWS::SQS::Queue',
        Properties: {
          VisibilityTimeout: settings.visibilitySeconds,
          MessageRetentionPeriod: queueDays * 86_400,
          ...(maxReceiveCount !== undefined && { RedrivePolicy: redrive }),
        },
      },
      OrdersFunction: {
        Type: 'AWS::Serverless::Function',
        Metadata: { batchlatch: options },
        Properties: {
          Runtime: 'nodejs22.x',
          Timeout: settings.timeoutSeconds,
          Environment: { Variables: { CLAIMS_TABLE_NAME: { Ref: 'ClaimsTable' } } },
          Events: {
            Orders: { Type: 'SQS', Properties: { Queue: { 'Fn::GetAtt': ['Orders', 'Arn'] } } },
          },
        },
      },
    },
  });
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  doctorJson,
  type DoctorReport,
  doctorSarif,
  doctorTemplate,
  doctorText,
  RULES,
} from '../../src/doctor/index.ts';

const text = readFileSync('packages/cli/test/doctor/templates/good.yaml', 'utf8')
  .replace('VisibilityTimeout: 190 # orders', 'VisibilityTimeout: 20')
  // A lease that ends before the visibility timeout.
  .replace('ORDERS_URL: !Ref OrdersQueue', 'ORDERS_URL: !Ref OrdersQueue\n          LEASE_MS: 10000')
  .replace('maxReceiveCount: 5 # orders', 'maxReceiveCount: 3');
const report = doctorTemplate({ file: 'template.yaml', text });
const lineOf = (part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;

const hostile: DoctorReport = {
  findings: [
    {
      code: 'ttl-off',
      severity: 'error',
      message: 'A\u001B[2J\u202Eb has no TTL',
      why: 'c\nd',
      fix: 'e:\n  f\u0007',
    },
  ],
  checked: ['queue g\r'],
  skipped: ['h\u0000'],
};

describe('as text', () => {
  it('has each finding with its place, its reason and the lines to write, and a summary', () => {
    expect(doctorText(report, { file: 'template.yaml', width: 80 })).toMatchInlineSnapshot(`
      "error visibility-timeout-too-short  template.yaml:65
        OrdersQueue hides a message for 20 s; with OrdersFunction it should be 185 s
        or more (6 × 30 s + 5 s of batching window). AWS refuses the mapping, because
        it is below the timeout itself.
        Messages come again while they are processed or retried, and each time uses up
        a receive; good messages end in the dead-letter queue. Below the timeout, AWS
        refuses the mapping.
          OrdersQueue:
            Properties:
              VisibilityTimeout: 185 # 6 × 30 s + 5 s of batching window
        docs/deploying.md#what-a-function-needs

      warning max-receive-count-too-low  template.yaml:69
        OrdersQueue gives a message up after 3 receives.
        Conflicts, throttling and crashes of neighbours use up receives too, so good
        messages end in the dead-letter queue.
          OrdersQueue:
            Properties:
              RedrivePolicy:
                maxReceiveCount: 5
        docs/policies/reading.md

      1 error, 1 warning, 0 info. Looked at 23 resources: event source mapping
      OrdersFunction, event Orders; event source mapping ChargesFunction, event
      Charges; event source mapping ChargesFunction, event PageViews; event source
      mapping LedgerMapping; event source mapping RelayMapping; queue OrdersQueue;
      queue LedgerQueue; dead-letter queue OrdersDeadLetters; dead-letter queue
      LedgerDeadLetters; claims table ClaimsTable; function OrdersFunction; function
      LedgerFunction; function ChargesFunction; function OrderPlacedFunction; function
      ShippedFunction; function RelayFunction; function SweepFunction; function
      MonitorFunction; EventBridge OrderPlacedFunction, event OrderPlaced; Schedule
      MonitorFunction, event EveryFiveMinutes; Schedule SweepSchedule; subscriber
      ShippedSubscriber; outbox OutboxTable."
    `);
  });

  it('says what was looked at where nothing was found, and what could not be judged', () => {
    expect(
      doctorText({
        findings: [],
        checked: ['queue A'],
        skipped: ['B: it is not here'],
      }),
    ).toBe('not judged: B: it is not here\n\n0 errors, 0 warnings, 0 info. Looked at 1 resource: queue A.');
    expect(doctorText({ findings: [], checked: [], skipped: [] })).toContain('no resource of batchlatch');
  });

  it('keeps to the width, except for lines that are copied', () => {
    const lines = doctorText(report, { width: 60 }).split('\n');
    expect(lines.filter((line) => line.length > 60 && !line.startsWith('    '))).toEqual([]);
    expect(lines).toContain('        VisibilityTimeout: 185 # 6 × 30 s + 5 s of batching window');
  });

  it('has colours only where they are wanted', () => {
    expect(doctorText(report)).not.toContain('\u001B');
    expect(doctorText(report, { colour: true })).toContain('\u001B[31m');
  });

  it('shows what a terminal would obey as text', () => {
    const shown = doctorText(hostile);
    expect(shown).toContain(String.raw`A\u001B[2J\u202Eb has no TTL`);
    // eslint-disable-next-line no-control-regex
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001F\u007F\u202E]/);
  });
});

it('as JSON, a finding has its code, severity, message, fix and line', () => {
  expect(JSON.parse(doctorJson(report))).toMatchObject({
    findings: [
      {
        code: 'visibility-timeout-too-short',
        severity: 'error',
        message: expect.stringContaining('OrdersQueue'),
        why: expect.any(String),
        fix: expect.stringContaining('VisibilityTimeout: 185'),
        line: lineOf('VisibilityTimeout: 20'),
      },
      { code: 'max-receive-count-too-low', severity: 'warning' },
    ],
    checked: expect.arrayContaining(['queue OrdersQueue']),
    skipped: [],
  });
});

describe('as SARIF', () => {
  it('has a rule for every finding that there can be, and a result with its place', () => {
    const { version, runs } = JSON.parse(doctorSarif(report, { file: 'infra/my template.yaml' }));
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(Object.keys(RULES));
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'visibility-timeout-too-short',
        ruleIndex: Object.keys(RULES).indexOf('visibility-timeout-too-short'),
        level: 'error',
        message: { text: expect.stringContaining('VisibilityTimeout: 185') },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'infra/my%20template.yaml' },
              region: { startLine: lineOf('VisibilityTimeout: 20') },
            },
            logicalLocations: [{ name: 'OrdersQueue' }],
          },
        ],
      },
      { ruleId: 'max-receive-count-too-low', level: 'warning' },
    ]);
  });

  it('has no place in a file for what is deployed', () => {
    const { runs } = JSON.parse(doctorSarif(hostile, { file: 'template.yaml' }));
    expect(runs[0].results[0].locations).toEqual([{}]);
    expect(doctorText(hostile, { file: 'template.yaml' })).not.toContain('template.yaml');
  });
});

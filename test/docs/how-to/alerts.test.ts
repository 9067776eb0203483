import { Template } from 'aws-cdk-lib/assertions';
import type { Stack } from 'aws-cdk-lib/core';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, it, jest } from '@jest/globals';
import { pageFiles } from '../page-files.ts';

// The monitor's code is built when the package is.
jest.unstable_mockModule('../../../packages/cdk/src/monitor-code.ts', () => ({
  monitorCode: () => Code.fromInline('built'),
}));
const page = pageFiles('docs/how-to/alerts.md');

it('docs/how-to/alerts.md makes an alarm for each row of its table, and tells one topic of all', async () => {
  const { stack } = await page.load<{ stack: Stack }>('app.ts');
  const alarms = Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) =>
      Properties as { readonly MetricName?: string; readonly AlarmActions: readonly object[] },
  );
  const names = new Set(alarms.map(({ MetricName }) => MetricName));
  for (const name of [
    'ParkedLapsedClaims',
    'ParkedClaims',
    'OverdueClaims',
    'ApproximateNumberOfMessagesVisible',
    'ApproximateAgeOfOldestMessage',
    'Errors',
  ]) {
    expect(names).toContain(name);
  }
  const topics = new Set(alarms.map(({ AlarmActions }) => JSON.stringify(AlarmActions)));
  expect(topics.size).toBe(1);
});

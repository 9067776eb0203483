import { expect, it } from '@jest/globals';
import { runDoctor } from '../../src/doctor/index.ts';

it('reads a template from its file', async () => {
  const { findings, checked } = await runDoctor({ template: 'packages/cli/test/doctor/templates/good.yaml' });
  expect(findings).toEqual([]);
  expect(checked).toContain('queue OrdersQueue');
});

it('takes parameters of the template', async () => {
  const { findings } = await runDoctor({
    template: 'packages/cli/test/doctor/templates/good.yaml',
    parameters: { TimeoutSeconds: '60' },
  });
  expect(findings).toMatchObject([{ code: 'visibility-timeout-too-short' }]);
});

it.each([
  ['a file that is not there', { template: 'no/such.yaml' }, /^no\/such\.yaml cannot be read \(ENOENT\)/],
  ['a folder', { template: 'test' }, /EISDIR/],
  ['nothing to look at', {}, /Expected a template, a queue, a table or a function/],
  ['a queue without a client', { queueUrl: 'http://127.0.0.1/queue' }, /needs a client of SQS/],
  ['a table without a client', { tableName: 'claims' }, /needs a client of DynamoDB/],
  ['a function without a client', { functionName: 'orders' }, /needs a client of Lambda/],
])('refuses %s', async (_what, options, why) => {
  await expect(runDoctor(options)).rejects.toThrow(
    expect.objectContaining({ code: 'BATCHLATCH_CONFIGURATION', message: expect.stringMatching(why) }),
  );
});

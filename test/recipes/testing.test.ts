import { describe, expect, it } from '@jest/globals';
import { Project } from './project.ts';

/** The recipes whose `npm test` is to pass, and what it prints of it. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  vitest: /Tests +2 passed \(2\)/,
  commonjs: /Tests: +1 passed, 1 total/,
  'node-test': /^# pass 1$[^]*^# fail 0$/m,
};

describe.each(Object.entries(RUNNERS))('The tests of a handler in the recipe %s', (recipe, passed) => {
  it('pass, and fail where a duplicate is charged', async () => {
    const project = new Project(recipe);
    await project.install();
    const { status, stdout, stderr } = await project.run('npm', ['test']);
    expect(stdout + stderr).toMatch(passed);
    expect(status).toBe(0);
    expect(await project.typeErrors()).toBe('');

    // Each message is then work of its own, as by the default key.
    project.replace('orders.ts', "payloadHash({ include: ['orderId'] })", 'messageId()');
    project.replace('orders.ts', ', payloadHash }', ', messageId }');
    expect((await project.run('npm', ['test'])).status).not.toBe(0);
  });
});

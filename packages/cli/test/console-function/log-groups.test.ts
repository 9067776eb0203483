import { describe, expect, it } from '@jest/globals';
import { logOfGroups } from '../../src/console-function/log-groups.ts';
import { serveLocally } from './serve-locally.ts';

const GROUPS = ['/aws/lambda/orders', 'RefundsLogs'];

describe('the log groups of a console for a team', () => {
  const asked: string[] = [];
  const unreadable = new Set<string>();
  const address = serveLocally(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { logGroupName } = JSON.parse(body) as { logGroupName: string };
    asked.push(logGroupName);
    if (unreadable.has(logGroupName)) {
      response.statusCode = 400;
      response.end(JSON.stringify({ __type: 'ResourceNotFoundException', message: 'no such group' }));
    } else response.end(JSON.stringify({ events: [{ message: `of ${logGroupName}` }] }));
  });

  async function linesOf(functionName: string | undefined, ...without: string[]): Promise<readonly string[]> {
    asked.length = 0;
    unreadable.clear();
    for (const group of without) unreadable.add(group);
    const place = {
      url: new URL(address()),
      region: 'eu-west-1',
      credentials: async () => ({ accessKeyId: 'A', secretAccessKey: 'S' }),
    };
    const search = { text: '7716c378c54d3f76', functionName, from: 0, until: 1 };
    return logOfGroups(place, GROUPS)(search, new AbortController().signal);
  }

  it('are read by the name of the function', async () => {
    expect(await linesOf('orders')).toEqual(['of /aws/lambda/orders']);
    expect(asked).toEqual(['/aws/lambda/orders']);
  });

  it.each(['refunds', '../secrets', undefined])(
    'are all read for the function %s, and no other',
    async (name) => {
      expect(await linesOf(name)).toEqual(GROUPS.map((group) => `of ${group}`));
      expect(asked.toSorted()).toEqual(GROUPS);
    },
  );

  it('are read though one of them cannot be; if none has lines, each unreadable one is named', async () => {
    expect(await linesOf(undefined, 'RefundsLogs')).toEqual(['of /aws/lambda/orders']);
    await expect(linesOf(undefined, ...GROUPS)).rejects.toThrow(
      /^\/aws\/lambda\/orders: .*no such group; RefundsLogs: .*no such group/,
    );
  });
});

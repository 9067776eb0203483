import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { team } from '../../packages/cli/test/console-function/team.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { builtApp } from './support/console/built-app.ts';

const SUPPORT = 'arn:aws:iam::123456789012:role/Support';
const ON_CALL = 'arn:aws:iam::123456789012:role/OnCall';

describeWith([chromium, componentNamed('dynoxide')], 'the pages of a console for a team', () => {
  const of = team(
    () => ({ kind: 'function-url', roles: { read: [SUPPORT], operate: [ON_CALL] } }),
    () => 'http://127.0.0.1:9',
  );
  let appFolder: string;
  let userArn = '';
  let browser: BrowserOfTest;
  /** Passes requests on as a proxy that signs them does, each to a function that knows nothing of the others. */
  const proxy = createServer((request, response) => void pass(request, response));
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [rawPath, rawQueryString = ''] = (request.url ?? '').split('?');
    const answer = await of.handler({ ports: { appFolder } })({
      rawPath,
      rawQueryString,
      headers: { ...request.headers, host: 'x.lambda-url.eu-west-1.on.aws' },
      requestContext: { http: { method: request.method }, authorizer: { iam: { userArn } } },
      body: await text(request),
      isBase64Encoded: false,
    });
    response.writeHead(answer.statusCode, answer.headers);
    response.end(Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8'));
  }
  beforeAll(async () => {
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    [browser, appFolder] = await Promise.all([startBrowser(), builtApp()]);
    await of.park('orders#1', 'orders#2');
  }, INSTALL_TIMEOUT_MS);
  afterEach(() => browser.closePages());
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await browser.stop();
  });

  async function open(path: string, who: string): Promise<Page> {
    userArn = who;
    const { page } = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`);
    return page;
  }

  it('say who looks, and show no button that changes something, to the role read', async () => {
    const page = await open('/claim?key=orders%231', sessionOf('Support', 'bob'));
    await page.getByText('bob (123456789012 Support) (read-only)').waitFor();
    await page.getByText('Your role is read-only.').waitFor();
    expect(await page.getByRole('button', { name: /Release|Resolve|Forget|Park/ }).count()).toBe(0);
    await page.goto(page.url().replace(/\/claim.*/, '/claims?state=parked'));
    await page.getByText(/^2 claims\b/).waitFor();
    expect(await page.getByRole('button', { name: /Release|Resolve|Forget|Park/ }).count()).toBe(0);
    await page.getByRole('status').getByText('Live').waitFor();
  });

  it('release a claim by the role operate, and say in its history who did', async () => {
    const page = await open('/claim?key=orders%232', sessionOf('OnCall', 'ann'));
    await page.getByRole('button', { name: /release/i }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/reason/i).fill('fixed in 1.4');
    await dialog.getByRole('button', { name: /release 1 claim/i }).click();
    await page.getByText('Released by a person').waitFor();
    await page.getByRole('list').getByText('ann (123456789012 OnCall)').waitFor();
    await page.getByRole('link', { name: 'Actions' }).click();
    await page.getByRole('row').getByText('fixed in 1.4').waitFor();
  });
});

function sessionOf(role: string, person: string): string {
  return `arn:aws:sts::123456789012:assumed-role/${role}/${person}`;
}

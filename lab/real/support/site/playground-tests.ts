import { createServer } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { listenLocally } from '../../../../packages/cli/src/dev/emulators/listen-locally.ts';
import { axeFindings } from '../console/browser.ts';
import { expectText, openPage, type SiteOfTest } from './open-page.ts';

/** Tests of the playground. */
export function testPlayground(siteOfTest: () => SiteOfTest): void {
  describe('the playground', () => {
    let page: Page;
    let problems: string[];
    beforeEach(async () => {
      const { browser, siteUrl } = siteOfTest();
      await browser.closePages();
      ({ page, problems } = await browser.newPage({
        colorScheme: 'dark',
        viewport: { width: 360, height: 740 },
      }));
      await openPage(page, `${siteUrl}/playground.html`, 'What to try');
    });
    afterAll(() => siteOfTest().browser.closePages());

    const response = (): Promise<string> => page.getByRole('status', { name: 'Response' }).innerText();
    const events = (): Promise<string> => page.getByRole('list', { name: 'Events' }).innerText();
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
    const pick = async (name: string): Promise<void> =>
      void (await page.getByLabel('Handler to start from').selectOption(name));

    it('runs an event through the library by the keyboard, and shows response, events and claims', async () => {
      await page.getByRole('button', { name: 'Run', exact: true }).focus();
      await page.keyboard.press('Enter');
      await expectText(response, /"batchItemFailures": \[\]/);
      expect(await events()).toMatch(/claimed[^]*console\.log charged 1[^]*settling[^]*duplicate/);
      await expectText(() => page.getByRole('row', { name: /:1/ }).innerText(), /COMPLETED\s+1/);
      await press('Run');
      await expectText(events, /"outcomes":\{"duplicate":3\}/);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      expect(problems).toEqual([]);
    });

    it('delivers again what a changed handler failed, and nothing else', async () => {
      await page.getByLabel('Handler, in JavaScript').fill(
        `async function handler({ body, receiveCount }) {
            if (body.orderId === '2' && receiveCount < 2) throw new TypeError('<img src=x onerror=alert(1)>');
          }`,
      );
      await press('Run');
      await expectText(response, /"itemIdentifier": "m2"/);
      // A message of an error is text.
      expect(await events()).toContain('TypeError: <img src=x onerror=alert(1)>');
      await press('Deliver again');
      await expectText(response, /"batchItemFailures": \[\]/);
      expect(await events()).toMatch(/"attempt":2/);
    });

    it('leaves the claims of a process that died to their leases, and takes them over afterwards', async () => {
      await pick('kills its process');
      await press('Run');
      await expectText(response, /the process has died/);
      await press('Deliver again');
      await expectText(events, /conflict/);
      await press('Let 10 s pass');
      await press('Deliver again');
      await expectText(events, /tookOver/);
    });

    it('ends a handler in an endless loop at the timeout', async () => {
      await page.getByLabel('Handler, in JavaScript').fill('async function handler() { for (;;); }');
      await press('Run');
      await expectText(response, /"itemIdentifier": "m1"|has timed out/);
    });

    it('says in which line the code is wrong', async () => {
      await page.getByLabel('Handler, in JavaScript').fill('async function handler() {\n  return +;\n}');
      await press('Run');
      await expectText(() => page.getByRole('alert').innerText(), /SyntaxError.*line 2/);
      await page.getByLabel('Event, as Lambda delivers it').fill('{');
      await press('Run');
      await expectText(() => page.getByRole('alert').innerText(), /^The event is not JSON/);
    });

    it('lets the handler reach no network, no storage and no page', async () => {
      const reached: string[] = [];
      // It would answer every page: what keeps the handler from it is the playground alone.
      const other = createServer((request, response) => {
        reached.push(`${request.method} ${request.url}`);
        response
          .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' })
          .end();
      });
      const url = `http://127.0.0.1:${await listenLocally(other)}/module.js`;
      await page.getByLabel('Handler, in JavaScript').fill(
        `const tries = {
          fetch: () => fetch('${url}'),
          noCors: () => fetch('${url}', { mode: 'no-cors' }),
          load: () => import('${url}'),
          scripts: async () => importScripts('${url}'),
          socket: () => new Promise((resolve, reject) => {
            const socket = new WebSocket('${url.replace('http', 'ws')}');
            socket.onopen = resolve;
            socket.onerror = () => reject(new Error('closed'));
          }),
          storage: () => new Promise((resolve) => {
            indexedDB.open('x').onsuccess = resolve;
          }),
        };
        async function handler() {
          for (const [name, attempt] of Object.entries(tries))
            await attempt().then(() => console.log(name, 'reached'), () => console.log(name, 'refused'));
          console.log('page', typeof document, typeof parent);
        }`,
      );
      await press('Run');
      await expectText(events, /page undefined undefined/);
      const told = await events();
      for (const name of ['fetch', 'noCors', 'load', 'scripts', 'socket', 'storage'])
        expect(told).toContain(`${name} refused`);
      expect(told).not.toContain('reached');
      expect(reached).toEqual([]);
      other.close();
      other.closeAllConnections();
    });
  });
}

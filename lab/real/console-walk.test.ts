import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Claim } from 'batchlatch/operations';
import { messageSender } from '../../packages/cli/src/sending/message-sender.ts';
import {
  type ConsoleDemo,
  startConsoleDemo,
} from '../../packages/cli/src/console-demo/start-console-demo.ts';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start-console.ts';
import { runCommand } from '../../packages/cli/test/cli/run-command.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { type BrowserOfTest, rowButton, startBrowser } from './support/console/browser.ts';
import { builtApp } from './support/console/built-app.ts';
import { MOST_BYTES, Walk } from './support/console/walk.ts';
import { until } from './support/until.ts';

const MOST_ACTIONS = 3;
const VIEWPORT = { width: 1_100, height: 700 };
const SLOW = 'orders#v1:o-1003';
const DECLINED = 'orders#v1:o-1001';
const HUNG_MAIL = 'mails#v1:m-57';
const TWICE = 'orders#v1:o-23';

/** A task of docs/decisions/0058, on the demo. */
interface Task {
  readonly name: string;
  /** Does it in the console, from the overview. */
  readonly console: (walk: Walk) => Promise<void>;
  /** The command that does it. */
  readonly command: () => Promise<readonly string[]>;
  /** What the command prints. */
  readonly prints: RegExp;
  readonly picture?: string;
  /** The region that the picture begins with. Default: the top of the page. */
  readonly pictured?: string;
  /** What the browser complains of, because the claim is gone. */
  readonly complaint?: RegExp;
}

const WHY = ['--reason', 'the limit was raised', '--yes'];

// UPDATE_DOCS=1 npm run lab:real -- console-walk
describeWith([chromium], 'the walk of fifteen tasks through the console and the command line', () => {
  let browser: BrowserOfTest;
  let demo: ConsoleDemo;
  let running: RunningConsole | undefined;
  let logFile: string;
  beforeAll(async () => {
    [browser, demo] = await Promise.all([
      startBrowser(),
      startConsoleDemo({
        onTrouble: (error) => {
          throw error;
        },
      }),
    ]);
    const { stop: _stop, services: _services, ...parts } = demo;
    running = await startConsole({
      ...parts,
      operator: 'pat@desk',
      allowChanges: true,
      version: '1.0.0',
      readEveryMs: 1_000,
      sender: messageSender(demo.sqs, async () => undefined),
      appFolder: await builtApp(),
    });
    await until('a slow order is done', async () => (await claimOf(SLOW))?.status === 'COMPLETED');
    await until('an order is parked', async () => (await claimOf(DECLINED))?.status === 'PARKED');
    logFile = join(await mkdtemp(join(tmpdir(), 'walk-')), 'demo.log');
    await writeFile(logFile, (await demo.readLog(ALL_LINES, new AbortController().signal)).join('\n'));
  }, INSTALL_TIMEOUT_MS);
  afterEach(() => browser.closePages());
  afterAll(async () => {
    await running?.stop();
    await demo.stop();
    await browser.stop();
  });

  const claimOf = (key: string): Promise<Claim | undefined> => demo.store.read(key);
  const onQueue = ['--queue', 'orders-dead-letters', '--namespace', 'orders', '--key-field', 'orderId'];

  async function letterOf(id: string): Promise<string> {
    const { out } = await cli(['dlq', 'list', ...onQueue, '--limit', '100', '--json']);
    const { messages } = JSON.parse(out) as { messages: { messageId: string; key?: string }[] };
    return messages.find(({ key }) => key === `orders#v1:${id}`)?.messageId ?? '';
  }

  async function releasedKey(): Promise<string> {
    const { out } = await cli(['claims', 'list', '--past', 'changed', '--all', '--json']);
    const { claims } = JSON.parse(out) as { claims: { key: string; state: string }[] };
    return claims.find(({ state }) => state === 'completed')?.key ?? '';
  }

  function cli(args: readonly string[]): ReturnType<typeof runCommand> {
    const [dynamoDB, sqs] = demo.services;
    return runCommand([...args, '--table', 'claims'], {
      terminal: 200,
      env: {
        AWS_ENDPOINT_URL_DYNAMODB: dynamoDB?.endpoint ?? '',
        AWS_ENDPOINT_URL_SQS: sqs?.endpoint ?? '',
      },
    });
  }

  const counter = ({ page }: Walk, name: RegExp) =>
    page.getByRole('region', { name: 'Claims by state' }).getByRole('link', { name });
  const row = ({ page }: Walk, key: string) => page.getByRole('rowheader').getByRole('link', { name: key });
  const fact = ({ page }: Walk, name: string) => page.getByRole('region', { name });

  const TASKS: readonly Task[] = [
    {
      name: 'find the order that was charged twice',
      async console(walk) {
        await walk.click(counter(walk, /^Completed/));
        await walk.click(walk.page.getByRole('link', { name: 'May have run twice' }));
        await walk.click(row(walk, TWICE));
        await walk.see(/took the key over: the one before it died or hung/);
      },
      command: async () => ['claims', 'list', '--state', 'completed', '--past', 'ran-twice'],
      prints: /orders#v1:o-23 +completed +2/,
      picture: 'walk-charged-twice',
    },
    {
      name: 'release 30 parked keys of one tenant',
      async console(walk) {
        await walk.search('orders#v1:acme/');
        await walk.click(walk.page.getByRole('button', { name: 'Release all that match…' }));
        await walk.confirm('the limit was raised', /release 30 claims/i);
        await walk.see('30 claims released');
        expect(await claimOf('orders#v1:acme/o-330')).toMatchObject({ status: 'FAILED' });
      },
      command: async () => [
        'claims',
        'release',
        '--state',
        'parked',
        '--prefix',
        'orders#v1:globex/',
        ...WHY,
      ],
      prints: /Released orders#v1:globex\/o-330/,
    },
    {
      name: 'see why a batch was slow',
      async console(walk) {
        await walk.click(walk.page.getByRole('link', { name: /^to 10 s ?, running/ }));
        await walk.click(row(walk, SLOW));
        await walk.see(/run (8|9|1\d|2\d)(\.\d)? s/, fact(walk, 'Latest attempt and its batch'));
      },
      command: async () => ['claims', 'show', SLOW, '--log', logFile],
      prints: /Batch [\w-]+.*\nKEY +RECORD +AFTER +CLAIM +WAIT +RUN +SETTLE[^]* \* .* \d+ s/,
      picture: 'walk-slow-batch',
      pictured: 'Latest attempt and its batch',
    },
    {
      name: "find a message's claim by the message id",
      async console(walk) {
        await walk.search((await claimOf(SLOW))?.recordId ?? '');
        await walk.see(SLOW);
      },
      command: async () => ['claims', 'show', '--record-id', (await claimOf(SLOW))?.recordId ?? ''],
      prints: /key +orders#v1:o-1003/,
    },
    {
      name: 'see what waits for a person',
      async console(walk) {
        const waiting = fact(walk, 'Waiting for a person');
        await walk.see(/claims? overdue/, waiting);
        await walk.see(/parked: outcome unknown/, waiting);
        await walk.see(/parked: failed for good/, waiting);
        await walk.see(/in the dead-letter queue/, waiting);
      },
      command: async () => ['claims', 'stats'],
      prints: /overdue +\d+[^]*parked +\d+[^]*Oldest overdue claim/,
      picture: 'walk-first-screen',
    },
    {
      name: 'redrive a dead letter',
      async console(walk) {
        await walk.click(walk.page.getByRole('link', { name: 'Redrive orders-dead-letters' }));
        await walk.click(rowButton(walk.page, 'orders#v1:o-48', /^Redrive…/));
        await walk.confirm('the provider is back', /redrive 1 message/i);
        await walk.see(/1 message .*redriven/i);
        await until('it is done', async () => (await claimOf('orders#v1:o-48'))?.status === 'COMPLETED');
      },
      command: async () => ['dlq', 'redrive', await letterOf('o-57'), ...onQueue, ...WHY],
      prints: /1 message/,
    },
    {
      name: 'resolve an unknown outcome',
      async console(walk) {
        await walk.click(walk.page.getByRole('link', { name: 'Resolve unknown outcomes' }));
        await walk.click(rowButton(walk.page, 'orders#v1:o-21', /^Resolve…/));
        await walk.confirm('charged, says the bank', /resolve 1 claim/i);
        await walk.see('1 claim resolved');
        expect(await claimOf('orders#v1:o-21')).toMatchObject({ status: 'COMPLETED' });
      },
      command: async () => ['claims', 'resolve', 'orders#v1:o-22', ...WHY],
      prints: /Resolved orders#v1:o-22/,
      picture: 'walk-unknown-outcomes',
    },
    {
      name: 'see when a claim runs again',
      async console(walk) {
        await walk.search(HUNG_MAIL);
        await walk.see(/^Next:/);
      },
      command: async () => ['claims', 'show', HUNG_MAIL, '--queue', 'mails'],
      prints: /\nnext +\S+/i,
    },
    {
      name: 'group failures by error',
      async console(walk) {
        const errors = fact(walk, 'Failures by error');
        await walk.see('CreditLimitReached', errors);
        await walk.click(
          errors
            .getByRole('row', { name: /CardDeclined/ })
            .getByRole('link')
            .first(),
        );
        await walk.see(/Only claims with: error CardDeclined/);
        await walk.see(DECLINED);
      },
      command: async () => ['claims', 'stats', '--by', 'error'],
      prints: /ERROR +PARKED +FAILED +LATEST +MESSAGE[^]*CardDeclined +\d+/,
      picture: 'walk-failures-by-error',
    },
    {
      name: 'see who released a claim and why',
      async console(walk) {
        await walk.click(counter(walk, /^Completed/));
        await walk.click(walk.page.getByRole('link', { name: 'Changed by a person' }));
        await walk.click(row(walk, await releasedKey()));
        await walk.see(/Released by a person/);
        await walk.see(/“.+”/);
      },
      command: async () => ['claims', 'show', await releasedKey()],
      prints: /released by \S+: ".+"/,
    },
    {
      name: 'count claims by state',
      async console(walk) {
        for (const state of [/^In progress/, /^Overdue/, /^Parked/, /^Failed/, /^Completed/]) {
          expect(await counter(walk, state).textContent()).toMatch(/\d/);
        }
      },
      command: async () => ['claims', 'stats'],
      prints: /STATE +CLAIMS\nin-progress +\d+[^]*completed +\d+/,
    },
    {
      name: "follow one order's history",
      async console(walk) {
        await walk.search(DECLINED);
        await walk.see(/Attempt 1 claimed the key/, fact(walk, 'Timeline'));
        await walk.see(/the card was declined/, fact(walk, 'Timeline'));
      },
      command: async () => ['claims', 'show', DECLINED],
      prints: /History\n.+claimed for the first time\n.+parked: CardDeclined/,
      picture: 'walk-history',
    },
    {
      name: 'see which worker holds a claim',
      async console(walk) {
        await walk.search(HUNG_MAIL);
        await walk.see(/^send-mails:\$LATEST /, fact(walk, 'Details'));
      },
      command: async () => ['claims', 'list', '--holder', 'send-mails:$LATEST', '--state', 'overdue'],
      prints: /mails#v1:m-57 +overdue/,
    },
    {
      name: 'forget a test claim',
      async console(walk) {
        await walk.search('orders#v1:test-1');
        await walk.click(walk.page.getByRole('button', { name: 'Forget…' }));
        await walk.confirm('a test', /forget 1 claim/i);
        await walk.see('1 claim forgotten');
        expect(await claimOf('orders#v1:test-1')).toBeUndefined();
      },
      complaint: /status of 404/,
      command: async () => ['claims', 'forget', 'orders#v1:test-2', ...WHY],
      prints: /Forgot orders#v1:test-2/,
    },
    {
      name: 'export a list',
      async console(walk) {
        await walk.click(counter(walk, /^Parked/));
        const downloaded = walk.page.waitForEvent('download');
        await walk.click(walk.page.getByRole('button', { name: 'CSV' }));
        const file = await (await downloaded).path();
        expect(await readFile(file, 'utf8')).toMatch(/^key,[^]*\n"?orders#v1:/);
      },
      command: async () => ['claims', 'list', '--state', 'parked', '--all', '--json'],
      prints: /"key": ?"orders#v1:/,
    },
  ];

  it('has fifteen tasks, each with its line in the decision', async () => {
    const page = await readFile('docs/decisions/0058-a-walk-of-fifteen-tasks.md', 'utf8');
    expect(TASKS).toHaveLength(15);
    expect(
      TASKS.map(({ name }) => name).filter((name) => !page.toLowerCase().includes(`| ${name} |`)),
    ).toEqual([]);
  });

  it.each(TASKS.map((task) => [task.name, task] as const))(
    'lets a person %s',
    async (_name, { console: inConsole, picture, pictured, complaint }) => {
      const { page, problems } = await browser.newPage({ viewport: VIEWPORT, acceptDownloads: true });
      await page.goto(running?.url ?? '');
      await page.getByRole('heading', { name: 'Failures by error' }).waitFor();
      const walk = new Walk(page, browser);
      await inConsole(walk);
      expect(walk.actions).toBeLessThanOrEqual(MOST_ACTIONS);
      const region = pictured === undefined ? undefined : fact(walk, pictured);
      if (picture !== undefined) expect(await walk.picture(picture, region)).toBeLessThan(MOST_BYTES);
      expect(problems.filter((problem) => complaint?.test(problem) !== true)).toEqual([]);
    },
  );

  it("leads to the outbox's parked rows: the one released is sent with the row behind it, the other is dropped", async () => {
    const { page, problems } = await browser.newPage({ viewport: VIEWPORT });
    await page.goto(running?.url ?? '');
    const walk = new Walk(page, browser);
    await walk.click(page.getByRole('link', { name: 'Release rows of the outbox' }));
    const change = async (group: string, name: RegExp, ready: RegExp): Promise<void> => {
      const parked = page.getByRole('row').filter({ hasText: `group ${group},` });
      await walk.click(parked.getByRole('button', { name }));
      await walk.confirm('the limit was raised', ready);
    };
    await change('globex', /^Release…/, /release 1 row/i);
    await walk.see('1 row released');
    await page.keyboard.press('Escape');
    await change('acme', /^Drop…/, /drop 1 row/i);
    await walk.see('1 row dropped');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Not sent' }).click();
    await walk.see('No such row waits.');
    await until('the mails are sent', async () => {
      const sent = await Promise.all(['m-11', 'm-13'].map((id) => claimOf(`mails#v1:${id}`)));
      return sent.every((claim) => claim?.status === 'COMPLETED');
    });
    expect(problems).toEqual([]);
  });

  it.each(TASKS.map((task) => [task.name, task] as const))(
    'lets one command %s',
    async (_name, { command, prints }) => {
      const { out, err, status } = await cli(await command());
      expect([status, `${out}\n${err}`]).toEqual([0, expect.stringMatching(prints)]);
    },
  );
});

/** Every line of the demo's log has a time. */
const ALL_LINES = { text: '"timestamp"', functionName: undefined, from: 0, until: Infinity };

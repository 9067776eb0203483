import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { DASHBOARDS, PICTURES, TABLES } from '../../site/pictures/all-pictures.ts';
import { claimLife, STATES } from '../../site/pictures/claim-life.ts';
import { crashRuns } from '../../site/pictures/crash-points.ts';

const isUpdate = process.env['UPDATE_DOCS'] === '1';

/** `UPDATE_DOCS=1` writes them. */
describe('The pictures of the pages', () => {
  it.each(Object.entries(PICTURES))('%s is what the code draws', async (file, draw) => {
    const drawn = await draw();
    if (isUpdate) await writeFile(file, drawn);
    expect(await readFile(file, 'utf8')).toBe(drawn);
  });

  it.each(Object.entries(DASHBOARDS))('%s is made from the list of metrics', async (file, make) => {
    const made = `${JSON.stringify(make(), undefined, 2)}\n`;
    if (isUpdate) await writeFile(file, made);
    expect(await readFile(file, 'utf8')).toBe(made);
  });

  it.each(Object.entries(TABLES))('the table %s is what the code gives', async (name, { page, make }) => {
    const table = `<!-- made: ${name} -->\n\n${await make()}\n\n<!-- end of ${name} -->`;
    const text = await readFile(page, 'utf8');
    const place = new RegExp(`<!-- made: ${name} -->[^]*?<!-- end of ${name} -->`);
    if (isUpdate)
      await writeFile(
        page,
        text.replace(place, () => table),
      );
    expect(await readFile(page, 'utf8')).toContain(table);
  });
});

describe("The claim's life", () => {
  it('has every event in every state', () => {
    const asked = claimLife().filter(({ by }) => by !== 'time');
    expect(asked).toHaveLength(STATES.length * 10);
  });

  it('leads to every state, and from every state on', () => {
    const life = claimLife().filter(({ from, to }) => to !== undefined && to !== from);
    expect(new Set(life.map(({ to }) => to))).toEqual(new Set(STATES));
    expect(new Set(life.map(({ from }) => from))).toEqual(new Set(STATES));
  });

  it('lets no worker change what is completed, parked or live', () => {
    const changes = claimLife().filter(
      ({ by, to, event }) => by === 'worker' && event === 'claim' && to !== undefined,
    );
    expect(changes.map(({ from }) => from)).toEqual(['absent', 'lapsed', 'failed']);
  });
});

describe('The crashes', () => {
  it('charge each order once, and start its handler no more often than they have to', async () => {
    for (const { fault, run } of await crashRuns()) {
      expect([fault.name, run.charged]).toEqual([fault.name, { 1: 1 }]);
      const starts = run.moments.filter(({ kind }) => kind === 'handler starts').length;
      const runsAgain = fault.crashAt === 'in-handler' || fault.crashAt === 'after-effect';
      expect([fault.name, starts]).toEqual([fault.name, runsAgain ? 2 : 1]);
      expect(run.moments.filter(({ kind }) => kind === 'deleted')).toHaveLength(1);
    }
  });
});

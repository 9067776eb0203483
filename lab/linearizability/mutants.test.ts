import path from 'node:path';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { porcupine } from '../../test/support/components/porcupine.ts';
import { startComponent } from '../real/support/start-component.ts';
import { bundleHammer } from './bundle-hammer.ts';
import { judgeHammers, REPORTS } from './judge-hammers.ts';
import { hammeredMutants } from './mutants.ts';
import { onDynoxide, onPostgres, onRedis, type Subject } from './subjects.ts';

const SUBJECTS = [onPostgres, onRedis, onDynoxide];
/** What is taken out has to matter in one of so many histories. A wrong one is refused at once, or is hard to judge: then the next. */
const MOST_SEEDS = 20;
/** `LINEARIZABILITY_MUTANTS=7/2` takes every second one, which the remainder of 7 names. Default: all. */
const [share = 0, of = 1] = (process.env['LINEARIZABILITY_MUTANTS'] ?? '0/1').split('/').map(Number);
const chosen = hammeredMutants.filter((_, index) => index % of === share % of);

describeWith([porcupine, ...SUBJECTS.map(({ component }) => component)], 'porcupine', () => {
  const servers = new Map<Subject, LocalService>();
  beforeAll(async () => {
    await porcupine.install();
    for (const subject of SUBJECTS) {
      servers.set(subject, await startComponent(subject.component.name));
    }
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const server of servers.values()) await server.stop();
  });

  it.each(chosen.map((one) => [one.mutant.takesOut, one.mutant.name, one] as const))(
    'refuses a store in which it is no longer so that %s (%s)',
    async (_rule, name, { mutant, subject, ...clocks }) => {
      const file = path.join(REPORTS, `hammer ${name}`.replaceAll(/\W+/g, '-'));
      const program = await bundleHammer(`${file}.mjs`, mutant);
      const server = servers.get(subject) as LocalService;
      for (let seed = 1; ; seed += 1) {
        const { verdict, summary } = await judgeHammers(subject, server, name, {
          program,
          seed,
          processes: 5,
          calls: 80,
          kills: 1,
          withinS: 20,
          ...clocks,
        });
        if (verdict.result !== 'Illegal' && seed < MOST_SEEDS) continue;
        process.stderr.write(`${summary} (seed ${seed})\n`);
        expect({ summary, result: verdict.result }).toEqual({ summary, result: 'Illegal' });
        expect(existsSync(verdict.picture)).toBe(true);
        return;
      }
    },
    300_000,
  );
});

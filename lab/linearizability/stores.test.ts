import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { porcupine } from '../../test/support/components/porcupine.ts';
import { startComponent } from '../real/support/start-component.ts';
import { bundleHammer } from './bundle-hammer.ts';
import { judgeHammers, REPORTS } from './judge-hammers.ts';
import { subjects } from './subjects.ts';

/** `LINEARIZABILITY_SEEDS=20 npm run lab:linearizability -- stores` for more. */
const SEEDS = Number(process.env['LINEARIZABILITY_SEEDS'] ?? 2);

/** What has to happen in a history, so that it says something. */
const HAPPENS = [
  'acquire acquired',
  'acquire taken over',
  'acquire conflict',
  'acquire duplicate',
  'acquire parked',
  'acquire unknown',
  'settle stored',
  'settle lost',
  'extend stored',
  'extend lost',
  'start stored',
  'operate done',
  'operate changed',
  'operate running',
  'inspect IN_PROGRESS',
];

describe.each(subjects.map((subject) => [subject.name, subject] as const))(
  'claims in %s',
  (name, subject) => {
    describeWith([porcupine, subject.component], 'of several processes', () => {
      let program: string;
      let server: LocalService;
      beforeAll(async () => {
        await porcupine.install();
        program = await bundleHammer(path.join(REPORTS, 'hammer.mjs'));
        server = await startComponent(subject.component.name);
      }, INSTALL_TIMEOUT_MS);
      afterAll(() => server.stop());

      it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
        'are linearizable, over connections that break and with processes that are killed: seed %i',
        async (seed) => {
          const setup = { program, seed, processes: 6, calls: 150, kills: 12 };
          const { report, verdict, summary } = await judgeHammers(subject, server, `${name} ${seed}`, setup);
          process.stderr.write(`${summary}\n`);
          expect({ summary, result: verdict.result }).toEqual({ summary, result: 'Ok' });
          expect(HAPPENS.filter((what) => !report.answers.has(what))).toEqual([]);
          expect(Math.min(report.requestsLost, report.answersLost, report.kills)).toBeGreaterThan(4);
        },
        300_000,
      );
    });
  },
);

import { COMPARED } from '../compared.ts';
import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { nextCell, tableOf } from '../harness/rounds.ts';
import type { CellPlan, Plan } from '../plan.ts';
import type { ProfileResult } from '../worker/jobs.ts';
import { nameOf, type Workload } from '../workload.ts';
import { warmUp } from './warm-up.ts';

export interface ProfileFigures extends Omit<ProfileResult, 'raw'> {
  readonly contender: ContenderName;
  readonly workload: Workload;
}

export interface KeptProfile {
  readonly name: string;
  readonly contents: string;
}

/** Where each contender's time goes. The whole profiles are given to `keep`. */
export async function measureProfiles(
  lab: Lab,
  { profiles, warmUpMs }: Plan,
  progress: Progress,
  keep: (profile: KeptProfile) => Promise<void>,
): Promise<ProfileFigures[]> {
  const jobs = profiles.flatMap((cell) =>
    contendersFor(cell.workload).map((contender) => ({ contender, cell })),
  );
  await warmUp(lab, [...new Set(jobs.map(({ contender }) => contender))], warmUpMs, progress);
  progress.section('profiles', jobs.length);
  const figures: ProfileFigures[] = [];
  for (const { contender, cell } of jobs) {
    figures.push(await profileOne(lab, contender, cell, keep));
    progress.step(`${contender}, ${nameOf(cell.workload)}`);
  }
  return figures;
}

/** Where one contender's time goes in one cell. */
export async function profileOne(
  lab: Lab,
  contender: ContenderName,
  { workload, batches }: CellPlan,
  keep: (profile: KeptProfile) => Promise<void>,
): Promise<ProfileFigures> {
  const seed = nextCell();
  const { raw, ...figure } = await lab.workerOf(contender).run('profile', {
    contender,
    endpoint: lab.endpointOf(contender),
    tableName: tableOf(contender, seed),
    workload,
    batches,
    seed,
  });
  await keep({ name: `${contender}-${workload.size}-${workload.mix}`, contents: raw });
  return { contender, workload, ...figure };
}

function contendersFor({ size, mix }: Workload): readonly ContenderName[] {
  if (mix !== 'first') return ['batchlatch'];
  return size < 1_000 ? COMPARED : [...COMPARED, 'batchlatch-memory-silent'];
}

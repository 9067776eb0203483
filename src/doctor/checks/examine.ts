import type { DoctorReport } from '../finding.ts';
import { checkFunctions } from './check-functions.ts';
import { checkMappings } from './check-mappings.ts';
import { checkQueues } from './check-queues.ts';
import { checkTables } from './check-tables.ts';
import { checkTriggers } from './check-triggers.ts';
import { Examination, type ExaminationOptions, type Subject } from './examination.ts';

/** All checks of a model. `skipped` is what could not be read into it. */
export function examine(
  model: Subject,
  skipped: readonly string[] = [],
  options: ExaminationOptions = {},
): DoctorReport {
  const examination = new Examination(model, options);
  checkMappings(examination);
  checkQueues(examination);
  checkTables(examination);
  checkFunctions(examination);
  checkTriggers(examination);
  return examination.result(skipped);
}

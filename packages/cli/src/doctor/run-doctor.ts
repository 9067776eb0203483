import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../tool-base/errors.ts';
import { doctorLive, type LiveTarget } from './doctor-live.ts';
import { doctorTemplate } from './doctor-template.ts';
import type { DoctorReport, Severity } from './finding.ts';
import type { DoctorClients } from './live/clients.ts';

/** Options of `runDoctor`: a template, deployed resources, or both. */
export interface DoctorOptions extends LiveTarget {
  /** The path of a template in YAML or JSON. */
  readonly template?: string;
  /** The values of the template's parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Needed for deployed resources. */
  readonly clients?: DoctorClients;
}

/** Checks a template, deployed resources, or both. Throws a `ConfigurationError` for what cannot be read. */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const { template, parameters = {}, clients = {}, ...target } = options;
  const { all = false } = target;
  const isLive = [target.queueUrl, target.tableName, target.functionName].some((name) => name !== undefined);
  if (template === undefined && !isLive) {
    throw new ConfigurationError('Expected a template, a queue, a table or a function to look at; got none.');
  }
  const reports = [
    ...(template === undefined
      ? []
      : [doctorTemplate({ file: template, text: await textOf(template) }, { parameters, all })]),
    ...(isLive ? [await doctorLive(clients, target)] : []),
  ];
  return joinedReports(reports);
}

/** Joins reports into one, errors first. */
export function joinedReports(reports: readonly DoctorReport[]): DoctorReport {
  const order: readonly Severity[] = ['error', 'warning', 'info'];
  return {
    findings: reports
      .flatMap(({ findings }) => findings)
      .toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity)),
    checked: reports.flatMap(({ checked }) => checked),
    skipped: reports.flatMap(({ skipped }) => skipped),
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(`${path} cannot be read (${code}). Check the path.`, { cause: error });
  }
}

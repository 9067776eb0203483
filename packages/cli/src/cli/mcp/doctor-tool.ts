import * as z from 'zod';
import { doctorJson } from '../../doctor/index.ts';
import { reportOf } from '../doctor/doctor-command.ts';
import type { ConnectionOptions, TableOptions } from '../arguments/common-options.ts';
import { tableNameOf } from '../connect/table-name.ts';
import type { Context } from '../context.ts';
import type { Toolbox } from './toolbox.ts';

/** Adds the tool that looks for mistakes in a template or in what is deployed. */
export function addDoctorTool({ add, context, options }: Toolbox): void {
  add({
    name: 'doctor',
    description:
      'Finds mistakes in a SAM or CloudFormation template, or in a deployed function or queue with its ' +
      'table; without arguments it checks where the claims are. Each finding says what is wrong, what ' +
      'happens because of it, and the lines to write.',
    input: {
      template: z.string().min(1).optional().describe('Path of a template'),
      function: z.string().min(1).optional().describe('Name or ARN of a deployed function'),
      queueUrl: z.url().optional().describe('URL of a deployed queue'),
      all: z.boolean().default(false).describe('Report also what many good setups do without'),
    },
    async answer({ template, function: functionName, queueUrl, all }) {
      const named = {
        ...(template !== undefined && { template }),
        ...(functionName !== undefined && { function: functionName }),
        ...(queueUrl !== undefined && { queueUrl }),
      };
      const isTemplate = template !== undefined && functionName === undefined && queueUrl === undefined;
      const where = isTemplate
        ? connectionOf(options)
        : { ...connectionOf(options), ...storeOf(options, context) };
      const report = await reportOf(context, { ...where, ...named, parameter: {}, all });
      return JSON.parse(doctorJson(report)) as unknown;
    },
  });
}

function connectionOf({ region, profile, endpointUrl }: ConnectionOptions): ConnectionOptions {
  return {
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(endpointUrl !== undefined && { endpointUrl }),
  };
}

function storeOf(
  { table, postgres, redis, redisCluster }: TableOptions,
  context: Context,
): Partial<TableOptions> {
  if (redis !== undefined) return { redis, ...(redisCluster !== undefined && { redisCluster }) };
  if (postgres !== undefined) return { postgres, ...(table !== undefined && { table }) };
  return { table: tableNameOf(table, context) };
}

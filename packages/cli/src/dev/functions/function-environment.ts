import { randomBytes } from 'node:crypto';
import type { DevFunction } from '../stack.ts';
import { withoutExtension } from './build-settings.ts';

/** The variables of this machine that a function's process needs. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'];

/** The region and the folder that a function runs in. */
export interface EnvironmentSettings {
  readonly region: string;
  /** `LAMBDA_TASK_ROOT`, and the working directory. */
  readonly taskRoot: string;
  /** The environment of this process. */
  readonly own?: NodeJS.ProcessEnv;
}

/**
 * Returns the variables of an execution environment: Lambda's, then the template's. The developer's shell
 * contributes only paths: its other variables, and its secrets, are not the function's.
 */
export function functionEnvironment(
  fn: DevFunction,
  { region, taskRoot, own = process.env }: EnvironmentSettings,
): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    _HANDLER: handlerOf(fn),
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${fn.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `local/[$LATEST]${randomBytes(16).toString('hex')}`,
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split('.')[0]}.x`,
    LAMBDA_TASK_ROOT: taskRoot,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    // AWS's SDK would warn about Node 20 in every process.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    // The template's credentials may be those of a user, which have no session token.
    ...(fn.environment['AWS_ACCESS_KEY_ID'] === undefined && { AWS_SESSION_TOKEN: 'local' }),
    ...fn.environment,
  };
}

/** Returns the handler as a template names it. */
export function handlerOf({ entry, exportName }: DevFunction): string {
  return `${withoutExtension(entry)}.${exportName}`;
}

export function functionArn(fn: DevFunction, region: string): string {
  return `arn:aws:lambda:${region}:000000000000:function:${fn.name}`;
}

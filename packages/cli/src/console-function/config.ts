import {
  aBoolean,
  anInteger,
  anObject,
  aString,
  type Check,
  checkOptionsOf,
  required,
} from '../tool-base/check-options.ts';
import { ConfigurationError } from '../tool-base/errors.ts';

/** The values of a claim, or the ARNs of principals, that have a role. `operate` includes `read`. */
export interface RoleLists {
  readonly read: readonly string[];
  readonly operate: readonly string[];
}

/** An Application Load Balancer that signs people in by OIDC. */
export interface LoadBalancerEntrance {
  readonly kind: 'load-balancer';
  readonly loadBalancerArn: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The claim of the person that `roles` lists values of, such as `groups`. */
  readonly claim: string;
  readonly roles: RoleLists;
}

/** A function URL with `AWS_IAM`. */
export interface FunctionUrlEntrance {
  readonly kind: 'function-url';
  /** ARNs of IAM roles and users. */
  readonly roles: RoleLists;
}

/** The settings of the function, which `ClaimsConsole` writes to the environment variable `CONSOLE`. */
export interface ConsoleConfig {
  readonly tableName: string;
  readonly hasIndex: boolean;
  readonly actionsTableName: string;
  /** How long actions are kept, in days. */
  readonly actionRetentionDays: number;
  /** The names of each queue and its dead-letter queue. */
  readonly queues: readonly (readonly [queue: string, deadLetterQueue: string])[];
  /** The beginning of every queue's URL. */
  readonly queuesUrl: string;
  /** The table of the outbox whose rows are shown. Absent: none. */
  readonly outboxTableName?: string;
  /** The namespace of the processor, if its keys are message ids. */
  readonly namespace?: string;
  /** The namespaces of the claims, for searches. */
  readonly namespaces?: readonly string[];
  /** The log groups that the function may read, and the address of CloudWatch Logs. Absent: none. */
  readonly logs?: { readonly groups: readonly string[]; readonly url: string };
  /** Whether the role `operate` may send messages. Default false. */
  readonly allowSending?: boolean;
  readonly entrance: LoadBalancerEntrance | FunctionUrlEntrance;
  /** The IAM role that may change claims and queues, and the address of STS. Absent: nobody may. */
  readonly changes?: { readonly roleArn: string; readonly stsUrl: string };
}

const LIST_OR_NONE: Check = {
  expected: 'a list of strings',
  accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== ''),
};
const LIST = required(LIST_OR_NONE);
const CHECKS: Readonly<Record<keyof ConsoleConfig, Check>> = {
  tableName: required(aString()),
  hasIndex: required(aBoolean()),
  actionsTableName: required(aString()),
  actionRetentionDays: required(anInteger(1)),
  queues: required({ expected: 'a list', accepts: Array.isArray }),
  queuesUrl: required(aString()),
  outboxTableName: aString(),
  namespace: aString(),
  namespaces: LIST_OR_NONE,
  logs: anObject(),
  allowSending: aBoolean(),
  entrance: required(anObject()),
  changes: anObject(),
};
const NAME = required({ expected: 'a text', accepts: (value) => typeof value === 'string' && value !== '' });
const LOAD_BALANCER: Readonly<Record<keyof LoadBalancerEntrance, Check>> = {
  kind: NAME,
  loadBalancerArn: NAME,
  issuer: NAME,
  clientId: NAME,
  claim: NAME,
  roles: required(anObject()),
};

/** Checks the settings. Throws a `ConfigurationError`: without them nobody is let in. */
export function checkConfig(given: unknown): ConsoleConfig {
  checkOptionsOf('CONSOLE', given, CHECKS);
  const config = given as ConsoleConfig;
  const { entrance } = config;
  if (entrance.kind === 'load-balancer') checkOptionsOf('CONSOLE.entrance', entrance, LOAD_BALANCER);
  else if (entrance.kind !== 'function-url') {
    throw new ConfigurationError('CONSOLE.entrance: Expected `kind` to be load-balancer or function-url');
  }
  checkOptionsOf('CONSOLE.entrance.roles', entrance.roles, { read: LIST, operate: LIST });
  if (config.logs !== undefined) checkOptionsOf('CONSOLE.logs', config.logs, { groups: LIST, url: NAME });
  return config;
}

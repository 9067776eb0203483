import { Examination } from '../../packages/cli/src/doctor/examination.ts';
import type { Finding } from '../../packages/cli/src/doctor/finding.ts';
import {
  CLAIMS_RETENTION_RULES,
  checkClaimsRetention,
} from '../../packages/cli/src/doctor/rules/claims-retention.ts';
import {
  checkDeadLetterQueues,
  DEAD_LETTER_QUEUE_RULES,
} from '../../packages/cli/src/doctor/rules/dead-letter-queues.ts';
import {
  checkVisibilityTimeouts,
  VISIBILITY_RULES,
} from '../../packages/cli/src/doctor/rules/visibility-timeouts.ts';
import type {
  LambdaFunction,
  Mapping,
  Model,
  Queue,
  Resource,
  Setting,
  Table,
} from '../../packages/cli/src/template/model.ts';
import { DAY_MS, SECOND_MS, type Settings } from './settings.ts';

const RULES = { ...VISIBILITY_RULES, ...DEAD_LETTER_QUEUE_RULES, ...CLAIMS_RETENTION_RULES };

/** Returns what `batchlatch doctor` would report for a template with these settings. */
export function doctorFindings(settings: Settings): readonly Finding[] {
  const model = {
    ...modelOf(settings),
    origin: 'template',
    now: 0,
    claimsTables: new Set<string>(),
  } as const;
  const examination = new Examination(model, RULES);
  for (const check of [checkVisibilityTimeouts, checkDeadLetterQueues, checkClaimsRetention])
    check(examination);
  return examination.result().findings;
}

const UNSET: Setting<never> = {};

/** Settings that these rules do not read are left unset. */
function modelOf(settings: Settings): Model {
  const hasDeadLetters = settings.maxReceiveCount !== undefined;
  const queues = [
    {
      ...queueNamed('Orders', settings.queueDays),
      visibilitySeconds: { value: settings.visibilitySeconds },
      ...(hasDeadLetters && {
        redrive: {
          value: {
            target: 'DeadLetters',
            targetArn: undefined,
            maxReceiveCount: { value: settings.maxReceiveCount },
          },
        },
      }),
    },
    ...(hasDeadLetters ? [queueNamed('DeadLetters', settings.deadLetterDays)] : []),
  ];
  return {
    queues,
    tables: [claimsTable()],
    functions: [functionOf(settings)],
    mappings: [mapping()],
    triggers: [],
    subscribers: [],
  };
}

function resource(id: string): Resource {
  return { id, name: id, ignore: new Set() };
}

function queueNamed(id: string, days: number): Queue {
  return {
    ...resource(id),
    isFifo: { value: false },
    visibilitySeconds: UNSET,
    retentionSeconds: { value: (days * DAY_MS) / SECOND_MS },
    redrive: UNSET,
    redriveAllow: UNSET,
    isEncrypted: UNSET,
    requiresTls: UNSET,
    arnTails: [],
  };
}

function functionOf({ timeoutSeconds, leaseSeconds, claimDays }: Settings): LambdaFunction {
  return {
    ...resource('OrdersFunction'),
    timeoutSeconds: { value: timeoutSeconds },
    runtime: { value: 'nodejs22.x' },
    reservedConcurrency: UNSET,
    environment: { value: new Map([['CLAIMS_TABLE_NAME', 'claims']]) },
    role: UNSET,
    asynchronous: {
      retries: UNSET,
      onFailure: UNSET,
      deadLetterQueue: UNSET,
    },
    options: {
      leaseMs: leaseSeconds === undefined ? UNSET : { value: leaseSeconds * SECOND_MS },
      retentionMs: { value: claimDays * DAY_MS },
      writes: undefined,
      key: undefined,
    },
  };
}

function claimsTable(): Table {
  return {
    ...resource('ClaimsTable'),
    key: UNSET,
    ttl: UNSET,
    hasPointInTimeRecovery: UNSET,
    hasDeletionProtection: UNSET,
    regions: UNSET,
    indexKeys: UNSET,
    arnTails: ['table/claims'],
  };
}

function mapping(): Mapping {
  return {
    ...resource('OrdersFunction.Orders'),
    kind: 'sqs',
    functionId: 'OrdersFunction',
    source: { value: 'Orders' },
    isFifo: false,
    responseTypes: UNSET,
    batchSize: UNSET,
    windowSeconds: { value: 0 },
    maximumConcurrency: UNSET,
    retries: UNSET,
    bisects: UNSET,
    onFailure: UNSET,
    startingPosition: UNSET,
    tumblingWindowSeconds: UNSET,
    isProvisioned: UNSET,
    hasMetrics: UNSET,
    isEnabled: UNSET,
  };
}

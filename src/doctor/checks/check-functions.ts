import type { LambdaFunction, Role, Table } from '../../template/model.ts';
import { allows } from './allows.ts';
import { checkQueuePermissions } from './check-queue-permissions.ts';
import { checkWidth } from './check-width.ts';
import { BATCHED, claimsTableOf, isNamed, TABLE_NAME_VARIABLE } from './claims-tables.ts';
import type { Examination } from './examination.ts';
import { deprecatedSince, isNodeTooOld } from './runtimes.ts';

/** Of one with `writes: 'single'`. */
const SINGLE = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:GetItem'];
const LOOKS = ['dynamodb:Query', 'dynamodb:Scan', 'dynamodb:DescribeTable'];

/** What functions that process records must be and may do. */
export function checkFunctions(examination: Examination): void {
  for (const lambda of examination.model.functions) {
    const table = claimsTableOf(examination, lambda);
    const names = lambda.environment.value?.get(TABLE_NAME_VARIABLE);
    if (!hasSource(examination, lambda) && table === undefined && names === undefined) continue;
    examination.checked('function', lambda);
    checkRuntime(examination, lambda);
    checkOwnDeadLetterQueue(examination, lambda);
    const role = examination.known(lambda, 'Role', lambda.role);
    if (role !== undefined) {
      checkWidth(examination, lambda, role);
      checkQueuePermissions(examination, lambda, role);
    }
    if (table !== undefined) checkClaims(examination, lambda, { table, role });
    else if (names !== undefined) {
      examination.cannotJudge(
        `${lambda.name}, ${TABLE_NAME_VARIABLE}: the table is not here, so neither it nor the permissions are judged`,
      );
    }
  }
}

function hasSource({ model }: Examination, { id }: LambdaFunction): boolean {
  const { mappings, triggers, subscribers } = model;
  return [...mappings, ...triggers, ...subscribers].some(({ functionId }) => functionId === id);
}

function checkRuntime(examination: Examination, lambda: LambdaFunction): void {
  const runtime = examination.known(lambda, 'Runtime', lambda.runtime);
  if (runtime === undefined) return;
  if (isNodeTooOld(runtime)) {
    examination.report('runtime-too-old', lambda, {
      message: `${lambda.name} runs on ${runtime}.`,
      fix: 'Runtime: nodejs22.x',
      line: lambda.runtime.line,
    });
    return;
  }
  const since = deprecatedSince(runtime, examination.model.now);
  if (since === undefined) return;
  examination.report('runtime-deprecated', lambda, {
    message: `${lambda.name} runs on ${runtime}, which AWS deprecated on ${since}.`,
    fix: runtime.startsWith('nodejs') ? 'Runtime: nodejs22.x' : '# a newer runtime of the same language',
    line: lambda.runtime.line,
  });
}

/** Lambda uses it for asynchronous invocations only. */
function checkOwnDeadLetterQueue(examination: Examination, lambda: LambdaFunction): void {
  const { mappings, triggers } = examination.model;
  const isOfFunction = ({ functionId }: { readonly functionId: string | undefined }): boolean =>
    functionId === lambda.id;
  // Who invokes a function that is deployed, beside its mappings, is not read.
  if (examination.model.origin === 'live' || triggers.some(isOfFunction)) return;
  const mapping = mappings.find(isOfFunction);
  const { deadLetterQueue } = lambda.asynchronous;
  if (mapping === undefined) return;
  if (examination.known(lambda, 'DeadLetterConfig', deadLetterQueue) === undefined) return;
  examination.report('function-dead-letter-queue-ignored', lambda, {
    message: `${lambda.name} has a dead-letter queue that ${mapping.name} does not use.`,
    fix: '# no DeadLetterQueue or DeadLetterConfig; RedrivePolicy on the queue in its place',
    line: deadLetterQueue.line,
  });
}

function checkClaims(
  examination: Examination,
  lambda: LambdaFunction,
  { table, role }: { table: Table; role: Role | undefined },
): void {
  const environment = examination.known(lambda, 'Environment', lambda.environment);
  const names = [...(environment?.values() ?? [])];
  if (environment !== undefined && !names.some((name) => isNamed(table, name))) {
    examination.report('claims-table-name-missing', lambda, {
      message: `${lambda.name} may write claims in ${table.name}, and none of its variables names that table.`,
      fix: [
        'Environment:',
        '  Variables:',
        `    ${TABLE_NAME_VARIABLE}: ${examination.model.origin === 'live' ? '' : '!Ref '}${table.id}`,
      ],
      line: lambda.environment.line,
    });
  }
  if (role !== undefined) checkClaimPermissions(examination, lambda, { table, role });
}

function checkClaimPermissions(
  examination: Examination,
  lambda: LambdaFunction,
  { table, role }: { table: Table; role: Role },
): void {
  const allowed = (action: string): boolean | undefined => allows(role, action, table, 'dynamodb');
  const isAllowed = (actions: readonly string[]): boolean =>
    actions.every((action) => allowed(action) === true);
  if (isAllowed(lambda.options.writes === 'single' ? SINGLE : BATCHED)) return;
  if (onlyLooks(examination, lambda, { table, role })) return;
  const wanted = lambda.options.writes === 'single' ? SINGLE : BATCHED;
  const missing = wanted.filter((action) => allowed(action) === false);
  if (missing.length === 0) {
    const who = role.unknown.length > 0 ? role.unknown.join(', ') : 'one of its policies';
    examination.cannotJudge(`${lambda.name}, permissions on ${table.name}: ${who} cannot be read here`);
    return;
  }
  const isSingle = isAllowed(SINGLE);
  examination.report('missing-claims-permissions', lambda, {
    message: isSingle
      ? `${lambda.name} may not use ${missing.join(', ')} on ${table.name}; what it may is enough only with \`writes: 'single'\`.`
      : `${lambda.name} may not use ${missing.join(', ')} on ${table.name}.`,
    fix: role.isMadeBySam
      ? [
          'Policies:',
          '  - Statement:',
          ...statement(wanted, examination.arnOf(table)).map((line) => `      ${line}`),
        ]
      : ['# in a policy of its role', ...statement(wanted, examination.arnOf(table))],
    fixBelongsTo: role.isMadeBySam ? 'properties' : 'none',
    ...(isSingle && { severity: 'warning' as const }),
  });
}

function statement(actions: readonly string[], arn: string): readonly string[] {
  return ['- Effect: Allow', `  Action: [${actions.join(', ')}]`, `  Resource: ${arn}`];
}

/** A monitor, or a tool: it looks at claims, nothing delivers records to it, and it makes none. */
function onlyLooks(
  { model }: Examination,
  { id }: LambdaFunction,
  { table, role }: { table: Table; role: Role },
): boolean {
  const isDelivered =
    model.mappings.some(({ functionId }) => functionId === id) ||
    model.triggers.some(({ functionId, kind }) => functionId === id && kind !== 'Schedule');
  // On the index of the table too, whose ARN goes on after the table's.
  const withIndexes = {
    id: table.id,
    arnTails: table.arnTails.flatMap((tail) => [tail, `${tail}/index/overdue`]),
  };
  const may = (action: string): boolean =>
    allows(role, action, withIndexes, 'dynamodb') === true ||
    role.statements.some(
      ({ isAllow, actions, resources }) =>
        isAllow && actions.includes(action) && resources.some((one) => one.startsWith(`<${table.id}.Arn>`)),
    );
  return !isDelivered && LOOKS.some(may) && !may('dynamodb:PartiQLInsert') && !may('dynamodb:PutItem');
}

import type { LambdaFunction, Role, Table } from '../../template/model.ts';
import { allows } from '../allows.ts';
import {
  BATCHED,
  claimsTableOf,
  functionsOfRecords,
  isNamed,
  TABLE_NAME_VARIABLE,
} from '../claims-table-of.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

/** The permissions for `writes: 'single'`. */
const SINGLE = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:GetItem'];
const LOOKS = ['dynamodb:Query', 'dynamodb:Scan', 'dynamodb:DescribeTable'];

/** Rules for functions and their claims table. */
export const CLAIMS_PERMISSION_RULES: Rules = {
  'claims-table-name-missing': {
    severity: 'error',
    what: 'a function that may write claims and has no `CLAIMS_TABLE_NAME`',
    why: 'Unless the code names the table, the function fails at start.',
    fix: 'the variable in the environment',
    docs: 'deploying.md#what-a-function-needs',
  },
  'missing-claims-permissions': {
    severity: 'error',
    what:
      'a role that does not allow what claims need on the claims table (a ' +
      "warning if it allows only what `writes: 'single'` needs)",
    why: 'DynamoDB refuses the claims, and no record runs.',
    fix: '`dynamodb:PartiQLInsert`, `dynamodb:PartiQLUpdate` and `dynamodb:BatchGetItem` on the table',
    docs: 'deploying.md#what-a-function-needs',
  },
};

export function checkClaimsPermissions(examination: Examination): void {
  for (const lambda of functionsOfRecords(examination)) {
    examination.checked('function', lambda);
    const table = claimsTableOf(examination, lambda);
    const role = examination.known(lambda, 'Role', lambda.role);
    if (table !== undefined) checkClaims(examination, lambda, { table, role });
    else if (lambda.environment.value?.has(TABLE_NAME_VARIABLE) === true) {
      examination.cannotJudge(
        `${lambda.name}, ${TABLE_NAME_VARIABLE}: the table is not ` +
          'here, so neither it nor the permissions are judged',
      );
    }
  }
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
      message: `${lambda.name} may write claims in ${table.name}, but no variable names that table.`,
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
      ? `${lambda.name} may not use ${missing.join(', ')} on ${table.name}; its ` +
        "permissions are enough only with `writes: 'single'`."
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

/** Returns whether a function only reads claims, as a monitor: it gets no records and may not insert. */
function onlyLooks(
  { model }: Examination,
  { id }: LambdaFunction,
  { table, role }: { table: Table; role: Role },
): boolean {
  const isDelivered =
    model.mappings.some(({ functionId }) => functionId === id) ||
    model.triggers.some(({ functionId, kind }) => functionId === id && kind !== 'Schedule');
  // The ARN of an index starts with the ARN of its table.
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

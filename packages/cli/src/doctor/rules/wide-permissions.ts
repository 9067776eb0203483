import type { LambdaFunction, Role, Statement } from '../../template/model.ts';
import { functionsOfRecords } from '../claims-table-of.ts';
import type { Examination, Verdict } from '../examination.ts';
import type { Rules } from './rule.ts';

/** Actions that do not support resource-level permissions. */
const OF_NO_RESOURCE: ReadonlySet<string> = new Set([
  'dynamodb:ListTables',
  'dynamodb:DescribeLimits',
  'sqs:ListQueues',
]);

/** Rules for roles that allow too much. */
export const WIDE_PERMISSION_RULES: Rules = {
  'wide-permissions': {
    severity: 'info',
    what:
      'a statement that allows actions of DynamoDB or SQS on every resource, or ' +
      'every action of them (except AWSLambdaSQSQueueExecutionRole of AWS)',
    why: 'Whoever takes over the function can change all tables or queues of the account.',
    fix: 'the ARN of the table or queue, and the actions that are used',
  },
};

export function checkWidePermissions(examination: Examination): void {
  for (const lambda of functionsOfRecords(examination)) {
    const role = examination.known(lambda, 'Role', lambda.role);
    if (role !== undefined) checkWidth(examination, lambda, role);
  }
}

function checkWidth(examination: Examination, lambda: LambdaFunction, role: Role): void {
  for (const statement of role.statements) {
    if (!statement.isAllow || statement.isOfAws === true) continue;
    const actions = statement.actions.filter(
      (action) => /^(\*|(dynamodb|sqs):)/i.test(action) && !OF_NO_RESOURCE.has(action),
    );
    if (actions.length === 0) continue;
    const wideResource = statement.resources.find(isEvery);
    const wideAction = actions.find((action) => /^(\*|[a-z]+:\*)$/i.test(action));
    if (wideResource === undefined && wideAction === undefined) continue;
    examination.report('wide-permissions', lambda, verdict(lambda, statement, { actions, wideResource }));
  }
}

/** Returns whether a resource is a wildcard for all resources, tables or queues. */
function isEvery(resource: string): boolean {
  return resource === '*' || /^arn:[^:]*:(dynamodb|sqs|\*):([^:]*:){0,2}(table\/)?\*$/.test(resource);
}

function verdict(
  lambda: LambdaFunction,
  { line }: Statement,
  { actions, wideResource }: { actions: readonly string[]; wideResource: string | undefined },
): Verdict {
  const on = wideResource === undefined ? '' : ` on \`${wideResource}\``;
  return {
    message: `The role of ${lambda.name} allows ${actions.join(', ')}${on}.`,
    fix: ['# the table or the queue by name, and the actions that are used', 'Resource: !GetAtt ….Arn'],
    fixBelongsTo: 'none',
    line,
  };
}

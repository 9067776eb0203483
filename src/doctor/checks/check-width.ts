import type { LambdaFunction, Role, Statement } from '../../template/model.ts';
import type { Examination, Verdict } from './examination.ts';

/** These know no resources. */
const OF_NO_RESOURCE: ReadonlySet<string> = new Set([
  'dynamodb:ListTables',
  'dynamodb:DescribeLimits',
  'sqs:ListQueues',
]);

/** Says where a role allows more than a table or a queue. */
export function checkWidth(examination: Examination, lambda: LambdaFunction, role: Role): void {
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

/** Every resource of the account, or every table or queue. */
function isEvery(resource: string): boolean {
  return resource === '*' || /^arn:[^:]*:(dynamodb|sqs|\*):[^:]*:[^:]*:(table\/)?\*$/.test(resource);
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

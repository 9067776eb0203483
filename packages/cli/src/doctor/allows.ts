import type { Role, Statement } from '../template/model.ts';

interface Target {
  readonly id: string;
  readonly arnTails: readonly string[];
}

/** Returns whether a role allows an action on a resource; undefined if unknown. */
export function allows(
  role: Role,
  action: string,
  target: Target,
  service: 'dynamodb' | 'sqs',
): boolean | undefined {
  const verdicts = (isAllow: boolean): readonly (boolean | undefined)[] =>
    role.statements
      .filter((statement) => statement.isAllow === isAllow && (isAllow || !statement.hasCondition))
      .map((statement) => applies(statement, action, target, service));
  if (verdicts(false).includes(true)) return false;
  const granted = verdicts(true);
  if (granted.includes(true)) return true;
  return granted.includes(undefined) || role.unknown.length > 0 ? undefined : false;
}

function applies(
  { actions, resources }: Statement,
  action: string,
  target: Target,
  service: string,
): boolean | undefined {
  const onAction = all(
    actions.map((pattern) => (pattern === '<?>' ? undefined : matches(pattern, action, 'i'))),
  );
  if (onAction === false) return false;
  const onResource = all(resources.map((resource) => covers(resource, target, service)));
  if (onResource === false) return false;
  return onAction === true && onResource === true ? true : undefined;
}

/** Returns true if any verdict is true, else undefined if any is unknown. */
function all(verdicts: readonly (boolean | undefined)[]): boolean | undefined {
  if (verdicts.includes(true)) return true;
  return verdicts.includes(undefined) ? undefined : false;
}

function covers(resource: string, { id, arnTails }: Target, service: string): boolean | undefined {
  if (resource === '*' || resource === `<${id}.Arn>` || resource === `<${id}.Arn>*`) return true;
  const [arn, , inService = '', , , ...tail] = resource.split(':');
  // "*" at the end of an ARN goes on beyond colons, so `arn:aws:sqs:*` means every queue:
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
  const isCut = tail.length === 0 && resource.endsWith('*');
  // An unknown part may match anything; a reference to another resource does not match.
  if (arn !== 'arn') return resource.startsWith('<?>') ? undefined : false;
  if (!matches(inService, service, '')) return inService.includes('<?>') ? undefined : false;
  const pattern = isCut ? '*' : tail.join(':');
  if (arnTails.some((name) => matches(pattern, name, ''))) return true;
  return pattern.includes('<?>') ? undefined : false;
}

/** Matches the wildcards of policies, without a regular expression that a policy could make slow. */
function matches(pattern: string, text: string, flags: '' | 'i'): boolean {
  const [wanted, given] = flags === 'i' ? [pattern.toLowerCase(), text.toLowerCase()] : [pattern, text];
  let [at, star, resume] = [0, -1, 0];
  let index = 0;
  while (index < given.length) {
    const next = wanted[at];
    if (next === '*') {
      star = at;
      at += 1;
      resume = index;
    } else if (next !== undefined && (next === '?' || next === given[index])) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  return /^\**$/.test(wanted.slice(at));
}

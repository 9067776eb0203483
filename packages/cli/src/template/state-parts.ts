import { type Plain, type PlainMembers, plainMembersOf } from './parse-template.ts';

/** A resource of a state, with what it needs of its members. */
interface Part {
  readonly type?: string;
  readonly inputs?: PlainMembers;
}

/**
 * Adds to a role or a queue the settings that are resources of their own in a state: policies that are
 * attached to the role, and the redrive policies of the queue.
 */
export function withParts(type: string, members: PlainMembers, parts: readonly Part[]): PlainMembers {
  const { name } = members;
  if (type === 'aws:iam/role:Role') {
    const own = Array.isArray(members['managedPolicyArns']) ? (members['managedPolicyArns'] as Plain[]) : [];
    const attached = parts.flatMap((part) => policyArnFor(name, part) ?? []);
    return { ...members, managedPolicyArns: [...own, ...attached] };
  }
  if (type !== 'aws:sqs/queue:Queue') return members;
  const apart = parts.filter(({ inputs = {} }) => lastOf(inputs['queueUrl']) === name);
  return { ...members, ...settingOf('redrivePolicy', apart), ...settingOf('redriveAllowPolicy', apart) };
}

function policyArnFor(name: Plain | undefined, { type, inputs = {} }: Part): Plain | undefined {
  const { role, roles, policyArn } = inputs;
  const isAttached =
    (type === 'aws:iam/rolePolicyAttachment:RolePolicyAttachment' && role === name) ||
    (type === 'aws:iam/policyAttachment:PolicyAttachment' && Array.isArray(roles) && roles.includes(name));
  return isAttached ? policyArn : undefined;
}

/** Returns the setting of the resource that has it alone, such as `aws:sqs/redrivePolicy:RedrivePolicy`. */
function settingOf(setting: string, apart: readonly Part[]): PlainMembers {
  const found = apart.find(({ type = '' }) => type.startsWith(`aws:sqs/${setting}:`));
  const value = plainMembersOf(found?.inputs)[setting];
  return value === undefined ? {} : { [setting]: value };
}

function lastOf(url: Plain | undefined): string | undefined {
  return typeof url === 'string' ? url.split('/').at(-1) : undefined;
}

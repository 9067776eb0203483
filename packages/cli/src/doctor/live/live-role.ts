import type { Role, Setting, Statement } from '../../template/model.ts';
import type { IamReader } from './clients.ts';
import { QUEUE_POLICY } from '../../template/policy-templates.ts';
import type { LiveReading } from './live-reading.ts';

/** Reads all policies of a role, by its ARN, as far as permissions allow. */
export async function readLiveRole(
  iam: IamReader | undefined,
  arn: string | undefined,
  reading: LiveReading,
): Promise<Setting<Role>> {
  const RoleName = arn?.split('/').at(-1);
  if (iam === undefined || RoleName === undefined)
    return { unknown: 'its role is not read without a client of IAM' };
  const inline = await reading.optional(`role ${RoleName}`, 'iam:ListRolePolicies', () =>
    iam.listRolePolicies({ RoleName }),
  );
  const attached = await reading.optional(`role ${RoleName}`, 'iam:ListAttachedRolePolicies', () =>
    iam.listAttachedRolePolicies({ RoleName }),
  );
  if (inline === undefined || attached === undefined) return { unknown: 'its role could not be read' };
  const documents = [
    ...(inline.PolicyNames ?? []).map(async (PolicyName) => {
      const read = await reading.optional(`policy ${PolicyName}`, 'iam:GetRolePolicy', () =>
        iam.getRolePolicy({ RoleName, PolicyName }),
      );
      return { name: PolicyName, document: read?.PolicyDocument, isOfAws: false };
    }),
    ...(attached.AttachedPolicies ?? []).map(async ({ PolicyName = '', PolicyArn = '' }) => ({
      name: PolicyName,
      document: await managedDocument(iam, PolicyArn, reading),
      isOfAws: PolicyArn.endsWith(`:iam::aws:policy/service-role/${QUEUE_POLICY}`),
    })),
  ];
  const read = await Promise.all(documents);
  const parsed = read.map(({ name, document, isOfAws }) => ({
    name,
    statements: statementsOf(document)?.map((statement) => ({ ...statement, isOfAws })),
  }));
  return {
    value: {
      statements: parsed.flatMap(({ statements }) => statements ?? []),
      unknown: parsed.filter(({ statements }) => statements === undefined).map(({ name }) => name),
      isMadeBySam: false,
    },
  };
}

async function managedDocument(
  iam: IamReader,
  PolicyArn: string,
  reading: LiveReading,
): Promise<string | undefined> {
  const policy = await reading.optional(`policy ${PolicyArn}`, 'iam:GetPolicy', () =>
    iam.getPolicy({ PolicyArn }),
  );
  const VersionId = policy?.Policy?.DefaultVersionId;
  if (VersionId === undefined) return undefined;
  const version = await reading.optional(`policy ${PolicyArn}`, 'iam:GetPolicyVersion', () =>
    iam.getPolicyVersion({ PolicyArn, VersionId }),
  );
  return version?.PolicyVersion?.Document;
}

interface PlainStatement {
  readonly Effect?: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: object;
}

/** Parses a policy, which IAM returns as URL-encoded JSON; undefined if it cannot be parsed. */
function statementsOf(document: string | undefined): readonly Statement[] | undefined {
  if (document === undefined) return undefined;
  try {
    const text = document.trimStart().startsWith('{') ? document : decodeURIComponent(document);
    const { Statement: statements = [] } = JSON.parse(text) as {
      Statement?: PlainStatement | PlainStatement[];
    };
    return [statements].flat().map(({ Effect, Action, Resource, Condition }) => ({
      isAllow: Effect === 'Allow',
      hasCondition: Condition !== undefined,
      actions: Action === undefined ? ['<?>'] : [Action].flat(),
      resources: Resource === undefined ? ['<?>'] : [Resource].flat(),
    }));
  } catch {
    return undefined;
  }
}

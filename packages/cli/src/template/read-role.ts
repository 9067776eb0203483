import type { Role, Setting, Statement } from './model.ts';
import { managedStatements, QUEUE_POLICY, templateStatements } from './policy-templates.ts';
import type { TemplateResource, TemplateResources } from './resources.ts';
import { asList, asMembers, asText, member, type Value, whyUnknown } from './values.ts';

const ROLE_TYPES = ['AWS::IAM::Role'];
const MANAGED_TYPES = ['AWS::IAM::ManagedPolicy'];

/** Reads a function's permissions: SAM's `Policies`, or its role with all policies attached here. */
export function readRole(lambda: TemplateResource, resources: TemplateResources): Setting<Role> {
  const given = lambda.value['Role'];
  if (given === undefined && lambda.type === 'AWS::Serverless::Function')
    return { value: samRole(lambda, resources) };
  const role = resources.find(given, ROLE_TYPES);
  if (role === undefined) {
    return {
      unknown: whyUnknown(given) ?? 'its role is not in this template',
      line: lambda.lineOf(['Role']),
    };
  }
  const attached = resources
    .ofType('AWS::IAM::Policy', 'AWS::IAM::RolePolicy', ...MANAGED_TYPES)
    .filter(({ value }) =>
      [...asList(value['Roles']), ...asList(value['RoleName'])].some(
        (one) => resources.find(one, ROLE_TYPES)?.id === role.id,
      ),
    );
  const parts = [
    ...asList(role.value['Policies']).map((policy) =>
      documentOf(member(policy, 'PolicyDocument'), role, ['Policies']),
    ),
    ...asList(role.value['ManagedPolicyArns']).map((policy) => managed(policy, resources)),
    ...attached.map((policy) => documentOf(policy.value['PolicyDocument'], policy, ['PolicyDocument'])),
  ];
  return { value: { ...joined(parts), isMadeBySam: false } };
}

interface Part {
  readonly statements: readonly Statement[];
  readonly unknown: readonly string[];
}

function joined(parts: readonly Part[]): Part {
  return {
    statements: parts.flatMap(({ statements }) => statements),
    unknown: parts.flatMap(({ unknown }) => unknown),
  };
}

function samRole(lambda: TemplateResource, resources: TemplateResources): Role {
  const parts = asList(lambda.value['Policies']).map((policy): Part => {
    if (member(policy, 'Statement') !== undefined) return documentOf(policy, lambda, ['Policies']);
    const [template, ...others] = Object.entries(asMembers(policy) ?? {});
    if (template === undefined || others.length > 0) return managed(policy, resources);
    const [name, parameters] = template;
    return { statements: templateStatements(name, parameters, lambda.lineOf(['Policies'])), unknown: [] };
  });
  return { ...joined([...parts, connectors(lambda, resources), pollerOfSam(lambda)]), isMadeBySam: true };
}

/** SAM attaches this policy to the role of a function with an SQS event. */
function pollerOfSam({ value, lineOf }: TemplateResource): Part {
  const polls = Object.values(asMembers(value['Events']) ?? {}).some(
    (event) => member(event, 'Type') === 'SQS',
  );
  const statements = polls ? (managedStatements(QUEUE_POLICY) ?? []) : [];
  const line = lineOf(['Events']);
  return { statements: statements.map((statement) => ({ ...statement, line })), unknown: [] };
}

/** Reads a policy by name: one of the template, or an AWS managed one. */
function managed(policy: Value, resources: TemplateResources): Part {
  const here = resources.find(policy, MANAGED_TYPES);
  if (here !== undefined) return documentOf(here.value['PolicyDocument'], here, ['PolicyDocument']);
  const why = whyUnknown(policy);
  if (why !== undefined) return { statements: [], unknown: [`a policy (${why})`] };
  const name = asText(policy)?.split('/').at(-1) ?? 'a policy';
  const known = managedStatements(name);
  return known === undefined ? { statements: [], unknown: [name] } : { statements: known, unknown: [] };
}

function documentOf(document: Value, { lineOf }: TemplateResource, path: readonly string[]): Part {
  const why = whyUnknown(document);
  if (why !== undefined) return { statements: [], unknown: [why] };
  const line = lineOf(path);
  const statements = asList(member(document, 'Statement'));
  // A statement, its effect or all statements may depend on a condition.
  const unknown = statements.flatMap((statement) => whyUnknown(member(statement, 'Effect')) ?? []);
  return {
    statements: statements
      .filter((statement) => whyUnknown(member(statement, 'Effect')) === undefined)
      .map((statement) => ({
        isAllow: member(statement, 'Effect') === 'Allow',
        hasCondition: member(statement, 'Condition') !== undefined,
        // NotAction and NotResource mean everything except what they name.
        actions: textsOf(statement, 'Action', 'NotAction'),
        resources: textsOf(statement, 'Resource', 'NotResource'),
        line,
      })),
    unknown: unknown.map((why) => `a statement (${why})`),
  };
}

function textsOf(statement: Value, name: string, opposite: string): readonly string[] {
  if (member(statement, opposite) !== undefined) return ['<?>'];
  const value = member(statement, name);
  if (whyUnknown(value) !== undefined && !Array.isArray(value)) return ['<?>'];
  return asList(value).map((one) => asText(one) ?? '<?>');
}

/** SAM's connectors also grant permissions to their source or destination, which are unknown here. */
function connectors(lambda: TemplateResource, resources: TemplateResources): Part {
  const isHere = (ends: Value): boolean => asList(ends).some((end) => member(end, 'Id') === lambda.id);
  const embedded = resources.all.flatMap((resource) =>
    Object.entries(asMembers(member(resource.attributes, 'Connectors')) ?? {})
      .filter(([, one]) => resource.id === lambda.id || isHere(member(one, 'Properties', 'Destination')))
      .map(([name]) => `the connector ${name} of ${resource.id}`),
  );
  const others = resources
    .ofType('AWS::Serverless::Connector')
    .filter(({ value }) => isHere(value['Source']) || isHere(value['Destination']))
    .map(({ id }) => `the connector ${id}`);
  return { statements: [], unknown: [...embedded, ...others] };
}

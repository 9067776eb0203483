import type { FunctionUrlEntrance } from './config.ts';
import { type Identity, identityOf, NotLetIn } from './identity.ts';

/**
 * Returns the person whose signature Lambda verified, from `requestContext.authorizer.iam` of an event of a
 * function URL. Throws `NotLetIn` if there is none or the principal has no role.
 */
export function iamIdentity(requestContext: unknown, { roles }: FunctionUrlEntrance): Identity {
  const { authorizer } = (requestContext ?? {}) as { readonly authorizer?: { readonly iam?: unknown } };
  const { userArn } = (authorizer?.iam ?? {}) as { readonly userArn?: unknown };
  if (typeof userArn !== 'string') throw new NotLetIn('no principal');
  const principal = principalOf(userArn);
  if (principal === undefined) throw new NotLetIn('neither a role nor a user');
  const { account, kind, name, session } = principal;
  const operator = session === undefined ? `${name} (${account})` : `${session} (${account} ${name})`;
  const known = (arns: readonly string[]): readonly string[] => arns.map((arn) => idOf(principalOf(arn)));
  return identityOf(operator, [`${account}:${kind}/${name}`], {
    read: known(roles.read),
    operate: known(roles.operate),
  });
}

interface Principal {
  readonly account: string;
  readonly kind: 'role' | 'user';
  /** Without its path: a name is unique in an account, and the ARN of a session has no path. */
  readonly name: string;
  readonly session?: string;
}

function principalOf(arn: string): Principal | undefined {
  const [, , service, , account = '', resource = ''] = arn.split(':', 6);
  const [kind, ...rest] = resource.split('/');
  const name = rest.at(-1) ?? '';
  if (!/^\d{12}$/.test(account) || name === '' || arn.split(':').length !== 6) return undefined;
  if (service === 'iam' && (kind === 'role' || kind === 'user')) return { account, kind, name };
  if (service !== 'sts' || kind !== 'assumed-role' || rest.length !== 2) return undefined;
  return { account, kind: 'role', name: rest[0] ?? '', session: name };
}

/** Returns an id that no principal has if the ARN is not that of a role or user. */
function idOf(principal: Principal | undefined): string {
  return principal === undefined ? '' : `${principal.account}:${principal.kind}/${principal.name}`;
}

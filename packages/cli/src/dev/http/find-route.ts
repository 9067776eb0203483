import type { HttpTrigger } from '../stack.ts';

/** A route with the parameters that a request's path has for it. */
export interface FoundRoute<Route> {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Returns the route of a request as HTTP APIs choose it: the most specific path, a greedy parameter after
 * all others, a method before `ANY`, and `$default` last.
 */
export function findRoute<Route extends Pick<HttpTrigger, 'routeKey'>>(
  routes: readonly Route[],
  method: string,
  path: string,
): FoundRoute<Route> | undefined {
  const [best] = routes
    .flatMap((route) => {
      const match = matched(route.routeKey, method, path);
      return match === undefined ? [] : [{ route, ...match }];
    })
    .toSorted((left, right) => (left.rank < right.rank ? 1 : -1));
  return best;
}

interface Match {
  /** The greatest in the order of texts wins. */
  readonly rank: string;
  readonly pathParameters: Readonly<Record<string, string>>;
}

function matched(routeKey: string, method: string, path: string): Match | undefined {
  if (routeKey === '$default') return { rank: '', pathParameters: {} };
  const [wanted = '', template = ''] = routeKey.split(' ');
  if (wanted !== method && wanted !== 'ANY') return undefined;
  const parts = template.split('/');
  const segments = path.split('/');
  const isGreedy = parts.at(-1)?.endsWith('+}') === true;
  if (isGreedy ? segments.length < parts.length : segments.length !== parts.length) return undefined;
  const pathParameters: Record<string, string> = {};
  let rank = isGreedy ? '0' : '1';
  for (const [index, part] of parts.entries()) {
    const name = /^\{(.+?)\+?\}$/.exec(part)?.[1];
    const given = part.endsWith('+}') ? segments.slice(index).join('/') : (segments[index] ?? '');
    if (name === undefined ? part !== given : given === '') return undefined;
    if (name !== undefined) pathParameters[name] = decoded(given);
    rank += name === undefined ? '2' : '1';
  }
  return { rank: `${rank}${wanted === 'ANY' ? 0 : 1}`, pathParameters };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import type { HttpRoute, TemplateFunction } from '../../template/template-model.ts';
import type { HttpTrigger } from '../stack.ts';
import { neededOf, type Reading, valueOf } from './reading.ts';

/** Returns a function's routes of HTTP APIs and its URLs; adds a note for what is not served. */
export function httpTriggersOf(reading: Reading, fn: TemplateFunction): readonly HttpTrigger[] {
  return reading.model.httpRoutes
    .filter(({ functionId }) => functionId === fn.id)
    .flatMap((route) => httpTrigger(reading, route) ?? []);
}

function httpTrigger(reading: Reading, route: HttpRoute): HttpTrigger | undefined {
  const why = whyNotServed(reading, route);
  if (why !== undefined) {
    reading.notes.add(`${route.name} is not served here: ${why}.`);
    return undefined;
  }
  noteDifferences(reading, route);
  const path = neededOf(reading, route, route.path);
  const method = neededOf(reading, route, route.method).toUpperCase();
  return {
    kind: 'http',
    id: route.logicalId,
    endpointId: route.endpointId,
    isFunctionUrl: route.kind === 'functionUrl',
    routeKey: path === '$default' ? path : `${method} ${path}`,
    tokenSource: route.authorizer?.kind === 'jwt' ? route.authorizer.identitySource : undefined,
    isEnabled: true,
  };
}

function whyNotServed(reading: Reading, route: HttpRoute): string | undefined {
  if (route.isStreaming) return 'it streams its response';
  const format = valueOf(reading, route, route.payloadFormat);
  return format === '2.0' ? undefined : `its payload format is ${format}, and only 2.0 is`;
}

function noteDifferences({ notes }: Reading, { endpointId, authorizer, changes }: HttpRoute): void {
  if (changes.length > 0) notes.add(`${endpointId} is served without its ${changes.join(', ')}.`);
  switch (authorizer?.kind) {
    case 'jwt':
      notes.add(`${endpointId} reads the claims of tokens, and does not verify them.`);
      break;
    case 'iam':
    case 'other':
      notes.add(`${endpointId} lets every request pass: its authorizer ${authorizer.name} does not run.`);
      break;
    case undefined:
  }
}

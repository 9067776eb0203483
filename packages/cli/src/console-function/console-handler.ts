import { jsonAnswer, type WholeAnswer } from '../console/whole-answer.ts';
import { ApiError, answerFor } from '../console/api-error.ts';
import { SECURITY_HEADERS } from '../console/security.ts';
import { fileAnswer } from '../console/static-files.ts';
import { ConsoleApi } from './console-api.ts';
import type { ConsoleConfig } from './config.ts';
import type { ConsolePorts } from './console-ports.ts';
import type { LambdaContext } from './deadline.ts';
import { type FunctionRequest, type FunctionResponse, requestIn, responseOf } from './function-event.ts';
import { iamIdentity } from './iam-identity.ts';
import { type Identity, NotLetIn } from './identity.ts';
import { oidcIdentity } from './oidc-identity.ts';
import { refusal } from './refusal-page.ts';

/** Answers the requests of a function URL or an Application Load Balancer. */
export type ConsoleHandler = (event: unknown, context?: LambdaContext) => Promise<FunctionResponse>;

/** Creates the handler. Every request needs a verified identity with a role; all others get 403. */
export function createConsoleHandler(config: ConsoleConfig, ports: ConsolePorts): ConsoleHandler {
  const api = new ConsoleApi(config, ports);
  return async (event, lambda) => {
    let request: FunctionRequest | undefined;
    let answer: WholeAnswer;
    try {
      request = requestIn(event);
      const identity = await identify(request, config, ports);
      answer = isOfApi(request) ? await api.answer(request, identity, lambda) : await page(request, ports);
    } catch (thrown) {
      answer = refused(thrown, request, ports);
    }
    const headers = { ...SECURITY_HEADERS, ...answer.headers };
    return responseOf({ ...answer, headers }, request?.isMultiValue ?? false);
  };
}

function isOfApi({ pathname }: FunctionRequest): boolean {
  return pathname.startsWith('/api/');
}

async function identify(
  { headers, context }: FunctionRequest,
  { entrance }: ConsoleConfig,
  { keys, clock }: ConsolePorts,
): Promise<Identity> {
  if (entrance.kind === 'function-url') return iamIdentity(context, entrance);
  return oidcIdentity(headers, entrance, { keys, now: () => clock.now() });
}

async function page(
  { method, pathname }: FunctionRequest,
  { appFolder }: ConsolePorts,
): Promise<WholeAnswer> {
  if (method !== 'GET') throw new ApiError(405, 'no-method', `${method} is not answered for pages. Use GET.`);
  const file = await fileAnswer(appFolder, pathname);
  if (file === undefined)
    throw new ApiError(404, 'no-page', 'There is no such page. Begin at the first one, `/`.');
  return file;
}

function refused(thrown: unknown, request: FunctionRequest | undefined, { log }: ConsolePorts): WholeAnswer {
  if (thrown instanceof NotLetIn) {
    const { why, operator } = thrown;
    log({
      level: 'warn',
      message: 'A request was not let in',
      why,
      ...(operator !== undefined && { operator }),
    });
    return refusal(thrown, request === undefined || isOfApi(request));
  }
  const { status, body } = answerFor(thrown);
  if (status >= 500) log({ level: 'error', message: 'A request failed', error: body.error });
  return jsonAnswer(status, body);
}

import { isObject } from '../base/is-object.ts';
import { type Check, checkOptionsOf, required } from '../options/check-options.ts';
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

/** Options of `confluentRegistry()`. */
export interface ConfluentRegistryOptions {
  /** The registry's address, such as `https://psrc-1234.eu-central-1.aws.confluent.cloud`. */
  readonly url: string;
  /** Headers of each request, such as `authorization`, or a function that returns them. Default: none. */
  readonly headers?: RegistryHeaders | (() => RegistryHeaders | Promise<RegistryHeaders>);
}

/** Headers of requests to a registry. */
export type RegistryHeaders = Readonly<Record<string, string>>;

/** A schema and all that it references; more is a registry gone wrong. */
const MOST_REFERENCES = 100;
const LONGEST_ANSWER = 4 * 1_048_576;

interface Answer {
  readonly schema: string;
  readonly references: readonly Reference[];
}

interface Reference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/**
 * Returns a registry with Confluent's API: Confluent Schema Registry, and others that are compatible with it.
 * It is for payloads in Confluent's framing. References are fetched too. Throws a `ConfigurationError` for
 * invalid options.
 *
 * https://docs.confluent.io/platform/current/schema-registry/develop/api.html
 *
 * @param options The address, and the headers that authenticate requests.
 *
 * @example
 * avro({
 *   registry: confluentRegistry({
 *     url: 'https://registry.example.com',
 *     headers: { authorization: `Basic ${process.env['REGISTRY_KEY']}` },
 *   }),
 * });
 */
export function confluentRegistry(options: ConfluentRegistryOptions): SchemaRegistry {
  checkOptionsOf('confluentRegistry', options, checks);
  const { url, headers } = options;
  const base = url.replace(/\/+$/, '');
  return {
    framing: 'confluent',
    async schemaOf(id, { signal }) {
      const given = typeof headers === 'function' ? await headers() : headers;
      const request = { signal, headers: sendable({ accept: ACCEPT, ...given }) };
      const found = await answerOf(`${base}/schemas/ids/${id}`, request);
      return found && withImports(found, base, request);
    },
  };
}

const ACCEPT = 'application/vnd.schemaregistry.v1+json, application/json';

interface Request {
  readonly signal: AbortSignal;
  readonly headers: Headers;
}

/** The error of the platform quotes the value, which may be a password. */
function sendable(headers: RegistryHeaders): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw new Error(
      '`headers` of confluentRegistry has a name or a value that HTTP does not allow, such as a line break',
    );
  }
}

/** Fetches referenced schemas, those that others need first. */
async function withImports(root: Answer, base: string, request: Request): Promise<RegisteredSchema> {
  const imports = new Map<string, string>();
  const seen = new Set<string>();
  const add = async ({ references }: Answer): Promise<void> => {
    for (const { name, subject, version } of references) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (seen.size > MOST_REFERENCES) throw new Error(`It references more than ${MOST_REFERENCES} schemas`);
      const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}`;
      const found = await answerOf(base + path, request);
      if (found === undefined) throw new Error('The registry does not have a schema that it references');
      await add(found);
      imports.set(name, found.schema);
    }
  };
  await add(root);
  return { schema: root.schema, imports: Object.fromEntries(imports) };
}

async function answerOf(url: string, request: Request): Promise<Answer | undefined> {
  const response = await fetch(url, request);
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status === 404) return undefined;
    throw new Error(`The registry answered with the status ${response.status}`);
  }
  const answer: unknown = JSON.parse(await textOf(response));
  const { schema, references = [] } = (isObject(answer) ? answer : {}) as Partial<Record<string, unknown>>;
  if (typeof schema !== 'string' || !Array.isArray(references) || !references.every(isReference)) {
    throw new Error('The registry answered without a schema');
  }
  return { schema, references };
}

function isReference(value: unknown): value is Reference {
  if (!isObject(value)) return false;
  const { name, subject, version } = value as Partial<Record<string, unknown>>;
  return typeof name === 'string' && typeof subject === 'string' && Number.isSafeInteger(version);
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_ANSWER) throw new Error('The registry answered with more than 4 MB');
  }
  return text + decoder.decode();
}

const checks: Readonly<Record<keyof ConfluentRegistryOptions, Check>> = {
  url: required({
    expected: 'an http or https address without a password; give it in `headers`',
    accepts: (value) => typeof value === 'string' && isPlainAddress(value),
    isSecret: true,
  }),
  headers: {
    expected: 'an object of strings, or a function that returns one',
    accepts: (value) => {
      const isHeaders = isObject(value) && Object.values(value).every((one) => typeof one === 'string');
      return typeof value === 'function' || isHeaders;
    },
    isSecret: true,
  },
};

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

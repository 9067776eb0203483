import { type IncomingMessage, request as httpRequest } from 'node:http';

/** What a browser does with a console that has let it in. */
export interface ConsoleBrowser {
  /** Without the token. */
  readonly url: string;
  /** What lets it in. */
  readonly session: Readonly<Record<string, string>>;
  get<Answer>(path: string): Promise<Answer>;
  /** Asks as a page of the console does. */
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  /** An answer as it comes. */
  ask(path: string, how?: Asking): Promise<Answered>;
  listen(): Listening;
}

/** How something is asked. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An answer. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A page that listens. */
interface Listening {
  readonly events: readonly { readonly name: string; readonly data: unknown }[];
  /** Resolves to the first event, from the beginning on, that is as wanted. */
  until<Data>(name: string, isWanted: (data: Data) => boolean): Promise<Data>;
  close(): void;
}

/** Sends a request with exactly these headers, as `fetch` would not. */
export function askExactly(
  url: string,
  { method = 'GET', headers = {}, body }: Asking = {},
): Promise<Answered> {
  const own = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  // As it is given: a URL would have its dots worked out.
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)(.*)$/s.exec(url) ?? [];
  const asking = { method, headers: own, agent: false, path: path || '/' };
  return new Promise((resolve, reject) => {
    const request = httpRequest(origin, asking, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('close', () => {
        if (!response.complete) reject(new Error('The answer broke off'));
        else resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Signs in with the token of the address that a console prints, as its page does. */
export function signIn(address: string): Promise<Answered> {
  const { origin, hash } = new URL(address);
  const token = new URLSearchParams(hash.slice(1)).get('token');
  return askExactly(`${origin}/api/sign-in`, posting(origin, { token }));
}

/** Opens the address that a console prints, and keeps the secret of its session. */
export async function openConsole(address: string): Promise<ConsoleBrowser> {
  const { origin } = new URL(address);
  const signedIn = await signIn(address);
  if (signedIn.status !== 200) throw new Error(`The console answered ${signedIn.status}`);
  const { secret } = JSON.parse(signedIn.text) as { readonly secret: string };
  const session = { 'x-batchlatch-session': secret };
  const ask = (path: string, { headers: more, ...how }: Asking = {}): Promise<Answered> =>
    askExactly(`${origin}${path}`, { ...how, headers: { ...session, ...more } });
  const json = async (answer: Promise<Answered>): Promise<unknown> => {
    const { status: code, text } = await answer;
    if (code !== 200) throw new Error(`${code} ${text}`);
    return JSON.parse(text) as unknown;
  };
  return {
    url: origin,
    session,
    ask,
    get: async <Answer>(path: string) => (await json(ask(path))) as Answer,
    post: async <Answer>(path: string, body: unknown) =>
      (await json(ask(path, posting(origin, body)))) as Answer,
    listen: () => listen(`${origin}/api/events`, session),
  };
}

/** A POST as a page of this origin makes it. */
export function posting(origin: string, body: unknown): Asking {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(body),
  };
}

function listen(url: string, headers: ConsoleBrowser['session']): Listening {
  const events: { name: string; data: unknown }[] = [];
  const waiting = new Set<() => void>();
  let ended: Error | undefined;
  let buffer = '';
  const request = httpRequest(url, { headers, agent: false }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      buffer += chunk;
      const blocks = buffer.split('\n\n');
      buffer = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, name = ''] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data = 'null'] = /^data: (.*)$/m.exec(block) ?? [];
        if (name !== '') events.push({ name, data: JSON.parse(data) as unknown });
      }
      for (const look of waiting) look();
    });
    response.on('error', () => undefined);
    response.on('close', () => end(new Error('The events ended')));
  });
  request.on('error', end);
  request.end();

  function end(error: Error): void {
    ended ??= error;
    for (const look of waiting) look();
  }

  return {
    events,
    until: <Data>(name: string, isWanted: (data: Data) => boolean) =>
      new Promise<Data>((resolve, reject) => {
        let next = 0;
        const look = (): void => {
          for (; next < events.length; next += 1) {
            const event = events[next];
            if (event?.name === name && isWanted(event.data as Data)) {
              waiting.delete(look);
              resolve(event.data as Data);
              return;
            }
          }
          if (ended !== undefined) reject(ended);
        };
        waiting.add(look);
        look();
      }),
    close: () => request.destroy(),
  };
}

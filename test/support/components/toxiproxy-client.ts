/** A fault on the way to (`upstream`) or back from (`downstream`, the default) the service. */
type Toxic = {
  /** To remove it by; default `<type>_<stream>`. */
  readonly name?: string;
  readonly stream?: 'upstream' | 'downstream';
  /** The share of the connections that get it, decided as a connection opens; default 1. */
  readonly toxicity?: number;
} & (
  | { readonly type: 'latency'; readonly attributes: { readonly latency: number; readonly jitter?: number } }
  | { readonly type: 'bandwidth'; readonly attributes: { readonly rate: number } }
  | { readonly type: 'slow_close'; readonly attributes: { readonly delay: number } }
  /** Stops all data, and closes the connection after `timeout` ms (0: never). */
  | { readonly type: 'timeout'; readonly attributes: { readonly timeout: number } }
  /** Closes with TCP RST, after `timeout` ms. */
  | { readonly type: 'reset_peer'; readonly attributes: { readonly timeout: number } }
  /** Closes once `bytes` have passed: an answer that breaks off in the middle. */
  | { readonly type: 'limit_data'; readonly attributes: { readonly bytes: number } }
);

/** A way to one service that can be disturbed. */
export interface Proxy {
  readonly name: string;
  /** Use it in the service's place. */
  readonly endpoint: string;
  addToxic(toxic: Toxic): Promise<void>;
  /** Takes `<type>_<stream>` where the toxic was given no name. */
  removeToxic(name: string): Promise<void>;
  /** Refuses new connections and closes the open ones. */
  disable(): Promise<void>;
  enable(): Promise<void>;
  /** Leads to another service from now on; the open connections are closed. */
  redirect(upstream: string): Promise<void>;
  /** Removes all of its toxics and enables it. */
  reset(): Promise<void>;
}

export interface ToxiproxyClient {
  /** Opens a proxy before `upstream`, an endpoint such as `http://127.0.0.1:8000`; without `port`, on a free one. */
  createProxy(options: {
    readonly upstream: string;
    readonly name?: string;
    readonly port?: number;
  }): Promise<Proxy>;
}

/** The part of Toxiproxy's HTTP API that tests use. */
export function createToxiproxyClient(api: string): ToxiproxyClient {
  let created = 0;

  async function call<Answer = void>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(api + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Toxiproxy: ${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text === '' ? 'null' : text);
  }

  return {
    async createProxy({ upstream, name = `proxy-${++created}`, port = 0 }) {
      const { listen } = await call<{ listen: string }>('POST', '/proxies', {
        name,
        listen: `127.0.0.1:${port}`,
        upstream: new URL(upstream).host,
        enabled: true,
      });
      const path = `/proxies/${encodeURIComponent(name)}`;

      async function toxicNames(): Promise<string[]> {
        const toxics = await call<{ name: string }[]>('GET', `${path}/toxics`);
        return toxics.map((toxic) => toxic.name);
      }
      async function removeToxic(toxic: string): Promise<void> {
        await call('DELETE', `${path}/toxics/${encodeURIComponent(toxic)}`);
      }
      async function setEnabled(enabled: boolean): Promise<void> {
        await call('POST', path, { enabled });
      }

      return {
        name,
        endpoint: `http://${listen}`,
        addToxic: (toxic) => call('POST', `${path}/toxics`, toxic),
        removeToxic,
        disable: () => setEnabled(false),
        enable: () => setEnabled(true),
        redirect: (other) => call('POST', path, { upstream: new URL(other).host, enabled: true }),
        async reset() {
          for (const toxic of await toxicNames()) await removeToxic(toxic);
          await setEnabled(true);
        },
      };
    },
  };
}

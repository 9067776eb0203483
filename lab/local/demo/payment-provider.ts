import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenLocally } from '../../../packages/cli/src/dev/emulators/listen-locally.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { guardServer } from '../../../src/guard/guard-server.ts';
import type { Trouble } from './demo-store.ts';
import type { OrderMessage, Peculiarity } from './order-messages.ts';
import { killBeforeCharge } from './troubled-charges.ts';

/**
 * Starts what approves payments or declines them, for functions that ask it over HTTP, and where things go wrong: the demo's
 * functions have no trouble built in. `POST /authorizations` is answered before anything is written. `POST /charges` comes from
 * inside a transaction that holds a charge and that is not committed yet. Once the run is over, every order is approved.
 */
export async function startPaymentProvider(
  messages: readonly OrderMessage[],
  trouble: Trouble,
  isOver: () => boolean,
): Promise<LocalService> {
  const orderOf = (wanted: Peculiarity): string | undefined =>
    messages.find(({ peculiarity }) => peculiarity === wanted)?.orderId;
  const alwaysDeclined = orderOf('always-declined');
  const declinedTwice = orderOf('declined-twice');
  const killer = orderOf('kills-its-process');
  const lateKiller = orderOf('kills-after-its-charge');
  const left = { declines: 2, kills: 1, lateKills: 1 };
  let hasKilled = false;

  /** 201: approved. 202: the same, and the charge is to be told. 402: declined. */
  async function authorization(orderId: string, gone: AbortSignal): Promise<201 | 202 | 402> {
    if (orderId === alwaysDeclined && !isOver()) return 402;
    if (orderId === declinedTwice && left.declines > 0) {
      left.declines -= 1;
      return 402;
    }
    if (orderId === killer && left.kills > 0) {
      left.kills -= 1;
      hasKilled = await killBeforeCharge(orderId, trouble, gone);
      if (!hasKilled) left.kills += 1; // at the next delivery
    }
    if (orderId === lateKiller && left.lateKills > 0) {
      // Each waits for the others of its process: not for one another. Once one has killed, a decline would only cost a receive.
      if (killer !== undefined && !hasKilled && trouble.areTogether(orderId, killer)) return 402;
      await trouble.untilOthersAreSettled(orderId, gone);
      return 202;
    }
    return 201;
  }

  async function noteCharge(orderId: string, gone: AbortSignal): Promise<void> {
    if (orderId !== lateKiller || left.lateKills === 0) return;
    left.lateKills -= 1;
    await trouble.kill(orderId, 'after it is charged, before that is committed', gone);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { orderId = '' } = (await json(request)) as { readonly orderId?: string };
    if (request.url === '/charges') await noteCharge(orderId, gone.signal);
    else response.statusCode = await authorization(orderId, gone.signal);
    response.end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  guardServer(server, '127.0.0.1');
  const port = await listenLocally(server);
  return {
    name: 'payment provider',
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

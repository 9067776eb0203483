/** The end of the results page. */
export const METHOD = `## How it was measured

- Each library runs in a process of its own, built as it is published (\`npm run build\`, not the sources), with
  \`NODE_ENV=production\`. It has one processor or handler for all workloads, as a function has one, and one table, which is
  empty before each workload. The DynamoDB emulator, dynoxide, is another process, the same for all.
- Before, everybody works for the same time: first deliveries, duplicates and failures in turns, as a function that has been
  up for a minute has seen them. Rounds take turns: A B C, B C A, … All contenders get the same events. Warm-up rounds do not
  count.
- batchlatch reaches DynamoDB as it does where it is given no client; address and credentials are in the environment.
  Everybody who needs an SDK client (Powertools, "by hand", "batchlatch, SDK client") gets the same: the SDK's defaults
  with an agent of 100 kept connections and \`noDelay\`.
- Powertools as its documentation shows it: \`BatchProcessor\`, \`makeIdempotent\` around the record handler,
  \`eventKeyJmesPath: 'messageId'\`, all else default. batchlatch with its defaults and \`concurrency: 100\`; its log, which
  is on by default, goes to the null device. middy as its documentation shows it: \`Promise.allSettled\` in a handler with
  the middleware, which logs what failed with \`console.error\`. "By hand" is \`lab/bench/contenders/by-hand.ts\`.
- PostgreSQL and Redis are Debian's, with their settings as the list of servers tells them: new servers for each run, on
  free ports of the loopback interface. Everybody on PostgreSQL has a \`Pool\` of \`pg\` with its defaults, everybody on Redis
  the client with its defaults. Statements and commands are counted where the client sends them.
- The handler parses the body (about 300 bytes) and does nothing, or waits 20 ms; failures throw. Duplicates were
  completed before, and come with a receive count of 2. The answer of each batch is checked.
- "×", where no other is named, is Powertools' figure divided by the other's: 6× is a sixth. A median is followed by its quartiles.
- An emulator on the same machine is not AWS: there is no network, and its own time grows with the statements of a request.
  Requests and client CPU carry over; wall times show an order of magnitude.
- DynamoDB is reached by plain HTTP, as the emulator speaks it, but where a row or a heading says https or TLS.
`;

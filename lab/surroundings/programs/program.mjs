import { run } from './run.cjs';

await run((name) => import(name));

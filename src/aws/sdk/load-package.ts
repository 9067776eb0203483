import { requirePackage } from '../../base/built-in.ts';

const loading = new Map<string, Promise<unknown>>();

/** Loads a package of AWS's SDK once, or rejects. A variable name keeps it out of bundles. */
export function loadPackage<Module>(name: string): Promise<Module> {
  let loaded = loading.get(name) as Promise<Module> | undefined;
  if (loaded === undefined) {
    loaded = load<Module>(name);
    loading.set(name, loaded);
  }
  return loaded;
}

async function load<Module>(name: string): Promise<Module> {
  try {
    const module = (await import(/* webpackIgnore: true */ name)) as Module & { readonly default?: Module };
    return module.default ?? module; // for CommonJS, only `default` has all exports
  } catch {
    return requirePackage(name) as Module; // beside a bundle there are no packages
  }
}

const NO_WARNING = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/** Suppresses the SDK's warning about old Node versions, for a client that the user did not create. */
export function withoutVersionWarning<Client>(make: () => Client): Client {
  const before = process.env[NO_WARNING];
  process.env[NO_WARNING] = 'true';
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env[NO_WARNING];
    else process.env[NO_WARNING] = before;
  }
}

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';
import { runCommand } from './run-command.ts';

const SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "./generated"
}
datasource db {
  provider = "postgresql"
}
model Effect {
  id   Int    @id @default(autoincrement())
  name String
  @@map("prisma_effects")
}
`;

/** The table of the only model. */
export const PRISMA_TABLE =
  'CREATE TABLE prisma_effects (id serial PRIMARY KEY, name text NOT NULL, UNIQUE (name) DEFERRABLE INITIALLY DEFERRED)';

export const prisma: Component = {
  name: 'prisma',
  version: npmPins('prisma').version,
  purpose: "Prisma's client, with PostgreSQL by `pg`",
  whyMissing: () => undefined,
  install: async () => void (await generatedClient()),
};

/** The modules of a generated client, and of its driver adapter. */
export interface PrismaModules {
  readonly client: string;
  readonly adapter: string;
}

/** Generates a client, unless it is there. */
export async function generatedClient(): Promise<PrismaModules> {
  const modules = await npmPackages('prisma');
  const folder = dirname(modules);
  const client = join(folder, 'generated', 'client.ts');
  if (!existsSync(client)) {
    await writeFile(join(folder, 'schema.prisma'), SCHEMA);
    await writeFile(
      join(folder, 'prisma.config.ts'),
      "import { defineConfig } from 'prisma/config';\nexport default defineConfig({ schema: 'schema.prisma' });\n",
    );
    // Without these it would download an engine, which generating does not need, and ask for news.
    const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
    await runCommand(process.execPath, [join(modules, 'prisma/build/index.js'), 'generate'], {
      cwd: folder,
      env,
    });
  }
  const adapter = join(modules, '@prisma/adapter-pg/dist/index.mjs');
  return { client: pathToFileURL(client).href, adapter: pathToFileURL(adapter).href };
}

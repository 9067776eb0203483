import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Deployment, DEPLOYMENTS, type Store, STORES } from '../../src/answers.ts';
import { packageManagerOf } from '../../src/package-manager.ts';
import { projectFiles } from '../../src/project-files.ts';
import { writeProject } from '../../src/write-project.ts';

/** What a project is made for. */
export type Answer = readonly [Deployment, Store];

/** A project for each pair of answers. */
export const EVERY_ANSWER: readonly Answer[] = keysOf(DEPLOYMENTS).flatMap((deploy) =>
  keysOf(STORES).map((store) => [deploy, store] as const),
);

/** Answers that make other files than those of another store. */
export const EVERY_DEPLOYMENT = EVERY_ANSWER.filter(([, store]) => store !== 'redis');

export const nameOf = (deploy: Deployment, store: Store): string => `${deploy}-${store}`;

/** The files of a project that is named after its answers. */
export function filesOf(deploy: Deployment, store: Store): ReadonlyMap<string, string> {
  return projectFiles({ name: nameOf(deploy, store), deploy, store, packageManager: packageManagerOf({}) });
}

/** Writes a project for each pair of answers into a folder of its own. */
export function writeEveryProject(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [deploy, store] of EVERY_ANSWER) {
    writeProject(path.join(folder, nameOf(deploy, store)), filesOf(deploy, store));
  }
}

export function keysOf<Name extends string>(names: Readonly<Record<Name, string>>): readonly Name[] {
  return Object.keys(names) as Name[];
}

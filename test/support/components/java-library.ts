import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installedAt, installOnce } from './cache.ts';
import { isOnPath, runCommand } from './run-command.ts';

/** A program that Maven Central has, with all that it depends on. */
export interface JavaLibrary {
  /** The component's name and version: the folder of the cache. */
  readonly folder: string;
  readonly groupId: string;
  readonly artifactId: string;
  readonly version: string;
  /** What else its folder needs before it can run. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** Without a version Maven would take the newest plugin. It cannot check digests of ours, only the repository's own. */
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

/** What a machine lacks to run the program, or to install it first. */
export function whyJavaMissing(library: JavaLibrary): string | undefined {
  if (!isOnPath('java'))
    return 'java (17 or later) is not on PATH; Debian: apt-get install default-jre-headless';
  if (existsSync(installedAt(library.folder)) || isOnPath('mvn')) return undefined;
  return 'mvn is not on PATH, and it is needed once, to download; Debian: apt-get install maven';
}

/** Downloads the jars, unless they are there, and gives the folder that holds them. */
export async function javaLibrary(library: JavaLibrary): Promise<string> {
  const missing = whyJavaMissing(library);
  if (missing !== undefined) throw new Error(`${library.folder}: ${missing}`);
  return installOnce(library.folder, async (folder) => {
    await writeFile(join(folder, 'pom.xml'), pomFor(library));
    await runCommand('mvn', ['-q', '-B', '--strict-checksums', COPY, `-DoutputDirectory=${folder}`], {
      cwd: folder,
    });
    await library.prepare?.(folder);
  });
}

/** Options for a small program that lives for a minute: it starts faster and leaves the memory to the tests. */
export const JAVA_OPTIONS = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xmx512m'] as const;

function pomFor({ groupId, artifactId, version }: JavaLibrary): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>local</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>${groupId}</groupId>
      <artifactId>${artifactId}</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;
}

import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium as driver } from 'playwright-core';
import type { Component } from './component.ts';
import { debianEnvironment, debianFolder, type DebianPackages, whyDebianMissing } from './debian-packages.ts';

const PACKAGES: DebianPackages = {
  folder: 'chromium-shell-debian',
  packages: ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core'],
  withDependencies: true,
};

/** Its own fonts, and no others: a page then looks the same on each machine. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

export const chromium: Component = {
  name: 'chromium',
  version: 'Debian',
  purpose: "the browser in which the console's pages are tested",
  whyMissing: () => whyDebianMissing(PACKAGES),
  install: async () => void (await chromiumFolder()),
};

/** Starts the browser without a window or its own pages, in a profile of its own that goes with it. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const folder = await chromiumFolder();
  return driver.launch({
    executablePath: join(folder, 'usr/lib/chromium/chromium-headless-shell'),
    env: environment(folder),
    args: [
      // Its sandbox is not to be had by root, and not in most containers.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });
}

async function chromiumFolder(): Promise<string> {
  const folder = await debianFolder(PACKAGES);
  if (!existsSync(fontsOf(folder))) await writeFile(fontsOf(folder), FONTS);
  return folder;
}

function fontsOf(folder: string): string {
  return join(folder, 'fonts.conf');
}

function environment(folder: string): Record<string, string> {
  const { LD_LIBRARY_PATH: libraries = '', ...others } = debianEnvironment(folder);
  // One library of PulseAudio's, which the browser is linked with, is in a folder of its own.
  const folders = libraries.split(':').flatMap((path) => [path, join(path, 'pulseaudio')]);
  const env = {
    ...others,
    LD_LIBRARY_PATH: folders.join(':'),
    FONTCONFIG_FILE: fontsOf(folder),
    XDG_CACHE_HOME: folder,
  };
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

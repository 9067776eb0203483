import { spawn } from 'node:child_process';
import type { Context } from '../context.ts';

const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the default browser; prints a note if that fails. */
export function openInBrowser(url: string, { screen }: Pick<Context, 'screen'>): void {
  const [command, ...args] = COMMANDS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => screen.note(`No browser could be opened (${command}): open the address above.`));
  child.unref();
}

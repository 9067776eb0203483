import { spawnSync } from 'node:child_process';
import type { Component } from './component.ts';

/** Whether this machine lets a PostgreSQL of the tests have a disk that is small enough to be filled: `smallDiskMb`. */
export const smallDisk: Component = {
  name: 'small-disk',
  version: 'tmpfs',
  purpose: 'a file system of a few megabytes',
  isOptional: true,
  whyMissing() {
    const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
    return status === 0 ? undefined : 'unshare --mount and mount are not allowed: they are for root';
  },
  install: () => Promise.resolve(),
};

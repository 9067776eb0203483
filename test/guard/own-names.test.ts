import { describe, expect, it } from '@jest/globals';
import { ownNames } from '../../src/guard/own-names.ts';

describe('ownNames', () => {
  it('takes the address that it listens on for its own', () => {
    const names = ownNames('192.0.2.7');
    const hosts = ['192.0.2.7:4400', 'localhost:4400', '192.0.2.8:4400', undefined];
    expect(hosts.map((host) => names.isOwnHost(host))).toEqual([true, false, false, false]);
  });

  it('takes any port, which a forwarded one may be', () => {
    const names = ownNames('127.0.0.1');
    const hosts = [
      '127.0.0.1',
      '127.0.0.1:80',
      '127.8.9.10:5500',
      '127.0.0.1.evil.example',
      '127.evil.example:4400',
      '1127.0.0.1:80',
      'LocalHost:1',
      '[::1]:1',
      '[::1]',
      'localhost.evil.example:1',
    ];
    expect(hosts.map((host) => names.isOwnHost(host))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('takes any address, and no foreign name, where it listens on all', () => {
    const names = ownNames('0.0.0.0');
    const hosts = ['10.1.2.3:80', 'localhost:8080', '[fe80::1]:4400', 'evil.example:4400', 'evil.example'];
    expect(hosts.map((host) => names.isOwnHost(host))).toEqual([true, true, true, false, false]);
  });

  it('takes names that the user gave', () => {
    const names = ownNames('127.0.0.1', ['Host.docker.internal']);
    const hosts = ['host.docker.internal:4400', 'docker.internal:4400', 'evil.example:4400'];
    expect(hosts.map((host) => names.isOwnHost(host))).toEqual([true, false, false]);
  });
});

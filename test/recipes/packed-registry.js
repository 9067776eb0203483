import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';

/**
 * Serves tarballs as the packages of a registry. A tarball that is a file npm unpacks three times, twice of them to read its
 * package.json: two thirds of what an installation costs. Of a registry it is unpacked once, as it is for users. The scope sends
 * npm here for these packages alone.
 */
export async function servePacked(tarballs) {
  const packages = tarballs.map((tarball) => {
    const content = readFileSync(tarball);
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
    const manifest = JSON.parse(text);
    return { manifest, content, integrity, name: `@packed/${manifest.name}`, file: `/${basename(tarball)}` };
  });
  const server = createServer(({ url, headers: { host } }, response) => {
    // npm keeps answers by address, and another run may get the same port.
    response.setHeader('cache-control', 'no-store');
    const asTarball = packages.find(({ file }) => file === url);
    if (asTarball !== undefined) return response.end(asTarball.content);
    const found = packages.find(({ name }) => `/${name}` === decodeURIComponent(url));
    if (found === undefined) return response.writeHead(404).end();
    const { name, manifest, file, integrity } = found;
    const dist = { tarball: `http://${host}${file}`, integrity };
    const versions = { [manifest.version]: { ...manifest, name, dist } };
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** For npm, each under its own name. */
    specs: packages.map(({ name, manifest }) => `${manifest.name}@npm:${name}@${manifest.version}`),
    url: `http://127.0.0.1:${server.address().port}/`,
    stop: () => server.close(),
  };
}

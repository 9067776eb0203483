import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const NAME = '@packed/batchlatch';

/**
 * Serves a tarball as the one package of a registry. A tarball that is a file npm unpacks three times, twice of them to read its
 * package.json: two thirds of what an installation costs. Of a registry it is unpacked once, as it is for users. The scope sends
 * npm here for this package alone.
 */
export async function servePacked(tarball) {
  const content = readFileSync(tarball);
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const manifest = JSON.parse(
    execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }),
  );
  const { version } = manifest;
  const server = createServer(({ url, headers: { host } }, response) => {
    if (url === '/packed.tgz') return response.end(content);
    const dist = { tarball: `http://${host}/packed.tgz`, integrity };
    const versions = { [version]: { ...manifest, name: NAME, dist } };
    return response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: version }, versions }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** For npm, under its own name. */
    spec: `batchlatch@npm:${NAME}@${version}`,
    url: `http://127.0.0.1:${server.address().port}/`,
    stop: () => server.close(),
  };
}

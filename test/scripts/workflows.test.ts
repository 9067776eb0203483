import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly environment?: string;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: object;
  readonly permissions?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const texts = new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(`${FOLDER}/${file}`, 'utf8')]));
const workflow = (file: string): Workflow => parse(texts.get(file) ?? '') as Workflow;
const { jobs: release } = workflow('release.yml');
const runsOf = (job: Job | undefined): string => (job?.steps ?? []).map(({ run = '' }) => run).join('\n');
const stepsOf = (file: string): Step[] => Object.values(workflow(file).jobs).flatMap(({ steps }) => steps);

describe.each([...texts.keys()])('The workflow %s', (file) => {
  const text = texts.get(file) ?? '';

  it('uses actions by digest, with the version beside it', () => {
    const used = stepsOf(file).flatMap(({ uses }) => uses ?? []);
    expect(used).not.toEqual([]);
    const pinned = [...text.matchAll(/uses: (\S+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$/gm)].map(
      ([, action]) => action,
    );
    expect(pinned).toEqual(used);
  });

  it('uses one version of each action', () => {
    const used = [...texts.values()].join('\n').matchAll(/uses: (\S+)@(\S+)/g);
    const versions = new Map<string, Set<string>>();
    for (const [, name = '', version = ''] of used)
      versions.set(name, (versions.get(name) ?? new Set()).add(version));
    expect([...versions.values()].filter(({ size }) => size > 1)).toEqual([]);
  });

  it('gives no job a permission that the job does not ask for', () => {
    expect(workflow(file).permissions).toEqual({});
    expect(Object.values(workflow(file).jobs).filter(({ permissions }) => permissions === undefined)).toEqual(
      [],
    );
  });

  it('names no secret, and runs nothing of a pull request with more rights than it has', () => {
    expect(text).not.toMatch(/secrets|NPM_TOKEN|NODE_AUTH_TOKEN|_authToken/);
    expect(text).not.toMatch(/pull_request_target|workflow_run/);
  });

  it('puts no expression into a script, where its text would be run', () => {
    expect(stepsOf(file).filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });

  it('leaves credentials in a checkout only where something is pushed', () => {
    for (const { permissions, steps } of Object.values(workflow(file).jobs)) {
      const kept = steps.filter(({ uses = '', with: given }) => {
        return uses.startsWith('actions/checkout@') && given?.['persist-credentials'] !== false;
      });
      if (kept.length > 0)
        expect([permissions, runsOf({ steps })]).toMatchObject([{ contents: 'write' }, /git push/]);
    }
  });
});

describe('Images of containers', () => {
  it.each([
    ['.github/workflows/ci.yml', /^ +image: (.+)$/gm],
    ['examples/ecs/Dockerfile', /^FROM (.+)$/gm],
  ])('are named by digest in %s', (file, pattern) => {
    const images = [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, image]) => image);
    expect(images).not.toEqual([]);
    for (const image of images) expect(image).toMatch(/^[\w.-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });
});

describe('The workflow of CI', () => {
  it('does what `.ci/run` says, with the right to read', () => {
    const { on, jobs } = workflow('ci.yml');
    expect(Object.keys(on)).toEqual(['push', 'pull_request']);
    for (const { permissions } of Object.values(jobs)) expect(permissions).toEqual({ contents: 'read' });
    expect(runsOf(jobs['all'])).toMatch(/^\.ci\/run$/m);
    expect(runsOf(jobs['create'])).toMatch(/^npm run lab:create -- end-to-end$/m);
  });
});

describe('The workflow of a release', () => {
  it('gives each job what it needs', () => {
    expect(Object.fromEntries(Object.entries(release).map(([name, job]) => [name, job.permissions]))).toEqual(
      {
        version: { contents: 'read' },
        request: { contents: 'write', 'pull-requests': 'write' },
        'dry-run': { contents: 'read' },
        pack: { contents: 'read' },
        publish: { 'id-token': 'write' },
        announce: { contents: 'write' },
      },
    );
  });

  it('runs no code of the repository or of its dependencies in a job that may write', () => {
    const writing = Object.entries(release).filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    );
    expect(writing.map(([name]) => name)).toEqual(['request', 'publish', 'announce']);
    for (const [, job] of writing) {
      expect(runsOf(job)).not.toMatch(
        /\b(node|npx|npm (?!publish \.\/release)|tsx|make|yarn|pnpm)|\.\/(?!release\/)/,
      );
    }
  });

  it('requests a change of the version, the changelog and what was described only', () => {
    expect(release['request']).toMatchObject({
      needs: 'version',
      if: "needs.version.outputs.is-open == 'true'",
    });
    const included = runsOf(release['request']).matchAll(/--include='?([^\s']+)/g);
    expect([...included].map(([, pattern]) => pattern)).toEqual([
      'package.json',
      'packages/*/package.json',
      'package-lock.json',
      'CHANGELOG.md',
      '.changeset/*.md',
    ]);
  });

  it('tries to publish what is requested', () => {
    expect(release['dry-run']).toMatchObject({ needs: 'request' });
    expect(runsOf(release['dry-run'])).toMatch(/^npm publish --dry-run --access public$/m);
  });

  it('packs what is neither requested nor published, after the checks, with its SBOM', () => {
    expect(release['pack']).toMatchObject({
      needs: 'version',
      if: "needs.version.outputs.is-open == 'false'",
    });
    const order = [
      'npm run check',
      'node --import tsx scripts/release-check.ts',
      'npm pack',
      'node --import tsx scripts/release-sbom.ts',
    ];
    const places = order.map((command) => runsOf(release['pack']).search(new RegExp(`\n *${command}`)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('publishes with provenance, in a job that runs no code of the repository or of its dependencies', () => {
    const publish = release['publish'];
    expect(publish).toMatchObject({
      needs: 'pack',
      if: "needs.pack.outputs.is-new == 'true'",
      environment: 'npm',
    });
    expect(runsOf(publish).trim().split('\n')).toEqual(
      ['batchlatch-[0-9]*', 'batchlatch-cdk-*', 'batchlatch-cli-*', 'create-batchlatch-*'].map(
        (name) => `npm publish ./release/${name}.tgz --provenance --access public`,
      ),
    );
    const actions = publish?.steps.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? []);
    expect(actions).toEqual(['actions/setup-node', 'actions/download-artifact']);
  });

  it('publishes nowhere else', () => {
    const publishing = Object.entries(release).filter(([, job]) =>
      /npm publish (?!--dry-run)/.test(runsOf(job)),
    );
    expect(publishing.map(([name]) => name)).toEqual(['publish']);
  });

  it('tags what was published, and adds the tarballs and their SBOMs', () => {
    expect(release['announce']).toMatchObject({ needs: ['pack', 'publish'] });
    expect(runsOf(release['announce'])).toMatch(
      /gh release create "v\$VERSION" release\/\*\.tgz release\/\*\.cdx\.json/,
    );
  });
});

import { instance } from '@viz-js/viz';
import { picture } from './svg.ts';

export interface GraphNode {
  readonly id: string;
  readonly label: string;
  readonly class: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly class: string;
}

const MARGIN = 16;

/** A graph as Graphviz lays it out, in the colors of `svg.ts`. */
export async function graphPicture(
  title: string,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  rankdir: 'TB' | 'LR',
): Promise<string> {
  const viz = await instance();
  const drawn = viz.renderString(
    {
      graphAttributes: { rankdir, nodesep: 0.45, ranksep: 0.55, pad: 0, bgcolor: 'transparent' },
      nodeAttributes: {
        shape: 'box',
        style: 'rounded,filled',
        fontname: 'Helvetica',
        fontsize: 13,
        margin: '0.16,0.09',
      },
      edgeAttributes: { fontname: 'Helvetica', fontsize: 11, arrowsize: 0.7 },
      nodes: nodes.map((node) => ({ name: node.id, attributes: { label: node.label, class: node.class } })),
      edges: edges.map((edge) => ({
        tail: edge.from,
        head: edge.to,
        attributes: { label: ` ${edge.label} `, class: edge.class },
      })),
    },
    { format: 'svg' },
  );
  const [, width = '0', height = '0'] = /viewBox="0(?:\.00)? 0(?:\.00)? ([\d.]+) ([\d.]+)"/.exec(drawn) ?? [];
  const [w, h] = [Math.ceil(Number(width)) + 2 * MARGIN, Math.ceil(Number(height)) + 2 * MARGIN];
  return picture(w, h, title, `<g transform="translate(${MARGIN} ${MARGIN})">\n${inColors(drawn)}\n</g>`);
}

/** What Graphviz says of colors goes: the classes of a group say it for what is in it. */
function inColors(svg: string): string {
  const body = svg.replace(/^[^]*?<svg[^>]*>/, '').replace(/<\/svg>\s*$/, '');
  const plain = body
    .replaceAll(/<!--[^]*?-->\n?/g, '')
    .replaceAll(/<title>[^<]*<\/title>\n?/g, '')
    .replaceAll(/ (fill|stroke|font-family)="[^"]*"/g, '')
    .replaceAll(/ id="[^"]*"/g, '');
  return plain.replaceAll(
    /<g class="(node|edge)(?: ([\w-]+))?">([^]*?)<\/g>/g,
    (_group, kind, name = '', content: string) => {
      const shapes =
        kind === 'node' ? content.replaceAll('<path', `<path class="${name}"`) : edgeShapes(content, name);
      return `<g>${shapes}</g>`;
    },
  );
}

function edgeShapes(content: string, name: string): string {
  return content
    .replaceAll('<path', `<path class="${name}" style="fill:none"`)
    .replaceAll('<polygon', `<polygon class="${name}"`);
}

import { claimMoves, type Move, type Status } from './claim-moves.ts';

type Point = readonly [x: number, y: number];

/** Where each state is, and what is written in it. */
const PLACES: Readonly<Record<Status, { readonly at: Point; readonly title: string }>> = {
  ABSENT: { at: [90, 210], title: 'no row' },
  IN_PROGRESS: { at: [370, 210], title: 'IN_PROGRESS' },
  COMPLETED: { at: [760, 70], title: 'COMPLETED' },
  FAILED: { at: [560, 400], title: 'FAILED' },
  PARKED: { at: [860, 330], title: 'PARKED' },
};
const [WIDTH, HEIGHT] = [980, 600];
const [BOX_WIDTH, BOX_HEIGHT] = [140, 44];

const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328; text-anchor: middle; paint-order: stroke; stroke: #ffffff; stroke-width: 4 }
    .title { font-weight: 600; stroke: none }
    .people { font-style: italic; fill: #0969da }
    rect { fill: #f6f8fa; stroke: #57606a; stroke-width: 1.5 }
    path { fill: none; stroke: #57606a; stroke-width: 1.5; marker-end: url(#head) }
    path.people { fill: none; stroke: #0969da; stroke-dasharray: 5 4 }
    marker path { fill: #57606a; stroke: none }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; stroke: #0d1117 }
      .people { fill: #58a6ff }
      rect { fill: #161b22; stroke: #8b949e }
      path { stroke: #8b949e }
      path.people { stroke: #58a6ff }
      marker path { fill: #8b949e }
    }`;

/** A claim's life as SVG, light and dark: its states, and every move that the transition relation has. */
export function claimLife(): string {
  const moves = claimMoves();
  const between = moves.filter(({ from, to }) => from !== to && to !== 'ABSENT');
  const within = moves.filter(({ from, to }) => from === to);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="A claim's life">
  <style>${STYLE}
  </style>
  <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
${between.map(arrow).join('\n')}
${Object.values(PLACES).map(box).join('\n')}
${[...within.map(selfMove), ...endings(moves)].map(note).join('\n')}
</svg>
`;
}

function box({ at: [x, y], title }: (typeof PLACES)[Status]): string {
  return `  <rect x="${x - BOX_WIDTH / 2}" y="${y - BOX_HEIGHT / 2}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="8"/>
  <text class="title" x="${x}" y="${y + 5}">${title}</text>`;
}

/** Bent to its left, so that a move and the move back are apart. */
function arrow({ from, to, attempts, people }: Move): string {
  const [start, end] = [PLACES[from].at, PLACES[to].at];
  const middle: Point = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(dx, dy);
  const bend: Point = [middle[0] + (dy / length) * 50, middle[1] - (dx / length) * 50];
  const [a, b] = [border(start, bend), border(end, bend)];
  const [x, y] = [(middle[0] + bend[0]) / 2, (middle[1] + bend[1]) / 2];
  const isPeoples = attempts.length === 0;
  const texts = [
    ...(attempts.length > 0 ? [`<tspan>${attempts.join(', ')}</tspan>`] : []),
    ...(people.length > 0 ? [`<tspan class="people">${people.join(', ')}</tspan>`] : []),
  ];
  const spans = texts.map((text, index) =>
    text.replace('<tspan', `<tspan x="${round(x)}" dy="${index * 15}"`),
  );
  return `  <path${isPeoples ? ' class="people"' : ''} d="M${pair(a)} Q${pair(bend)} ${pair(b)}"/>
  <text x="${round(x)}" y="${round(y)}">${spans.join('')}</text>`;
}

/** Where a line from the middle of a box to a point leaves it. */
function border([x, y]: Point, [toX, toY]: Point): Point {
  const [dx, dy] = [toX - x, toY - y];
  const share = Math.min(
    dx === 0 ? Infinity : (BOX_WIDTH / 2 + 3) / Math.abs(dx),
    dy === 0 ? Infinity : (BOX_HEIGHT / 2 + 3) / Math.abs(dy),
  );
  return [x + dx * share, y + dy * share];
}

function selfMove({ from, attempts, people }: Move): string {
  return `${PLACES[from].title} stays so, by ${[...attempts, ...people.map(byPeople)].join(', ')}`;
}

/** Every state ends with its retention, or when a person forgets it. */
function endings(moves: readonly Move[]): string[] {
  return moves
    .filter(({ to, from }) => to === 'ABSENT' && from !== 'ABSENT')
    .map(({ from, attempts, people }) => {
      return `${PLACES[from].title} ends with no row: ${[...attempts, ...people.map(byPeople)].join(', ')}`;
    });
}

function byPeople(operation: string): string {
  return `${operation} by a person`;
}

function note(line: string, index: number): string {
  return `  <text x="16" y="${470 + index * 16}" style="text-anchor: start">${line}</text>`;
}

function pair([x, y]: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

// A circle of points: a ring of arcs, and the same circle unrolled.
const CELLS = 14;
const LABELLED_MAX = 64;

function drawCircle(explanation, { parts, owners }, nameOf) {
  const arcs = arcsOf(parts, owners, nameOf);
  const stands = explanation.steps.filter((step) => step.step === 'stand');
  const points = explanation.steps.filter((step) => step.step === 'point');
  const lead = points.findLast((step) => step.leads) ?? points[0];
  const from = standBefore(explanation.steps, lead);
  const says = `a circle of ${whole(parts.length)} points; the steps are listed below`;
  return [
    drawRing(arcs, parts, owners, nameOf, { stands, points, lead, from }, says),
    unrolled(arcs, { stands, lead, from }),
    closeUp(parts, owners, nameOf, { lead, from }),
  ].filter(Boolean);
}

// Where the key stood when the closest point was found.
function standBefore(steps, lead) {
  const until = steps.slice(0, lead ? steps.indexOf(lead) : steps.length);
  return until.findLast((step) => step.step === 'stand') ?? null;
}

// The part of the circle before each point is its owner's, back to the point before.
function arcsOf(parts, owners, nameOf) {
  const arcs = parts.map((end, at) => ({
    begin: at ? parts[at - 1] : 0,
    end,
    name: nameOf(owners[at]),
  }));
  if (parts.length) arcs.push({ begin: parts.at(-1), end: 1, name: nameOf(owners[0]) });
  return arcs;
}

const ROUND = 2 * Math.PI;
const onRing = (part, radius) =>
  [210 + radius * Math.sin(part * ROUND), 200 - radius * Math.cos(part * ROUND)].map((value) =>
    value.toFixed(2),
  );

function sweep(begin, end, radius) {
  const whole = Math.min(end - begin, 0.9999);
  const [x1, y1] = onRing(begin, radius);
  const [x2, y2] = onRing(begin + whole, radius);
  return `M${x1},${y1}A${radius},${radius} 0 ${whole > 0.5 ? 1 : 0} 1 ${x2},${y2}`;
}

// One path for all arcs of a node: a ring may have tens of thousands.
function byName(arcs, draw) {
  const paths = new Map();
  for (const arc of arcs) paths.set(arc.name, (paths.get(arc.name) ?? '') + draw(arc));
  return [...paths];
}

function drawRing(arcs, parts, owners, nameOf, { stands, points, lead, from }, says) {
  const bands = byName(arcs, ({ begin, end }) => sweep(begin, end, 150)).map(([name, d]) =>
    svg('path', {
      d,
      fill: 'none',
      stroke: look(name).colour,
      'stroke-width': 16,
      'stroke-opacity': 0.75,
    }),
  );
  const few = parts.length <= LABELLED_MAX;
  const marks = few
    ? parts.map((part, at) => {
        const [x, y] = onRing(part, 150);
        return marker(nameOf(owners[at]), {
          transform: `translate(${x},${y})`,
          stroke: 'var(--ink)',
        });
      })
    : [];
  const looked = points.map((step) => spoke(step.part, 158, 166, { stroke: 'var(--quiet)' }));
  const keys = stands.map((step) => {
    const [x, y] = onRing(step.part, 184);
    return svg('path', {
      d: 'M0,8L-6,-5H6z',
      fill: step === from ? 'currentColor' : 'none',
      stroke: 'currentColor',
      transform: `translate(${x},${y}) rotate(${step.part * 360})`,
    });
  });
  const walk =
    lead && from
      ? [
          svg('path', {
            d: sweep(from.part, from.part + Math.max(lead.distance, 0.0005), 130),
            ...inks,
            'stroke-width': 3,
            'marker-end': lead.distance > 0.03 ? 'url(#tip)' : null,
          }),
          spoke(lead.part, 122, 170, { stroke: 'currentColor', 'stroke-width': 2 }),
        ]
      : [];
  return picture(
    420,
    400,
    'round',
    says,
    ...bands,
    ...marks,
    ...looked,
    ...keys,
    ...walk,
    text(210, 190, short(explained(lead), 24), { 'text-anchor': 'middle', 'font-weight': 700 }),
    text(210, 210, `${whole(parts.length)} points`, { 'text-anchor': 'middle', class: 'mute' }),
    text(210, 12, '0', { 'text-anchor': 'middle', class: 'mute' }),
  );
}
const explained = (lead) => (lead ? safe(lead.node) : '');

function spoke(part, inner, outer, attributes) {
  const [[x1, y1], [x2, y2]] = [onRing(part, inner), onRing(part, outer)];
  return svg('line', { x1, y1, x2, y2, ...attributes });
}

// The circle as a line from 0 to 1.
function unrolled(arcs, { stands, lead, from }) {
  const x = (part) => Number((8 + part * (WIDTH - 16)).toFixed(2));
  const cells = byName(
    arcs,
    ({ begin, end }) =>
      `M${x(begin)},24h${Math.max(0.05, x(end) - x(begin)).toFixed(2)}v26H${x(begin)}z`,
  );
  const arrow = (step) =>
    svg('path', {
      d: `M${x(step.part)},22l-5,-9h10z`,
      stroke: 'currentColor',
      fill: step === from ? 'currentColor' : 'none',
    });
  const end = lead
    ? [
        svg('line', {
          x1: x(lead.part),
          x2: x(lead.part),
          y1: 20,
          y2: 56,
          stroke: 'currentColor',
          'stroke-width': 2,
        }),
      ]
    : [];
  return picture(
    WIDTH,
    72,
    'wide',
    'the circle unrolled, from 0 to 1',
    ...cells.map(([name, d]) => svg('path', { d, fill: look(name).colour, 'fill-opacity': 0.75 })),
    ...stands.map(arrow),
    ...end,
    ...[0, 0.25, 0.5, 0.75, 1].map((part) =>
      text(x(part), 68, part, {
        class: 'mute',
        'text-anchor': part === 0 ? 'start' : part === 1 ? 'end' : 'middle',
      }),
    ),
  );
}

// The cells around the key, equally wide, where the whole circle has too many to see.
function closeUp(parts, owners, nameOf, { lead, from }) {
  if (!lead || !from || parts.length <= CELLS) return null;
  const count = parts.length;
  const end = Math.max(0, parts.indexOf(lead.part));
  const first = parts.findIndex((part) => part >= from.part);
  const start = first < 0 ? 0 : first;
  const begin = start - 3;
  const cell = (WIDTH - 16) / CELLS;
  const cells = Array.from({ length: CELLS }, (_, at) => {
    const index = (((begin + at) % count) + count) % count;
    const name = nameOf(owners[index]);
    const x = 8 + at * cell;
    const is_end = index === end;
    return svg(
      'g',
      {},
      svg('rect', {
        x: x + 1,
        y: 24,
        width: cell - 2,
        height: 34,
        fill: look(name).colour,
        'fill-opacity': 0.5,
        stroke: is_end ? 'currentColor' : 'none',
        'stroke-width': 2.5,
      }),
      marker(name, { transform: `translate(${x + cell - 8},41)`, stroke: 'var(--ink)' }),
      text(x + 4, 74, short(safe(name), 7), { class: 'mute' }),
    );
  });
  const x = 8 + 3 * cell + cell / 2;
  return picture(
    WIDTH,
    80,
    'wide',
    'the cells around the key, close up',
    ...cells,
    svg('path', { d: `M${x},22l-5,-9h10z`, fill: 'currentColor' }),
    text(x + 10, 16, 'the key; each cell ends in a point of its owner', { class: 'mute' }),
  );
}

// Walks over numbered buckets: jumps along a line, or passes from box to box.
const WIDTH = 720;
const text = (x, y, says, attributes) => svg('text', { x, y, ...attributes }, says);
const picture = (width, height, kind, label, ...children) =>
  svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: kind, role: 'img', 'aria-label': label },
    ...children,
  );
const inks = { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6 };

// Jump hash: an arc for each step, the last one dashed beyond the last bucket.
function drawJumps(explanation, owners, nameOf) {
  const jumps = explanation.steps.filter((step) => step.step === 'jump');
  const count = owners.length;
  const [roof, floor, wide] = [150, 190, 620];
  const x = (bucket) => 8 + ((bucket + 0.5) * (wide - 16)) / count;
  const beyond = wide + 60;
  const arc = ({ bucket, to, ends, reaches }, at) => {
    const [from, onto] = [x(bucket), ends ? beyond : x(to)];
    const high = Math.min(roof - 26, 26 + (onto - from) * 0.42);
    const d = `M${from},${roof} C${from},${roof - high} ${onto},${roof - high} ${onto},${roof - 3}`;
    const label = `${at + 1}: ${decimals(reaches, 2)}`;
    const middle = (from + onto) / 2;
    return svg(
      'g',
      {},
      svg('path', {
        d,
        ...inks,
        'stroke-dasharray': ends ? '6 4' : null,
        'marker-end': 'url(#tip)',
      }),
      onto - from > 34 || ends
        ? text(Math.min(middle, WIDTH - 60), roof - high * 0.75 - 5, label, {
            'text-anchor': 'middle',
          })
        : null,
    );
  };
  const says = `${jumps.length} jumps over ${count} buckets; the steps are listed below`;
  return picture(
    WIDTH,
    232,
    'wide',
    says,
    ...line(owners, nameOf, { x: 8, y: roof, width: wide - 16, height: floor - roof }),
    svg('line', {
      x1: wide,
      x2: wide,
      y1: 20,
      y2: floor + 6,
      stroke: 'var(--quiet)',
      'stroke-dasharray': '2 3',
    }),
    text(wide + 6, floor - 12, 'beyond the', { class: 'mute' }),
    text(wide + 6, floor + 2, 'last bucket', { class: 'mute' }),
    ...jumps.map(arc),
    ...ending(explanation, (bucket) =>
      text(x(bucket), floor + 34, `▲ ${bucket}`, {
        'text-anchor': 'middle',
        'font-weight': 700,
      }),
    ),
  );
}

function ending(explanation, draw) {
  const last = explanation.steps.findLast((step) => step.step === 'bucket');
  return last ? [draw(last.bucket, last.node)] : [];
}

// Buckets side by side in the colours of their owners, hollow where out of service.
function line(owners, nameOf, { x, y, width, height }) {
  const each = width / owners.length;
  const boxes = owners.map((owner, at) =>
    svg('rect', {
      x: x + at * each,
      y,
      width: Math.max(0.3, each - (each > 6 ? 1.5 : 0)),
      height,
      ...(owner === null
        ? { fill: 'none', stroke: 'var(--axis)', 'stroke-dasharray': '3 2' }
        : { fill: look(nameOf(owner)).colour, 'fill-opacity': 0.55 }),
    }),
  );
  const every =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * each >= 22) ?? 2000;
  const labels = owners.map((_, at) =>
    at % every
      ? null
      : text(x + (at + 0.5) * each, y + height + 14, at, {
          class: 'mute',
          'text-anchor': 'middle',
        }),
  );
  const marks =
    each < 13
      ? []
      : owners.map((owner, at) =>
          owner === null
            ? null
            : marker(nameOf(owner), {
                transform: `translate(${x + (at + 0.5) * each},${y + height / 2})`,
                stroke: 'var(--ink)',
              }),
        );
  return [...boxes, ...marks, ...labels].filter(Boolean);
}

// The buckets that a lookup went through, in turn.
function visited(steps) {
  const stops = [];
  const come = (bucket) => {
    if (stops.at(-1) !== bucket) stops.push(bucket);
  };
  for (const step of steps) {
    if (step.step === 'pick' || step.step === 'bucket') come(step.bucket);
    if (step.step === 'jump') {
      come(step.bucket);
      if (!step.ends) come(step.to);
    }
    if (step.step === 'pass') {
      come(step.bucket);
      come(step.to);
    }
  }
  return stops;
}

// A chain of passes: boxes in rows, arrows from each bucket to the next.
function drawChain(explanation, known, nameOf) {
  const stops = visited(explanation.steps);
  // Some passed through lie beyond those that have ever served.
  const beyond = Math.max(0, Math.max(...stops) + 1 - known.length);
  const owners = [...known, ...Array(beyond).fill(null)];
  const across = Math.min(owners.length, owners.length > 400 ? 64 : owners.length > 60 ? 25 : 12);
  const cell = WIDTH / across;
  const high = Math.min(cell, 44);
  const rows = Math.ceil(owners.length / across);
  const top = 26;
  const center = (bucket) => [
    ((bucket % across) + 0.5) * cell,
    top + (Math.floor(bucket / across) + 0.5) * high,
  ];
  const boxes = owners.map((owner, bucket) => {
    const [cx, cy] = center(bucket);
    const name = owner === null ? null : nameOf(owner);
    return svg(
      'g',
      {},
      svg('rect', {
        x: cx - cell / 2 + 1,
        y: cy - high / 2 + 1,
        width: cell - 2,
        height: high - 2,
        rx: 3,
        ...(name === null
          ? { fill: 'none', stroke: 'var(--axis)', 'stroke-dasharray': '4 3' }
          : { fill: look(name).colour, 'fill-opacity': 0.45 }),
      }),
      high > 30 ? text(cx, cy + high / 2 - 5, bucket, { 'text-anchor': 'middle' }) : null,
      high > 18 && name !== null
        ? marker(name, {
            transform: `translate(${cx},${cy - (high > 30 ? 6 : 0)})`,
            stroke: 'var(--ink)',
          })
        : null,
    );
  });
  const arrows = stops.slice(1).map((to, at) => {
    const [[x1, y1], [x2, y2]] = [center(stops[at]), center(to)];
    const lift = Math.min(y1, y2) - 14 - Math.abs(x2 - x1) * 0.08;
    return svg('path', {
      d: `M${x1},${y1} Q${(x1 + x2) / 2},${Math.max(4, lift - high / 2)} ${x2},${y2}`,
      ...inks,
      'marker-end': 'url(#tip)',
    });
  });
  const begin = stops.slice(0, 1).map((bucket) => {
    const [cx, cy] = center(bucket);
    return svg('circle', { cx, cy, r: 4, fill: 'currentColor' });
  });
  const ends = ending(explanation, (bucket) => {
    const [cx, cy] = center(bucket);
    return svg('rect', {
      x: cx - cell / 2 + 1,
      y: cy - high / 2 + 1,
      width: cell - 2,
      height: high - 2,
      rx: 3,
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': 2.5,
    });
  });
  const says =
    `${owners.length} buckets, ${owners.filter((one) => one === null).length} of them out ` +
    'of service; the steps are listed below';
  return picture(
    WIDTH,
    top + rows * high + 6,
    'wide',
    says,
    ...boxes,
    ...begin,
    ...arrows,
    ...ends,
  );
}

// Every key a dot in the column of its owner; those that the last change moved stand out.
const DOTS_MAX = 10000;
const FOOT = 30;
const STAYS = 0;
const SIDEWAYS = 2;

// Draws the dots of a side, and remembers where each key stands for clicks.
function drawDots(side, canvas) {
  const { view } = side;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  if (!width) return;
  const columns = columnsOf(side);
  const fullest = Math.max(1, ...columns.map((column) => column.flat().length));
  const layout = fitted(width / columns.length, height - FOOT, fullest);
  side.layout = { ...layout, columns, column: width / columns.length, floor: height - FOOT };
  columns.forEach((column, at) => drawColumn(pen, side, column, at));
  drawFoot(pen, side, height);
}

// Keys of each member in its order: those that stay, then moved, then moved sideways.
function columnsOf(side) {
  const { keys, nodes, names } = side.view;
  const shown = Math.min(keys, DOTS_MAX);
  const place = new Int32Array(names.length).fill(-1);
  nodes.forEach((node, at) => {
    place[node.id] = at;
  });
  const columns = nodes.map(() => [[], [], []]);
  const owners = ownersOf(side, keys);
  const kinds = kindsOf(side, keys);
  for (let key = 0; key < shown; key++) {
    const at = place[owners[key]];
    if (at >= 0) columns[at][kinds[key]].push(key);
  }
  return columns;
}

// The largest cells with which the fullest column stays under the roof.
function fitted(column, height, fullest) {
  const wide = Math.max(1, column * 0.84);
  let cell = Math.min(12, wide);
  for (;;) {
    const across = Math.max(1, Math.floor(wide / cell));
    if (Math.ceil(fullest / across) * cell <= height || cell < 0.4) return { cell, across };
    cell *= 0.93;
  }
}

function drawColumn(pen, side, kinds, at) {
  const { cell, across, column, floor } = side.layout;
  const left = at * column + (column - across * cell) / 2;
  const dot = Math.max(0.5, cell > 3 ? cell - 1 : cell * 0.85);
  const paints = [look(side.view.names[side.view.nodes[at].id]).colour, theme.ink, theme.bad];
  let place = 0;
  kinds.forEach((keys, kind) => {
    pen.fillStyle = paints[kind];
    pen.globalAlpha = kind === STAYS ? 0.7 : 1;
    keys.forEach((key) => {
      const x = left + (place % across) * cell;
      const y = floor - (Math.floor(place / across) + 1) * cell;
      pen.fillRect(x, y, dot, dot);
      // Hollow, so that it is not told by colour alone.
      if (kind === SIDEWAYS && dot >= 2) pen.clearRect(x + dot / 3, y + dot / 3, dot / 3, dot / 3);
      place += 1;
    });
  });
  pen.globalAlpha = 1;
}

// Names under the columns where they fit, markers where those do, and the fair height of each.
function drawFoot(pen, side, height) {
  const { cell, across, column, floor } = side.layout;
  const { view } = side;
  const drawn = Math.min(view.keys, DOTS_MAX) / Math.max(1, view.keys);
  pen.font = '11px system-ui, sans-serif';
  pen.textAlign = 'center';
  pen.strokeStyle = theme.ink;
  view.nodes.forEach((node, at) => {
    const middle = (at + 0.5) * column;
    const fair = floor - (node.fair * drawn * cell) / across;
    pen.setLineDash([3, 2]);
    pen.beginPath();
    pen.moveTo(at * column + 1, fair);
    pen.lineTo((at + 1) * column - 1, fair);
    pen.stroke();
    pen.setLineDash([]);
    const name = view.names[node.id];
    if (column >= 11) drawMarker(pen, name, middle, floor + 8);
    pen.fillStyle = theme.quiet;
    const text = short(safe(name), 12);
    if (pen.measureText(text).width < column - 2) pen.fillText(text, middle, height - 4);
  });
}

function drawMarker(pen, name, x, y) {
  const { colour, path, filled } = look(name);
  pen.save();
  pen.translate(x, y);
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = filled ? 1 : 2;
  if (filled) pen.fill(new Path2D(path));
  else pen.stroke(new Path2D(path));
  pen.restore();
}

// The key under a click, or none.
function keyUnder(side, x, y) {
  const { columns, column, cell, across, floor } = side.layout ?? {};
  const at = Math.floor(x / column);
  const keys = columns?.[at]?.flat() ?? [];
  const row = Math.floor((floor - y) / cell);
  const place = Math.floor((x - at * column - (column - across * cell) / 2) / cell);
  if (place < 0 || place >= across || row < 0) return null;
  return keys[row * across + place] ?? null;
}

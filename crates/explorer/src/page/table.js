// Room for the frame of a slot at the edge, and the size from which it needs no hairs.
const EDGE = 3;
const HAIRLESS = 12;

// Slots in a grid in the colours of their owners, filled up to a turn; the key's own is framed.
function tablePicture(side, explanation, anatomy, nameOf) {
  const { owners, turns } = anatomy;
  const canvas = html('canvas', {
    role: 'img',
    'aria-label': `a table of ${whole(owners.length)} slots; the steps are listed below`,
  });
  const slots = explanation.steps.filter((step) => step.step === 'slot').map((step) => step.slot);
  const paint = (turn) => paintTable(canvas, { owners, turns, slots, turn }, nameOf);
  const last = turns.reduce((most, turn) => Math.max(most, turn), 0);
  if (!last) return { parts: [canvas], paint: () => paint(Infinity) };
  side.turn = Math.min(side.turn ?? last, last);
  const says = html('output', { class: 'small' });
  const tell = () => {
    says.textContent = `after turn ${whole(side.turn)} of ${whole(last)}`;
    paint(side.turn);
  };
  const slider = html('input', {
    type: 'range',
    min: 0,
    max: last,
    value: side.turn,
    'aria-label': 'Turns taken',
    oninput: () => {
      side.turn = Number(slider.value);
      requestAnimationFrame(tell);
    },
  });
  slider.value = side.turn;
  const label = html(
    'p',
    { class: 'pair' },
    html('span', { class: 'small' }, 'Turn'),
    slider,
    says,
  );
  return { parts: [label, canvas], paint: tell };
}

function paintTable(canvas, { owners, turns, slots, turn }, nameOf) {
  const width = canvas.clientWidth || 600;
  const cell = Math.max(1.5, Math.min(26, Math.sqrt((width * 240) / owners.length)));
  const across = Math.floor((width - 2 * EDGE) / cell);
  const height = Math.ceil(owners.length / across) * cell + 2 * EDGE;
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + 'px';
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  const dot = cell > 4 ? cell - 1 : cell;
  const colours = new Map();
  const colour = (owner) => {
    if (!colours.has(owner)) colours.set(owner, look(nameOf(owner)).colour);
    return colours.get(owner);
  };
  const corner = (slot) => [(slot % across) * cell + EDGE, Math.floor(slot / across) * cell + EDGE];
  owners.forEach((owner, slot) => {
    const taken = !turns.length || turns[slot] <= turn;
    pen.fillStyle = taken ? colour(owner) : theme.grid;
    pen.fillRect(...corner(slot), dot, dot);
    if (taken && cell >= 14) {
      const [x, y] = corner(slot);
      pen.globalAlpha = 0.55;
      pen.fillStyle = theme.paper;
      pen.fillRect(x, y, dot, dot);
      pen.globalAlpha = 1;
      drawMarker(pen, nameOf(owner), x + dot / 2, y + dot / 2);
    }
  });
  slots.forEach((slot) => frame(pen, corner(slot), Math.max(dot, 3), [width, height]));
}

// A frame, with hairs to the edges where it is small: a slot may be a pixel wide.
function frame(pen, [x, y], size, [width, height]) {
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 1;
  const [cx, cy] = [x + size / 2, y + size / 2];
  pen.beginPath();
  const hairs = [
    [0, cy, x - 5, cy],
    [x + size + 5, cy, width, cy],
    [cx, 0, cx, y - 5],
    [cx, y + size + 5, cx, height],
  ];
  for (const [x1, y1, x2, y2] of size < HAIRLESS ? hairs : []) {
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
  }
  pen.stroke();
  pen.lineWidth = 2;
  pen.strokeRect(x - 2, y - 2, size + 4, size + 4);
}

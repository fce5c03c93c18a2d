// What the page has: the fleet as wanted, the keys, and two sides that follow it if they can.
const fleetOf = (count) =>
  Array.from({ length: count }, (_, at) => ({ name: 'node-' + at, weight: '1' }));

const state = {
  fleet: fleetOf(10),
  failed: [],
  keys: { names: [], count: 10000, prefix: 'key-' },
  follow: 'hello',
  compare: false,
  algorithms: [],
  sides: ['left', 'right'].map((name, index) => ({
    name,
    index,
    spec: index ? 'jump' : 'ring',
    view: null,
    refused: null,
    anatomy: null,
    explanation: null,
    turn: null,
  })),
};
const active = () => (state.compare ? state.sides : state.sides.slice(0, 1));
const keyAt = (index) => {
  const { names, count, prefix } = state.keys;
  if (index < names.length) return names[index];
  return index - names.length < count ? prefix + (index - names.length) : null;
};

// Each of these gives nothing, or why it was not done.

function start(side, spec, nodes) {
  const answer = ask({ do: 'start', side: side.name, algorithm: spec, nodes });
  if (answer.error) return answer.error;
  Object.assign(side, { spec, view: answer.view, refused: null, anatomy: null, turn: null });
  return null;
}

function startAll(fleet) {
  for (const side of active()) {
    const error = start(side, side.spec, fleet);
    if (error) return error;
  }
  Object.assign(state, { fleet, failed: [] });
  return null;
}

// The fleet is another one as soon as one side has it; a side that cannot stays where it is.
function change(fleet, failed) {
  const errors = [];
  for (const side of active()) {
    const answer = ask({ do: 'change', side: side.name, nodes: fleet });
    if (answer.error) {
      errors.push(answer.error);
      const wrong = answer.error.node !== null || fleet.length === 0;
      side.refused = wrong ? side.refused : { message: answer.error.message, fleet, failed };
    } else {
      Object.assign(side, { view: answer.view, refused: null, anatomy: null });
    }
  }
  if (errors.length === active().length) return errors[0];
  Object.assign(state, { fleet, failed });
  return null;
}

// From keys to keys: both sides count again.
function takeKeys(keys) {
  const answer = ask({ do: 'keys', ...keys });
  if (answer.error) return answer.error;
  state.keys = keys;
  for (const side of active()) recount(side);
  return null;
}

// A change to the fleet that a side has already: nothing moves, all is counted again.
function recount(side) {
  const weights = side.view.nodes;
  const nodes = weights.map(({ id, weight }) => ({ name: side.view.names[id], weight }));
  const answer = ask({ do: 'change', side: side.name, nodes });
  if (answer.view) side.view = { ...answer.view, moves: null };
}

function follow(key) {
  for (const side of active()) {
    const answer = ask({ do: 'explain', side: side.name, key });
    if (answer.error) return answer.error;
    side.explanation = answer.explanation;
  }
  state.follow = key;
  return null;
}

function anatomyOf(side) {
  side.anatomy ??= ask({ do: 'anatomy', side: side.name }).anatomy;
  return side.anatomy;
}

// A fleet of another size: newcomers have the next number, and the last to join go first.
function resized(count) {
  const fleet = state.fleet.slice(0, count);
  const taken = new Set([...fleet, ...state.failed].map((node) => node.name));
  for (let at = 0; fleet.length < count; at++) {
    const name = 'node-' + at;
    if (!taken.has(name)) fleet.push({ name, weight: '1' });
  }
  return fleet;
}

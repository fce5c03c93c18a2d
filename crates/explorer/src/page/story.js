// Guided experiments: short steps, each done by the page as a hand would, ending in a figure.
const movesOf = (side) => {
  const { contender, keys, moves } = side.view;
  return (
    `${contender}: ${whole(moves.moved)} of ${whole(keys)} keys moved, ` +
    `${whole(Math.round(moves.minimum * keys))} had to, ${whole(moves.sideways)} went sideways.`
  );
};
const balanceOf = (side) => {
  const { contender, keys, max_over_mean: fullest, chance } = side.view;
  return (
    `${contender}, ${whole(keys)} keys: the fullest node has ${decimals(fullest, 3)} times its ` +
    `fair load; chance alone gives ${decimals(chance[0], 3)} to ${decimals(chance[1], 3)}.`
  );
};
const stage = (spec, nodes, keys) => {
  state.compare = false;
  const [left] = state.sides;
  return (
    takeKeys({ names: [], count: keys, prefix: 'key-' }) ??
    start(left, spec, fleetOf(nodes)) ??
    (Object.assign(state, { fleet: fleetOf(nodes), failed: [] }), null)
  );
};
const refusal = (error, said) =>
  error ? `${state.sides[0].view.contender} refuses: ${error.message}.` : said();
// Fails the fifth of ten nodes, and tells of it from what was before.
const lose = (spec, told) => {
  const [fleet, [left]] = [fleetOf(10), state.sides];
  const [lost] = fleet.splice(4, 1);
  const refused = stage(spec, 10, 10000);
  const before = left.view;
  return refusal(refused ?? change(fleet, [lost]), () => told(left, before));
};
const loss = (spec) => ({
  says: `${spec}: ten nodes, 10,000 keys; fail node-4`,
  act: () => lose(spec, movesOf),
});
// Who has more keys than before the loss, and how many before and after.
const receiversOf = (before, { names, nodes }) => {
  const had = new Map(before.nodes.map((node) => [node.id, node.keys]));
  const more = nodes.filter((node) => node.keys > had.get(node.id));
  const says = more.map(({ id, keys }) => `${names[id]} (${whole(had.get(id))} → ${whole(keys)})`);
  return `More keys than before: ${says.join(', ')}.`;
};
const lossAndReceivers = (spec) => ({
  says: `${spec}: fail node-4, and see who takes its keys`,
  act: () => lose(spec, (side, before) => `${movesOf(side)} ${receiversOf(before, side.view)}`),
});
const balance = (keys) => ({
  says: `ring, ten nodes, ${whole(keys)} keys`,
  act: () => refusal(stage('ring', 10, keys), () => balanceOf(state.sides[0])),
});

const STORIES = [
  {
    title: 'Trace one key',
    steps: [
      {
        says: 'Jump over ten nodes: follow the key “hello”',
        act: () => {
          const error = stage('jump', 10, 10000) ?? follow('hello');
          return refusal(
            error,
            () => `It ends at ${state.sides[0].explanation.owner}; redo the steps below by hand.`,
          );
        },
      },
      {
        says: 'The same key on a ring',
        act: () => {
          const error = stage('ring:vnodes=4', 10, 10000) ?? follow('hello');
          return refusal(
            error,
            () => `The next point belongs to ${state.sides[0].explanation.owner}.`,
          );
        },
      },
      {
        says: 'The same key by rendezvous',
        act: () => {
          const error = stage('rendezvous', 10, 10000) ?? follow('hello');
          return refusal(error, () => `${state.sides[0].explanation.owner} has the highest score.`);
        },
      },
    ],
  },
  {
    title: 'Add a node, count the movers',
    steps: ['jump', 'ring', 'modulo'].map((spec) => ({
      says: `${spec}: from four nodes to five`,
      act: () =>
        refusal(stage(spec, 4, 10000) ?? change(resized(5), []), () => movesOf(state.sides[0])),
    })),
  },
  {
    title: 'Lose a node in the middle',
    steps: ['jump', 'jump+alias', 'ring', 'rendezvous'].map(loss),
  },
  { title: 'Balance and chance', steps: [20, 200, 20000].map(balance) },
  {
    title: 'One virtual node or 160',
    steps: ['ring:vnodes=1', 'ring'].flatMap((spec) => [
      {
        says: `${spec}: ten nodes, 10,000 keys`,
        act: () => refusal(stage(spec, 10, 10000), () => balanceOf(state.sides[0])),
      },
      lossAndReceivers(spec),
    ]),
  },
];

const told = { story: null, at: 0 };

function bindStories() {
  $('stories').replaceChildren(
    ...STORIES.map((story) =>
      html(
        'button',
        {
          type: 'button',
          'aria-pressed': 'false',
          onclick: () => openStory(story),
        },
        story.title,
      ),
    ),
  );
  $('story-do').addEventListener('click', doStep);
  $('story-close').addEventListener('click', () => openStory(null));
}

function openStory(story) {
  const opened = told.story;
  Object.assign(told, { story, at: 0 });
  $('story').hidden = !story;
  [...$('stories').children].forEach((button, at) =>
    button.setAttribute('aria-pressed', String(STORIES[at] === story)),
  );
  if (!story) {
    $('stories').children[STORIES.indexOf(opened)]?.focus();
    return;
  }
  $('story-steps').replaceChildren(...story.steps.map((step) => html('li', {}, step.says)));
  showStep();
  $('story-do').focus();
}

function showStep() {
  const { story, at } = told;
  [...$('story-steps').children].forEach((item, index) => {
    if (index === at) item.setAttribute('aria-current', 'step');
    else item.removeAttribute('aria-current');
  });
  $('story-do').textContent = at < story.steps.length ? 'Do it' : 'Once more';
}

function doStep() {
  const { story } = told;
  if (told.at >= story.steps.length) return openStory(story);
  const result = story.steps[told.at].act();
  const item = $('story-steps').children[told.at];
  item.append(html('span', { class: 'result arrives' }, result));
  told.at += 1;
  forgive();
  settle();
  showStep();
  $('told').textContent = result;
}

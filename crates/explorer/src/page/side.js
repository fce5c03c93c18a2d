// A contender on the page: its choice, its refusals, its pictures.
function buildSide(side) {
  const place = $('side').content.cloneNode(true).firstElementChild;
  const [select, spec] = [place.querySelector('select'), place.querySelector('.spec')];
  const error = place.querySelector('.error');
  select.id = `${side.name}-algorithm`;
  spec.id = `${side.name}-spec`;
  error.id = `${side.name}-error`;
  place.querySelector('h2').id = `${side.name}-title`;
  place.setAttribute('aria-labelledby', `${side.name}-title`);
  const labels = place.querySelectorAll('.field > label');
  labels[0].htmlFor = select.id;
  labels[1].htmlFor = spec.id;
  spec.setAttribute('aria-describedby', error.id);
  select.append(...groups());
  const begin = (typed) => apply(() => start(side, typed, state.fleet), error, spec);
  select.addEventListener('change', () => {
    spec.value = select.value;
    begin(select.value);
  });
  spec.addEventListener('change', () => begin(spec.value.trim()));
  const canvas = place.querySelector('.dots');
  canvas.addEventListener('click', (event) => {
    const key = keyUnder(side, event.offsetX, event.offsetY);
    const name = key === null ? null : keyAt(key);
    if (name !== null) followKey(name);
  });
  side.place = place;
  $('sides').append(place);
}

// Rivals first, by family.
function groups() {
  const grouped = new Map();
  const rank = { rival: 0, exhibit: 1, canary: 2 };
  const sorted = [...state.algorithms].sort((a, b) => rank[a.role] - rank[b.role]);
  for (const one of sorted) {
    const label = one.role === 'rival' ? one.family : `${one.role}: ${one.family}`;
    if (!grouped.has(label))
      grouped.set(label, html('optgroup', { label: one.family === one.role ? one.role : label }));
    grouped.get(label).append(html('option', { value: one.name }, one.name));
  }
  return grouped.values();
}

function drawChoice(side) {
  const { place, spec } = side;
  const name = spec.split(':')[0];
  const about = state.algorithms.find((one) => one.name === name);
  place.querySelector('select').value = name;
  const typed = place.querySelector('.spec');
  if (!typed.hasAttribute('aria-invalid')) typed.value = spec;
  place.querySelector('.summary').textContent = about?.summary ?? '';
  if (!about) return;
  const term = (title, ...says) => [html('dt', {}, title), html('dd', {}, ...says)];
  const can = about.capabilities.length
    ? about.capabilities.join(', ')
    : 'grow and shrink at the tail only';
  place
    .querySelector('.facts')
    .replaceChildren(
      ...term('Lookup', about.lookup_cost),
      ...term('Can', can),
      ...term('Source', about.citation),
      ...term('Documentation', html('code', {}, 'docs/ALGORITHMS.md'), ', row ', name),
      ...about.parameters.flatMap((one) =>
        term(one.name, one.help, one.default === null ? '' : ` (default ${one.default})`),
      ),
    );
}

function drawRefusal(side) {
  const { refused } = side;
  const place = side.place.querySelector('.refusal');
  if (!refused) return place.replaceChildren();
  place.replaceChildren(
    html('p', {}, `${side.view.contender} cannot follow: ${refused.message}. It stands as it was.`),
    html('button', { type: 'button', onclick: () => restart(side) }, 'Start again with this fleet'),
  );
}

function restart(side) {
  const { fleet, failed } = side.refused;
  apply(
    () => {
      for (const one of active().filter((other) => other.refused)) {
        const error = start(one, one.spec, fleet);
        if (error) return error;
      }
      Object.assign(state, { fleet, failed });
      return null;
    },
    side.place.querySelector('.error'),
    [],
  );
  side.place.querySelector('.spec').focus();
}

// What has to follow a hand; the rest is drawn when it rests.
function drawFast(side) {
  drawFigures(side, side.place);
  drawDots(side, side.place.querySelector('.dots'));
}
function drawSlow(side) {
  drawChoice(side);
  drawRefusal(side);
  drawLegend(side, side.place);
  drawLoads(side, side.place);
  drawTrace(side, side.place);
}

// A side in figures: what moved, how full the fullest is, and who has how many keys.
const figure = (term, value, note) =>
  html(
    'div',
    {},
    html('dt', {}, term),
    html('dd', {}, value, note ? html('small', {}, note) : null),
  );
const share = (part, all) => (all ? `${decimals((100 * part) / all, 1)} % of all keys` : '');

function drawFigures(side, place) {
  const { keys, moves, max_over_mean: fullest, chance, contender } = side.view;
  const figures = [];
  if (moves) {
    const least = moves.minimum * keys;
    figures.push(
      figure('moved', whole(moves.moved), share(moves.moved, keys)),
      figure('had to move', whole(Math.round(least)), share(least, keys)),
      figure('moved sideways', whole(moves.sideways), share(moves.sideways, keys)),
    );
  } else {
    figures.push(figure('moved', '–', 'nothing was changed yet'));
  }
  if (fullest !== null) {
    const band = `chance: ${decimals(chance[0], 3)} to ${decimals(chance[1], 3)}`;
    figures.push(figure('fullest node ÷ fair', decimals(fullest, 3), band));
  }
  place.querySelector('.figures').replaceChildren(...figures);
  place.querySelector('h2').textContent = contender;
  place
    .querySelector('.dots')
    .setAttribute(
      'aria-label',
      `${whole(Math.min(keys, DOTS_MAX))} of ${whole(keys)} keys over ` +
        `${side.view.nodes.length} nodes; the same is in the figures above and the table below`,
    );
}

function drawLegend(side, place) {
  const square = (fill, hole) =>
    svg(
      'svg',
      { width: 12, height: 12, viewBox: '0 0 12 12', 'aria-hidden': 'true' },
      svg('rect', { x: 1, y: 1, width: 10, height: 10, fill }),
      hole ? svg('rect', { x: 4, y: 4, width: 4, height: 4, fill: 'var(--paper)' }) : null,
    );
  const capped =
    side.view.keys > DOTS_MAX
      ? html('span', {}, `first ${whole(DOTS_MAX)} keys drawn, all counted`)
      : null;
  place
    .querySelector('.legend')
    .replaceChildren(
      html('span', {}, square('var(--band)'), 'stays, in its node’s colour'),
      html('span', {}, square('var(--ink)'), 'moved in the last change'),
      html('span', {}, square('var(--bad)', true), 'moved sideways'),
      html('span', {}, '┄ fair load'),
      capped ?? '',
      html('span', {}, 'click a dot to follow its key'),
    );
}

function drawLoads(side, place) {
  const { nodes, names } = side.view;
  const most = Math.max(1, ...nodes.map((node) => node.keys));
  const row = (node) =>
    html(
      'tr',
      {},
      html('th', { scope: 'row' }, named(names[node.id])),
      html('td', { class: 'figure' }, node.weight),
      html('td', { class: 'figure' }, whole(node.keys)),
      html('td', { class: 'figure' }, decimals(node.fair, 1)),
      html(
        'td',
        { class: 'bar' },
        svg(
          'svg',
          {
            viewBox: '0 0 100 10',
            width: '100%',
            height: 12,
            preserveAspectRatio: 'none',
            'aria-hidden': 'true',
          },
          svg('rect', {
            width: (100 * node.keys) / most,
            height: 10,
            fill: look(names[node.id]).colour,
            'fill-opacity': 0.7,
          }),
          svg('rect', {
            x: Math.min(99, (100 * node.fair) / most),
            width: 1,
            height: 10,
            fill: 'currentColor',
          }),
        ),
      ),
    );
  const head = ['Node', 'Weight', 'Keys', 'Fair', ''].map((title, at) =>
    html('th', { scope: 'col', class: at && at < 4 ? 'figure' : null }, title),
  );
  place
    .querySelector('.loads .table')
    .replaceChildren(
      html(
        'table',
        {},
        html('thead', {}, html('tr', {}, ...head)),
        html('tbody', {}, ...nodes.map(row)),
      ),
    );
}

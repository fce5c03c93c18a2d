// Sorts tables, chooses contenders and lights up one of them. The page is whole without it.
'use strict';
{
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // ---- a button in each head of a column: rising, falling, as it was ----------------------------

  // What a cell says, without the note below.
  const said = (cell) => [...cell.childNodes]
    .filter((node) => node.nodeName !== 'SMALL')
    .map((node) => node.textContent).join('').trim();
  const number = (cell) => {
    const plain = cell.dataset.value ?? said(cell).replace(/,/g, '').replace('−', '-');
    return parseFloat(plain.match(/-?\d+(\.\d+)?(e-?\d+)?/)?.[0]);
  };
  const words = new Intl.Collator('en', { numeric: true });

  const sorted = (rows, column, isFigure, sign) => {
    const keyed = rows.map((row) => {
      const cell = row.cells[column];
      return { row, key: isFigure ? number(cell) : said(cell) };
    });
    // Where there is no figure, it is last whatever the order.
    const isNone = (key) => !Number.isFinite(key);
    const figures = (a, b) => isNone(a) - isNone(b) || sign * (a - b) || 0;
    const compare = isFigure ? figures : (a, b) => sign * words.compare(a, b);
    return keyed.sort((a, b) => compare(a.key, b.key)).map(({ row }) => row);
  };

  // The contenders of the summary, each by the row that names it.
  const summary = document.getElementById('summary')?.parentElement;
  const named = summary ? all('tr[data-of]', summary) : [];
  const indices = new Map(named.map((row) => [said(row.cells[0]), row.dataset.of]));

  for (const table of all('.table > table')) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    // A column of a contender is chosen and lit as its rows are.
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const of = indices.get(said(head));
      if (of) [table.tHead.rows[0], ...rows].forEach((row) => { row.cells[column].dataset.of = of; });
    });
    const heads = rows.length > 1 ? [...table.tHead.rows[0].cells] : [];
    heads.forEach((head, column) => {
      const button = make('button', { type: 'button' }, ...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const before = head.getAttribute('aria-sort');
        const order = before ? { ascending: 'descending' }[before] : 'ascending';
        heads.forEach((other) => other.removeAttribute('aria-sort'));
        if (order) head.setAttribute('aria-sort', order);
        const sign = order === 'descending' ? -1 : 1;
        const isFigure = head.classList.contains('figure');
        body.append(...(order ? sorted(rows, column, isFigure, sign) : rows));
      });
    });
  }

  // ---- a chip for each contender of the summary -------------------------------------------------

  const marks = all('g[data-of]');
  const data = all(':is(tr, th, td)[data-of]');
  const chosen = new Set();
  let lit = null;

  const chips = named.map((row) => {
    const swatch = row.querySelector('.swatch').cloneNode(true);
    const chip = make('button', { type: 'button' }, swatch, said(row.cells[0]));
    chip.dataset.of = row.dataset.of;
    chip.addEventListener('click', () => {
      chosen.delete(chip.dataset.of) || chosen.add(chip.dataset.of);
      show();
    });
    return chip;
  });
  const everybody = make('button', { type: 'button', className: 'everybody' }, 'Show all');
  everybody.addEventListener('click', () => {
    chosen.clear();
    chips[0].focus();
    show();
  });
  const state = make('span', { role: 'status' });

  const show = () => {
    const isShown = ({ dataset }) => chosen.size === 0 || chosen.has(dataset.of);
    const isLit = ({ dataset }) => dataset.of === lit;
    for (const mark of marks) {
      mark.classList.toggle('dim', !(lit === null ? isShown(mark) : isLit(mark)));
    }
    for (const part of data) {
      part.hidden = !isShown(part);
      part.classList.toggle('lit', isLit(part));
    }
    chips.forEach((chip) => chip.setAttribute('aria-pressed', chosen.has(chip.dataset.of)));
    everybody.hidden = chosen.size === 0;
    state.textContent = chosen.size === 0
      ? `All ${chips.length} contenders are shown.`
      : `${chosen.size} of ${chips.length} contenders are shown; charts dim the others.`;
  };

  if (chips.length > 1) {
    const line = make('p', {}, state, everybody);
    const chooser = make('div', { className: 'chooser' }, line, make('div', {}, ...chips));
    chooser.setAttribute('role', 'group');
    chooser.setAttribute('aria-label', 'Contenders to show');
    summary.before(chooser);
    document.documentElement.classList.add('choosing');
    const light = ({ target }) => {
      const now = target.closest?.('[data-of]')?.dataset.of ?? null;
      if (now !== lit) {
        lit = now;
        show();
      }
    };
    document.addEventListener('pointerover', light);
    document.addEventListener('focusin', light);
    document.documentElement.addEventListener('pointerleave', light);
    show();
  }
}

// What scripts/look does in a report, as a reader would: it sorts, chooses and points. It writes
// what it found wrong, or nothing, into the title.
'use strict';
{
  const faults = [];
  const check = (holds, what) => holds || faults.push(what);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const summary = document.querySelector('[aria-labelledby="summary"] table');
  const column = (index) => [...summary.tBodies[0].rows].map((row) => row.cells[index]);
  const text = (cell) => cell.textContent;
  const shown = (row) => row.getClientRects().length > 0;
  const tests = [
    function sorting() {
      const index = [...summary.tHead.rows[0].cells].findIndex((head) => head.matches('.figure'));
      const head = summary.tHead.rows[0].cells[index];
      const button = head.querySelector('button');
      check(button && button.tabIndex === 0, 'heads of columns are no buttons');
      const before = column(0).map(text);
      const figures = () => column(index).map((cell) => parseFloat(text(cell.firstChild).replace(/,/g, '')))
        .filter((figure) => !isNaN(figure));
      for (const [order, sign] of [['ascending', 1], ['descending', -1]]) {
        button.click();
        check(head.getAttribute('aria-sort') === order, `a click does not sort ${order}`);
        const found = figures();
        check(found.length > 3, 'no figures to sort');
        const rises = found.every((one, at) => at === 0 || sign * (one - found[at - 1]) >= 0);
        check(rises, `${order} is ${found}`);
      }
      check(String(column(0).map(text)) !== String(before), 'sorting moves no row');
      button.click();
      check(!head.hasAttribute('aria-sort'), 'a third click keeps the order');
      check(String(column(0).map(text)) === String(before), 'the first order is lost');
    },
    function unitsAndBounds() {
      const cells = all('td[data-value]');
      check(cells.every((cell) => !isNaN(Number(cell.dataset.value))), 'a sort key is no number');
    },
    function choosing() {
      const chips = all('.chooser div button');
      const rows = all('tr[data-of], td[data-of]');
      check(all('td[data-of]').length > 0, 'columns of contenders are not known');
      check(chips.length === summary.tBodies[0].rows.length, `${chips.length} chips`);
      all('details').forEach((details) => { details.open = true; });
      const [first, second] = chips;
      first.click();
      second.click();
      const wanted = [first.dataset.of, second.dataset.of];
      for (const row of rows) {
        const holds = shown(row) === wanted.includes(row.dataset.of);
        check(holds, `a row of ${row.dataset.of} is ${row.hidden ? 'hidden' : 'shown'}`);
      }
      document.activeElement.blur();
      document.body.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      for (const mark of all('g[data-of]')) {
        const dim = getComputedStyle(mark).opacity < 0.5;
        check(dim !== wanted.includes(mark.dataset.of), `a mark of ${mark.dataset.of}`);
      }
      check(/^2 of \d+ /.test(document.querySelector('.chooser p').textContent), 'no state');
      document.querySelector('.everybody').click();
      check(rows.every(shown), 'not everybody comes back');
    },
    function pointing() {
      const [, chip] = all('.chooser div button');
      const lit = () => all('svg.chart').every((chart) => {
        const marks = [...chart.querySelectorAll('g[data-of]')];
        return marks.every((mark) => mark.matches('.dim') === (mark.dataset.of !== chip.dataset.of));
      });
      document.activeElement.blur();
      document.body.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      check(all('.dim').length === 0, 'something is dim before anything is pointed at');
      chip.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      check(lit(), 'pointing at a chip does not light it up alone');
      document.body.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      check(all('.dim').length === 0, 'something stays dim');
      chip.focus();
      check(lit(), 'focus on a chip does not light it up alone');
      chip.blur();
    },
    function moving() {
      const still = (element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return transitionDuration === '0s' && animationName === 'none';
      };
      check(all('body *').every(still), 'something is animated');
    },
  ];
  for (const test of tests) {
    try { test(); } catch (error) { faults.push(`${test.name}: ${error}`); }
  }
  document.title = faults.length === 0 ? 'no faults' : `faults: ${faults.slice(0, 9).join('; ')}`;
}

// From hands to requests, and from answers to pictures.
const REST = 120;
let pending = null;
let resting = 0;

// Does something that may be refused; says so beside its field, and all else stays as it was.
function apply(act, place, field) {
  const error = act();
  if (error) {
    complain(field, place, error.message);
    active().forEach(drawRefusal);
    showControls();
  } else {
    forgive();
    settle();
  }
  return !error;
}

// Draws everything.
function settle() {
  layOut();
  const sides = active();
  follow(state.follow);
  for (const side of sides) {
    drawFast(side);
    drawSlow(side);
  }
  drawFleet();
  showControls();
  const says = sides.filter((side) => side.view.moves).map(movesOf);
  $('told').textContent = says.join(' ');
}

function layOut() {
  $('sides').className = state.compare ? 'two' : '';
  state.sides[1].place.hidden = !state.compare;
}

function showControls() {
  const show = (id, value) => {
    if (!$(id).hasAttribute('aria-invalid') && document.activeElement !== $(id))
      $(id).value = value;
  };
  if (pending === null) $('size').value = state.fleet.length;
  show('size-number', state.fleet.length);
  show('count', state.keys.count);
  show('follow', state.follow);
  $('compare').checked = state.compare;
  for (const button of $('counts').children) {
    button.setAttribute('aria-pressed', String(Number(button.value) === state.keys.count));
  }
}

// One change a frame at most while the slider is dragged; the rest follows when it rests.
function drag(count) {
  const asked = pending !== null;
  pending = count;
  if (!asked) requestAnimationFrame(dragged);
}

function dragged() {
  const count = pending;
  pending = null;
  const error = change(resized(count), state.failed);
  complain([], $('size-error'), error?.message);
  $('size').value = $('size-number').value = state.fleet.length;
  active().forEach(drawFast);
  clearTimeout(resting);
  resting = setTimeout(settle, REST);
}

function bindSize() {
  $('size').addEventListener('input', () => drag(Number($('size').value)));
  $('size-number').addEventListener('change', () => {
    const count = Number($('size-number').value);
    if (!Number.isInteger(count) || count < 0 || count > 100) {
      return complain($('size-number'), $('size-error'), 'this page shows from 1 to 100 nodes');
    }
    apply(() => change(resized(count), state.failed), $('size-error'), $('size-number'));
  });
}

// Millions of keys take seconds: the page says so before it stands still.
function keys(next) {
  const many = next.count > 200000;
  const take = () => {
    apply(() => takeKeys(next), $('count-error'), [$('count'), $('own')]);
    $('main').removeAttribute('aria-busy');
  };
  if (!many) return take();
  $('main').setAttribute('aria-busy', 'true');
  $('told').textContent = `placing ${whole(next.count)} keys …`;
  setTimeout(take, 50);
}

function bindKeys() {
  $('counts').append(
    ...[20, 200, 2000, 10000].map((count) =>
      html(
        'button',
        {
          type: 'button',
          value: count,
          onclick: () => keys({ ...state.keys, count }),
        },
        whole(count),
      ),
    ),
  );
  $('count').addEventListener('change', () => {
    const count = Number($('count').value);
    if ($('count').value === '' || !Number.isSafeInteger(count) || count < 0) {
      return complain(
        $('count'),
        $('count-error'),
        'a number of keys is whole, from 0 to 10,000,000',
      );
    }
    keys({ ...state.keys, count });
  });
  $('own-take').addEventListener('click', () => {
    const names = $('own')
      .value.split('\n')
      .filter((name) => name !== '');
    keys({ ...state.keys, names });
  });
  $('follow').addEventListener('change', () => followKey($('follow').value));
  let next = 0;
  $('another').addEventListener('click', () => {
    followKey(keyAt(next) ?? 'key-' + next);
    next += 1;
  });
}

function followKey(key) {
  const error = follow(key);
  complain($('follow'), $('follow-error'), error?.message);
  if (error) return;
  if (document.activeElement !== $('follow')) $('follow').value = key;
  active().forEach((side) => drawTrace(side, side.place));
}

function bindCompare() {
  $('compare').addEventListener('change', () => {
    state.compare = $('compare').checked;
    const [left, right] = state.sides;
    apply(
      () => {
        if (!state.compare) return null;
        const error = start(right, right.spec, state.fleet);
        if (error) state.compare = false;
        return error ?? start(left, left.spec, state.fleet);
      },
      $('fleet-error'),
      [],
    );
  });
}

function redraw() {
  readTheme();
  active().forEach((side) => {
    drawDots(side, side.place.querySelector('.dots'));
    drawTrace(side, side.place);
  });
}

function bindWindow() {
  let wait = 0;
  window.addEventListener('resize', () => {
    cancelAnimationFrame(wait);
    wait = requestAnimationFrame(redraw);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}

async function main() {
  try {
    await load();
    readTheme();
    state.algorithms = ask({ do: 'algorithms' }).algorithms;
    $('blocked').hidden = true;
    $('main').hidden = false;
    state.sides.forEach(buildSide);
    const error = takeFirst();
    if (error) throw new Error(error.message);
    [bindFleet, bindSize, bindKeys, bindCompare, bindStories, bindWindow].forEach((bind) => bind());
    settle();
  } catch (error) {
    return broken(
      `The module does not run here: ${error.message}. This page needs a browser with ` +
        'WebAssembly; write it anew with placelab explore, or use placelab explain.',
    );
  }
  // For the console, and for tests.
  window.placelab = { ask, owners: (side, keys) => ownersOf(state.sides[side], keys) };
  document.documentElement.dataset.ready = '1';
}

function takeFirst() {
  const answer = ask({ do: 'keys', ...state.keys });
  return answer.error ?? startAll(state.fleet);
}

function broken(message) {
  $('broken').textContent = message;
  $('broken').hidden = false;
  $('blocked').hidden = true;
  $('main').hidden = true;
}

// A module that fell is at no known state any more.
window.addEventListener('error', (event) => {
  if (event.error instanceof WebAssembly.RuntimeError) {
    broken('The module stopped, which it never should. Load the page again.');
  }
});

main();

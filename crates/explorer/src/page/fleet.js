// The nodes one by one. A field that was refused keeps what was typed.
function drawFleet() {
  const rows = [
    ...state.fleet.map((node) => fleetRow(node, false)),
    ...state.failed.map((node) => fleetRow(node, true)),
  ];
  const held = document.activeElement?.dataset?.holds;
  $('fleet').replaceChildren(...rows);
  if (held)
    $('fleet')
      .querySelector(`[data-holds="${CSS.escape(held)}"]`)
      ?.focus();
}

function fleetRow(node, is_out) {
  const others = (list) => list.filter((other) => other.name !== node.name);
  const fails = () =>
    apply(() => change(others(state.fleet), [...state.failed, node]), $('fleet-error'), []);
  const returns = () =>
    apply(() => change([...state.fleet, node], others(state.failed)), $('fleet-error'), []);
  const error = html('p', {
    class: 'error',
    role: 'alert',
    id: `weight-error-${look(node.name).at}`,
  });
  const weight = html('input', {
    type: 'text',
    inputmode: 'decimal',
    value: node.weight,
    'aria-label': `Weight of ${node.name}`,
    'aria-describedby': error.id,
    'data-holds': 'w' + node.name,
    disabled: is_out,
    onchange: () =>
      apply(
        () =>
          change(
            state.fleet.map((other) =>
              other.name === node.name ? { ...other, weight: weight.value } : other,
            ),
            state.failed,
          ),
        error,
        weight,
      ),
  });
  return html(
    'tr',
    { class: is_out ? 'out' : null },
    html('th', { scope: 'row' }, named(node.name)),
    html('td', {}, weight, error),
    html(
      'td',
      {},
      html(
        'button',
        {
          type: 'button',
          'data-holds': 'b' + node.name,
          onclick: is_out ? returns : fails,
          'aria-label': `${is_out ? 'Return' : 'Fail'} ${node.name}`,
        },
        is_out ? 'Return' : 'Fail',
      ),
    ),
  );
}

function bindFleet() {
  $('add').addEventListener('submit', (event) => {
    event.preventDefault();
    const field = $('add-name');
    const added = apply(
      () => change([...state.fleet, { name: field.value, weight: '1' }], state.failed),
      $('fleet-error'),
      field,
    );
    if (added) field.value = '';
  });
}

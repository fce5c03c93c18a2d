// How the followed key is placed: a picture by the kind of scheme, and the same steps in words.
function drawTrace(side, place) {
  const { explanation } = side;
  const [placed, box, list, after] = ['.placed', '.picture', '.steps', '.after'].map((one) =>
    place.querySelector(one),
  );
  const { key, key_bytes, hash, nodes, owner, candidates, after_loss } = explanation;
  placed.replaceChildren(
    'Key ',
    html('bdi', {}, html('code', {}, key)),
    ` (${whole(key_bytes)} bytes) hashes to `,
    html('code', {}, hash),
    `. Of ${whole(nodes)} nodes it goes to `,
    html('strong', {}, named(owner)),
    '.',
  );
  list.classList.toggle('ranked', explanation.steps[0]?.rank === 1);
  list.replaceChildren(
    ...explanation.steps.map((step) =>
      html(
        'li',
        {
          class:
            step.ends || step.leads || step.rank === 1 || step.step === 'bucket' ? 'ends' : null,
        },
        bdi(step.says),
      ),
    ),
  );
  const order = candidates.flatMap((name, at) => [at ? ', ' : '', bdi(name)]);
  const lost =
    after_loss.owner !== undefined
      ? ['it goes to ', bdi(after_loss.owner)]
      : [`nobody can have it: ${after_loss.refused}`];
  after.replaceChildren(
    'In order of preference: ',
    ...order,
    '. If its owner were lost, ',
    ...lost,
    '.',
  );
  const drawn = pictures(side, explanation);
  box.replaceChildren(...drawn.parts);
  drawn.paint?.();
}

function pictures(side, explanation) {
  const anatomy = anatomyOf(side);
  const nameOf = (id) => side.view.names[id];
  const jumps = explanation.steps.some((step) => step.step === 'jump');
  const passes = explanation.steps.some((step) => step.step === 'pass' || step.step === 'pick');
  switch (anatomy?.kind) {
    case 'circle':
      return { parts: drawCircle(explanation, anatomy, nameOf) };
    case 'scores':
      return { parts: [drawScores(explanation)] };
    case 'table':
      return tablePicture(side, explanation, anatomy, nameOf);
    case 'buckets':
      return {
        parts: [(jumps && !passes ? drawJumps : drawChain)(explanation, anatomy.owners, nameOf)],
      };
    default:
      return { parts: [] };
  }
}

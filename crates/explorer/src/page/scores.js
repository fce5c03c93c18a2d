// Every node's score for the key, the highest first.
const BARS_MAX = 24;

function drawScores(explanation) {
  const scores = explanation.steps.filter((step) => step.step === 'score').slice(0, BARS_MAX);
  const size = (hex) => Number(BigInt('0x' + hex)) / 2 ** 64;
  const most = Math.max(...scores.map((step) => size(step.score)), Number.MIN_VALUE);
  const rows = scores.flatMap(({ rank, node, score }, at) => {
    const y = 8 + at * 22;
    return [
      text(150, y + 12, short(safe(node), 18), {
        'text-anchor': 'end',
        'font-weight': at === 0 ? 700 : null,
      }),
      marker(node, { transform: `translate(164,${y + 8})` }),
      svg('rect', {
        x: 176,
        y,
        width: Math.max(1, (290 * size(score)) / most),
        height: 16,
        fill: look(node).colour,
        'fill-opacity': at === 0 ? 0.9 : 0.5,
      }),
      text(478, y + 12, score + (at === 0 ? ' has the key' : ''), {
        'font-weight': at === 0 ? 700 : null,
      }),
    ];
  });
  return picture(
    WIDTH,
    14 + 22 * scores.length,
    'wide',
    `the ${scores.length} highest scores; all are listed below`,
    ...rows,
  );
}

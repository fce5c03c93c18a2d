// What scripts/look-explorer does in the explorer. It writes what it found wrong, or nothing, into
// the title.
'use strict';
{
  const faults = [];
  const check = (holds, what) => holds || faults.push(what);
  const nodes = (count) => Array.from({ length: count }, (_, index) => ({ name: `node-${index}` }));
  const side = 'right';
  const ask = (request) => window.placelab.ask(request);
  // The owners on the right, of so many keys.
  const owners = (keys) => [...window.placelab.owners(1, keys)];
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const tests = [
    function theCommandLine() {
      ask({ do: 'keys', count: 500, prefix: 'user-' });
      const algorithms = ask({ do: 'algorithms' }).algorithms.map(({ name }) => name);
      check(Object.keys(commandLine).length > 40, 'the command line says little');
      for (const algorithm of algorithms) {
        const told = ask({ do: 'start', side, algorithm, nodes: nodes(12) });
        const said = commandLine[algorithm];
        check(Boolean(said) === Boolean(told.view), `${algorithm} is refused by one of both`);
        if (!said || !told.view) continue;
        const names = owners(500).map((id) => told.view.names[id]);
        check(same(names, said.owners), `${algorithm} has other owners`);
        said.explanations.forEach((explanation, key) => {
          const here = ask({ do: 'explain', side, key: `user-${key}` }).explanation;
          check(same(here, explanation), `${algorithm} explains user-${key} otherwise`);
        });
      }
    },
    function goldenVectors() {
      const variants = {
        jump: ['jump', 'paper = go-jump = guava on these keys'],
        jumpback: ['jump-back', 'splitmix64'],
        power: ['power', 'crate (integer-only)'],
        flip: ['flip', 'fliphash_64 (seed 0)'],
        binomial: ['binomial', 'raw64'],
      };
      for (const [file, [algorithm, name]] of Object.entries(variants)) {
        const names = golden[file].keys.map((key) => key.replace('0x', ''));
        ask({ do: 'keys', names, format: 'hash' });
        const { vectors } = golden[file].variants.find(({ variant }) => variant === name);
        const small = vectors.filter(({ n }) => n <= 10000);
        check(small.length > 8, `${file} has few vectors`);
        for (const { n, buckets } of small) {
          const told = ask({ do: 'start', side, algorithm, nodes: nodes(n) });
          check(told.view && same(owners(names.length), buckets), `${algorithm} over ${n} buckets`);
        }
      }
    },
    function guidedExperiments() {
      const said = {};
      for (const button of document.querySelectorAll('#stories button')) {
        button.click();
        const steps = [...document.querySelectorAll('#story-steps li')];
        check(steps.length > 1, `${button.textContent} has no steps`);
        said[button.textContent] = steps.map((item) => {
          document.getElementById('story-do').click();
          return item.querySelector('.result')?.textContent ?? '';
        });
        check(said[button.textContent].every(Boolean), `${button.textContent} ends in nothing`);
        document.getElementById('story-close').click();
      }
      const ends = (story, contender, moved) => {
        const figure = `${contender}: ${moved.toLocaleString('en')} of 10,000 keys moved`;
        const told = said[story]?.find((text) => text.startsWith(`${contender}`));
        check(told?.startsWith(figure), `${story} ends in “${told}”, not in “${figure}”`);
      };
      Object.entries(experiments.add).forEach(([contender, moved]) =>
        ends('Add a node, count the movers', contender, moved));
      Object.entries(experiments.lose).forEach(([contender, moved]) =>
        ends('Lose a node in the middle', contender, moved));
      const refusal = said['Lose a node in the middle']?.[0];
      check(refusal?.includes('remove-any'), `jump loses its middle: ${refusal}`);
    },
    function hostileNames() {
      ask({ do: 'keys', count: 10, prefix: '<img src=x onerror=document.title=1>' });
      const name = '"><script>document.title=1<\/script>';
      const told = ask({ do: 'start', side, algorithm: 'ring', nodes: [{ name }] });
      check(told.view.names[0] === name, 'a name is changed');
      const refused = ask({ do: 'start', side, algorithm: 'ring', nodes: [{ name: '\u202e' }] });
      check(refused.error?.field === 'nodes', 'a name that hides text is taken');
      const weight = ask({ do: 'start', side, algorithm: 'ring', nodes: [{ name: 'a', weight: '-1' }] });
      check(weight.error?.node === 0, 'a negative weight is taken');
    },
  ];
  const run = () => {
    for (const test of tests) {
      try {
        test();
      } catch (error) {
        faults.push(`${test.name}: ${error}`);
      }
    }
    document.title = faults.length === 0 ? 'no faults' : `faults: ${faults.join('; ')}`;
  };
  const wait = () => (document.documentElement.dataset.ready ? run() : setTimeout(wait, 20));
  wait();
}

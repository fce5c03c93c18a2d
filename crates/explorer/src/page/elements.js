// Elements from plain text: nothing that was typed or answered is ever read as markup.
const $ = (id) => document.getElementById(id);

function make(namespace, tag, attributes, children) {
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? '' : value);
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
const html = (tag, attributes, ...children) =>
  make('http://www.w3.org/1999/xhtml', tag, attributes, children);
const svg = (tag, attributes, ...children) =>
  make('http://www.w3.org/2000/svg', tag, attributes, children);
// A name whose direction of writing ends with it.
const bdi = (name) => html('bdi', {}, name);
// What would turn or hide the text around it, replaced.
const safe = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + '…' : text);

const whole = (number) => number.toLocaleString('en');
const decimals = (number, digits) =>
  number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

// A message beside a field; none clears it.
function complain(field, place, message) {
  place.textContent = message ?? '';
  for (const one of [field].flat()) {
    if (message) one.setAttribute('aria-invalid', 'true');
    else one.removeAttribute('aria-invalid');
  }
}

// What was refused before is past once something was done.
function forgive() {
  for (const field of document.querySelectorAll('[aria-invalid]'))
    field.removeAttribute('aria-invalid');
  for (const place of document.querySelectorAll('.error')) place.textContent = '';
}

// ---- looks -------------------------------------------------------------------------------------
// A node has one colour and one marker wherever it is drawn, by the order in which it was met.
const COLOURS = ['#3a8fc4', '#d55e00', '#009e73', '#cc79a7', '#b87a00', '#0072b2'];
const MARKERS = [
  ['M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z', true],
  ['M-3.6,-3.6h7.2v7.2h-7.2z', true],
  ['M0,-4.5L4.5,3.6h-9z', true],
  ['M0,-5L5,0 0,5 -5,0z', true],
  ['M-4,-4L4,4M4,-4L-4,4', false],
  ['M0,-5V5M-5,0H5', false],
  ['M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z', false],
  ['M-3.6,-3.6h7.2v7.2h-7.2z', false],
];
const met = new Map();
function look(name) {
  if (!met.has(name)) {
    const at = met.size;
    const [path, filled] = MARKERS[(at + Math.floor(at / 24)) % MARKERS.length];
    met.set(name, { at, colour: COLOURS[at % COLOURS.length], path, filled });
  }
  return met.get(name);
}
function marker(name, attributes) {
  const { colour, path, filled } = look(name);
  const paint = { fill: filled ? colour : 'none', stroke: colour, 'stroke-width': filled ? 1 : 2 };
  return svg('path', { d: path, ...paint, ...attributes });
}
const swatch = (name) =>
  svg('svg', { class: 'swatch', viewBox: '-6 -6 12 12', 'aria-hidden': 'true' }, marker(name));
const named = (name) => html('span', {}, swatch(name), bdi(name));

// Colours of the theme, for canvases.
let theme = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['paper', 'ink', 'quiet', 'axis', 'grid', 'band', 'bad', 'accent']) {
    theme[name] = style.getPropertyValue('--' + name).trim();
  }
}

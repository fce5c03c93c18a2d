'use strict';
// The product's own code: requests and answers in JSON, owners of keys as arrays in its memory.
let wasm = null;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function load() {
  const text = atob(document.getElementById('module').textContent.trim());
  if (!text) throw new Error('this page was written without its module');
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  wasm = (await WebAssembly.instantiate(bytes, {})).instance.exports;
}

function ask(request) {
  const bytes = encoder.encode(JSON.stringify(request));
  const room = wasm.room(bytes.length) >>> 0;
  if (!room) {
    return { error: { field: 'request', node: null, message: 'longer than the module reads' } };
  }
  new Uint8Array(wasm.memory.buffer, room, bytes.length).set(bytes);
  const length = wasm.ask() >>> 0;
  return JSON.parse(
    decoder.decode(new Uint8Array(wasm.memory.buffer, wasm.answer() >>> 0, length)),
  );
}

// Views do not outlive the next request: memory may grow, and moves then.
const ownersOf = (side, keys) =>
  new Uint32Array(wasm.memory.buffer, wasm.owners(side.index, 0) >>> 0, keys);
const kindsOf = (side, keys) =>
  new Uint8Array(wasm.memory.buffer, wasm.kinds(side.index) >>> 0, keys);

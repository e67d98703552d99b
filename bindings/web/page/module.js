'use strict';
// The WebAssembly module: a text of JSON in, one out. A worker also begins with it.
const decoder = new TextDecoder();
const encoder = new TextEncoder();

// Libraries below read the time through wasm-bindgen (`web-time`), but this build does not use its generator. It provides the
// functions that they import by name: the global object and its clock, as numbers that represent objects. Nothing else of it is
// ever called.
const offered = {
  __wbg_static_accessor_: () => 1, __wbg___wbindgen_is_undefined_: () => 0, __wbg_performance_: () => 1,
  __wbg_now_: () => performance.now(), __wbindgen_object_drop_ref: () => {}, __wbindgen_object_clone_ref: (one) => one,
  __wbindgen_externref_statics_end: () => 1024, // smaller numbers are never returned
};
const generated = new Proxy({}, { get: (_, name) => {
  const known = Object.keys(offered).find((begin) => name.startsWith(begin));
  return known ? offered[known] : () => { throw new Error(`${name} is not offered`); };
} });

async function load(bytes, told) {
  let faulted = '';
  let memory;
  const text = (address, length) => decoder.decode(new Uint8Array(memory.buffer, address, length));
  const page = {
    now_ms: () => performance.now(),
    tell: (address, length) => told(JSON.parse(text(address, length))),
    fault: (address, length) => { faulted = text(address, length); },
  };
  const made = await WebAssembly.instantiate(bytes, {
    page, __wbindgen_placeholder__: generated, __wbindgen_externref_xform__: generated,
  });
  const { exports } = made.instance;
  memory = exports.memory;
  exports.start();
  // The answer as text; errors are thrown with the message of the program.
  return (what, question) => {
    const asked = encoder.encode(JSON.stringify(question));
    const at = exports.reserve(asked.length);
    new Uint8Array(memory.buffer, at, asked.length).set(asked);
    let answered;
    try {
      answered = exports[what](at, asked.length);
    } catch (error) {
      throw new Error(`fault of numasim: ${faulted || error.message}`);
    }
    exports.release(at, asked.length);
    const address = Number(BigInt.asUintN(64, answered) >> 32n);
    const length = Number(answered & 0xffffffffn);
    const said = text(address, length);
    exports.release(address, length);
    if (said[0] === '+') return said.slice(1);
    throw new Error(said.slice(1));
  };
}

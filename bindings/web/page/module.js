'use strict';
// The module of WebAssembly: a text of JSON in, one out. Also what a worker begins with.
const decoder = new TextDecoder();
const encoder = new TextEncoder();

async function load(bytes, told) {
  let faulted = '';
  let memory;
  const text = (address, length) => decoder.decode(new Uint8Array(memory.buffer, address, length));
  const page = {
    now_ms: () => performance.now(),
    tell: (address, length) => told(JSON.parse(text(address, length))),
    fault: (address, length) => { faulted = text(address, length); },
  };
  const made = await WebAssembly.instantiate(bytes, { page });
  const { exports } = made.instance;
  memory = exports.memory;
  exports.start();
  // The answer as text; what is wrong is thrown in words of the program.
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

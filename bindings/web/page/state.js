// The state of the page, and the address that restores it.

// What the page opens on: two sockets and two applications.
const OPENING = { machine: 'xeon-gold-6140-2s', workload: 'stencil-and-inference' };
// The constraints and requests of a search that are boxes to tick, with the ids of these.
const TICKED = ['same', 'whole', 'busy', 'l3', 'robust'];

const state = {
  machine: '', workload: '', // an id of a shipped file, or '' for custom text
  texts: { machine: '', workload: '' },
  model: '', objective: '', limit: '', restrictions: { same: false, whole: false, busy: false, l3: false, robust: false, fewest: 0 },
  inDomains: { threads: {}, most: {} }, // constraints on L3 domains, for each application by its name, '' for each
  threads: null, smt: null, homes: null, parts: null, static: false, // null: as the first placement of the files
  factors: {}, // a slider's key to its factor
};

const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
const unbase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const packed = (text) => base64(encoder.encode(text)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const unpacked = (text) => decoder.decode(unbase64(text.replaceAll('-', '+').replaceAll('_', '/')));

function hashOf() {
  const all = new URLSearchParams();
  for (const which of ['machine', 'workload']) {
    if (state[which]) all.set(which, state[which]);
    else all.set(`${which}-text`, packed(state.texts[which]));
  }
  if (state.model) all.set('model', state.model);
  if (state.threads) all.set('threads', state.threads.map((row) => row.map((one) => [one].flat().join('-')).join('.')).join('_'));
  if (state.smt?.includes('both')) all.set('smt', state.smt.join('_'));
  if (state.homes?.some((home) => home !== null)) all.set('homes', state.homes.map((home) => home ?? '').join('_'));
  if (state.parts?.some((parts) => parts !== null)) all.set('parts', state.parts.map((parts) => parts?.join('.') ?? '').join('_'));
  if (state.static) all.set('static', '1');
  if (Object.keys(state.factors).length) all.set('factors', JSON.stringify(state.factors));
  if (state.objective) all.set('objective', state.objective);
  if (state.limit) all.set('limit', state.limit);
  const { fewest } = state.restrictions;
  const asked = [...TICKED.filter((key) => state.restrictions[key]), ...(fewest > 0 ? [String(fewest)] : [])];
  if (asked.length) all.set('restrictions', asked.join('_'));
  for (const [key, numbers] of Object.entries(state.inDomains)) {
    if (Object.keys(numbers).length) all.set(`domains-${key}`, JSON.stringify(numbers));
  }
  return `#${all}`;
}

// Applies an address; invalid parts are left out, and the rest holds.
function restore(hash, shipped) {
  const all = new URLSearchParams(hash.replace(/^#/, ''));
  if (!['machine', 'workload', 'machine-text', 'workload-text'].some((key) => all.has(key))) return false;
  for (const [which, list] of [['machine', shipped.machines], ['workload', shipped.workloads]]) {
    const known = list.find((one) => one.id === all.get(which));
    const own = all.get(`${which}-text`);
    if (known) [state[which], state.texts[which]] = [known.id, known.text];
    else if (own !== null) {
      try { [state[which], state.texts[which]] = ['', unpacked(own)]; } catch { /* not a text */ }
    }
  }
  const whole = (text) => /^\d{1,6}$/.test(text) ? Number(text) : null;
  state.model = all.get('model') ?? '';
  const entry = (text) => text.includes('-') ? text.split('-').map(whole) : whole(text);
  const rows = all.get('threads')?.split('_').map((row) => row.split('.').map(entry));
  state.threads = rows?.flat(2).every((count) => count !== null) ? rows : null;
  state.smt = all.get('smt')?.split('_') ?? null;
  state.homes = all.get('homes')?.split('_').map(whole) ?? null;
  state.parts = all.get('parts')?.split('_').map((parts) => parts === '' ? null : parts.split('.').map(whole)) ?? null;
  state.static = all.get('static') === '1';
  const numbers = (key, holds) => {
    try {
      return Object.fromEntries(Object.entries(JSON.parse(all.get(key) ?? '{}')).filter(([, value]) => holds(value)));
    } catch { return {}; }
  };
  state.factors = numbers('factors', (factor) => Number.isFinite(factor) && factor > 0);
  const counted = (value) => Number.isInteger(value) && value > 0;
  state.inDomains = { threads: numbers('domains-threads', counted), most: numbers('domains-most', counted) };
  state.objective = all.get('objective') ?? '';
  state.limit = Number(all.get('limit')) > 0 ? all.get('limit') : '';
  const asked = (all.get('restrictions') ?? '').split('_');
  state.restrictions = { ...Object.fromEntries(TICKED.map((key) => [key, asked.includes(key)])),
    fewest: asked.map(whole).find((count) => count !== null) ?? 0 };
  return true;
}

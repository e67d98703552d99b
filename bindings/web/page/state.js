// What the page shows, and the address that restores it.
const state = {
  machine: '', workload: '', // an id of what is shipped, or '' for a text of one's own
  texts: { machine: '', workload: '' },
  model: '', objective: 'total-gflops', limit: '', restrictions: { same: false, whole: false, busy: false, l3: false, fewest: 0 },
  threads: null, homes: null, static: false, // null: as the first placement of the files
  factors: {}, // a slider's key to what it multiplies by
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
  if (state.threads) all.set('threads', state.threads.map((row) => row.join('.')).join('_'));
  if (state.homes?.some((home) => home !== null)) all.set('homes', state.homes.map((home) => home ?? '').join('_'));
  if (state.static) all.set('static', '1');
  if (Object.keys(state.factors).length) all.set('factors', JSON.stringify(state.factors));
  if (state.objective !== 'total-gflops') all.set('objective', state.objective);
  if (state.limit) all.set('limit', state.limit);
  const { same, whole, busy, l3, fewest } = state.restrictions;
  const asked = [same && 'same', whole && 'whole', busy && 'busy', l3 && 'l3', fewest > 0 && String(fewest)].filter(Boolean);
  if (asked.length) all.set('restrictions', asked.join('_'));
  return `#${all}`;
}

// Takes over what an address says; nonsense in it is left out, and the rest holds.
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
  const rows = all.get('threads')?.split('_').map((row) => row.split('.').map(whole));
  state.threads = rows?.flat().every((count) => count !== null) ? rows : null;
  state.homes = all.get('homes')?.split('_').map(whole) ?? null;
  state.static = all.get('static') === '1';
  state.factors = {};
  try {
    for (const [key, factor] of Object.entries(JSON.parse(all.get('factors') ?? '{}'))) {
      if (Number.isFinite(factor) && factor > 0) state.factors[key] = factor;
    }
  } catch { /* no factors */ }
  state.objective = all.get('objective') ?? 'total-gflops';
  state.limit = Number(all.get('limit')) > 0 ? all.get('limit') : '';
  const asked = (all.get('restrictions') ?? '').split('_');
  state.restrictions = { same: asked.includes('same'), whole: asked.includes('whole'), busy: asked.includes('busy'),
    l3: asked.includes('l3'), fewest: asked.map(whole).find((count) => count !== null) ?? 0 };
  return true;
}

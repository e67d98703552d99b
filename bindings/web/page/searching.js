// A search in a worker. A page without a server shares no memory with it: terminating the worker cancels the search, and reported
// results remain.
let searching = null;

function beginSearch(bytes, question, heard) {
  endSearch();
  const source = ['module', 'worker'].map((id) => document.getElementById(id).textContent).join('\n');
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(address);
  searching = { worker, address, began: performance.now() };
  const done = (what) => {
    if (searching?.worker !== worker) return;
    endSearch();
    heard(what);
  };
  worker.onmessage = ({ data }) => data.progress ? heard(data) : done(data);
  worker.onerror = (event) => done({ trouble: event.message || 'the browser does not start a worker' });
  worker.postMessage({ bytes, question });
}

function endSearch() {
  if (!searching) return;
  searching.worker.terminate();
  URL.revokeObjectURL(searching.address);
  searching = null;
}

// Constraints on L3 domains, as in `--threads-per-l3` and `--max-l3`: a number for each application, or for one of them.
const IN_DOMAINS = { threads: 'threads_per_l3', most: 'max_l3' };

const askedOfDomains = (contents) => contents.has_domains
  ? Object.fromEntries(Object.entries(IN_DOMAINS).map(([key, name]) =>
    [name, Object.entries(state.inDomains[key]).map(([app, value]) => ({ app: app || null, value }))]))
  : {};

function drawInDomains(box, contents, changed) {
  const names = ['', ...contents.apps.map((app) => app.name)];
  const field = (key, name, i) => {
    const words = key === 'threads' ? 'threads in a domain' : 'domains at most';
    const input = make('input', { type: 'number', id: `domains-${key}-${i}`, min: 1, placeholder: 'any', inputMode: 'numeric',
      value: state.inDomains[key][name] ?? '', ariaLabel: `${name || 'each application'}: ${words}` });
    input.addEventListener('change', () => {
      const number = Math.trunc(Number(input.value)) || 0;
      if (number > 0) state.inDomains[key][name] = number;
      else delete state.inDomains[key][name];
      input.value = state.inDomains[key][name] ?? '';
      changed();
    });
    return make('td', {}, input);
  };
  for (const numbers of Object.values(state.inDomains)) {
    for (const name of Object.keys(numbers)) if (!names.includes(name)) delete numbers[name];
  }
  box.hidden = !contents.has_domains;
  const rows = names.map((name, i) => row('body', [
    make('th', { scope: 'row' }, ...(name ? [chip(contents.apps[i - 1]), ` ${name}`] : ['each application'])),
    ...Object.keys(IN_DOMAINS).map((key) => field(key, name, i))]));
  table(box.querySelector('table'), 'Threads: an L3 domain has none or that many of the application. Domains: at most that many have threads of it.',
    ['', 'threads', 'domains'], rows);
}

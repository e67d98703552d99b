// Results as tables and pictures. Numbers are rounded here for display; the document has them in full.
const MOST_ROWS = 12;
const amount = (value) => value === null ? '-' : value.toFixed(1);

function row(kind, cells) {
  return make('tr', {}, ...cells.map((cell, i) => {
    if (cell instanceof Node) return cell;
    const made = make(kind === 'head' || i === 0 ? 'th' : 'td', { textContent: cell });
    if (made.tagName === 'TH') made.scope = kind === 'head' ? 'col' : 'row';
    if (i > 0 && kind !== 'text') made.className = 'n';
    return made;
  }));
}

function table(element, caption, head, rows) {
  element.replaceChildren(make('caption', { textContent: caption }), make('thead', {}, row('head', head)), make('tbody', {}, ...rows));
}

function bar(used, capacity, canBeFull = true) {
  const part = capacity > 0 ? Math.min(1, used / capacity) : 0;
  const filled = make('span', { className: canBeFull && part >= 0.9995 ? 'full' : '' });
  filled.style.width = `${100 * part}%`;
  return make('td', { className: 'bar' }, filled);
}

const used = (one) => one.occupied_gbs ?? one.bandwidth_gbs;

// Those with traffic, the fullest first.
function fullest(element, head, none, all, list) {
  const busy = list.filter((one) => used(one) > 0).sort((a, b) => used(b) / b.capacity_gbs - used(a) / a.capacity_gbs);
  const words = `${all[0].toUpperCase()}${all.slice(1)}, GB/s`;
  const caption = busy.length > MOST_ROWS ? `The ${MOST_ROWS} fullest of ${busy.length} ${all}, GB/s` : busy.length ? words : `No ${none}`;
  const titles = busy.length ? [...head, 'used', '', 'of'] : [];
  table(element, caption, titles, busy.slice(0, MOST_ROWS).map((one) =>
    row('body', [...one.name, amount(used(one)), bar(used(one), one.capacity_gbs), amount(one.capacity_gbs)])));
}

function drawResult(contents, answer) {
  const scenario = answer.document.scenarios[0];
  const at = (id) => document.getElementById(id);
  const [worth, unit] = answer.worth[0];
  at('total').textContent = `${amount(worth)} ${unit}`;
  at('map').innerHTML = answer.maps[0]; // made by numasim, with every name escaped
  at('map').style.setProperty('--natural', at('map').firstElementChild?.getAttribute('width') ?? 0);
  const rates = scenario.apps.filter((app) => app.rate_unit).length;
  const speed = rates === 0 ? 'GFLOPS' : rates < scenario.apps.length ? 'GFLOPS or rate' : 'rate';
  const both = scenario.apps.some((app) => app.smt === 'both');
  const cores = (cell) => both ? [cell] : [];
  table(at('apps'), 'Applications', ['', 'threads', ...cores('cores'), speed, 'GB/s', make('th', { scope: 'col', textContent: 'limited by' })], scenario.apps.map((app, i) => {
    const name = make('th', { scope: 'row' }, chip(contents.apps[i]), ` ${app.name}`);
    const words = make('td', { className: 'text', textContent: answer.held_back[0][i] || '-' });
    return row('body', [name, String(sum(app.threads)), ...cores(both ? `${sum(app.cores)} (${app.smt})` : ''), app.rate_unit ? `${amount(app.rate)} ${app.rate_unit}` : amount(app.gflops), amount(app.bandwidth_gbs), words]);
  }));
  const waits = scenario.nodes.some((node) => node.loaded_latency_ns !== undefined);
  const latency = (cell) => waits ? [cell] : [];
  table(at('controllers'), 'Memory controllers, GB/s', ['node', 'used', '', 'of', 'from outside', ...latency('latency, ns')], scenario.nodes.map((node) =>
    row('body', [String(node.node), amount(used(node)), bar(used(node), node.capacity_gbs), amount(node.capacity_gbs), amount(node.remote_gbs),
      ...latency(amount(node.loaded_latency_ns ?? null))])));
  fullest(at('links'), ['link'], 'link is in use', 'links in use', [
    ...scenario.links.map((link) => ({ ...link, name: [`${link.from}→${link.to}`] })),
    ...(scenario.shared_links ?? []).map((link) => ({ ...link, name: [`${link.name} ${link.direction.map((nodes) => nodes.join(',')).join('→')}`] })),
  ]);
  const domains = scenario.l3 ?? [];
  at('domains-box').hidden = domains.length === 0;
  fullest(at('domains'), ['L3 domain', 'of node'], 'L3 domain reads memory', 'L3 domains that read memory',
    domains.map((one) => ({ ...one, name: [String(one.domain), String(one.node)] })));
  at('warnings').replaceChildren(...[...contents.warnings, ...answer.warnings].map((text) => make('li', { textContent: text })));
}

const UNITS = { 'total-gflops': 'GFLOPS', makespan: 's' };

function valueInWords(value, objective) {
  if (value === null) return '-';
  const unit = UNITS[objective];
  return unit ? `${value.toFixed(1)} ${unit}` : `${(value * 100).toFixed(2)} %`;
}

// The shown placement under every model: a row for each, the largest total as long as its column.
function drawModels(contents, answer) {
  const at = (id) => document.getElementById(id);
  const { models } = answer.document;
  const totals = answer.worth.map(([worth]) => worth);
  const unit = answer.worth[0][1];
  const [low, high] = [Math.min(...totals), Math.max(...totals)].map(amount);
  at('range').textContent = `${models.length} models: ${low === high ? low : `${low} to ${high}`} ${unit}`;
  const apps = models[0].scenarios[0].apps;
  const speeds = apps.map((app) => app.rate_unit ? `${app.name}, ${app.rate_unit}` : app.name);
  table(at('models'), `The shown placement under every model, ${unit}`, ['model', 'total', '', ...speeds], models.map(({ model, scenarios: [scenario] }, i) => {
    const isUsed = model === contents.model;
    const made = row('body', [isUsed ? `${model} (used above)` : model, amount(totals[i]), bar(totals[i], Math.max(...totals), false),
      ...scenario.apps.map((app) => amount(app.rate_unit ? app.rate : app.gflops))]);
    made.classList.toggle('used', isUsed);
    return made;
  }));
  at('left-out').replaceChildren(...answer.warnings.map((text) => make('li', { textContent: text })));
}

const percent = (share) => `${(100 * share).toFixed(Math.abs(share) < 0.01 ? 2 : 1)}`;

// How much placements lose under each model; null: no robust placement was asked for.
function drawLosses(losses) {
  const at = (id) => document.getElementById(id);
  at('losses-box').hidden = !losses;
  if (!losses) return;
  const rows = losses.rows.map(([name, shares], i) => {
    const made = row('body', [name, percent(Math.max(0, ...shares)), ...shares.map(percent)]);
    made.classList.toggle('used', i === 0);
    return made;
  });
  table(at('losses'), 'What placements lose if that model is right, %', ['placement', 'worst', ...losses.models], rows);
  at('losses-note').textContent = losses.note;
}

// Marks the row of the placement that is shown; -1: none of them.
function markFound(shown) {
  document.querySelectorAll('#found tbody tr').forEach((row, i) => {
    row.classList.toggle('used', i === shown);
    row.ariaCurrent = i === shown ? 'true' : null;
  });
}

// The list of the placements that a search found, each with a button that shows it.
function drawFound(contents, answer, show) {
  const found = answer.document;
  const robust = found.robust ? [found.robust.best] : [];
  const all = [...robust, found.best, ...found.alternatives, ...found.baselines];
  const rows = all.map((one, i) => {
    const button = make('button', { type: 'button', textContent: 'Show', ariaLabel: `Show ${one.name}` });
    button.addEventListener('click', () => { show(answer.placed[i]); markFound(i); });
    const factor = one.factor > 1.0005 ? `best is ${one.factor.toFixed(2)} times better` : one.tie ? 'as good' : '';
    const both = contents.apps.filter((_, a) => answer.placed[i].smt[a] === 'both').map((app) => app.name);
    const smt = both.length ? `both hardware threads: ${both.join(', ')}` : '';
    const said = [one.breaks ? `breaks: ${one.breaks}` : factor, smt].filter(Boolean).join('; ');
    const words = make('td', { className: 'text', textContent: said });
    return row('body', [one.name, valueInWords(one.value, found.objective), words, make('td', {}, button)]);
  });
  document.getElementById('found-box').hidden = false;
  const kind = { fair: 'smallest p', geomean: 'mean p', makespan: 'makespan' }[found.objective] ?? 'total';
  table(document.getElementById('found'), 'What was found', ['placement', kind, '', ''], rows);
}

// Threads of each application on each node, and the placement of its data.
function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const sum = (row) => row.reduce((all, one) => all + one, 0);

// Hardware threads of an application on a node are a number, which is distributed over L3 domains, or a list of numbers for these, as in
// files.
const isList = Array.isArray;
const threadsOf = (entry) => isList(entry) ? sum(entry) : entry;
const perCore = (app) => state.smt?.[app] === 'both' ? 2 : 1;
const coresOf = (app, threads) => Math.ceil(threads / perCore(app));
const freeOn = (contents, node) =>
  contents.nodes[node].cores - sum(state.threads.map((row, app) => coresOf(app, threadsOf(row[node]))));
const mayRun = (app, node) => app.nodes === null || app.nodes.includes(node);

// The last answer for each application on each node and its L3 domains; null without one.
let dealt = null;
function domainsOf(app, node) {
  const entry = state.threads[app][node];
  const list = isList(entry) ? entry : dealt?.[app]?.[node];
  return list && sum(list) === threadsOf(entry) ? list : null;
}

// The requested number of threads, on whole cores, limited by the cores without an application.
const within = (app, wanted, has, free) => {
  const each = perCore(app);
  return Math.max(0, Math.min(Math.ceil(wanted / each), coresOf(app, has) + free)) * each;
};

function give(contents, app, node, wanted) {
  if (!mayRun(contents.apps[app], node)) return;
  state.threads[app][node] = within(app, wanted, threadsOf(state.threads[app][node]), freeOn(contents, node));
}

// Threads in one L3 domain: those of all applications on this node stay in their present domains.
function giveInDomain(contents, app, node, domain, wanted) {
  const lists = state.threads.map((_, other) => domainsOf(other, node));
  if (lists.includes(null)) return;
  lists.forEach((list, other) => { state.threads[other][node] = [...list]; });
  const free = contents.nodes[node].domain_cores - sum(lists.map((list, other) => coresOf(other, list[domain])));
  state.threads[app][node][domain] = within(app, wanted, lists[app][domain], free);
}

const eachEntry = (change) => {
  state.threads = state.threads.map((row, app) => row.map((entry) => change(entry, app)));
};

// One or both hardware threads of a core, on the same cores.
function useOfCores(app, smt) {
  const before = perCore(app);
  state.smt[app] = smt;
  const after = (threads) => threads / before * perCore(app);
  eachEntry((entry, other) => other !== app ? entry : isList(entry) ? entry.map(after) : after(entry));
}

function range(id, label, given) {
  const input = make('input', { type: 'range', id, min: 0 });
  const said = make('output', { htmlFor: id });
  input.addEventListener('input', () => given(Number(input.value)));
  const row = make('p', { className: 'slider' }, make('label', { htmlFor: id, textContent: label }), input, said);
  return { input, said, row };
}

function chip(app) {
  const made = make('span', { className: 'chip', textContent: app.letter });
  made.style.background = app.colour;
  made.style.color = dark(app.colour) ? '#fff' : '#000';
  return made;
}

const dark = (colour) => {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 0.18;
};

// A box for each L3 domain of a node, filled in proportion to its used cores.
function domainBoxes(contents, a, node, moved) {
  const app = contents.apps[a];
  const boxes = Array.from({ length: node.domains }, (_, domain) => {
    const input = make('input', { type: 'number', id: `threads-${a}-${node.number}-${domain}`, min: 0, inputMode: 'numeric',
      ariaLabel: `${app.name}: L3 domain ${domain} of node ${node.number}` });
    input.addEventListener('input', () => {
      if (input.value === '') return;
      giveInDomain(contents, a, node.number, domain, Math.trunc(Number(input.value)) || 0);
      moved();
    });
    return input;
  });
  const row = make('p', { className: 'domains', title: 'threads in each L3 domain' }, ...boxes);
  const show = () => {
    const list = domainsOf(a, node.number);
    row.classList.toggle('listed', isList(state.threads[a][node.number]));
    const most = node.domain_cores * perCore(a);
    boxes.forEach((box, domain) => {
      [box.max, box.step, box.disabled] = [most, perCore(a), list === null];
      box.value = list?.[domain] ?? '';
      box.classList.toggle('none', !list?.[domain]);
      box.style.setProperty('--part', `${100 * (list?.[domain] ?? 0) / most}%`);
    });
  };
  return { row, show };
}

// All sliders; the answer updates them and their labels.
function drawThreads(box, contents, moved) {
  dealt = null;
  const shows = [];
  const nodes = contents.nodes.map((node, number) => ({ ...node, number })).filter((node) => node.cores > 0);
  const most = Math.max(0, ...nodes.map((node) => node.cores));
  const fields = contents.apps.map((app, a) => {
    const mine = nodes.filter((node) => mayRun(app, node.number));
    const every = range(`threads-${a}`, 'every node', (wanted) => {
      mine.forEach((node) => give(contents, a, node.number, wanted));
      moved();
    });
    const each = mine.map((node) => range(`threads-${a}-${node.number}`, `node ${node.number}`, (wanted) => {
      give(contents, a, node.number, wanted);
      moved();
    }));
    const boxes = mine.map((node) => node.domains > 1 ? domainBoxes(contents, a, node, moved) : null);
    const set = (one, count, cores, words) => {
      [one.input.max, one.input.step] = [cores * perCore(a), perCore(a)];
      one.input.value = count;
      one.said.textContent = words;
      one.input.setAttribute('aria-valuetext', words);
    };
    shows.push(() => {
      const counts = mine.map((node) => threadsOf(state.threads[a][node.number]));
      const [low, high] = [Math.min(...counts), Math.max(...counts)];
      if (mine.length) set(every, high, most, low === high ? `${low}` : `${low} to ${high}`);
      each.forEach((one, i) => set(one, counts[i], mine[i].cores, `${counts[i]}`));
      boxes.forEach((one) => one?.show());
    });
    const legend = make('legend', {}, chip(app), ` ${app.name}`);
    const field = make('fieldset', { className: 'app' }, legend);
    field.style.setProperty('--app', app.colour);
    if (mine.length > 1) field.append(every.row);
    const choice = (id, words, options, chosen, given) => {
      const select = make('select', { id });
      select.append(...options.map(([value, textContent]) => make('option', { value, textContent })));
      select.addEventListener('change', () => { given(select.value); moved(); });
      shows.push(() => { select.value = chosen(); });
      field.append(make('p', { className: 'slider' }, make('label', { htmlFor: id, textContent: words }), select));
    };
    if (app.may_have_both) {
      choice(`smt-${a}`, 'on a core', [['one', 'one thread'], ['both', 'both hardware threads']],
        () => state.smt[a], (smt) => useOfCores(a, smt));
    }
    if (app.has_home) {
      const memories = contents.nodes.map((node, number) => ({ ...node, number })).filter((node) => node.bandwidth_gbs !== null);
      choice(`home-${a}`, 'data at', memories.map(({ number }) => [number, `node ${number}`]),
        () => state.homes[a] ?? 0, (home) => { state.homes[a] = Number(home); });
    }
    if (app.has_parts) {
      const given = make('input', { id: `parts-${a}`, type: 'text' });
      given.addEventListener('change', () => {
        state.parts[a] = given.value.trim().split(/\s+/).map((part) => /^\d{1,2}$/.test(part) ? Number(part) : 0);
        moved();
      });
      shows.push(() => { given.value = state.parts[a]?.join(' ') ?? ''; });
      field.append(make('p', { className: 'slider' }, make('label', { htmlFor: `parts-${a}`, textContent: 'sixteenths of the data on each node' }), given));
    }
    const parts = each.map((one, i) => make('div', {}, one.row, ...(boxes[i] ? [boxes[i].row] : [])));
    const grid = make('div', { className: 'nodes' }, ...parts);
    if (mine.length > 1) {
      field.append(make('details', { open: mine.length <= 4 }, make('summary', { textContent: 'Node by node' }), grid));
    } else field.append(grid);
    return field;
  });
  box.replaceChildren(...fields);
  const at = (id) => document.getElementById(id);
  return (scenario) => {
    if (scenario) dealt = scenario.apps.map((app) => app.threads_per_l3 ?? null);
    shows.forEach((show) => show());
    const free = nodes.filter((node) => freeOn(contents, node.number) > 0)
      .map((node) => `${freeOn(contents, node.number)} on node ${node.number}`);
    at('free').textContent = free.length ? `Cores without a thread: ${free.join(', ')}.` : 'Every core has a thread.';
    at('by-domain').hidden = !contents.has_domains;
    at('deal').disabled = !state.threads.flat().some(isList);
  };
}

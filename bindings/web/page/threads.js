// Threads of each application on each node, and where its data lies.
function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const sum = (row) => row.reduce((all, one) => all + one, 0);
const freeOn = (contents, node) => contents.nodes[node].cores - sum(state.threads.map((row) => row[node]));
const mayRun = (app, node) => app.nodes === null || app.nodes.includes(node);

// As many threads of an application on a node as are wanted and as there are cores that nobody has.
function give(contents, app, node, wanted) {
  if (!mayRun(contents.apps[app], node)) return;
  const most = state.threads[app][node] + freeOn(contents, node);
  state.threads[app][node] = Math.max(0, Math.min(wanted, most));
}

function range(id, label, most, given) {
  const input = make('input', { type: 'range', id, min: 0, max: most, step: 1 });
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

// All sliders; what comes back brings them up to date.
function drawThreads(box, contents, moved) {
  const shows = [];
  const nodes = contents.nodes.map((node, number) => ({ ...node, number })).filter((node) => node.cores > 0);
  const most = Math.max(0, ...nodes.map((node) => node.cores));
  const fields = contents.apps.map((app, a) => {
    const mine = nodes.filter((node) => mayRun(app, node.number));
    const every = range(`threads-${a}`, 'every node', most, (wanted) => {
      mine.forEach((node) => give(contents, a, node.number, wanted));
      moved();
    });
    const each = mine.map((node) => range(`threads-${a}-${node.number}`, `node ${node.number}`, node.cores, (wanted) => {
      give(contents, a, node.number, wanted);
      moved();
    }));
    const set = (one, count, words) => {
      one.input.value = count;
      one.said.textContent = words;
      one.input.setAttribute('aria-valuetext', words);
    };
    shows.push(() => {
      const counts = mine.map((node) => state.threads[a][node.number]);
      const [low, high] = [Math.min(...counts), Math.max(...counts)];
      if (mine.length) set(every, high, low === high ? `${low}` : `${low} to ${high}`);
      each.forEach((one, i) => set(one, counts[i], `${counts[i]}`));
    });
    const legend = make('legend', {}, chip(app), ` ${app.name}`);
    const field = make('fieldset', { className: 'app' }, legend);
    if (mine.length > 1) field.append(every.row);
    if (app.has_home) {
      const home = make('select', { id: `home-${a}` });
      const memories = contents.nodes.map((node, number) => ({ ...node, number })).filter((node) => node.bandwidth_gbs !== null);
      home.append(...memories.map((node) => make('option', { value: node.number, textContent: `node ${node.number}` })));
      home.addEventListener('change', () => { state.homes[a] = Number(home.value); moved(); });
      shows.push(() => { home.value = state.homes[a] ?? 0; });
      field.append(make('p', { className: 'slider' }, make('label', { htmlFor: home.id, textContent: 'data at' }), home));
    }
    const grid = make('div', { className: 'nodes' }, ...each.map((one) => one.row));
    if (mine.length > 1) {
      field.append(make('details', { open: mine.length <= 4 }, make('summary', { textContent: 'Node by node' }), grid));
    } else field.append(grid);
    return field;
  });
  box.replaceChildren(...fields);
  return () => {
    shows.forEach((show) => show());
    const free = nodes.filter((node) => freeOn(contents, node.number) > 0)
      .map((node) => `${freeOn(contents, node.number)} on node ${node.number}`);
    document.getElementById('free').textContent =
      free.length ? `Cores without a thread: ${free.join(', ')}.` : 'Every core has a thread.';
  };
}

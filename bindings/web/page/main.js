// The page as a whole: selections go into `state`, and every change computes and draws again.
const at = (id) => document.getElementById(id);
const shipped = JSON.parse(at('shipped').textContent);
// A study embedded in this page; its files come first.
const study = JSON.parse(at('study').textContent);
const embedded = window.parent !== window;
// All models are compared when the sliders rest: a move waits for one model only.
const REST_MS = 120;
let ask, bytes, contents, groups, showThreads, showFigures, placedName, reported;
let smtOfFiles = null; // the setting of the applications in the last files; null: keep the state

const filesOf = () => ['machine', 'workload']
  .map((which) => ({ name: `${state[which] || which}.toml`, text: state.texts[which] }))
  .filter((file) => file.text.trim() !== '');
const asked = () => ({ files: filesOf(), ...(state.model ? { model: state.model } : {}), set: settingsOf(groups) });
const shownPlacement = () => ({ name: placedName, threads: state.threads, smt: state.smt, homes: state.homes, parts: state.parts, static_work: state.static });

function trouble(error) {
  at('trouble').replaceChildren(make('pre', { textContent: error.message.trim() }));
  document.body.classList.add('troubled');
}

// Reads the files: they determine all choices.
function readFiles() {
  reported = null;
  clearTimeout(compare.later);
  cancel();
  forget();
  at('searched').textContent = '';
  try {
    const model = state.model ? { model: state.model } : {};
    contents = JSON.parse(ask('read', { files: filesOf(), ...model }));
    if (!contents.apps.length) throw new Error('error: there is no [[app]] in the files: nothing to place');
  } catch (error) {
    contents = null;
    return trouble(error);
  }
  groups = groupsOf(contents);
  const known = new Set(groups.flatMap((group) => [group.id, ...group.members.map((member) => member.key)]));
  for (const key of Object.keys(state.factors)) if (!known.has(key)) delete state.factors[key];
  const names = contents.starts.map((start) => start.name);
  placedName = ['what-if', ...names.map((_, i) => `what-if ${i + 2}`)].find((name) => !names.includes(name));
  const onNode = (entry, n) => !isList(entry) || entry.length === contents.nodes[n].domains;
  const ofApp = (row) => row.length === contents.nodes.length && row.every(onNode);
  const fits = state.threads?.length === contents.apps.length && state.threads.every(ofApp);
  const smt = contents.apps.map((app) => app.smt).join();
  const isSame = smtOfFiles === null || smtOfFiles === smt;
  smtOfFiles = smt;
  if (!fits || !isSame) place(contents.starts[names.length > 2 ? 2 : 0] ?? contents.starts[0]);
  const homes = contents.starts[0].homes;
  const isNode = (home) => home !== null && home !== undefined && (contents.nodes[home]?.bandwidth_gbs ?? null) !== null;
  state.homes = contents.apps.map((app, a) => app.has_home ? (isNode(state.homes?.[a]) ? state.homes[a] : homes[a] ?? 0) : null);
  const arePartsOf = (parts) => parts?.length === contents.nodes.length && parts.every((one) => one !== null);
  state.parts = contents.apps.map((app, a) => !app.has_parts ? null : arePartsOf(state.parts?.[a]) ? state.parts[a] : contents.starts[0].parts[a]);
  state.smt = contents.apps.map((app, a) => app.may_have_both && state.smt?.[a] === 'both' ? 'both' : 'one');
  drawInDomains(at('in-domains'), contents, remember);
  options(at('model'), contents.models, contents.model);
  options(at('start'), ['as chosen below', ...names], null);
  options(at('objective'), contents.objectives, state.objective || contents.objective);
  showThreads = drawThreads(at('threads'), contents, moved);
  showFigures = drawFigures(at('figures'), groups, moved);
  at('version').textContent = contents.version;
  moved();
}

function place(start) {
  state.threads = start.threads.map((row) => row.map((entry) => isList(entry) ? [...entry] : entry));
  state.smt = [...start.smt];
  state.homes = [...start.homes];
  state.parts = [...start.parts];
  state.static = start.static_work ?? false;
}

function options(select, names, chosen) {
  select.replaceChildren(...names.map((name, i) => make('option', { value: select.id === 'start' ? i - 1 : name, textContent: name })));
  if (chosen !== null) select.value = chosen;
}

// The results of another search.
function forget() {
  for (const id of ['found-box', 'losses-box']) at(id).hidden = true;
}

// Computes and draws the state.
function moved() {
  if (!contents) return;
  if (document.body.dataset.ready) at('hint').hidden = true;
  markFound(-1);
  const began = performance.now();
  let scenario = null;
  showFigures();
  try {
    const answer = ask('evaluate', { ...asked(), placed: shownPlacement() });
    const parsed = JSON.parse(answer);
    drawResult(contents, parsed);
    drawCommand(parsed);
    [scenario] = parsed.document.scenarios;
    at('trouble').replaceChildren();
    document.body.classList.remove('troubled');
    window.answer = answer; // complete, for outside observers
  } catch (error) {
    trouble(error);
  }
  showThreads(scenario);
  // With the layout of the new picture, which the user waits for.
  at('map').getBoundingClientRect();
  const took = performance.now() - began;
  at('redrawn').textContent = `Computed and redrawn in ${took.toFixed(0)} ms.`;
  at('redrawn').dataset.ms = took;
  clearTimeout(compare.later);
  if (scenario) compare.later = setTimeout(compare, REST_MS);
  remember();
}

// The placement under every model.
function compare() {
  try {
    const answer = ask('under_models', { ...asked(), placed: shownPlacement() });
    drawModels(contents, JSON.parse(answer));
    window.compared = answer; // complete, for outside observers
  } catch (error) {
    trouble(error);
  }
}

function remember() {
  if (embedded) return;
  clearTimeout(remember.later);
  // Browsers refuse addresses that change many times a second.
  remember.later = setTimeout(() => history.replaceState(null, '', hashOf()), 150);
}

const quoted = (text) => /^[\w.,:=/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function drawCommand(answer) {
  const set = settingsOf(groups);
  const paths = { machine: 'configs/machines/', workload: 'configs/workloads/' };
  const namesOf = (which) => state[which] === 'study' ? shipped[`${which}s`][0].names
    : [state[which] ? `${paths[which]}${state[which]}.toml` : `${which}.toml`];
  const files = ['machine', 'workload'].filter((which) => state.texts[which].trim()).flatMap(namesOf);
  const more = [...files, 'what-if.toml', '--scenario', placedName, ...(state.model ? ['--model', state.model] : [])];
  const command = ['numasim', set.length ? 'sweep' : 'evaluate', ...more].map(quoted).join(' ');
  at('command').textContent = [command, ...set.map((one) => `--set ${quoted(one)}`)].join(' \\\n    ');
  at('exact').textContent = set.length ? ', where a sweep rounds in another order' : '';
  at('placed').textContent = answer.placed;
}

function search(event) {
  event.preventDefault();
  if (!contents) return;
  const { same, whole, busy, l3, robust, fewest } = state.restrictions;
  const limit = state.limit ? { time_limit_s: Number(state.limit) } : {};
  const question = { ...asked(), placed: shownPlacement(), search: { objective: state.objective || contents.objective, same_on_every_node: same,
    whole_nodes: whole, no_idle_cores: busy, whole_l3: l3, robust, min_threads_per_node: fewest, ...askedOfDomains(contents), ...limit } };
  [reported, window.explored] = [null, null];
  running(true);
  forget();
  at('hint').hidden = true;
  at('searched').textContent = 'Searching …';
  beginSearch(bytes, question, ({ progress, answer, trouble: wrong }) => {
    if (progress) return report(progress, question.search.objective);
    running(false);
    if (wrong) { at('searched').textContent = wrong.trim(); return; }
    window.explored = answer;
    const found = JSON.parse(answer);
    at('searched').replaceChildren(...found.words.map((words) => make('p', { textContent: words })));
    drawFound(contents, found, show);
    drawLosses(found.losses);
    show(found.placed[0]); // the robust one, if it was asked for, or the best
    markFound(0);
  });
}

function running(is) {
  at('explore').disabled = is;
  at('cancel').disabled = !is;
  at('effort').hidden = !is;
  at('effort').value = 0;
}

function report(progress, objective) {
  reported = { ...progress, objective };
  at('effort').value = Math.max(at('effort').value, progress.effort_spent);
  const best = progress.best === null ? 'nothing found yet' : `best so far ${valueInWords(progress.best, objective)}`;
  const bound = progress.bound === null ? '' : `, ${objective === 'makespan' ? 'at least' : 'at most'} ${valueInWords(progress.bound, objective)}`;
  at('searched').textContent = `${progress.elapsed_s.toFixed(1)} s: ${best}${bound}`;
}

function cancel() {
  if (!searching) return;
  const after = `Cancelled after ${((performance.now() - searching.began) / 1000).toFixed(1)} s`;
  endSearch();
  running(false);
  const best = reported?.found;
  at('searched').textContent = best
    ? `${after}. Best so far: ${valueInWords(reported.best, reported.objective)}, not proven; it is shown.`
    : `${after}: nothing was found yet. The placement shown is the one from before the search.`;
  if (best) show(best);
}

function show(start) {
  place(start);
  moved();
}

function fillLists() {
  for (const [which, list] of [['machine', shipped.machines], ['workload', shipped.workloads]]) {
    const all = list.map((one) => make('option', { value: one.id, textContent: one.title }));
    at(which).replaceChildren(...all, make('option', { value: '', textContent: 'your own text' }));
    at(which).addEventListener('change', () => {
      const chosen = list.find((one) => one.id === at(which).value);
      [state[which], state.threads, state.smt, state.static] = [at(which).value, null, null, false];
      if (chosen) state.texts[which] = chosen.text;
      else at('files').open = true;
      if (which === 'machine') [state.factors, state.model] = [{}, ''];
      fillIn();
      readFiles();
    });
    at(`${which}-text`).addEventListener('input', () => {
      [state[which], state.texts[which]] = ['', at(`${which}-text`).value];
      at(which).value = '';
      clearTimeout(fillLists.later);
      fillLists.later = setTimeout(readFiles, 250);
    });
  }
}

// Copies the state into the controls that are not created anew.
function fillIn() {
  for (const which of ['machine', 'workload']) {
    at(which).value = state[which];
    at(`${which}-text`).value = state.texts[which];
  }
  at('limit').value = state.limit;
  for (const key of TICKED) at(key).checked = state.restrictions[key];
  at('fewest').value = state.restrictions.fewest;
}

function listen() {
  at('model').addEventListener('change', () => { state.model = at('model').value; readFiles(); });
  at('start').addEventListener('change', () => {
    const start = contents?.starts[Number(at('start').value)];
    if (start) { place(start); moved(); }
  });
  at('objective').addEventListener('change', () => { state.objective = at('objective').value; remember(); });
  at('limit').addEventListener('change', () => { state.limit = at('limit').value; remember(); });
  for (const key of TICKED) {
    at(key).addEventListener('change', () => { state.restrictions[key] = at(key).checked; remember(); });
  }
  at('fewest').addEventListener('change', () => {
    state.restrictions.fewest = Math.max(0, Math.trunc(Number(at('fewest').value)) || 0);
    remember();
  });
  at('setup').addEventListener('submit', (event) => event.preventDefault());
  at('search').addEventListener('submit', search);
  at('cancel').addEventListener('click', cancel);
  at('deal').addEventListener('click', () => { eachEntry(threadsOf); moved(); });
  at('reset').addEventListener('click', () => { state.factors = {}; moved(); });
  at('copy').addEventListener('click', async () => {
    history.replaceState(null, '', hashOf());
    try {
      await navigator.clipboard.writeText(location.href);
      at('copied').textContent = 'Copied.';
    } catch { at('copied').textContent = 'The address of this page is that link.'; }
  });
  addEventListener('hashchange', () => { if (restore(location.hash, shipped)) { smtOfFiles = null; fillIn(); readFiles(); } });
  at('share').hidden = embedded;
  // A report gives its frame this height, so that no scrolling box is inside another.
  if (embedded) new ResizeObserver(() => parent.postMessage({ height: document.documentElement.scrollHeight }, '*')).observe(document.body);
}

async function begin() {
  const packed = new Blob([unbase64(at('wasm').textContent.trim())]).stream();
  bytes = await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  ask = await load(bytes, () => {});
  at('colours').textContent = ask('style', {});
  if (study) {
    const ofMachine = (file) => /^\s*\[+machine\b/m.test(file.text);
    const [machines, others] = [study.files.filter(ofMachine), study.files.filter((file) => !ofMachine(file))];
    const one = (files) => ({ id: 'study', title: files.map((file) => file.name).join(', ') || 'all in the file of the machine',
      names: files.map((file) => file.name), text: files.map((file) => file.text).join('\n') });
    shipped.machines.unshift(one(machines));
    shipped.workloads.unshift(one(others));
  }
  fillLists();
  if (embedded || !restore(location.hash, shipped)) {
    const opening = (list, id) => (study ? null : list.find((one) => one.id === id)) ?? list[0];
    const [machine, workload] = [opening(shipped.machines, OPENING.machine), opening(shipped.workloads, OPENING.workload)];
    at('hint').hidden = false;
    Object.assign(state, { machine: machine.id, workload: workload.id, texts: { machine: machine.text, workload: workload.text } });
  }
  fillIn();
  listen();
  readFiles();
  document.body.dataset.ready = 'yes';
}

begin().catch((error) => trouble(error));

// Values of machine and applications that sliders multiply.
const STEPS = 100, MOST = 4; // from a quarter to four times, evenly on a logarithmic scale
const factorAt = (position) => Number((MOST ** (position / STEPS)).toPrecision(3));
const positionOf = (factor) => Math.round(STEPS * Math.log(factor) / Math.log(MOST));

// Groups of values: each member has the key of `numasim sweep --set` and its value in the files.
function groupsOf(contents) {
  const nodes = contents.nodes.map((node, number) => ({ ...node, number }));
  const withCores = nodes.filter((node) => node.cores > 0);
  const links = withCores.flatMap(({ number: from }) => contents.link_gbs[from]
    .map((gbs, to) => ({ name: `${from}→${to}`, key: `machine.bandwidth_matrix_gbs.${from}.${to}`, base: gbs }))
    .filter(({ base }, to) => base !== null && to !== from));
  const ofNode = (list, key) => list.filter((node) => node[key] !== null)
    .map((node) => ({ name: `node ${node.number}`, key: `machine.node.${node.number}.${key}`, base: node[key] }));
  const groups = [
    { id: 'bandwidth', title: 'Memory controllers', unit: 'GB/s', members: ofNode(nodes, 'bandwidth_gbs') },
    { id: 'l3', title: 'Reads of an L3 domain', unit: 'GB/s', members: ofNode(withCores, 'l3_read_gbs') },
    { id: 'link', title: 'Links', unit: 'GB/s', members: links },
    { id: 'shared', title: 'Shared links', unit: 'GB/s', members: contents.shared_links
      .map(({ name, gbs }) => ({ name, key: `machine.shared_link.${JSON.stringify(name)}.gbs`, base: gbs })) },
    { id: 'peak', title: 'Peak of a core', unit: 'GFLOPS', members: ofNode(withCores, 'gflops_per_core') },
    { id: 'core', title: 'Bandwidth of a core', unit: 'GB/s', members: ofNode(withCores, 'core_bandwidth_gbs') },
  ];
  const apps = contents.apps.filter((app) => !app.is_counted).map((app) => ({
    id: `app ${app.name}`, title: `Intensity of ${app.name}`, unit: 'FLOP/byte',
    members: [{ name: app.name, key: `app.${JSON.stringify(app.name)}.arithmetic_intensity`, base: app.arithmetic_intensity }],
  }));
  return [...groups, ...apps].filter((group) => group.members.length > 0);
}

const valueOf = (group, member) => {
  const factor = (state.factors[group.id] ?? 1) * (state.factors[member.key] ?? 1);
  return factor === 1 ? member.base : member.base * factor;
};

// The arguments for `numasim sweep --set`.
const settingsOf = (groups) => groups.flatMap((group) => group.members
  .filter((member) => valueOf(group, member) !== member.base)
  .map((member) => `${member.key}=${valueOf(group, member)}`));

const short = (value) => String(Number(value.toPrecision(4)));

function wordsOf(group, members) {
  const values = members.map((member) => valueOf(group, member));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? `${short(low)} ${group.unit}` : `${short(low)} to ${short(high)} ${group.unit}`;
}

function slider(id, label, key, words, moved) {
  const range = make('input', { type: 'range', id, min: -STEPS, max: STEPS, step: 1, value: positionOf(state.factors[key] ?? 1) });
  const said = make('output', { htmlFor: id });
  const show = () => {
    const factor = state.factors[key] ?? 1;
    range.value = positionOf(factor);
    said.textContent = words() + (factor === 1 ? '' : ` (× ${factor})`);
    range.setAttribute('aria-valuetext', said.textContent);
  };
  range.addEventListener('input', () => {
    const factor = factorAt(Number(range.value));
    if (factor === 1) delete state.factors[key];
    else state.factors[key] = factor;
    moved();
  });
  const row = make('p', { className: 'slider' }, make('label', { htmlFor: id, textContent: label }), range, said);
  return { row, show };
}

// All sliders; the answer updates their labels.
function drawFigures(box, groups, moved) {
  const shows = [];
  const rows = groups.map((group, i) => {
    const whole = slider(`figure-${i}`, group.title, group.id, () => wordsOf(group, group.members), moved);
    shows.push(whole.show);
    if (group.members.length < 2) return whole.row;
    const each = make('details', {}, make('summary', { textContent: 'One by one' }));
    // Created on opening: there may be hundreds.
    each.addEventListener('toggle', () => {
      if (!each.open || each.childElementCount > 1) return;
      group.members.forEach((member, j) => {
        const one = slider(`figure-${i}-${j}`, member.name, member.key, () => wordsOf(group, [member]), moved);
        one.show();
        shows.push(one.show);
        each.append(one.row);
      });
    });
    return make('div', { className: 'group' }, whole.row, each);
  });
  box.replaceChildren(...rows);
  return () => shows.forEach((show) => show());
}

'use strict';
// Shows one scenario at a time. Without this script all of them are listed, and every link still works.
(() => {
  const whatIf = document.querySelector('.interactive');
  addEventListener('message', ({ source, data }) => {
    if (whatIf && source === whatIf.contentWindow && data.height > 0) whatIf.style.height = `${Math.ceil(data.height) + 2}px`;
  });
})();
(() => {
  const scenarios = [...document.querySelectorAll('.scenario')];
  const picker = document.querySelector('.picker');
  if (!picker) return;
  const pick = document.getElementById('pick');
  const earlier = document.getElementById('earlier');
  const later = document.getElementById('later');
  const picked = document.getElementById('picked');
  const links = [...document.querySelectorAll('.overview a')];

  const show = (id) => {
    const at = scenarios.findIndex((one) => one.id === id);
    scenarios.forEach((one, i) => { one.hidden = at >= 0 && i !== at; });
    links.forEach((link) => {
      if (at >= 0 && link.hash === '#' + id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
    pick.value = at >= 0 ? id : '';
    earlier.disabled = at <= 0;
    later.disabled = at < 0 || at + 1 === scenarios.length;
  };

  // #scenario-3, or #scenario=NAME as people write it.
  const asked = () => {
    let hash = location.hash.slice(1);
    try { hash = decodeURIComponent(hash); } catch { return undefined; }
    const named = hash.startsWith('scenario=') ? hash.slice('scenario='.length) : undefined;
    return scenarios.find((one) => one.id === hash || one.dataset.name === named);
  };

  const choose = (id) => {
    show(id);
    const chosen = document.getElementById(id);
    const name = chosen ? '#scenario=' + encodeURIComponent(chosen.dataset.name) : '#scenarios';
    history.replaceState(null, '', name);
    picked.textContent = chosen ? chosen.dataset.name + '. ' + chosen.querySelector('.sum').textContent : 'All scenarios';
  };

  const step = (by) => choose(scenarios[pick.selectedIndex + by].id);

  pick.addEventListener('change', () => choose(pick.value));
  earlier.addEventListener('click', () => step(-1));
  later.addEventListener('click', () => step(1));
  addEventListener('hashchange', () => {
    const scenario = asked();
    if (!scenario) return;
    show(scenario.id);
    picker.scrollIntoView();
    scenario.focus({ preventScroll: true });
  });
  // On paper there is nothing to unfold.
  addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((one) => { one.open = true; }));

  picker.hidden = false;
  const first = asked();
  show((first ?? scenarios[0]).id);
  if (first) picker.scrollIntoView();
})();

// A word of the glossary at the end leads there from each title of a column or figure.
(() => {
  const known = new Map([...document.querySelectorAll('.words dt')].map((word, i) => {
    word.id = `word-${i + 1}`;
    return [word.textContent, word];
  }));
  document.querySelectorAll('thead th, .tiles dt').forEach((title) => {
    const word = known.get(title.textContent);
    if (!word) return;
    const link = document.createElement('a');
    link.className = 'word';
    link.href = `#${word.id}`;
    link.title = word.nextElementSibling.textContent;
    link.textContent = title.textContent;
    title.replaceChildren(link);
  });
})();

// The cells of wide tables get the titles of their columns: on a phone each row is a card.
document.querySelectorAll('.scroll > table').forEach((table) => {
  const titles = [];
  for (const row of table.querySelectorAll('thead tr')) {
    let at = 0;
    for (const cell of row.cells) {
      for (let i = 0; i < cell.colSpan; i += 1, at += 1) (titles[at] ??= []).push(cell.textContent.trim());
    }
  }
  if (titles.length < 3) return;
  for (const row of table.querySelectorAll('tbody tr')) {
    [...row.cells].forEach((cell, i) => {
      if (i > 0) cell.dataset.label = (titles[i] ?? []).filter(Boolean).join(' ');
    });
  }
  table.classList.add('cards');
});

// Figures at a time that the reader chooses, and a line at that time in each picture. Without this script neither is shown.
(() => {
  const moment = document.querySelector('.moment');
  if (!moment) return;
  const { unit, per_second: factor, end_s: end, runs } = JSON.parse(document.getElementById('strips').textContent);
  const range = document.getElementById('moment');
  const policy = document.getElementById('moment-policy');
  const time = document.getElementById('moment-time');
  const cells = [...moment.querySelectorAll('td[data-at]')];

  const decimals = Math.max(0, 4 - Math.floor(Math.log10(end * factor) + 1));
  const lines = [...document.querySelectorAll('.course')].map((course) => {
    const svg = course.querySelector('svg');
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    line.setAttribute('class', 'now');
    line.setAttribute('y1', course.dataset.top);
    line.setAttribute('y2', course.dataset.bottom);
    // The line skips the legends between the panels: their texts have no text-anchor, labels of axes have one.
    const [top, bottom] = [+course.dataset.top, +course.dataset.bottom];
    const legends = [...svg.querySelectorAll('text:not([text-anchor])')].map((text) => +text.getAttribute('y'));
    const rows = [...new Set(legends)].filter((y) => y > top && y < bottom).sort((a, b) => a - b);
    let from = top;
    const dashes = rows.flatMap((y) => {
      const seen = Math.max(0, y - 14 - from);
      const hidden = y + 6 - (from + seen);
      from = y + 6;
      return [seen, hidden];
    });
    if (dashes.length) line.setAttribute('stroke-dasharray', [...dashes, Math.max(0, bottom - from), 0].join(' '));
    svg.append(line);
    return { line, run: runs[course.dataset.run], left: +course.dataset.left, right: +course.dataset.right };
  });

  const show = () => {
    const now = end * range.value / range.max;
    const chosen = policy ? +policy.value : 0;
    const run = runs[chosen];
    const slot = Math.min(Math.floor(now / run.slot_s), Math.ceil(run.end_s / run.slot_s) - 1);
    for (const cell of cells) {
      const parts = cell.dataset.at.split('/').slice(1);
      parts[1] = chosen;
      const values = parts.reduce((inner, part) => inner[part], { runs });
      const there = now <= run.end_s && slot < values.length;
      cell.textContent = there ? String(values[slot]) : '-';
      if (there) cell.dataset.json = `strips#/${parts.join('/')}/${slot}`;
      else delete cell.dataset.json;
    }
    for (const { line, run, left, right } of lines) {
      const x = left + (right - left) * Math.min(now / run.end_s, 1);
      line.setAttribute('x1', x);
      line.setAttribute('x2', x);
      line.toggleAttribute('hidden', now > run.end_s);
    }
    time.textContent = `${(now * factor).toFixed(decimals)} ${unit}`;
    range.setAttribute('aria-valuetext', time.textContent);
  };

  range.addEventListener('input', show);
  policy?.addEventListener('change', show);
  moment.hidden = false;
  show();
})();

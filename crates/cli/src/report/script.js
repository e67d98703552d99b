'use strict';
// Shows one scenario at a time. Without this script all of them are listed, and every link still works.
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

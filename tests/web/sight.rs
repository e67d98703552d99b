//! The opening of the page, result and map next to the sliders, contrast, and the answer of a search, as a reader sees them.

use serde_json::{Value, json};

use super::chromium::{Paper, told, told_on};
use super::page;

#[test]
#[ignore = "long: .ci/web runs it"]
fn the_page_opens_on_two_sockets_and_two_applications_with_one_hint() {
    let Some(page) = page() else { return };
    let seen = "[...document.querySelectorAll('.hint')].filter((one) => one.checkVisibility()).length";
    let script = format!(
        "const {{ document: found }} = JSON.parse(answer); const [scenario] = found.scenarios; const opened = {seen};\
         set('threads-0-0', 4); tell({{ machine: by('machine').value, workload: by('workload').value, apps: scenario.apps.map((app) => app.name),\
           nodes: scenario.nodes.length, opened, moved: {seen}, drawn: by('map').querySelectorAll('circle').length }});"
    );
    let (found, console) = told(&page, "", &script);
    assert!(console.is_empty(), "{console:?}");
    assert_eq!(
        found,
        json!({ "machine": "xeon-gold-6140-2s", "workload": "stencil-and-inference", "apps": ["stencil", "inference"],
            "nodes": 2, "opened": 1, "moved": 0, "drawn": 36 })
    );
    let (linked, _) = told(&page, "#machine=opteron-8n&workload=hpc-node", &format!("tell({seen});"));
    assert_eq!(linked, 0, "a reader of a link gets what the link says");
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn the_best_is_shown_as_soon_as_it_is_found() {
    let Some(page) = page() else { return };
    let script = "const before = by('total').textContent; by('explore').click(); await until(() => document.querySelector('#found [aria-current]'));\
        const { best } = JSON.parse(explored).document; const [scenario] = JSON.parse(answer).document.scenarios;\
        const sliders = best.apps.map((app, a) => app.threads.map((_, n) => Number(by(`threads-${a}-${n}`).value)));\
        const marked = document.querySelector('#found [aria-current]').cells[0].textContent; const found = by('total').textContent; set('threads-0-0', 1);\
        tell({ before, found, best: best.apps.map((app) => app.threads), shown: scenario.apps.map((app) => app.threads), sliders, marked,\
          later: document.querySelectorAll('#found [aria-current]').length });";
    let (found, console) = told(&page, "", script);
    assert!(console.is_empty(), "{console:?}");
    assert_eq!((&found["shown"], &found["sliders"]), (&found["best"], &found["best"]));
    assert_ne!(found["before"], found["found"]);
    assert_eq!((&found["marked"], &found["later"]), (&json!("best"), &json!(0)), "{found}");
}

/// The window of a reader, in a frame: a window of Chromium is never as narrow as a phone.
fn in_a_frame(page: &str, (width, height): (u32, u32), script: &str) -> Value {
    let page = page.replacen("default-src 'none'", "default-src 'none'; frame-src file:", 1);
    let script = format!(
        "if (window.parent === window) {{ const frame = document.createElement('iframe'); frame.style.cssText = 'width:{width}px;height:{height}px;border:0';\
           frame.src = location.href.replace(/#.*/, '') + '#inside'; document.body.append(frame);\
           const heard = await new Promise((go) => addEventListener('message', ({{ data }}) => {{ if (data.seen) go(data.seen); }})); tell(heard);\
         }} else {{ const seen = await (async () => {{ {script} }})(); parent.postMessage({{ seen }}, '*'); }}"
    );
    told(&page, "", &script).0
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn result_and_map_stay_in_sight_beside_every_slider() {
    let Some(page) = page() else { return };
    // A slider is in sight if nothing covers it. `block` says where in the window the reader has it: `nearest` is where the keyboard and
    // scrolling down bring it. The embedded page ignores the address, so the lists choose.
    let script = |machine: &str, workload: &str, block: &str| {
        format!(
            "set('machine', '{machine}', 'change'); set('workload', '{workload}', 'change'); const wrong = []; let sliders = 0;\
             document.querySelectorAll('details').forEach((one) => {{ one.open = true; }}); await new Promise((go) => setTimeout(go, 300));\
             const inside = (box) => box.top >= -1 && box.left >= -1 && box.bottom <= innerHeight + 1 && box.height > 10;\
             for (const slider of document.querySelectorAll('.controls input[type=range]')) {{\
               slider.scrollIntoView({{ block: '{block}', behavior: 'instant' }}); sliders += 1;\
               const box = slider.getBoundingClientRect(); const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);\
               const map = by('map').getBoundingClientRect(); const total = by('total').getBoundingClientRect();\
               if (!inside(map) || !inside(total) || map.height < 100 || top !== slider) wrong.push([slider.id, top?.id, map.top, map.bottom, total.top]); }}\
             return {{ many: sliders > 12, wrong: wrong.slice(0, 5) }};"
        )
    };
    for window in [(1280, 800), (390, 844)] {
        for (machine, workload, block) in [
            ("xeon-gold-6140-2s", "stencil-and-inference", "center"),
            ("xeon-gold-6138-4s", "paper-numa-bad", "nearest"),
            ("opteron-8n", "data-center", "nearest"),
        ] {
            let seen = in_a_frame(&page, window, &script(machine, workload, block));
            assert_eq!(seen, json!({ "many": true, "wrong": [] }), "{window:?} {machine}");
        }
    }
}

/// The contrast of every visible text with what is behind it, as WCAG 2 defines it, and that of links without traffic.
const CONTRAST: &str = "const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });\
    const parts = (colour) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); return [...pen.getImageData(0, 0, 1, 1).data]; };\
    const light = (colour) => { const [r, g, b] = parts(colour).map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);\
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; };\
    const contrast = (one, other) => { const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b); return (bright + 0.05) / (dark + 0.05); };\
    const paper = (element) => { for (let at = element; at; at = at.parentElement) { const { backgroundColor } = getComputedStyle(at); if (parts(backgroundColor)[3] === 255) return backgroundColor; } return 'white'; };\
    const low = []; let texts = 0;\
    const judge = (element, ink, ground) => { texts += 1; const is = contrast(ink, ground); if (is < 4.5) low.push([element.id || element.className?.baseVal || element.tagName, element.textContent.trim().slice(0, 30), ink, ground, is]); };\
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); const idle = [];\
    for (let node = walk.nextNode(); node; node = walk.nextNode()) { const element = node.parentElement;\
      if (!node.textContent.trim() || !element.checkVisibility() || element.closest('svg, script, style, option')) continue;\
      judge(element, getComputedStyle(element).color, paper(element)); }\
    for (const select of document.querySelectorAll('select')) if (select.checkVisibility()) judge(select, getComputedStyle(select).color, paper(select));\
    const svg = by('map').querySelector('svg'); const shapes = [...svg.querySelectorAll('rect, circle, text, path')]; const page = paper(by('map'));\
    shapes.forEach((shape, i) => { const style = getComputedStyle(shape);\
      if (shape.tagName === 'path' && shape.getAttribute('stroke-width') === '1') idle.push(contrast(style.stroke, page));\
      if (shape.tagName !== 'text') return; const box = shape.getBBox(); const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];\
      const below = shapes.slice(0, i).filter((one) => { if (!['rect', 'circle'].includes(one.tagName) || getComputedStyle(one).fill === 'none') return false;\
        const its = one.getBBox(); return x >= its.x && x <= its.x + its.width && y >= its.y && y <= its.y + its.height; }).pop();\
      judge(shape, style.fill, below ? getComputedStyle(below).fill : page); });";

#[test]
#[ignore = "long: .ci/web runs it"]
fn text_has_contrast_on_light_and_dark_paper_and_idle_links_are_faint() {
    let Some(page) = page() else { return };
    // Everything that a search shows; then four nodes, some of whose links have no traffic.
    let script = format!(
        "const look = () => {{ {CONTRAST} return {{ low, texts, idle, page: light(page) }}; }};\
         by('robust').click(); by('explore').click(); await until(() => !by('losses-box').hidden);\
         document.querySelectorAll('details').forEach((one) => {{ one.open = true; }}); await new Promise((go) => setTimeout(go, 500)); const found = look();\
         set('machine', 'xeon-gold-6138-4s', 'change'); await new Promise((go) => setTimeout(go, 500));\
         tell({{ dark: matchMedia('(prefers-color-scheme: dark)').matches, found, four: look() }});"
    );
    for paper in [Paper::Light, Paper::Dark] {
        let (found, console) = told_on(paper, &page, "", &script);
        assert!(console.is_empty(), "{console:?}");
        assert_eq!(found["dark"], paper == Paper::Dark);
        for seen in [&found["found"], &found["four"]] {
            assert_eq!(seen["page"].as_f64().expect("a number") < 0.05, paper == Paper::Dark, "{seen}");
            assert_eq!(seen["low"], json!([]), "{paper:?}");
            assert!(seen["texts"].as_u64().expect("a number") > 150, "{}", seen["texts"]);
        }
        let idle = found["four"]["idle"].as_array().expect("a list");
        assert!(!idle.is_empty(), "some link of four nodes has no traffic");
        for contrast in idle.iter().map(|one| one.as_f64().expect("a number")) {
            assert!((1.1..2.0).contains(&contrast), "{paper:?}: {contrast}");
        }
    }
}

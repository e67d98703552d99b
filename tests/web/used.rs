//! Typical use of the page: moves, mistakes, a cancelled search, links, keyboard and phone.

use serde_json::{Value, json};

use super::chromium::told;
use super::page;

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn an_address_restores_the_view() {
    let Some(page) = page() else { return };
    let change = "set('machine', 'xeon-gold-6140-2s', 'change'); set('workload', 'paper-numa-bad', 'change');\
        set('threads-1', 0); set('threads-1-0', 3); set('figure-0', 20); set('home-3', 1, 'change'); set('objective', 'fair', 'change');\
        by('same').click(); await new Promise((go) => setTimeout(go, 400));";
    let tell = "tell({ hash: location.hash, total: by('total').textContent, answer, command: by('command').textContent,\
        objective: by('objective').value, same: by('same').checked });";
    let (mut before, _) = told(&page, "", &format!("{change}{tell}"));
    let hash = text(&before["hash"]).to_owned();
    assert!(hash.contains("machine=xeon-gold-6140-2s"), "{hash}");
    let (mut after, console) = told(&page, &hash, tell);
    assert!(console.is_empty(), "{console:?}");
    for one in [&mut before, &mut after] {
        one["hash"] = Value::Null;
    }
    assert_eq!(before, after);
    assert!(text(&after["command"]).contains("numasim sweep configs/machines/xeon-gold-6140-2s.toml"));
    assert_eq!((&after["objective"], &after["same"]), (&json!("fair"), &json!(true)));
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn a_number_in_an_l3_domain_fixes_the_node_until_it_is_redistributed() {
    let Some(page) = page() else { return };
    let per_l3 = "JSON.parse(answer).document.scenarios[0].apps.map((app) => app.threads_per_l3[0])";
    let shown = "({ hash: location.hash, total: by('total').textContent, answer, most: by('domains-most-0').value, deal: by('deal').disabled })";
    let script = format!(
        "set('threads-2', 0); set('threads-3', 0); set('threads-0', 3); set('threads-1', 2); const dealt = {per_l3};\
         set('threads-0-0-0', 9); const fixed = {per_l3}; set('threads-0-0', 2); const again = {per_l3};\
         set('threads-0-0-1', 2); by('in-domains').open = true; set('domains-most-0', 1, 'change'); await new Promise((go) => setTimeout(go, 400));\
         const before = {shown}; by('deal').click(); tell({{ dealt, fixed, again, before, after: {per_l3}, deal: by('deal').disabled }});"
    );
    let (found, console) = told(&page, "#machine=epyc-9354p-1s-nps4&workload=hpc-node", &script);
    assert!(console.is_empty(), "{console:?}");
    // Two domains of 4 cores. Thread by thread to the domain with fewer used cores: 2 + 1, then 1 + 1.
    assert_eq!(found["dealt"], json!([[2, 1], [1, 1], [0, 0], [0, 0]]));
    // The second application has one of the four cores of domain 0, and does not move.
    assert_eq!(found["fixed"], json!([[3, 1], [1, 1], [0, 0], [0, 0]]));
    // A number for the node is distributed next to the fixed threads.
    assert_eq!(found["again"], json!([[1, 1], [1, 1], [0, 0], [0, 0]]));
    // 1 + 2 are three threads.
    assert_eq!((&found["after"], &found["deal"]), (&found["dealt"], &json!(true)));
    let hash = text(&found["before"]["hash"]).to_owned();
    let (again, _) = told(&page, &hash, &format!("tell({shown});"));
    assert_eq!(again, found["before"]);
    assert_eq!((&again["most"], &again["deal"]), (&json!("1"), &json!(false)));
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn custom_text_is_computed_and_kept_in_the_address() {
    let Some(page) = page() else { return };
    let study = "[machine]\\nname = \\\"mine <b>\\\"\\nnodes = 2\\ncores_per_node = 4\\ngflops_per_core = 10.0\\nbandwidth_gbs = 32.0\\nlink_gbs = 10.0\\n\
        [[app]]\\nname = \\\"a<script>\\\"\\narithmetic_intensity = 0.5\\n";
    let script = format!(
        "set('workload-text', ''); set('machine-text', \"{study}\"); await new Promise((go) => setTimeout(go, 700));\
         tell({{ hash: location.hash, total: by('total').textContent, trouble: by('trouble').textContent, bold: document.querySelectorAll('main b').length }});"
    );
    let (found, console) = told(&page, "", &script);
    assert!(console.is_empty(), "{console:?}");
    // even: 4 threads on each node share 32 GB/s at 0.5 FLOP/byte: 16 GFLOPS each.
    assert_eq!(
        (text(&found["total"]), text(&found["trouble"]), &found["bold"]),
        ("32.0 GFLOPS", "", &json!(0))
    );
    let (again, _) = told(&page, text(&found["hash"]), "tell({ total: by('total').textContent });");
    assert_eq!(again["total"], found["total"]);
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn a_mistake_is_shown_with_its_line_and_column() {
    let Some(page) = page() else { return };
    let script = "set('machine-text', '[machine]\\nname = \"m\"\\nnods = 2\\n'); await until(() => by('trouble').textContent);\
        tell({ trouble: by('trouble').textContent, alert: by('trouble').getAttribute('role') });";
    let (found, console) = told(&page, "", script);
    assert!(console.is_empty(), "{console:?}");
    let said = text(&found["trouble"]);
    assert!(said.contains("machine.toml:3:1") && said.contains("nods") && said.contains("hint"), "{said}");
    assert_eq!(found["alert"], "alert");
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn a_cancelled_search_leaves_the_best_reported_placement() {
    let Some(page) = page() else { return };
    // Far from proven after minutes.
    let script = "by('objective').value = 'geomean'; by('objective').dispatchEvent(new Event('change')); by('explore').click();\
        await until(() => /best so far \\d/.test(by('searched').textContent) || window.explored);\
        const during = { said: by('searched').textContent, cancel: by('cancel').disabled, effort: by('effort').hidden };\
        const before = JSON.parse(answer).document.scenarios[0].total_gflops; by('cancel').click();\
        tell({ during, before, said: by('searched').textContent, explore: by('explore').disabled, after: JSON.parse(answer).document.scenarios[0].total_gflops });";
    let (found, console) = told(&page, "#machine=opteron-8n&workload=genomics", script);
    assert!(console.is_empty(), "{console:?}");
    let said = text(&found["said"]);
    assert!(said.starts_with("Cancelled after ") && said.contains("it is shown"), "{found}");
    assert_eq!(found["during"]["cancel"], false);
    assert_eq!(found["explore"], false, "another search can begin");
    assert_ne!(found["before"], found["after"], "the best so far is shown");
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn a_search_cancelled_at_once_reports_it_and_changes_nothing() {
    let Some(page) = page() else { return };
    // No message of a worker arrives before the script lets go.
    let script = "by('explore').click(); await until(() => window.explored); const listed = !by('found-box').hidden;\
        set('machine', 'opteron-8n', 'change'); set('workload', 'genomics', 'change'); set('objective', 'geomean', 'change'); set('threads-0-0', 0);\
        const shown = () => [answer, by('map').innerHTML, by('threads').textContent, by('total').textContent, by('command').textContent].join();\
        const before = shown(); by('explore').click(); const during = by('searched').textContent; by('cancel').click();\
        const said = by('searched').textContent; await new Promise((go) => setTimeout(go, 500));\
        tell({ listed, during, said, later: by('searched').textContent, same: shown() === before, found: by('found-box').hidden,\
          explore: by('explore').disabled, cancel: by('cancel').disabled, explored: window.explored });";
    let (found, console) = told(&page, "#machine=xeon-gold-6140-2s&workload=hpc-node", script);
    assert!(console.is_empty(), "{console:?}");
    let said = text(&found["said"]);
    let (after, rest) = said.split_once(" s: ").expect("when it was cancelled");
    assert!(after.starts_with("Cancelled after 0."), "{said}");
    assert_eq!(rest, "nothing was found yet. The placement shown is the one from before the search.");
    assert_eq!((text(&found["during"]), text(&found["later"])), ("Searching …", said));
    assert_eq!((&found["same"], &found["explored"]), (&json!(true), &Value::Null), "{found}");
    assert_eq!(
        (&found["listed"], &found["found"]),
        (&json!(true), &json!(true)),
        "the list of another search is gone"
    );
    assert_eq!(
        (&found["explore"], &found["cancel"]),
        (&json!(false), &json!(true)),
        "another search can begin"
    );
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn a_time_limit_ends_a_search_with_a_bound() {
    let Some(page) = page() else { return };
    let script = "set('limit', '0.5', 'change'); by('explore').click(); await until(() => window.explored);\
        const found = JSON.parse(explored).document; tell({ said: by('searched').textContent, unproven: found.unproven, fine: found.bound >= found.value });";
    let (found, _) = told(&page, "#machine=opteron-8n&workload=genomics&objective=geomean", script);
    assert_eq!((text(&found["unproven"]), &found["fine"]), ("time-limit", &json!(true)), "{found}");
    assert!(text(&found["said"]).contains("stopped by the time limit"), "{found}");
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn nothing_is_fetched_and_everything_has_a_name_and_can_be_reached() {
    let Some(page) = page() else { return };
    let script = "by('explore').click(); await until(() => window.explored);\
        document.querySelectorAll('details').forEach((one) => { one.open = true; }); await new Promise((go) => setTimeout(go, 300));\
        const inputs = [...document.querySelectorAll('input, select, textarea, button, output[role]')];\
        const mute = inputs.filter((one) => one.tagName !== 'OUTPUT' && !one.labels?.length && !one.ariaLabel && !one.textContent.trim()).map((one) => one.id);\
        const lost = inputs.filter((one) => one.tagName !== 'OUTPUT' && one.tabIndex < 0).map((one) => one.id);\
        const boxes = [...document.querySelectorAll('.scroll, pre[id]')].filter((one) => one.tabIndex !== 0 || !one.ariaLabel).map((one) => one.id);\
        const fetched = performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !/^(blob|data):/.test(name));\
        tell({ many: inputs.length > 20, mute, lost, boxes, fetched });";
    let (found, console) = told(&page, "", script);
    assert!(console.is_empty(), "{console:?}");
    assert_eq!(found, json!({ "many": true, "mute": [], "lost": [], "boxes": [], "fetched": [] }));
}

#[test]
#[ignore = "long: .ci/web runs it"]
fn on_a_phone_nothing_but_tables_and_pictures_scrolls_sideways() {
    let Some(page) = page() else { return };
    let page = page.replacen("default-src 'none'", "default-src 'none'; frame-src file:", 1);
    // In a frame, since a window of Chromium is never as narrow as a phone.
    let script = "if (window.parent === window) { const frame = document.createElement('iframe'); frame.style.cssText = 'width:360px;height:780px;border:0';\
          frame.src = location.href.replace(/#.*/, '') + '#inside'; document.body.append(frame);\
          const heard = await new Promise((go) => addEventListener('message', ({ data }) => { if (data.width) go(data); })); tell(heard);\
        } else { const wide = [...document.querySelectorAll('input[type=range]')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().width < 100).length;\
          const small = [...document.querySelectorAll('button')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 32).length;\
          parent.postMessage({ width: innerWidth, scrolls: document.documentElement.scrollWidth > document.documentElement.clientWidth, wide, small }, '*'); }";
    let (found, _) = told(&page, "", script);
    assert_eq!(found, json!({ "width": 360, "scrolls": false, "wide": 0, "small": 0 }));
}

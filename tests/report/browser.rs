//! The page in headless Chromium. Without Chromium a test prints a message and does nothing; with
//! `NUMASIM_REQUIRE_TOOLS=1`, as in `.ci/run`, that is a failure.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::html::{figures, plain};
use super::{MEASURED, STUDY, folder, numasim, over_time, path, stdout, table_iii};

/// Whether there is a browser.
pub(crate) fn is_there() -> bool {
    let found = Command::new("chromium").arg("--version").stdin(Stdio::null()).output();
    if found.is_ok_and(|output| output.status.success()) {
        return true;
    }
    let required = std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
    assert!(!required, "chromium is missing: .ci/packages chromium");
    eprintln!("chromium is not installed: not tested");
    false
}

/// The document of a page after all scripts, and the lines of its console, from Chromium.
fn opened(page: &Path, hash: &str, size: (u32, u32), more: &[String]) -> (String, Vec<String>) {
    let profile = tempfile::tempdir().expect("a folder for the test");
    let page = page.canonicalize().expect("the page is there");
    let output = Command::new("timeout")
        .args([
            "120",
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
        ])
        .args(["--enable-logging=stderr", "--v=0"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--window-size={},{}", size.0, size.1))
        .args(more)
        .arg(format!("file://{}{hash}", page.display()))
        .stdin(Stdio::null())
        .output()
        .expect("chromium starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let console = messages.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    (String::from_utf8_lossy(&output.stdout).into_owned(), console)
}

const DUMP: &str = "--dump-dom";

/// The ids of the scenarios that are shown, in a document after its scripts.
fn shown(document: &str) -> Vec<String> {
    let tags = document.split("<article class=\"scenario\"").skip(1);
    let tags = tags.filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag));
    let tags = tags.filter(|tag| !tag.contains(" hidden"));
    tags.filter_map(|tag| Some(tag.split_once("id=\"")?.1.split_once('"')?.0.to_owned())).collect()
}

/// A copy of a page with an added test script, which the page's policy would otherwise block.
fn with_script(page: &str, script: &str) -> String {
    let (head, rest) = page.split_once("<meta http-equiv=\"Content-Security-Policy\"").expect("a policy");
    let (_, rest) = rest.split_once('>').expect("a whole element");
    format!("{head}{}", rest.replace("</body>", &format!("<script>{script}</script></body>")))
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn a_page_opens_without_console_messages() {
    if !is_there() {
        return;
    }
    let folder = folder(&[("page.html", &table_iii())]);
    let (document, console) = opened(&folder.path().join("page.html"), "", (1280, 900), &[DUMP.to_owned()]);
    assert!(console.is_empty(), "{console:?}");
    assert_eq!(shown(&document), ["scenario-1"], "the first one is chosen");
    assert!(document.contains("<div class=\"picker\">"), "the choice is shown");
    assert_eq!(figures(&document).len(), figures(&table_iii()).len(), "no figure is lost");
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn a_scenario_of_the_address_is_shown_with_its_map_and_figures() {
    if !is_there() {
        return;
    }
    let folder = folder(&[("page.html", &table_iii())]);
    for hash in ["#scenario=NUMA-bad%20cross-node", "#scenario-4"] {
        let (document, console) =
            opened(&folder.path().join("page.html"), hash, (1280, 900), &[DUMP.to_owned()]);
        assert_eq!((console.len(), shown(&document)), (0, vec!["scenario-4".to_owned()]), "{hash}");
        let article =
            document.split("id=\"scenario-4\"").nth(1).and_then(|rest| rest.split("</article>").next());
        let article = article.expect("the scenario");
        assert!(article.contains("<svg "), "no map");
        let text = plain(&format!("<p{article}"));
        assert!(
            text.contains("Predicted 13.98 GFLOPS, measured 13.25 GFLOPS (1 run), error +5.5 %."),
            "{text}"
        );
    }
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn scenarios_are_chosen_by_list_and_buttons_and_all_can_be_shown() {
    if !is_there() {
        return;
    }
    let script = "const pick = document.getElementById('pick'), seen = [];\
        const shown = () => [...document.querySelectorAll('.scenario')].filter((one) => !one.hidden).map((one) => one.id);\
        const set = (id) => { pick.value = id; pick.dispatchEvent(new Event('change')); seen.push(shown().join()); };\
        set('scenario-3'); document.getElementById('later').click(); seen.push(shown().join());\
        document.getElementById('earlier').click(); seen.push(shown().join(), location.hash); set('');\
        seen.push(document.getElementById('picked').textContent); document.title = seen.join(' | ');";
    let folder = folder(&[("page.html", &with_script(&table_iii(), script))]);
    let (document, console) = opened(&folder.path().join("page.html"), "", (1280, 900), &[DUMP.to_owned()]);
    assert!(console.is_empty(), "{console:?}");
    let title = document.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    assert_eq!(
        title,
        Some(
            "scenario-3 | scenario-4 | scenario-3 | #scenario=one%20app%20per%20node | \
             scenario-1,scenario-2,scenario-3,scenario-4,scenario-5 | All scenarios"
        )
    );
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn a_slider_shows_the_values_at_a_time_and_a_line_in_each_picture() {
    if !is_there() {
        return;
    }
    let page = over_time::page(&["--policy", "none", "--policy", "static-even"]);
    // Just before the end of static-even, 37.625 s, the consumer runs alone, on 8 cores; none has ended at 37.5 s.
    let script = "const range = document.getElementById('moment'), policy = document.getElementById('moment-policy'), seen = [];\
        const cells = () => [...document.querySelectorAll('.moment tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim()).join('; ');\
        const lines = () => [...document.querySelectorAll('svg .now')].map((line) => line.hasAttribute('hidden') ? '-' : '|').join('');\
        const set = (value) => { range.value = value; range.dispatchEvent(new Event('input')); };\
        set(999); seen.push(cells(), lines()); policy.value = 1; policy.dispatchEvent(new Event('change')); seen.push(cells(), lines());\
        seen.push(document.getElementById('moment-time').textContent); document.title = seen.join(' | ');";
    let folder = folder(&[("page.html", &with_script(&page, script))]);
    let (document, console) = opened(&folder.path().join("page.html"), "", (1280, 900), &[DUMP.to_owned()]);
    assert!(console.is_empty(), "{console:?}");
    let title = document.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    assert_eq!(
        title,
        Some(
            "producer - -; consumer - -; producer → consumer - - | -| | \
             producer 0 0; consumer 8 80; producer → consumer 1 1 | -| | 37.59 s"
        )
    );
    // Every value still equals the JSON.
    assert_eq!(super::check_figures(&document), figures(&page).len());
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn the_course_fits_a_phone_and_is_quiet() {
    if !is_there() {
        return;
    }
    let page = over_time::page(&["--policy", "lead:2"]);
    let folder = folder(&[("plain.html", &page)]);
    let (document, console) = opened(&folder.path().join("plain.html"), "", (1280, 900), &[DUMP.to_owned()]);
    assert!(console.is_empty(), "{console:?}");
    assert_eq!(figures(&document).len(), figures(&page).len(), "no figure is lost");
    let script = "const boxes = [...document.querySelectorAll('.scroll, pre')];\
        const mute = boxes.filter((one) => one.tabIndex !== 0 || !one.ariaLabel).length;\
        const slider = document.getElementById('moment').getBoundingClientRect();\
        parent.postMessage(`${document.documentElement.scrollWidth} ${mute} ${slider.width > 150 && slider.right < innerWidth}`, '*');";
    fs::write(folder.path().join("page.html"), with_script(&page, script)).expect("a file for the test");
    for width in [390, 1280] {
        assert_eq!(title_in_frame(&folder, width), Some(format!("{width} 0 true")));
    }
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn no_name_runs_as_a_script() {
    if !is_there() {
        return;
    }
    let evil =
        "</script><script>document.title='gone'</script><img src=x onerror=\\\"document.title='gone'\\\">";
    let study = STUDY.replace("\"mem\"", &format!("\"{evil}\"")).replace("mem =", &format!("\"{evil}\" ="));
    let folder = folder(&[("study.toml", &study.replace("\"even\"", &format!("\"{evil}\"")))]);
    let page = stdout(&numasim(&["report", path(&folder), "--title", "safe"]));
    fs::write(folder.path().join("page.html"), page).expect("a file for the test");
    let (document, console) = opened(&folder.path().join("page.html"), "", (1280, 900), &[DUMP.to_owned()]);
    assert!(console.is_empty(), "{console:?}");
    assert!(document.contains("<title>safe · numasim report</title>"));
    assert_eq!(document.matches("<img").count(), 0);
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn a_phone_scrolls_in_one_direction_only_and_a_desktop_too() {
    if !is_there() {
        return;
    }
    let folder = folder(&[("study.toml", STUDY), ("measured.csv", MEASURED)]);
    let page = stdout(&numasim(&["report", path(&folder)]));
    // In a frame, since a window of Chromium is never as narrow as a phone. Also checks that every scrolling box is
    // reachable by keyboard and has a name.
    let script = "const boxes = [...document.querySelectorAll('.scroll, pre')];\
        const mute = boxes.filter((one) => one.tabIndex !== 0 || !one.ariaLabel).length;\
        parent.postMessage(`${innerWidth} ${document.documentElement.scrollWidth} ${mute}`, '*');";
    fs::write(folder.path().join("page.html"), with_script(&page, script)).expect("a file for the test");
    for width in [360, 1280] {
        assert_eq!(title_in_frame(&folder, width), Some(format!("{width} {width} 0")));
    }
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn pictures_on_a_phone_scroll_to_their_ends_and_show_it() {
    if !is_there() {
        return;
    }
    let folder = folder(&[("study.toml", STUDY), ("measured.csv", MEASURED)]);
    let page = stdout(&numasim(&["report", path(&folder)]));
    // For each visible picture: its letters are readable, it scrolls, its right end is then in the box, and a reader sees
    // that there is more: by words, and by a shadow that the background of the picture does not hide.
    let script = "const wrong = [];\
        const boxes = [...document.querySelectorAll('figure .scroll')].filter((one) => one.clientWidth > 0);\
        for (const box of boxes) {\
          const svg = box.querySelector('svg'), note = box.querySelector('.sideways');\
          const say = (what) => wrong.push(`${box.ariaLabel}: ${what}`);\
          const wide = svg.getBoundingClientRect().width;\
          if (wide < 0.7 * svg.viewBox.baseVal.width) say('small');\
          const scrolls = box.scrollWidth > box.clientWidth;\
          if (scrolls !== (note.clientWidth > 0)) say('no note');\
          if (note.clientWidth > box.clientWidth) say('long note');\
          box.scrollLeft = 1e6;\
          const [inner, outer] = [svg, box].map((one) => one.getBoundingClientRect().right);\
          if (inner > outer + 1) say('clipped');\
          if (getComputedStyle(svg.querySelector('rect')).fill !== 'none') say('paper hides the shadow');\
          if (!getComputedStyle(box).backgroundImage.includes('gradient')) say('no shadow');\
        }\
        parent.postMessage(`${innerWidth} ${boxes.length > 4} ${wrong.join('; ')}.`, '*');";
    fs::write(folder.path().join("page.html"), with_script(&page, script)).expect("a file for the test");
    for width in [390, 1280] {
        let title = title_in_frame(&folder, width);
        assert_eq!(title, Some(format!("{width} true .")));
    }
}

/// The results of `page.html` in a frame of this width.
fn title_in_frame(folder: &tempfile::TempDir, width: u32) -> Option<String> {
    let frame = format!(
        "<script>addEventListener('message', (told) => {{ document.title = told.data; }});</script>\
         <iframe src=\"page.html\" style=\"width:{width}px;height:900px;border:0\"></iframe>"
    );
    let outer = folder.path().join("frame.html");
    fs::write(&outer, frame).expect("a file for the test");
    let more = [DUMP.to_owned(), "--virtual-time-budget=2000".to_owned()];
    let (document, console) = opened(&outer, "", (1400, 1000), &more);
    assert!(console.is_empty(), "{console:?}");
    document.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).map(str::to_owned)
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn on_paper_every_scenario_is_there() {
    if !is_there() {
        return;
    }
    let folder = folder(&[("page.html", &table_iii())]);
    let paper = folder.path().join("page.pdf");
    let (_, console) = opened(
        &folder.path().join("page.html"),
        "",
        (1280, 900),
        &[format!("--print-to-pdf={}", paper.display()), "--no-pdf-header-footer".to_owned()],
    );
    assert!(console.is_empty(), "{console:?}");
    let pages = String::from_utf8_lossy(&fs::read(&paper).expect("printed")).matches("/Type /Page\n").count();
    // Five maps alone need more than three pages.
    assert!((5..=20).contains(&pages), "{pages} pages");
}
